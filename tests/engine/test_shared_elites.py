"""Pools of elites that share a folder: between members, runs and processes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import wait
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine import toy
from engine.tasks import Unordered, add_elites, add_elites_for_ever

from matheur.engine import Budget, SharedElites, shared_elites
from matheur.engine.elite_files import list_elites, read_elite
from matheur.engine.processes import Workers, workers
from matheur.engine.protocols import solution_key

PROBLEM = toy.SmallSum(6)


def put(pool: SharedElites, *digits: int) -> bool:
    solution = np.array(digits, dtype=np.int64)
    return pool.add(solution_key(pool.problem, solution), solution, int(solution.sum()))


def objectives(pool: SharedElites) -> list[int | float]:
    return [elite.objective for elite in pool.entries()]


def stored(folder: Path, problem: Any = PROBLEM) -> list[int | float]:
    """Objectives of all files of a folder, which must all be whole."""
    files = list_elites(folder)
    return sorted(read_elite(problem, file).elite.objective for file in files)


def test_what_one_adds_another_one_reads(tmp_path: Path) -> None:
    """After an exchange each has the elites of both, with what the files say of them."""
    one = SharedElites(PROBLEM, tmp_path, facts={"seed": 3}, found_by=lambda: "lower")
    other = SharedElites(PROBLEM, tmp_path)
    put(one, 1, 1, 1, 1, 1, 1)
    put(other, 2, 2, 2, 2, 2, 2)
    one.exchange()
    other.exchange()
    one.exchange()
    assert objectives(one) == objectives(other) == stored(tmp_path) == [6, 12]
    assert one.entries()[1].solution.tolist() == [2] * 6
    facts = other.sources[other.entries()[0].key]
    assert (facts["seed"], facts["found_by"], facts["objective"]) == (3, "lower", 6)


def test_the_end_is_an_exchange(tmp_path: Path) -> None:
    """Also where it comes by an error."""

    def failing() -> None:
        with SharedElites(PROBLEM, tmp_path) as pool:
            put(pool, 1, 1, 1, 1, 1, 1)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert stored(tmp_path) == [6]


def test_symmetrical_solutions_are_one(tmp_path: Path) -> None:
    """Whoever writes them, before or after the other has been read: there is one file, and each pool has one."""
    problem = Unordered(6)
    one, other = SharedElites(problem, tmp_path), SharedElites(problem, tmp_path)
    put(one, 1, 2, 3, 4, 5, 6)
    put(other, 6, 5, 4, 3, 2, 1)
    one.exchange()
    other.exchange()
    one.exchange()
    assert stored(tmp_path, problem) == [21]
    assert (len(one), len(other)) == (1, 1)
    third = SharedElites(problem, tmp_path)
    third.exchange()
    assert not put(third, 3, 2, 1, 6, 5, 4)


def test_the_folder_keeps_the_best_and_among_equals_the_newest(tmp_path: Path) -> None:
    """What is beyond the capacity goes, the worst first, then the oldest."""
    pool = SharedElites(PROBLEM, tmp_path, capacity=3)
    for i, digits in enumerate(((0, 0, 0, 0, 0, 9), (0, 0, 0, 0, 1, 8), (0, 0, 0, 0, 0, 5), (0, 0, 0, 0, 2, 7))):
        put(pool, *digits)
        pool.exchange()
        for file in list_elites(tmp_path):
            if file.stamp[0] > 10**18:  # written just now: give it a time of its own
                os.utime(file.path, (1000 + i, 1000 + i))
    assert stored(tmp_path) == [5, 9, 9]
    later = SharedElites(PROBLEM, tmp_path)
    later.exchange()
    assert [elite.solution.tolist() for elite in later.entries()] == [
        [0, 0, 0, 0, 0, 5], [0, 0, 0, 0, 2, 7], [0, 0, 0, 0, 1, 8],
    ]  # fmt: skip


def test_a_smaller_pool_makes_the_folder_smaller(tmp_path: Path) -> None:
    """Of several capacities the smallest holds; nothing is written again by the larger one."""
    large, small = SharedElites(PROBLEM, tmp_path, capacity=9), SharedElites(PROBLEM, tmp_path, capacity=2)
    for value in range(5):
        put(large, 0, 0, 0, 0, 0, value)
    large.exchange()
    assert stored(tmp_path) == [0, 1, 2, 3, 4]
    small.exchange()
    large.exchange()
    assert stored(tmp_path) == objectives(small) == [0, 1]
    assert objectives(large) == [0, 1, 2, 3, 4]


def test_what_was_given_up_does_not_come_back_with_a_stored_state(tmp_path: Path) -> None:
    """A state remembers elites that the folder gave up; they are written where there is room, or nothing as good."""

    def stored_state(*rows: tuple[int, ...]) -> SharedElites:
        pool = SharedElites(PROBLEM, tmp_path, capacity=2)
        for digits in rows:
            solution = np.array(digits, dtype=np.int64)
            assert pool.restore(PROBLEM.digest(solution), solution, int(solution.sum()))
        pool.exchange()
        return pool

    first = (0, 0, 0, 0, 0, 9)
    stored_state(first)
    assert stored(tmp_path) == [9]  # there is room
    with SharedElites(PROBLEM, tmp_path, capacity=2) as pool:
        put(pool, 0, 0, 0, 0, 9, 0)
        put(pool, 0, 0, 0, 9, 0, 0)
    names = {file.name for file in list_elites(tmp_path)}
    assert stored_state(first, (0, 0, 9, 0, 0, 0)).entries()
    assert {file.name for file in list_elites(tmp_path)} == names
    stored_state((0, 0, 0, 0, 0, 8))
    assert stored(tmp_path) == [8, 9]


def test_exchanges_are_rare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often a budget asks, the folder is looked at every few seconds only; the interrupt is always asked."""
    looks, now, asked = 0, 0.0, 0
    listing = shared_elites.list_elites

    def counted(folder: Path) -> Any:
        nonlocal looks
        looks += 1
        return listing(folder)

    def interrupt() -> bool:
        nonlocal asked
        asked += 1
        return asked > 999

    monkeypatch.setattr(shared_elites, "list_elites", counted)
    pool = SharedElites(PROBLEM, tmp_path, every=2.0, clock=lambda: now)
    watching = pool.watching(interrupt)
    answers = []
    for i in range(1000):
        now = 0.01 * i
        put(pool, 0, 0, 0, i // 100, (i // 10) % 10, i % 10)
        answers.append(watching())
    assert (asked, answers[-2:]) == (1000, [False, True])
    assert looks == 2 * 5  # one before, one after writing, at 0, 2, 4, 6 and 8 seconds


def test_a_forked_process_exchanges_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its copy of the pool is another one's: only the process that made it speaks to the folder."""
    pool = SharedElites(PROBLEM, tmp_path)
    put(pool, 1, 1, 1, 1, 1, 1)
    own = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: own + 1)
    assert pool.watching(lambda: True)()
    assert stored(tmp_path) == []


def test_damaged_and_foreign_files_are_a_notice(tmp_path: Path) -> None:
    """They are ignored, named once in one line, not touched, and looked at again when they change."""
    said: list[str] = []
    pool = SharedElites(PROBLEM, tmp_path, notice=said.append)
    put(pool, 1, 1, 1, 1, 1, 1)
    with SharedElites(toy.SmallSum(3), tmp_path) as other:
        put(other, 1, 2, 3)
    foreign = list_elites(tmp_path)[0]
    with SharedElites(PROBLEM, tmp_path) as good:
        put(good, 2, 2, 2, 2, 2, 2)
    broken = max(list_elites(tmp_path), key=lambda file: file.stamp).path
    text = broken.read_text()
    broken.write_text(text[:50])
    (tmp_path / "notes.txt").write_text("mine")
    for _ in range(3):
        pool.exchange()
    assert len(said) == 1
    assert all(word in said[0] for word in ("notes.txt (not the name", f"{broken.name} (not JSON", foreign.name))
    assert "\n" not in said[0]
    assert objectives(pool) == [6]
    assert pool.foreign == {foreign.name}
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert broken.read_text() == text[:50]
    broken.write_text(text)
    pool.exchange()
    assert objectives(pool) == [6, 12]


def test_a_notice_is_one_printable_line(tmp_path: Path) -> None:
    """Whatever files are called, and however many there are."""
    said: list[str] = []
    for number in range(5):
        (tmp_path / f"two\nlines\x1b[{number}").write_text("")
    SharedElites(PROBLEM, tmp_path, notice=said.append).exchange()
    assert len(said) == 1
    assert said[0].isprintable()
    assert said[0].endswith("and 2 more")


def test_foreign_files_do_not_count_and_stay(tmp_path: Path) -> None:
    """The capacity is that of each instance; what belongs to others is not given up."""
    with SharedElites(toy.SmallSum(3), tmp_path) as other:
        for value in range(4):
            put(other, 9, 9, value)
    with SharedElites(PROBLEM, tmp_path, capacity=2) as pool:
        for value in range(4):
            put(pool, 0, 0, 0, 0, 0, value)
    assert len(list_elites(tmp_path)) == 4 + 2


def test_a_folder_that_fails_is_a_notice(tmp_path: Path) -> None:
    """The search goes on without it; once the folder is there again, nothing is missing."""
    said: list[str] = []
    folder, away = tmp_path / "pool", tmp_path / "away"
    folder.mkdir()
    pool = SharedElites(PROBLEM, folder, notice=said.append)
    put(pool, 1, 1, 1, 1, 1, 1)
    pool.exchange()
    folder.rename(away)
    put(pool, 0, 1, 1, 1, 1, 1)
    for _ in range(3):
        pool.exchange()
    assert len(said) == 1
    assert "not shared for now" in said[0]
    away.rename(folder)
    pool.exchange()
    assert stored(folder) == [5, 6]


def test_a_search_alone_is_what_it_is_without_a_folder(tmp_path: Path) -> None:
    """A pool that nobody else uses changes nothing, bit for bit."""
    alone = Budget(iterations=60)
    expected = toy.figures(toy.search(PROBLEM, toy.Lower(), toy.Redraw()).run(alone, 5))
    with SharedElites(PROBLEM, tmp_path, every=0.0) as pool:
        budget = Budget(iterations=60, elites=pool, interrupt=pool.watching(lambda: False))
        found = toy.figures(toy.search(PROBLEM, toy.Lower(), toy.Redraw()).run(budget, 5))
    assert found == expected
    assert [one.key for one in budget.elites.entries()] == [one.key for one in alone.elites.entries()]
    assert stored(tmp_path) == objectives(pool)


def test_a_search_meets_what_others_have_written(tmp_path: Path) -> None:
    """Between two calls the elites of others join the pool that operators see."""
    with SharedElites(PROBLEM, tmp_path) as other:
        put(other, 0, 0, 0, 0, 0, 0)
    seen: list[list[int | float]] = []

    def looks(problem: toy.SmallSum, incumbent: toy.Digits, budget: Budget) -> Any:
        seen.append([elite.objective for elite in budget.elites.entries()])
        return toy.Lower().explore(problem, incumbent, budget, np.random.default_rng(0))

    with SharedElites(PROBLEM, tmp_path, every=0.0) as pool:
        budget = Budget(iterations=3, elites=pool, interrupt=pool.watching(lambda: False))
        result = toy.search(PROBLEM, toy.Scripted(looks)).run(budget)
    assert [row[0] for row in seen] == [0, 0, 0]
    assert result.objective == 51  # its own best: an elite of the pool is a partner, not an incumbent


def test_processes_write_at_the_same_time(tmp_path: Path) -> None:
    """Two processes that add and exchange as fast as they can leave whole files, the best of both, no duplicates."""
    with workers(2) as crew:
        asked = [crew.submit(add_elites, str(tmp_path), seed, 120, 10) for seed in (1, 2)]
        wait(asked)
        added = [pair for one in asked for pair in one.result()]
    assert len(added) == 240
    found = {}
    for file in list_elites(tmp_path):
        elite = read_elite(Unordered(6), file).elite
        assert elite.key not in found
        found[elite.key] = elite.objective
    best = sorted(dict(added).values())[:10]
    assert sorted(found.values()) == best
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def wait_until(condition: Callable[[], object]) -> None:
    """Wait until something has happened."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "this did not happen in time"
        time.sleep(0.01)


def heard(crew: Workers, messages: list[Any]) -> bool:
    """Whether a worker has said something."""
    messages.extend(crew.reports())
    return bool(messages)


def test_a_killed_process_leaves_whole_files(tmp_path: Path) -> None:
    """Killed at any moment: each file is whole, and the folder goes on to be used."""
    for seed in range(3):
        with workers(1) as crew:
            asked = crew.submit(add_elites_for_ever, str(tmp_path), seed)
            process: list[int] = []
            wait_until(partial(heard, crew, process))
            wait_until(lambda: len(list_elites(tmp_path)) >= 10)
            os.kill(process[0], signal.SIGKILL)
            assert asked.exception(timeout=60) is not None
        assert len(stored(tmp_path, Unordered(6))) >= 10
    with SharedElites(Unordered(6), tmp_path, capacity=5) as pool:
        put(pool, 0, 0, 0, 0, 0, 0)
    assert stored(tmp_path, Unordered(6)) == objectives(pool)
    assert objectives(pool)[0] == 0
