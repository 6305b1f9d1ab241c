"""Groups of linear programs: declared at the front doors, shown, used."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest

import matheur
import matheur.pyomo
from matheur.cli import run
from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.linear.lp_reader import read_lp
from matheur.methods.milp import SolverOptions
from matheur.models import lot_sizing
from matheur.problems.milp import TYPE, Milp
from matheur.problems.milp.operators.groups import Groups
from matheur.problems.milp.operators.relax_and_fix import RelaxAndFix
from matheur.problems.milp.operators.state import State
from matheur.running.adopting import adopt, by_name
from matheur.running.building import build_search
from matheur.running.configuration import resolve
from matheur.running.loading import load_instance


def _model(items: int = 3, periods: int = 6) -> Any:
    return lot_sizing.build(lot_sizing.generate(items, periods, 1))


def test_groups_are_declared_at_every_front_door(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Command line, TOML, Python and Pyomo; the result says which ones, and reads again."""
    out = tmp_path / "out.json"
    given = ["--construction", "solver", "--iterations", "0", "--set", "construction.nodes=1", "--out", str(out)]
    assert run(["solve", "milp/demo", "--groups", "x:1", "--groups", "y:0", *given]) == 0
    assert json.loads(out.read_text(encoding="utf-8"))["configuration"]["instance"] == {"groups": ["x:1", "y:0"]}
    assert run(["verify", "milp/demo", str(out)]) == 0
    capsys.readouterr()
    assert run(["solve", "milp/demo", "--groups", "x:7", *given]) == 2
    assert "no index 'x:7'. Maybe 'x:" in capsys.readouterr().err
    file = tmp_path / "run.toml"
    file.write_text('[instance]\ngroups = { early = ["y[1,1]"], late = ["y[1,2]", "y[1,3]"] }\n', encoding="utf-8")
    assert run(["solve", "milp/demo", "--config", str(file), *given]) == 0
    result = matheur.solve("milp/demo", groups="x:1", iterations=0, construction="solver")
    assert [family.places for family in result.problem.families] == [("y:1", "s:1", "o:0", "x:1")]
    assert result.problem.fingerprint == TYPE.builtin("demo").fingerprint
    with pytest.raises(ConfigurationError, match="unknown option 'groups' of"):
        matheur.solve("sokoban/demo", groups="x:1", seconds=1)
    with pytest.raises(ConfigurationError, match="have no groups"):
        matheur.solve(load_instance("edge-matching/3x3")[1], groups="x:1", seconds=1)


def test_pyomo_users_name_sets_and_variables() -> None:
    """An index set by name, or tables of variables, in `matheur.solve` and in both interfaces of Pyomo."""
    model = _model()
    result = matheur.solve(model, groups=["periods", "items_"], seconds=20, preset="solver")
    assert [family.name for family in result.problem.families] == ["periods", "items_"]
    assert result.configuration["instance"] == {"groups": ["periods", "items_"]}
    table = {"first": [model.y[1, t] for t in model.periods], "rest": [model.y[2, 1], "y[3,1]"]}
    result = matheur.solve(model, groups=table, seconds=20, preset="solver")
    (family,) = result.problem.families
    assert (family.values, int((family.of >= 0).sum())) == (("first", "rest"), 8)
    solver = pyo.SolverFactory("matheur")
    assert solver.solve(model, groups="periods", timelimit=20).solver.termination_condition == "optimal"
    with pytest.raises(ConfigurationError, match=r"no index 'period'\. Maybe 'periods'"):
        solver.solve(model, groups="period", timelimit=20)
    with pytest.raises(ConfigurationError, match=r"no index 'period'\. Maybe 'periods'"):
        solver.solve(model, options={"groups": "period"}, timelimit=20)


def test_groups_name_variables_that_are_no_columns() -> None:
    """Fixed and unused variables are left out; a variable may be in a block with an index."""
    model = _model()
    model.y[1, 1].fix(1)
    model.unused = pyo.Var([1, 2])
    model.part = pyo.Block([1, 2])
    for number in (1, 2):
        model.part[number].z = pyo.Var([1, 2, 3], domain=pyo.Binary)
        model.part[number].most = pyo.Constraint(expr=sum(model.part[number].z.values()) <= 2)
    table = {
        "first": [*(model.y[1, t] for t in model.periods), model.unused],
        "second": [model.unused[1], model.part[1].z],
        "third": [model.part[2].z],
    }
    problem = adopt(model, {"groups": by_name(table)}).problem
    (family,) = problem.families
    assert family.values == ("first", "second", "third")
    assert np.bincount(family.of[family.of >= 0]).tolist() == [len(model.periods) - 1, 3, 3]
    with pytest.raises(ConfigurationError, match=r"no column 'part\[3\]\.z' \(group 'third'\)"):
        adopt(model, {"groups": by_name({**table, "third": ["part[3].z"]})})


def test_groups_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Values, columns, and the rows that couple them."""
    assert run(["show", "milp/demo"]) == 0
    said = capsys.readouterr().out
    assert "groups y:0    also s:0, x:0; 3 values, 72 columns (24 integer), 48 rows inside, 8 across\n" in said
    assert "8 values, 80 columns (24 integer), 35 rows inside, 21 across, like periods\n" in said


def test_groups_free_whole_groups() -> None:
    """Windows of periods, some items, or boxes of both; all other integers are fixed at the incumbent."""
    problem = TYPE.builtin("lot-sizing")
    incumbent = np.zeros(problem.model.width)
    of = {one.family.name: one.family.of[problem.model.integral] for one in problem.structures}
    for boxes, seed in product((0.0, 1.0), range(8)):
        state = State(problem, incumbent, 0, Budget(work=1), SolverOptions(), 40)  # of 20 items in 20 periods
        restriction = Groups(boxes=boxes).choose(state, np.random.default_rng(seed))
        assert restriction is not None
        assert restriction.lower is not None
        assert restriction.upper is not None
        free = (restriction.lower < restriction.upper)[problem.model.integral]
        assert free.sum() == 40
        items, periods = np.unique(of["y:0"][free]), np.unique(of["y:1"][free])
        if boxes:
            assert 6 <= len(items) <= 7
            assert periods.max() - periods.min() == len(periods) - 1
            assert 6 <= len(periods) <= 7
        else:
            assert (len(items), len(periods)) in ((2, 20), (20, 2))
            assert len(items) == 2 or periods[1] == periods[0] + 1
        assert np.array_equal((restriction.lower < restriction.upper)[~problem.model.integral], [True] * 820)


def test_boxes_without_an_order_follow_the_incumbent() -> None:
    """Some agents with the jobs that they have: else those of the jobs stay where they are, and nothing can change."""
    problem = TYPE.builtin("assignment")
    agents, jobs = (one.family.of for one in sorted(problem.structures, key=lambda one: len(one.family.values)))
    incumbent = np.zeros(problem.model.width)
    column = {(agent, job): index for index, (agent, job) in enumerate(zip(agents, jobs, strict=True))}
    for job in range(jobs.max() + 1):
        incumbent[column[job % (agents.max() + 1), job]] = 1
    mates: list[int] = []
    for seed in range(10):
        state = State(problem, incumbent, 0, Budget(work=1), SolverOptions(), 80)
        restriction = Groups(boxes=1.0).choose(state, np.random.default_rng(seed))
        assert restriction is not None
        free = restriction.lower < restriction.upper
        mates.append(int(incumbent[free].sum()))
        assert free.sum() == 80
    assert min(mates) >= 6  # of 80 columns drawn by chance four have a job


def _read(rows: str, goal: str) -> Milp:
    text = f"min\n o: {goal}\nst\n{rows}\nbinary\n y[1] y[2] y[3]\nend\n"
    return Milp(read_lp(text)).with_groups("y:0")


def test_relax_and_fix_goes_back_where_it_went_wrong() -> None:
    """What the relaxation allows in the third period is impossible once it is whole: earlier ones are free again."""
    problem = _read(" r: y[1] + 2 y[3] = 2", "- y[1] + y[2]")
    outcome = RelaxAndFix(window=1, overlap=0).build(problem, Budget(work=100), np.random.default_rng(0))
    assert outcome.solution is not None
    assert dict(zip(problem.model.column_names, outcome.solution, strict=True)) == {"y[1]": 0, "y[2]": 0, "y[3]": 1}
    assert (outcome.status, outcome.objective) == (Status.IMPROVED, 0)
    assert outcome.bound is not None
    assert outcome.bound <= 0


def test_relax_and_fix_proves_that_there_is_no_solution() -> None:
    """Once nothing is fixed, what has no solution is proved to have none."""
    problem = _read(" r: 2 y[1] + 2 y[2] + 2 y[3] = 1", "y[1]")
    outcome = RelaxAndFix(window=1, overlap=0).build(problem, Budget(work=100), np.random.default_rng(0))
    assert outcome.status is Status.INFEASIBLE
    result = matheur.solve(problem, construction="relax-and-fix", seconds=20, certify=True)
    assert result.status == "infeasible"


def test_declared_groups_come_first_in_the_default_preset() -> None:
    """Those that the names show have their turn; and a list of the user's own goes before."""
    problem = TYPE.builtin("demo")
    declared = problem.with_groups("x:1")
    assert resolve("milp", instance=declared).neighbourhoods[0] == "groups"
    assert resolve("milp", instance=problem).neighbourhoods[0] != "groups"
    jobs = resolve("milp", instance=declared, overrides={"jobs": 2})
    for job, construction in ((0, "solver"), (1, "portfolio")):
        own = jobs.of_job(job)
        assert own.construction["name"] == construction
        build_search(declared, own)  # every option is one of its operator
    own = resolve("milp", instance=declared, overrides={"neighbourhoods": ["mutation"]})
    assert own.neighbourhoods == ("mutation",)


def test_the_preset_of_groups() -> None:
    """It finds the optimum of a small model, and its result holds."""
    result = matheur.solve("milp/demo", preset="groups", groups="x:1", construction="relax-and-fix", work=300, seed=1)
    assert result.problem.evaluate(result.solution).feasible
    best = matheur.solve("milp/demo", seconds=20)
    assert best.status == "optimal"
    assert result.bound is not None
    assert best.objective is not None
    gap = 1e-9 * best.objective  # within which optima are proved
    assert result.bound - gap <= best.objective <= result.objective + gap  # type: ignore[operator]
    assert {"relax-and-fix", "groups"} <= set(result.operators)
