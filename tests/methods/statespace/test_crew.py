"""Threads that share numbered tasks."""

from collections.abc import Callable

import pytest

from matheur.methods.statespace.crew import run_tasks


@pytest.mark.parametrize("threads", [1, 3])
def test_tasks_are_all_done_or_stopped(threads: int) -> None:
    """Every task once; an end when asked; an error of a task is the caller's."""
    seen: list[int] = []
    assert run_tasks(20, threads, lambda thread, task, stopped: seen.append(task), lambda: False)
    assert sorted(seen) == list(range(20))

    def wait(thread: int, task: int, stopped: Callable[[], bool]) -> None:
        while not stopped():
            pass

    asked = iter([False, False, False] + [True] * 10_000)
    assert not run_tasks(20, threads, wait, lambda: next(asked))

    def fail(thread: int, task: int, stopped: Callable[[], bool]) -> None:
        raise ValueError("task")

    with pytest.raises(ValueError, match="task"):
        run_tasks(3, threads, fail, lambda: False)
