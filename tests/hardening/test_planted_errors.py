"""Errors planted in one part of matheur: an operator, a kernel, a solver, a file. The rest of it finds every one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import pytest
from hardening.planted.files import EDITS, Edit
from hardening.planted.operators import CONSTRUCTIONS, NEIGHBOURHOODS, Lie, plant
from hardening.planted.parts import PARTS, SOLVERS, Part
from hardening.planted.stage import PROBLEMS, Answer, Stage, best
from pyomo.common.collections import ComponentMap
from pyomo.environ import Var

from matheur.engine.portfolio import Member
from matheur.engine.state import SearchState
from matheur.errors import InputError, OperatorError
from matheur.methods import milp
from matheur.running.jobs import _Jobs
from matheur.solvers import MilpSolution, MilpStatus

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


@pytest.mark.parametrize("part", [*PARTS, *SOLVERS], ids=str)
def test_a_part_that_errs(part: Part, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel, a table, a search or a solver errs, in `solve` and in `verify` alike."""
    stage = Stage(part.problem, tmp_path, monkeypatch)
    part.plant(monkeypatch, stage.bench)
    answer = stage.solve(part.construct, "--neighbourhoods", part.neighbourhoods, "--iterations", 5, *part.more)
    judged(stage, answer, part.by, part.words)


@pytest.mark.parametrize("name", ["edge-matching", "party"])
@pytest.mark.parametrize("value", [0.0, 1.0, 0.5])
def test_a_second_solver_that_errs_refutes_nothing(
    name: str, value: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the other solver says is better must be a better solution; else there is no second proof, and no verdict."""
    stage = Stage(name, tmp_path, monkeypatch)
    stage.solve(stage.bench.exact)
    monkeypatch.setattr("matheur.methods.milp._CERTIFIERS", ("scip",))
    true: Any = vars(milp)["get_backend"]

    class Lying:
        name = "scip"
        capabilities = true("scip").capabilities

        def available(self) -> bool:
            return True

        def solve(self, model: Any, request: Any) -> MilpSolution:
            points = ComponentMap((variable, value) for variable in model.component_data_objects(Var))
            return MilpSolution(MilpStatus.OPTIMAL, points, -1.0, -1.0, 1, 0.0, "scip", "0")

    monkeypatch.setattr(milp, "get_backend", lambda _: Lying())
    refused(stage.verify(), "'scip' (could not confirm|answers with values)")


@every
def test_certify_takes_back_what_is_refuted(stage: Stage, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`solve --certify` says who refutes whom, and leaves a file that no longer claims the optimum."""
    lie = next(lie for lie in CONSTRUCTIONS if lie.name == "optimal, of a weak solution")
    plant(monkeypatch, name, lie, stage.bench.weak)
    refused(stage.solve("liar", "--certify"), "claims the optimum")
    result = json.loads(stage.file.read_text())
    assert (result["status"], result["bound"], result["stopped"]) == ("feasible", None, "refuted")
    assert "claims the optimum" in result["reason"]
    assert stage.verify().code == 0


@every
def test_certify_does_not_believe_that_there_is_no_solution(
    stage: Stage, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same where there is said to be none."""
    lie = next(lie for lie in CONSTRUCTIONS if lie.name == "that there is no solution")
    plant(monkeypatch, name, lie, stage.bench.weak)
    refused(stage.solve("liar", "--certify"), "claims that there is no solution")
    assert json.loads(stage.file.read_text())["status"] == "unknown"


def _member(index: int, objective: int | None, **facts: Any) -> Member:
    """A job that has come back."""
    plain = {"bound": None, "bound_source": None, "certificate": None, "infeasible": None, "work": 1, "iterations": 1}
    return Member(index, objective, "budget", {}, {**plain, "note": None, "operators": {}, **facts})


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"bound": 1, "bound_source": "liar"}, "'liar' of job 1 claims the bound 1"),
        ({"infeasible": "so it says"}, "job 1 claims that there is no solution"),
    ],
)
def test_a_job_that_another_job_refutes(facts: dict[str, Any], words: str) -> None:
    """What one process proves and another one finds must agree."""
    jobs = _Jobs(None, cast("Any", None), [], lambda *_: None, lambda: False, None, 0.0)
    jobs.best.objective, jobs.best.solution, jobs.best.operator = 0, "best", "swap"
    with pytest.raises(OperatorError, match=words):
        jobs.found([_member(0, 0), _member(1, None, **facts)], 1)
    assert jobs.found([_member(0, 0, bound=0, bound_source="exact")], 1).bound == 0


WRONG_STATES = [
    {"bound": 10**6}, {"bound": "high"}, {"bound": float("nan")}, {"infeasible": "so it says"}, {"best_objective": 1},
]  # fmt: skip


@pytest.mark.parametrize("edit", WRONG_STATES, ids=str)
def test_a_checkpoint_that_was_edited(edit: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who edits a file is noticed, and so is a state whose claims its own solution refutes."""
    stage = Stage("sliding-tile", tmp_path, monkeypatch)
    way = ("--checkpoint", tmp_path / "state", "--neighbourhoods", "shortcut", "--iterations", 1)
    assert stage.solve(None, *way).code == 0
    path = next((tmp_path / "state").glob("*.json"))
    content = json.loads(path.read_text())
    assert SearchState.from_plain(stage.bench.problem, content["state"]).best is not None
    content["state"] |= edit
    path.write_text(json.dumps(content))
    refused(stage.solve(None, *way, "--resume"), "this checkpoint is damaged")
    with pytest.raises(InputError, match=r"the stored (state (contradicts itself|is damaged)|solution is not what)"):
        SearchState.from_plain(stage.bench.problem, content["state"])
