"""MPS and LP files: what is read, what is refused, and what is written can be read by others."""

from __future__ import annotations

import gzip
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from linear.agreement import compared
from linear.damage import damaged, tried
from linear.random_models import random_model
from linear.readers import facts, for_all, of_highs, of_ours, written

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.linear.lp_reader import read_lp
from matheur.linear.lp_sections import looks_like_lp
from matheur.linear.lp_writer import write_lp
from matheur.linear.model import LinearModel
from matheur.linear.mps_reader import looks_like_mps, read_mps
from matheur.linear.mps_writer import write_mps
from matheur.problems.milp.problem_type import TYPE

HEAD = """NAME test
ROWS
 N obj
 L r1
 G r2
 E r3
COLUMNS
    M1 'MARKER' 'INTORG'
 x obj 1 r1 1
 x r2 1
    M2 'MARKER' 'INTEND'
 y obj 1 r1 2
 y r3 1
RHS
 RHS r1 4 r2 1
 RHS r3 2 obj 5
"""


def mps(rest: str = "", head: str = HEAD) -> LinearModel:
    return read_mps((head + rest + "ENDATA\n").splitlines())


def test_sections_of_mps() -> None:
    """Rows, right sides with the constant of the objective, markers."""
    found = facts(mps())
    assert found["rows"] == {
        "r1": (-np.inf, 4, {"x": 1, "y": 2}),
        "r2": (1, np.inf, {"x": 1}),
        "r3": (2, 2, {"y": 1}),
    }
    assert found["columns"] == {"x": (0, 1, 1, True), "y": (0, np.inf, 1, False)}
    assert found["offset"] == -5
    assert not found["maximise"]


@pytest.mark.parametrize(
    ("lines", "column", "bounds"),
    [
        (" UP B y 3\n", "y", (0, 3)),
        (" UP B y -3\n", "y", (0, -3)),
        (" MI B y\n UP B y -3\n", "y", (-np.inf, -3)),
        (" UP y 3\n", "y", (0, 3)),
        (" FR y\n", "y", (-np.inf, np.inf)),
        (" FX B y 2.5\n", "y", (2.5, 2.5)),
        (" BV B y\n", "y", (0, 1)),
        (" BV B y 1\n", "y", (0, 1)),
        (" LI B y 2\n UI B y 5\n", "y", (2, 5)),
        (" LO B y -1e30\n", "y", (-np.inf, np.inf)),
        (" UP B y 1e20\n", "y", (0, np.inf)),
        (" PL B x\n", "x", (0, np.inf)),
        (" LO B x 2\n", "x", (2, np.inf)),
        (" MI B x\n", "x", (-np.inf, np.inf)),
        (" UP B y 4\n UP other y 3\n", "y", (0, 4)),
        (" UP B y 4\n UP B y 3\n", "y", (0, 3)),
        (" FR B y\n UP B y 3\n", "y", (-np.inf, 3)),
    ],
)
def test_bounds_of_mps(lines: str, column: str, bounds: tuple[float, float]) -> None:
    """All kinds, with and without the name of the set; integers without bounds are 0 or 1."""
    assert facts(mps("BOUNDS\n" + lines))["columns"][column][:2] == bounds


def test_ranges_of_mps() -> None:
    """A range goes away from the right side; its sign counts for equations."""
    found = facts(mps("RANGES\n R r1 2 r2 3\n R r3 -1\n"))["rows"]
    assert [found[name][:2] for name in ("r1", "r2", "r3")] == [(2, 4), (1, 4), (1, 2)]
    assert facts(mps("RANGES\n R r3 1\n"))["rows"]["r3"][:2] == (2, 3)


@pytest.mark.parametrize(
    "sense", ["OBJSENSE\n    MAX\n", "OBJSENSE MAXIMIZE\n", "OBJSENSE\nMAX\n", "OBJSEN\n max\n", "OBJSENSE MAXIMUM\n"]
)
def test_sense_of_mps(sense: str) -> None:
    """As a section, on its line or below it."""
    assert mps(head=HEAD.replace("ROWS", sense + "ROWS", 1)).maximise


def test_ranges_of_infinite_right_sides() -> None:
    """A finite range from an infinite side is an error; an infinite one leaves the row free."""
    head = HEAD.replace("RHS r1 4 r2 1", "RHS r1 1e30 r2 -1e30")
    assert facts(mps("RANGES\n R r1 1e30 r2 -inf\n", head))["rows"]["r1"][:2] == (-np.inf, np.inf)
    for row in ("r1", "r2"):
        with pytest.raises(InputError, match=f"a range of '{row}', whose right side is infinite") as caught:
            mps(f"RANGES\n R {row} 5\n", head)
        assert caught.value.line == 18


def test_fixed_form_with_blanks_in_names() -> None:
    """Fields are told by their places if the words alone make no sense."""
    text = (
        "NAME          SPACED\nROWS\n N  COST\n L  ROW 1\nCOLUMNS\n"
        "    MY COL    COST               1.0   ROW 1              2.0\n"
        "RHS\n    RHS       ROW 1              4.0\nBOUNDS\n UP BND       MY COL             3.0\nENDATA\n"
    )
    found = facts(read_mps(text.splitlines()))
    assert found["rows"] == {"ROW 1": (-np.inf, 4, {"MY COL": 2})}
    assert found["columns"] == {"MY COL": (0, 3, 1, False)}


FIXED = f"""NAME          SPACED
ROWS
 N  COST
 L  ROW 1
COLUMNS
    M1        {"":13}'MARKER'{"":17}'INTORG'
    MY COL    COST               1.0   ROW 1              2.0
    M 2       'MARKER'{"":17}'INTEND'
    Y         ROW 1              3.0
RHS
    RHS       ROW 1              4.0
"""


def test_markers_of_the_fixed_form() -> None:
    """In the third field, or where CPLEX and MIPLIB have them."""
    found = facts(read_mps((FIXED + "ENDATA\n").splitlines()))
    assert found["columns"] == {"MY COL": (0, 1, 1, True), "Y": (0, np.inf, 0, False)}


@pytest.mark.parametrize(
    ("lines", "line", "said"),
    [
        ("BOUNDS\n UP BND       MY COL             3,0\n", 13, "'3,0'"),
        ("SOS\n S1 SOS       SET 1\n", 13, "special ordered sets"),
    ],
)
def test_faults_of_the_fixed_form(lines: str, line: int, said: str) -> None:
    """They are those of this form, if it makes sense of more lines."""
    with pytest.raises(InputError, match=said) as caught:
        read_mps((FIXED + lines + "ENDATA\n").splitlines())
    assert caught.value.line == line


def test_lines_of_mps_without_a_blank_in_front() -> None:
    """A set of right sides that is called RHS is no section then."""
    indented = HEAD + "RANGES\n RANGES r1 2\nBOUNDS\n UP BOUNDS y 3\nENDATA\n"
    lines = [line.strip() for line in indented.splitlines()]
    assert facts(read_mps(lines)) == facts(read_mps(indented.splitlines()))
    mixed = indented.replace("\n RHS ", "\nRHS ").replace("\n RANGES ", "\nRANGES ")
    assert facts(read_mps(mixed.splitlines())) == facts(read_mps(indented.splitlines()))


def test_rows_that_are_left_out_for_long() -> None:
    """Xpress writes them into sections of their own."""
    text = HEAD.replace("COLUMNS", "DELAYEDROWS\n G later\nMODELCUTS\n L cut\nCOLUMNS")
    text = text.replace(" x r2 1", " x r2 1 later 1")
    assert list(facts(read_mps((text + "ENDATA\n").splitlines()))["rows"]) == ["r1", "r2", "r3", "later", "cut"]


def test_bounds_that_are_given_twice_are_told() -> None:
    """Solvers take the first or the last; the same value again is nothing to tell."""
    for lines, count in ((" UP B y 4\n UP B y 3\n", 1), (" FR B y\n UP B y 3\n", 1), (" UP B y 4\n UP B y 4\n", 0)):
        told: list[str] = []
        read_mps((HEAD + "BOUNDS\n UP B x 2\n" + lines + "ENDATA\n").splitlines(), told.append)
        assert told == ["the last of several upper bounds of 'y'; HiGHS takes the first"][:count]


def test_mps_with_a_margin() -> None:
    """As in text copied from a program: all lines are indented."""
    plain = HEAD + "BOUNDS\n UP B y 3\nENDATA\n"
    for margin in ("  ", "\t"):
        text = "* c\n" + "".join(f"{margin}{line}\n" for line in plain.splitlines())
        source = Source("model.mps", text.encode())
        assert TYPE.recognises(source) is Recognition.PROVED
        assert facts(TYPE.read(source).model) == facts(read_mps(plain.splitlines()))
    assert not looks_like_mps(["  name of the game", "  rows of seats"])


def test_the_objective_of_mps_by_name() -> None:
    """Below OBJNAME or on its line, before the rows."""
    rows = HEAD.replace(" N obj", " N other\n N obj")
    for objname in ("OBJNAME\n    obj\n", "OBJNAME obj\n"):
        model = mps(head=rows.replace("ROWS", objname + "ROWS", 1))
        assert model.objective_name == "obj"
        assert model.cost.tolist() == [1, 1]
    with pytest.raises(InputError, match="the section OBJNAME comes after the section ROWS") as caught:
        mps(head=rows.replace("COLUMNS", "OBJNAME\n obj\nCOLUMNS"))
    assert caught.value.line == 8


def test_numbers_of_fortran() -> None:
    """Exponents with D, also of zeros."""
    model = mps("BOUNDS\n LO B y 0.0D+05\n UP B y 0.3D+01\n", HEAD.replace("y obj 1 ", "y obj -0.D01 "))
    assert facts(model)["columns"]["y"] == (0, 3, 0, False)
    with pytest.raises(InputError, match="not a number"):
        mps("BOUNDS\n LO B y 0.1D-400\n")


def test_a_file_without_rows_and_columns() -> None:
    """As HiGHS and GLPK read it."""
    model = read_mps(["NAME n", "ROWS", "COLUMNS", "RHS", "ENDATA"])
    assert (model.height, model.width) == (0, 0)


@pytest.mark.parametrize(
    ("lines", "line", "said"),
    [
        ("BOUNDS\n SC B y 3\n", 18, "semi-continuous column ('y')"),
        ("BOUNDS\n UP B z 3\n", 18, "no column 'z'"),
        ("BOUNDS\n UP B y three\n", 18, "'three'"),
        ("BOUNDS\n ZZ B y 3\n", 18, "'ZZ'"),
        ("RANGES\n R r9 3\n", 18, "no row 'r9'"),
        ("RHS\n RHS r1 5\n", 18, "second right side of 'r1', first in line 15"),
        ("QUADOBJ\n y y 1\n", 18, "quadratic objective"),
        ("INDICATORS\n IF r1 x 1\n", 18, "indicator rows ('r1')"),
        ("SOS\n S1 S set1\n", 18, "special ordered sets"),
        ("QCMATRIX r1\n y y 1\n", 17, "quadratic row ('r1')"),
        ("RHS\n RHS obj 5\n", 18, "second right side of 'obj', first in line 16"),
        ("RANGES\n R r1 5\n R r1 6\n", 19, "second range of 'r1', first in line 18"),
        ("RANGE\n R r1 5\n", 17, "not a section of MPS ('RANGE')"),
        ("MULTIOBJ\n N OBJ2 1 0 0 0\n", 18, "several objectives"),
        ("BOUNDS\n UP B y 1_000\n", 18, "'1_000'"),
        ("BOUNDS\n UP B y nan\n", 18, "'nan'"),
    ],
)
def test_faults_of_mps(lines: str, line: int, said: str) -> None:
    """Each names line and value; what is no linear program is refused by name."""
    with pytest.raises(InputError) as caught:
        mps(lines)
    assert caught.value.line == line
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (" x r2 1", " x r9 1", "no row 'r9'"),
        (" x r2 1", " x r1 1", "second coefficient of 'x' in 'r1'"),
        (" y r3 1", " x r3 1", "column 'x' again"),
        (" L r1", " L r2", "second row 'r2'"),
        (" L r1", " X r1", "'X'"),
        ("RHS\n", "", "cut off"),
    ],
)
def test_faults_of_rows_and_columns(before: str, after: str, said: str) -> None:
    """What stands twice, is unknown or is missing."""
    text = HEAD.replace(before, after, 1) + ("" if said == "cut off" else "ENDATA\n")
    with pytest.raises(InputError, match=said if "'" not in said else None) as caught:
        read_mps(text.splitlines())
    assert said in str(caught.value)


def test_expressions_of_lp() -> None:
    """Constants, repeated columns, signs, limits on either side, all kinds of bounds."""
    text = """\\ a comment
Maximize
 obj: 3 x + 2 y + 5 - 2 x
Subject To
 c1: x + y + 2 <= 4
 -3 <= x - - 2 y <= 7
 5 >= x
 c4: x +
  3y = 1e3
Bounds
 -inf <= x <= 2.5
 y >= -1
 z free
 4 >= w
General
 w
Binaries
 b
End
"""
    found = facts(read_lp(text))
    assert found["maximise"]
    assert found["offset"] == 5
    assert found["rows"] == {
        "c1": (-np.inf, 2, {"x": 1, "y": 1}),
        "R2": (-3, 7, {"x": 1, "y": 2}),
        "R3": (-np.inf, 5, {"x": 1}),
        "c4": (1000, 1000, {"x": 1, "y": 3}),
    }
    assert found["columns"] == {
        "x": (-np.inf, 2.5, 1, False),
        "y": (-1, np.inf, 2, False),
        "z": (-np.inf, np.inf, 0, False),
        "w": (0, 4, 0, True),
        "b": (0, 1, 0, True),
    }


def test_several_objectives_are_refused() -> None:
    """As Gurobi writes them: a section of objectives, each with its priority."""
    text = "Maximize multi-objectives\n O1: Priority=2 Weight=1\n x + y\nSubject To\n c: x + y <= 2\nEnd\n"
    with pytest.raises(InputError, match="a second objective: only one can be solved"):
        read_lp(text)


def test_columns_named_like_sections() -> None:
    """A line begins a section only if nothing of an expression follows the word."""
    text = "min\n obj: st + free + bin\nst\n bounds: st\n + free >= 2\n end: bin >= 1\nbounds\n st <= 3\nend\n"
    found = facts(read_lp(text))
    assert list(found["columns"]) == ["st", "free", "bin"]
    assert list(found["rows"]) == ["bounds", "end"]


def test_signs_after_headers() -> None:
    """As in HiGHS, what follows a header may begin with a sign."""
    text = "min -x + 3 y \\ c\nsubject to -x + y >= -4\n c: x + y <= 9\nbounds -5 <= x <= 4\ngeneral x\nend\n"
    found = facts(read_lp(text))
    assert found["rows"] == {"R1": (-4, np.inf, {"x": -1, "y": 1}), "c": (-np.inf, 9, {"x": 1, "y": 1})}
    assert found["columns"] == {"x": (-5, 4, -1, True), "y": (0, np.inf, 3, False)}
    assert facts(read_lp(text.replace("subject to", "st").replace("-5 <=", "- inf <=")))["rows"] == found["rows"]


def test_columns_named_like_sections_with_a_sign() -> None:
    """They begin a line where a term is expected, and a row with a name in its right place."""
    text = "min\n obj: x +\n st - y + 3\nst\n c: st + bin >= 1\n bounds - x >= -5\n bounds - 3 <= 4\nend\n"
    found = facts(read_lp(text))
    assert found["offset"] == 3
    assert list(found["columns"]) == ["x", "st", "y", "bin", "bounds"]
    assert {name: row[:2] for name, row in found["rows"].items()} == {
        "c": (1, np.inf), "R2": (-5, np.inf), "R3": (-np.inf, 7),
    }  # fmt: skip


def test_colons_after_headers() -> None:
    """Where the header of the rows has one, the others are headers, too, not names of rows."""
    text = "max:\n x\nsubject to:\n c: x <= 4\nbounds:\n x >= -5\nbinary:\n y\nend\n"
    found = facts(read_lp(text))
    for header in ("Such That :", "s.t.:"):
        assert facts(read_lp(text.replace("subject to:", header))) == found
    assert list(found["rows"]) == ["c"]
    assert found["columns"] == {"x": (-5, np.inf, 1, False), "y": (0, 1, 0, True)}
    named = text.replace("bounds:", " min:\n x >= -9\nbounds:").replace("max:", "\\ c\n\n Maximize:")
    assert list(facts(read_lp(named))["rows"]) == ["c", "min"]
    for objective in ("Maximize: x", "max:x", "max: obj: x"):
        assert facts(read_lp(text.replace("max:\n x", objective))) == found
        assert looks_like_lp(f"{objective}\nst\n c: x <= 4\nend\n")
        assert facts(read_lp(f"{objective}\nst\n c: x <= 4\nend\n"))["rows"] == found["rows"]
    assert list(facts(read_lp("max\n x\nst\n bounds:\n x <= 4\nend\n"))["rows"]) == ["bounds"]


@pytest.mark.parametrize("sum_", ["1e308 x + 1e308 x", "x + 1e308 + 1e308"])
def test_sums_above_float64(sum_: str) -> None:
    """They are an error of the file, in the objective and in rows."""
    for text in (f"min\n {sum_}\nst\n c: x >= 1\nend\n", f"min\n x\nst\n c: {sum_} >= 1\nend\n"):
        with pytest.raises(InputError, match="a sum of numbers in the file is above"):
            read_lp(text)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (" c1: x + [ x^2 ] <= 4\n", "quadratic terms in 'c1'"),
        (" c1: b = 1 -> x <= 4\n", "indicator row ('c1')"),
        (" c1: x + y\n", "'c1' has no right side"),
        (" c1: x <= y\n", "'y'"),
        (" c1: x <= 4\n c1: y <= 3\n", "second row 'c1'"),
        (" c1: 3 4 x <= 4\n", "two numbers"),
        (" c1: x <= 4\nsos\n s1: S1:: x:1 y:2\n", "'s1'"),
        (" c1: x <= 4\nsemi-continuous\n x\n", "'x'"),
        (" c1: x <= 4\nend\nbounds\n x <= 1\n", "after the end"),
        (" c1: 2 x y <= 4\n", "a sign is missing before 'y'"),
        (" c1: 2 x\n 3 y <= 4\n", "a sign is missing before '3'"),
        (" c1: x 3 <= 4\n", "a sign is missing before '3'"),
        (" c1: 4 >= 3 x != y\n", "a sign is missing before '!'"),
        (" c1: x \u2212 y <= 4\n", "a sign is missing before '\u2212'"),
        (" c1: 50% x <= 4\n", "a sign is missing before 'x'"),
        (" c1: 1,5 x <= 4\n", "a comma in a number ('1,5')"),
        (" c1: 1,5x <= 4\n", "a comma in a number ('1,5x')"),
        (" c1: x + y <= 4\ngeneral\n x, y\n", "separated by blanks ('x,')"),
        (" c1: x <= 4\ngeneral constraints\n g: y = max ( x , 2 )\n", "'general constraints' ('g')"),
        (" c1: 1 <= x + y >= 5\n", "'c1' has <= and >=: a range is written as 1 <= x <= 5"),
        (" c1: 5 = x + y <= 7\n", "'c1' has = and <="),
        (" 3 = x + y = 4\n", "a row without a name has = and ="),
        (" c1: x <= 4\nbounds\n 5 <= x >= 1\n", "the bound of 'x' has <= and >="),
    ],
)
def test_faults_of_lp(rows: str, said: str) -> None:
    """What is no linear program is refused by name."""
    with pytest.raises(InputError) as caught:
        read_lp("minimize\n obj: x\nsubject to\n" + rows + ("" if "end\n" in rows else "end\n"))
    assert caught.value.line
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("rows", "line", "said"),
    [
        (" c1: 3 x >= 2 y + 1\n c2: y >= 2\n", 4, "the right side of 'c1' continues ('y + 1'): only a number"),
        (" c1: 3 x >= 2 y + 1\n y >= 2\n", 4, "the right side of 'c1' continues ('y + 1')"),
        (" c1: 3 x >= 2 y + 1 c2: y >= 2\n", 4, "the right side of 'c1' continues"),
        (" c0: x <= 1\n c1: x <= 3 + 2 \\ why\n", 5, "the right side of 'c1' continues ('+ 2')"),
        (" c1: x <= 3 * 2\n", 4, "the right side of 'c1' continues ('* 2')"),
        (" x <= 3 + 2\n", 4, "the right side of a row without a name continues ('+ 2')"),
        (" c1: x >= y\n", 4, "the right side of 'c1' is not a number ('y'): only a number"),
        (" c1: x >=\n", 4, "'c1' ends without a number"),
        (" c1: x <= 3\n y + 1\n c2: y >= 2\n", 5, "a row without a name has no right side"),
        (" c1: x\n  + y\n c2: y >= 2\n", 4, "'c1' has no right side"),
    ],
)
def test_faults_of_right_sides(rows: str, line: int, said: str) -> None:
    """They name the row as it is in the file, with its line, and what is expected."""
    with pytest.raises(InputError) as caught:
        read_lp("minimize\n obj: x\nsubject to\n" + rows + "end\n")
    assert caught.value.line == line
    assert caught.value.message.startswith(said)


def test_names_that_nobody_may_have_meant() -> None:
    """Columns that only a later section names, and brackets around sums, are told."""
    told: list[str] = []
    read_lp("min\n x + 0 z\nst\n 3 (x + y) >= 2\nbounds\n x <= 4\n v <= 2\ngeneral\n w z\nend\n", told.append)
    assert told == [
        "a column 'v' (and 1 more), which the objective and the rows do not name",
        "a column '(x': brackets are a part of names",
    ]


def test_blanks_of_unicode() -> None:
    """They come with text copied from pages, and belong to no name."""
    text = "min\n o: 2 x + y\nst\n c: x + 3 y >= 1\nbounds\n x <= 4\nend\n"
    for blank in "\xa0\u2009\u200b\u202f\u3000":
        assert facts(read_lp(text.replace(" ", blank))) == facts(read_lp(text))
        assert looks_like_lp(text.replace(" ", blank))


def test_numbers_as_names_and_double_equals_signs() -> None:
    """As HiGHS and SCIP read them."""
    found = facts(read_lp("min\n 7: x\nst\n 1: x + y >= 2\n2:\n x == 1 3.5 : y <= 4\nbounds\n y == 3\nend\n"))
    assert {name: row[:2] for name, row in found["rows"].items()} == {
        "1": (2, np.inf),
        "2": (1, 1),
        "3.5": (-np.inf, 4),
    }
    assert found["columns"]["y"][:2] == (3, 3)


def test_several_rows_on_a_line() -> None:
    """As SCIP and CBC read them."""
    found = facts(read_lp("max\n x\nst\n x <= 3 y <= 4 c: x + y >= 1 + z >= 2\nend\n"))
    assert list(found["rows"]) == ["R1", "R2", "c", "R4"]


def test_columns_without_a_name_of_mps() -> None:
    """In the fixed form a field may be empty; no column can be meant then."""
    lines = ["NAME", "ROWS", " N  COST", " L  ROW", "COLUMNS", f"    {'':10}{'ROW':10}{1:12}", "ENDATA"]
    with pytest.raises(InputError) as caught:
        read_mps(lines)
    assert caught.value.line == 6


def test_names_of_unnamed_rows() -> None:
    """They are not those of other rows, nor that of the objective, wherever these stand."""
    text = "max\n R5: x\nst\n x <= 9\n R1: x <= 3\n R1_: x <= 4\n R6: x <= 6\n x <= 5\n x >= 0\nend\n"
    names = read_lp(text).row_names
    assert names == ("R1__", "R1", "R1_", "R6", "R5_", "R6_")


def test_the_objective_is_not_named_like_a_row() -> None:
    """CBC leaves all names out where it is."""
    for head in ("max\n obj: x\n", "max\n x\n"):
        model = read_lp(f"{head}st\n obj: x <= 4\nend\n")
        assert " obj_: + 1 x" in list(write_lp(model))
        assert " N obj_" in list(write_mps(model))


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("\\ c\nmax\n obj: x\nst\n c: x <= 4\nbounds\n x <= 9\nend\n", ["c"]),
        ("max\n obj: x\n\f st\n c: x <= 4\n\fbounds\n\f x <= 9\n\fend\n", ["c"]),
        ("\fmax\n obj: x\nst\f\n c: x\f<= 4\nbounds \f\n x <= 9\nend\f\n", ["c"]),
        ("max\n obj: x\nbounds\n x <= 9\nend\n", []),
        ("max\n obj: x\nbounds\n x <= 9\n", []),
        ("max\n obj: x\ngeneral\n x\nbounds\n x <= 9\nend\n", []),
        ("max\n obj: x\nend\n", []),
        ("max\n obj: x\nSubject To:\n c: x <= 4\nend\n", ["c"]),
        ("max\n obj: x\nsubject to : c: x <= 4\nend\n", ["c"]),
        ("max:\n obj: x\nSubject To:\n c: x <= 4\nBounds:\n x <= 9\nGeneral: \\ c\n x\nEnd:\n", ["c"]),
        ("max +x\nst\n c: x <= 4\nend\n", ["c"]),
        ("max\n obj: x\nst -x >= -4\nend\n", ["R1"]),
        ("max\n obj: x\nst\n c: x \u2264 4\n d: x \u2265 1\nend\n", ["c", "d"]),
        ("max\n obj: x\nst\n : x <= 4\n  :x>=1\nend\n", ["R1", "R2"]),
        ("* c\nNAME\nROWS\n N f\n L c\nCOLUMNS\n x f -1 c 1\nRHS\n RHS c 4\nENDATA\n", ["c"]),
    ],
)
def test_unusual_files_are_recognised(text: str, rows: list[str], ending: str) -> None:
    """Line ends of all kinds, form feeds, no section of rows, empty names: as some solver reads them."""
    source = Source("model.txt", text.replace("\n", ending).encode())
    assert TYPE.recognises(source) is Recognition.PROVED
    model = TYPE.read(source).model
    assert list(model.row_names) == rows
    assert model.column_names == ("x",)


def test_lines_of_faults_with_any_line_end() -> None:
    """Counted alike."""
    text = "min\n obj: x\nst\n c: x >= 1\n d: x >= y\nend\n"
    for ending in ("\n", "\r\n", "\r"):
        with pytest.raises(InputError) as caught:
            read_lp(text.replace("\n", ending))
        assert caught.value.line == 5


def test_prose_is_no_model() -> None:
    """A text that begins with the sense of an objective needs a line that begins a section."""
    assert not looks_like_lp("max\nx + y\nend of story\nin general\n")
    assert not looks_like_lp("Minimum wage\nboundless\n")


def test_other_forms_are_told() -> None:
    """A file is recognised by how it begins; the form of lp_solve is no LP file of CPLEX."""
    assert looks_like_lp("\\ c\nmin\n x\nst\n x >= 1\nend")
    assert not looks_like_lp("max: 3x + 2y;\nc1: x + y <= 4;\n")
    assert looks_like_mps(["* comment", "NAME", "ROWS"])
    assert not looks_like_mps(["p edge 3 2"])
    for text in ("max: 3x + 2y;\nc1: x + y <= 4;\n", "/* c */\nmaximise: 3x;\nc1: x <= 4;\n", "// c\nmin: ;\n"):
        with pytest.raises(InputError, match="lp_solve"):
            read_lp(text)
        with pytest.raises(InputError, match="lp_solve"):
            TYPE.read(Source("model.lp", text.encode()))


def test_digits_are_kept() -> None:
    """A number is what is printed, not the nearest float64, and is written as it was read."""
    model = mps("BOUNDS\n UP B y 0.1234567890123456789\n")
    assert model.number("upper", 1) == Fraction(1234567890123456789, 10**19)
    assert model.number("cost", 0) == 1
    again = read_mps(list(write_mps(model)))
    assert again.fingerprint == model.fingerprint
    assert mps("BOUNDS\n UP B y 0.12345678901234568\n").fingerprint != model.fingerprint
    small = "min\n o: 0.1 x + 0.2 x\nst\n c: x >= 1\nend\n"
    assert read_lp(small).number("cost", 0) == Fraction(3, 10)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_written_is_read_back(seed: int) -> None:
    """To the last digit; an LP file has two rows for two limits, and a column for the constant."""
    model = random_model(seed)
    again = read_mps(list(write_mps(model)))
    assert facts(again) == facts(model)
    assert again.fingerprint == model.fingerprint
    again = read_lp("\n".join(write_lp(model)))
    assert facts(again) == for_all(facts(model))
    for array, index in model.digits:
        if array == "cost":
            column = again.column_index[model.column_names[index]]
            assert again.number(array, column) == model.number(array, index)


SCRAMBLED = """NAME scrambled
ROWS
 N obj
 L r1
 G r2
 E r3
COLUMNS
 x r3 1 r1 2
 x obj 1 r2 0.30000000000000004
 y r3 0 r1 1
 z r2 6
 z r1 123456789.1234567891
 z r3 0.1
RHS
 RHS r1 4 r2 1
ENDATA
"""


def test_rows_of_columns_keep_their_order() -> None:
    """In the order of the file, without zeros; written in the same order, with their digits."""
    model = read_mps(SCRAMBLED.splitlines())
    assert model.file_order is not None
    written = [
        (model.column_names[model.columns[place]], model.row_names[model.rows[place]], model.written("data", place))
        for place in model.file_order.tolist()
    ]
    assert written == [
        ("x", "r3", "1"), ("x", "r1", "2"), ("x", "r2", "0.30000000000000004"), ("y", "r1", "1"), ("z", "r2", "6"),
        ("z", "r1", "123456789.1234567891"), ("z", "r3", "0.1"),
    ]  # fmt: skip
    again = read_mps(list(write_mps(model)))
    assert again.file_order is not None
    assert again.file_order.tolist() == model.file_order.tolist()
    assert again.fingerprint == model.fingerprint
    assert read_lp("\n".join(write_lp(model))).file_order is None  # LP files go row by row
    assert mps().file_order is None


def test_damaged_files_are_one_clear_error() -> None:
    """Whatever is cut off, changed, put in or packed: the reader reads on, or says in one line what is wrong."""
    found = [tried(*one) for one in damaged(5, 27 * 5)]
    assert [one for one in found if one.wrong] == []
    for form in ("mps", "lp", "sol"):
        read = sum(one.read for one in found if one.form == form)
        assert 3 < read < 40
    with pytest.raises(InputError):
        read_mps([])
    with pytest.raises(InputError):
        read_lp("")


def test_names_that_a_form_cannot_hold() -> None:
    """The other form is proposed where it can; the objective gets a name that fits."""
    spaced = read_mps((FIXED + "ENDATA\n").splitlines())
    for write in (write_lp, write_mps):
        with pytest.raises(InputError, match=r"\('ROW 1'\)\. Maybe rename it"):
            list(write(spaced))
    numbered = read_lp("min\n x\nst\n 7: x >= 1\nend\n")
    with pytest.raises(InputError, match=r"\('7'\)\. Maybe write an \.mps file"):
        list(write_lp(numbered))
    named = read_mps((HEAD + "ENDATA\n").replace("obj", "cost").splitlines())
    assert " N total_cost" in list(write_mps(replace(named, objective_name="total cost")))
    assert " N obj" in list(write_mps(replace(named, objective_name="c" * 256)))  # SCIP lost the costs


def of_names(row: str, column: str) -> LinearModel:
    """A model with these names, which has right sides, a range and a bound."""
    model = read_lp("min\n 2 x + 3 y\nst\n c: 1 <= x + y <= 5\n d: x + 2 y >= 3\nbounds\n -4 <= x <= -2\nend\n")
    return replace(model, row_names=(row, "d"), column_names=(column, "y"))


@pytest.mark.parametrize("name", ["inf", "Infinity", "nan", "NaN", "subject", "Subject"])
def test_columns_that_solvers_read_as_something_else_in_lp(name: str) -> None:
    """Numbers in SCIP, a section in CBC; rows may have these names."""
    with pytest.raises(InputError, match=r"Maybe write an \.mps file"):
        list(write_lp(of_names("c", name)))
    model = of_names(name, "x")
    assert facts(read_lp("\n".join(write_lp(model)))) == for_all(facts(model))


@pytest.mark.parametrize("name", ["name", "OBJSENSE", "QSECTION", "QCMATRIX", "CSECTION"])
def test_columns_named_like_sections_of_mps(name: str, tmp_path: Path) -> None:
    """HiGHS ends the section of columns there; an LP file is read as the same model."""
    with pytest.raises(InputError, match=r"Maybe write an \.lp file"):
        list(write_mps(of_names("c", name)))
    model = of_names("c", name)
    assert of_highs(written(write_lp(model), tmp_path / "m.lp")) == for_all(facts(model))


@pytest.mark.parametrize(
    ("row", "column"), [("RHS", "x"), ("RNG", "x"), ("c", "BND"), ("RHS", "RHS"), ("MARKER", "MARKER"), ("NAME", "e")]
)
def test_names_of_sets_in_mps(row: str, column: str, tmp_path: Path) -> None:
    """Sets of right sides and bounds are named otherwise than rows and columns: HiGHS lost right sides and bounds."""
    model = of_names(row, column)
    path = written(write_mps(model), tmp_path / "m.mps")
    assert of_highs(path) == of_ours(path) == facts(model)


def test_columns_that_stand_nowhere_are_kept() -> None:
    """A column without costs and rows is written into the objective of an LP file."""
    model = read_mps(
        ["NAME n", "ROWS", " N obj", " L r", "COLUMNS", " x obj 0", " y obj 1 r 1", "RHS", "BOUNDS", "ENDATA"]
    )
    assert list(read_lp("\n".join(write_lp(model))).column_names) == ["x", "y"]


def test_comments_behind_the_fields_of_mps() -> None:
    """GLPK writes them behind a dollar sign."""
    lines = ["NAME n", "ROWS", " N obj", " L $r", "COLUMNS", " $x $r 2 $ a comment", " y $r 0 $ empty column", "ENDATA"]
    assert facts(read_mps(lines))["rows"] == {"$r": (-np.inf, 0.0, {"$x": 2.0})}


def test_rows_that_begin_like_comments_in_mps() -> None:
    """As HiGHS reads them, also second on their line."""
    lines = [
        "NAME n", "ROWS", " N obj", " L $r", " G $s", "COLUMNS", " x obj 2 $r 1", " x $s 3 $ $r 1", " y $s 1 $r 5",
        "RHS", " RHS obj 1 $r 4", "RANGES", " RNG $s 5 $r 2", "ENDATA",
    ]  # fmt: skip
    found = facts(read_mps(lines))
    assert found["rows"] == {"$r": (2, 4, {"x": 1, "y": 5}), "$s": (0, 5, {"x": 3, "y": 1})}
    spaced = (FIXED + "ENDATA\n").replace("ROW 1", "$OW 1")
    assert facts(read_mps(spaced.splitlines()))["rows"] == {"$OW 1": (-np.inf, 4, {"MY COL": 2, "Y": 3})}


def test_comments_on_lines_of_their_own_in_mps() -> None:
    """Behind a dollar sign, in every section; a name may begin with one, and in the fixed form consist of it."""
    text = HEAD + "BOUNDS\n UP B y 3\nENDATA\n"
    lines = [line for one in text.splitlines() for line in ("$ a comment", "    $ a comment", "    $", one)]
    assert facts(read_mps(lines)) == facts(read_mps(text.splitlines()))
    named = (FIXED + "ENDATA\n").replace("    Y    ", "    $    ")
    assert facts(read_mps(named.splitlines()))["columns"]["$"] == (0, np.inf, 0, False)


def test_limits_that_cross_are_not_written_as_a_range() -> None:
    """Readers of RANGES take its size without a sign: the row would hold."""
    model = read_lp("min\n x\nst\n c: 5 <= x + y <= 3\nend\n")
    assert model.impossible() == "the row c can never hold"
    with pytest.raises(InputError, match=r"the row 'c' cross.*Maybe write an \.lp file"):
        list(write_mps(model))
    rows = facts(read_lp("\n".join(write_lp(model))))["rows"]
    assert [limits[:2] for limits in rows.values()] == [(5, np.inf), (-np.inf, 3)]


@pytest.mark.parametrize("form", ["mps", "lp"])
def test_limits_that_cross_by_a_rounding_error_are_written_as_equal(form: str, tmp_path: Path) -> None:
    """As solvers on arrays receive them: the lower limit counts for both."""
    model = mps("BOUNDS\n UP B y 3\n")
    high = 0.3
    low = np.nextafter(high, 1)
    limits = (np.full(3, low), np.full(3, high))
    model = replace(model, row_lower=limits[0], row_upper=limits[1], lower=limits[0][:2], upper=limits[1][:2])
    path = written(write_mps(model) if form == "mps" else write_lp(model), tmp_path / f"m.{form}")
    for found in (of_ours(path), of_highs(path)):
        ends = [*found["rows"].values(), *(one for name, one in found["columns"].items() if name in ("x", "y"))]
        assert [one[:2] for one in ends] == [(low, low)] * 5


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_solvers_read_the_same_model(tmp_path: Path) -> None:
    """What is written is read by HiGHS and SCIP as it was meant, but for what they are known to change."""
    found = [one for seed in range(25) for one in compared(seed, tmp_path, ("ours", "highs", "scip"))]
    assert [one for one in found if one.wrong] == []
    assert len(found) == 225
    assert {word for one in found for word in one.explained} == {"free rows", "ranges", "small numbers"}


def test_public_instances_as_highs_reads_them(data: Path) -> None:
    """Small instances of all kinds; HiGHS drops coefficients below 1e-9 unless told otherwise."""
    found = sorted([*(data / "mip").glob("*/*.mps.gz"), *(data / "mip").glob("*/*.lp.gz")])
    files = [path for path in found if path.stat().st_size < 40_000]
    assert len(files) > 20
    for path in files:
        with gzip.open(path, "rt") as file:
            text = file.read()
        model = read_lp(text) if ".lp" in path.name else read_mps(text.splitlines())
        assert facts(model) == of_highs(path), path.name
