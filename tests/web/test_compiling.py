"""Compilation is said while it lasts, and does not count."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from numba import njit
from web.test_tending import ordered

from matheur.engine.announcing import announce
from matheur.web import work
from matheur.web.compiling import Compilation
from matheur.web.store import Store


def kernels() -> Callable[[int], int]:
    """A kernel that calls another, neither of them compiled."""

    @njit
    def inner(x: int) -> int:
        return x + 1

    @njit
    def outer(x: int) -> int:
        return 2 * inner(x)  # type: ignore[no-any-return]

    return outer  # type: ignore[no-any-return]


def test_the_clock_stands_still() -> None:
    """From the first call of a kernel until it is compiled; a kernel inside of it is no second one."""
    times, told = [100.0], list[int]()

    def change(number: int) -> None:
        told.append(number)
        before = compilation.clock()
        times[0] += 50.0
        told.append(round(compilation.clock() - before))

    compilation, kernel = Compilation(change, now=lambda: times[0]), kernels()
    began = compilation.clock()
    with compilation:
        assert kernel(1) == 4
        assert kernel(2) == 6
        times[0] += 1.0
        kernels()(1)
    kernels()(1)
    assert told == [1, 0, 0, 50, 2, 0, 0, 50]
    assert compilation.clock() - began == 101.0


def test_a_job_says_what_is_prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels while they are compiled, tables while they are built; nothing after an event, or when they are there."""
    job = ordered(Store(tmp_path))
    notes: list[str] = []

    def note() -> None:
        notes.append(job.preparing.read_text() if job.preparing.exists() else "")

    class Spy(Compilation):
        def on_end(self, event: Any) -> None:
            if self._depth == 1:
                note()
            super().on_end(event)
            note()

    def solve(*_: Any, observers: Any, clock: Callable[[], float], **__: Any) -> SimpleNamespace:
        kernels()(1)
        note()
        announce("a table", 0.25)
        note()
        observers[0]({"event": "incumbent"})
        note()
        assert clock() >= 0
        return SimpleNamespace(incomplete=None)

    monkeypatch.setattr("matheur.web.compiling.Compilation", Spy)
    monkeypatch.setattr("matheur.solving.solve_configured", solve)
    work.make_job(job, lambda: False)
    said = [one.partition(":")[0] for one in notes if one]
    assert set(said) == {"compiling kernels, 1 so far", "building a table, 25%"}
    assert notes[-3:] == ["", notes[-2], ""]
