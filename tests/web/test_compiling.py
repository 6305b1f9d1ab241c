"""Compilation is said while it lasts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from compiling_tasks import kernels
from web.test_job_queue import ordered

from matheur.compiling import compilation
from matheur.engine.announcing import announce
from matheur.web import job_runner
from matheur.web.store import Store


def test_a_job_says_what_is_prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels while they are compiled, tables while they are built; nothing after an event, or when they are there."""
    job = ordered(Store(tmp_path))
    notes: list[str] = []

    def note() -> None:
        notes.append(job.preparing.read_text() if job.preparing.exists() else "")

    def solve(*_: Any, observers: Any, **__: Any) -> SimpleNamespace:
        with compilation.told_to(lambda _: note()):
            kernels()(1)
        announce("a table", 0.25)
        note()
        observers[0]({"event": "incumbent"})
        note()
        return SimpleNamespace(incomplete=None)

    monkeypatch.setattr("matheur.running.solving.solve_configured", solve)
    job_runner.make_job(job, lambda: False)
    said = [one.partition(":")[0] for one in notes if one]
    assert {one.partition(",")[0] for one in said} == {"compiling kernels", "building a table"}
    assert notes[-3:] == ["", notes[-2], ""]
