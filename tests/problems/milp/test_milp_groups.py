"""Groups of linear programs: declared at the front doors, shown, used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyomo.environ as pyo
import pytest

import matheur
import matheur.pyomo
from matheur.cli import run
from matheur.errors import ConfigurationError
from matheur.models import lot_sizing
from matheur.problems.milp import TYPE


def _model(items: int = 3, periods: int = 6) -> Any:
    return lot_sizing.build(lot_sizing.generate(items, periods, 1))


def test_groups_are_declared_at_every_front_door(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Command line, TOML, Python and Pyomo; the result says which ones, and reads again."""
    out = tmp_path / "out.json"
    given = ["--iterations", "0", "--set", "construction.nodes=1", "--out", str(out)]
    assert run(["solve", "milp/demo", "--groups", "x:1", "--groups", "y:0", *given]) == 0
    assert json.loads(out.read_text(encoding="utf-8"))["configuration"]["instance"] == {"groups": ["x:1", "y:0"]}
    assert run(["verify", "milp/demo", str(out)]) == 0
    capsys.readouterr()
    assert run(["solve", "milp/demo", "--groups", "x:7", *given]) == 2
    assert "no index 'x:7'. Maybe 'x:" in capsys.readouterr().err
    file = tmp_path / "run.toml"
    file.write_text('[instance]\ngroups = { early = ["y[1,1]"], late = ["y[1,2]", "y[1,3]"] }\n', encoding="utf-8")
    assert run(["solve", "milp/demo", "--config", str(file), *given]) == 0
    result = matheur.solve("milp/demo", groups="x:1", seconds=20)
    assert [family.places for family in result.problem.families] == [("y:1", "s:1", "o:0", "x:1")]
    assert result.problem.fingerprint == TYPE.builtin("demo").fingerprint
    with pytest.raises(ConfigurationError, match="unknown option 'groups' of"):
        matheur.solve("sokoban/demo", groups="x:1", seconds=1)
    with pytest.raises(ConfigurationError, match="have no groups"):
        matheur.solve(matheur.solve("edge-matching/3x3", iterations=0).problem, groups="x:1", seconds=1)


def test_pyomo_users_name_sets_and_variables() -> None:
    """An index set by name, or tables of variables, in `matheur.solve` and in both interfaces of Pyomo."""
    model = _model()
    result = matheur.solve(model, groups=["periods", "items_"], seconds=20)
    assert [family.name for family in result.problem.families] == ["periods", "items_"]
    assert result.configuration["instance"] == {"groups": ["periods", "items_"]}
    table = {"first": [model.y[1, t] for t in model.periods], "rest": [model.y[2, 1], "y[3,1]"]}
    result = matheur.solve(model, groups=table, seconds=20)
    (family,) = result.problem.families
    assert (family.values, int((family.of >= 0).sum())) == (("first", "rest"), 8)
    solver = pyo.SolverFactory("matheur")
    assert solver.solve(model, groups="periods", timelimit=20).solver.termination_condition == "optimal"
    with pytest.raises(ConfigurationError, match=r"no index 'period'\. Maybe 'periods'"):
        solver.solve(model, groups="period", timelimit=20)
    with pytest.raises(ConfigurationError, match=r"no index 'period'\. Maybe 'periods'"):
        solver.solve(model, options={"groups": "period"}, timelimit=20)


def test_groups_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Values, columns, and the rows that couple them."""
    assert run(["show", "milp/demo"]) == 0
    said = capsys.readouterr().out
    assert "groups y:0    also s:0, x:0; 3 values, 72 columns (24 integer), 48 rows inside, 8 across\n" in said
    assert "8 values, 80 columns (24 integer), 35 rows inside, 21 across, like periods\n" in said
