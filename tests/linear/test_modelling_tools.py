"""Files as modelling tools write them: made by PuLP 3.3.2 and linopy 0.10.1, and as JuMP writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from matheur.linear.evaluation import assess
from matheur.linear.labels import labels_of_names
from matheur.linear.lp_reader import read_lp
from matheur.linear.model import LinearModel
from matheur.linear.mps_reader import read_mps
from matheur.solvers import get_backend
from matheur.solvers.linear import solve_linear

_DATA = Path(__file__).parent / "data"

_JUMP = """NAME
OBJSENSE
    MAX
ROWS
 N  OBJ
 L  room
 E  c[oak,1]
COLUMNS
    MARKER    'MARKER'                 'INTORG'
    run[oak,1] OBJ -12.5
    run[oak,1] room 4
    MARKER    'MARKER'                 'INTEND'
    make[oak,1] OBJ 3.25
    make[oak,1] room 1
    make[oak,1] c[oak,1] 1
    left      c[oak,1] -1
RHS
    rhs       room      20.5
    rhs       c[oak,1]  2
    rhs       OBJ       -10
RANGES
BOUNDS
 BV bounds run[oak,1]
 UP bounds make[oak,1] 40
 FR bounds left
SOS
ENDATA
"""  # fmt: skip


def _best(model: LinearModel) -> float:
    answer = solve_linear(get_backend("highs"), model)
    assert answer.values is not None
    assert not [one for one in assess(model, answer.values).violations if one.relative > 1e-9]
    assert answer.objective is not None
    return answer.objective


_GLPK = """* Problem:    cost
* Class:      LP
* Rows:       2
* Columns:    1
* Non-zeros:  2
* Format:     Free MPS
*
NAME cost
ROWS
 N cost
 G r
COLUMNS
 x cost 1 r 1
RHS
 RHS1 cost -3.25 r 2
ENDATA
"""


def test_glpk() -> None:
    """The constant of the objective has the opposite sign in MPS files, and is a comment in LP files."""
    told: list[str] = []
    assert read_mps(_GLPK.splitlines(), told.append).offset == -3.25
    assert told == ["the constant -3.25 of the objective, as GLPK means it, which wrote the file"]
    assert read_mps(_GLPK.partition("*\n")[2].splitlines(), told.append).offset == 3.25
    text = "\\* Problem: cost *\\\nMinimize\n cost: + x\n\\* constant term = -3.25 *\\\nSubject To\n r: + x >= 2\nEnd\n"
    assert read_lp(text, told.append).offset == 0
    assert told[1:] == ["no constant of the objective: the file says -3.25 in a comment only, as GLPK writes it"]


def test_pulp() -> None:
    """Comments, names of tuples, all kinds of bounds; the constant of the objective is not in the file."""
    model = read_lp((_DATA / "pulp.lp").read_text(encoding="utf-8"))
    assert (model.maximise, model.width, model.height) == (True, 14, 11)
    assert int(model.binary.sum()) == 6
    assert _best(model) == pytest.approx(470.625)
    assert ("run", ("oak", "1")) in labels_of_names(model.column_names)


def test_linopy() -> None:
    """Both ways to call variables: the same model, with values that their tool finds again by number."""
    texts = {name: (_DATA / f"{name}.lp").read_text(encoding="utf-8") for name in ("linopy", "linopy_names")}
    plain, named = (read_lp(texts[name]) for name in ("linopy", "linopy_names"))
    assert (plain.width, plain.height) == (named.width, named.height) == (18, 22)
    assert {int(name.rpartition("#")[2]) for name in named.column_names} == set(range(18))
    assert {int(name[1:]) for name in plain.column_names} == set(range(18))
    assert _best(plain) == pytest.approx(-4100.25)
    assert _best(named) == pytest.approx(-4100.25)
    assert ("power", ("coal", "3")) in labels_of_names(named.column_names)


def test_jump() -> None:
    """Free form with brackets in names, a sense, empty sections, a constant on the other side."""
    model = read_mps(_JUMP.splitlines())
    assert (model.maximise, model.width, model.height) == (True, 3, 2)
    assert model.offset == 10
    assert _best(model) == pytest.approx(3.25 * 20.5 + 10)
    assert labels_of_names(model.column_names)[:2] == [("run", ("oak", "1")), ("make", ("oak", "1"))]
