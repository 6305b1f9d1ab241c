"""Errors planted in one part of matheur: an operator, a kernel, a solver, a file. The rest of it finds every one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hardening.planted.stage import PROBLEMS, Stage

every = pytest.mark.parametrize("name", PROBLEMS)


@every
def test_the_truth_is_confirmed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an error the optimum is proved twice: what the other tests see refuted is not refuted by itself."""
    stage = Stage(name, tmp_path, monkeypatch)
    answer = stage.solve(stage.bench.exact)
    assert answer.code == 0, answer.err
    result = json.loads(stage.file.read_text())
    assert (result["status"], result["objective"]) == ("optimal", stage.bench.optimum)
    assert stage.bench.optimum > stage.bench.problem.trivial_bound
    verified = stage.verify()
    assert verified.code == 0, verified
    assert verified.json["certificate"]["method"]
