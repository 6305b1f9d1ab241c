"""What a job says while it is made: compilation, preparation, a second proof that fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from compiling_tasks import kernels
from web.test_job_queue import ordered

from matheur.compiling import compilation
from matheur.engine.announcing import announce
from matheur.errors import SolverError
from matheur.problems import problem_types
from matheur.problems.milp.operators.certifier import SecondSolver
from matheur.running.configuration import Configuration, resolve
from matheur.running.result import Result
from matheur.running.solving import solve_configured
from matheur.web import job_runner
from matheur.web.store import Store


def test_a_job_says_what_is_prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels while they are compiled, tables while they are built; nothing after an event, or when they are there."""
    job = ordered(Store(tmp_path), overrides={"iterations": 1})
    notes: list[str] = []

    def note() -> None:
        notes.append(job.preparing.read_text() if job.preparing.exists() else "")

    def solve(problem: Any, configuration: Configuration, *, observers: Any, **_: Any) -> Result:
        with compilation.told_to(lambda _: note()):
            kernels()(1)
        announce("a table", 0.25)
        note()
        observers[0]({"event": "incumbent"})
        note()
        return solve_configured(problem, configuration)

    monkeypatch.setattr("matheur.running.solving.solve_configured", solve)
    job_runner.make_job(job, lambda: False)
    said = [one.partition(":")[0] for one in notes if one]
    assert {one.partition(",")[0] for one in said} == {"compiling kernels", "building a table"}
    assert notes[-3:] == ["", notes[-2], ""]


def test_a_second_proof_that_fails_leaves_the_result_of_a_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is raised, after the result with its first proof has been written."""

    def fails(*_: Any, **__: Any) -> None:
        raise SolverError("'scip' could not confirm it")

    monkeypatch.setattr(SecondSolver, "certify", fails)
    order = {
        "subject": {"source": "milp/demo", "builtin": True, "name": "it", "options": {}},
        "fingerprint": problem_types.get("milp").builtin("demo", {}).fingerprint,
        "configuration": resolve("milp", overrides={"seconds": 20.0}).to_dict(),
        "certify": True,
    }
    job = ordered(Store(tmp_path), **order)
    with pytest.raises(SolverError, match="'scip' could not confirm it"):
        job_runner.make_job(job, lambda: False)
    written = json.loads(job.result.read_text())
    assert (written["status"], written["certificate"]["second_failed"]) == ("optimal", "'scip' could not confirm it")
