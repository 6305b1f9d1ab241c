"""Errors planted in one part of matheur: an operator, a kernel, a solver, a file. The rest of it finds every one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hardening.planted.files import EDITS, Edit
from hardening.planted.operators import CONSTRUCTIONS, NEIGHBOURHOODS, Lie, plant
from hardening.planted.stage import PROBLEMS, Answer, Stage, best

every = pytest.mark.parametrize("name", PROBLEMS)


@pytest.fixture
def stage(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """The commands on the instance of the problem."""
    return Stage(name, tmp_path, monkeypatch)


def refused(answer: Answer, words: str) -> None:
    """One line that says who claims what."""
    assert answer.code == 2, answer
    assert answer.out == ""
    assert answer.err.count("\n") == 1
    assert re.search(words, answer.err), answer.err


def refuted(stage: Stage, words: str) -> None:
    """The file is not valid, and the reasons are told."""
    answer = stage.verify()
    assert answer.code == 1, answer
    assert not answer.json["valid"]
    assert any(re.search(words, sentence) for sentence in answer.json["violations"]), answer.json["violations"]


def harmless(stage: Stage) -> None:
    """The file is valid: it claims nothing that is not so."""
    answer = stage.verify()
    assert answer.code == 0, answer
    result = json.loads(stage.file.read_text())
    assert result["status"] != "infeasible"
    assert result["bound"] is None or result["bound"] <= stage.bench.optimum <= result["objective"]
    assert (result["status"] == "optimal") <= (result["objective"] == stage.bench.optimum)


def judged(stage: Stage, answer: Answer, by: str, words: str) -> None:
    """The engine refuses the lie at once, or `verify --certificate` refutes the result, or it is none in the result."""
    if by == "engine":
        refused(answer, words)
        return
    assert answer.code == 0, answer.err
    if by == "verify":
        refuted(stage, words)
    else:
        harmless(stage)


@every
def test_the_truth_is_confirmed(stage: Stage) -> None:
    """Without an error the optimum is proved twice: what the other tests see refuted is not refuted by itself."""
    answer = stage.solve(stage.bench.exact)
    assert answer.code == 0, answer.err
    result = json.loads(stage.file.read_text())
    assert (result["status"], result["objective"]) == ("optimal", stage.bench.optimum)
    assert stage.bench.problem.trivial_bound < stage.bench.optimum
    assert stage.bench.optimum < stage.bench.problem.evaluate(stage.bench.weak).objective
    verified = stage.verify()
    assert verified.code == 0, verified
    assert "nothing" in verified.json["certificate"]["method"]


@every
@pytest.mark.parametrize("lie", CONSTRUCTIONS, ids=lambda lie: lie.name)
def test_a_construction_that_lies(stage: Stage, lie: Lie, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a construction claims of a weak solution, nobody believes it."""
    plant(monkeypatch, name, lie, stage.bench.weak)
    judged(stage, stage.solve("liar"), lie.by, lie.words)


@every
@pytest.mark.parametrize("lie", NEIGHBOURHOODS, ids=lambda lie: lie.name)
def test_a_neighbourhood_that_lies(stage: Stage, lie: Lie, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same of a neighbourhood that is given a best solution, or the weak one."""
    start = best(name) if lie.start == "best" else None
    plant(monkeypatch, name, lie, stage.bench.weak)
    judged(stage, stage.solve(None, "--neighbourhoods", "liar", "--iterations", 3, start=start), lie.by, lie.words)


@every
def test_an_operator_that_writes_to_the_incumbent(stage: Stage, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine notices, also where the operator says that it found nothing."""

    def write(_problem: Any, outcome: Any, _budget: Any) -> Any:
        return outcome

    plant(monkeypatch, name, Lie("", write, "engine"), stage.bench.weak, writes=True)
    refused(stage.solve(None, "--neighbourhoods", "liar"), "changed the incumbent")


@every
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_a_result_file_that_was_edited(stage: Stage, edit: Edit, name: str) -> None:
    """What a hand changes in a result file does not fit the rest, or is refuted by a second proof."""
    assert stage.solve(None).code == 0
    if edit.of_optimum:
        assert stage.solve(stage.bench.exact).code == 0
    changes = edit.changes(stage.bench, json.loads(stage.file.read_text()))
    stage.edit(**changes)
    if edit.by == "refused":
        refused(stage.verify(), edit.words)
    else:
        refuted(stage, edit.words)
