"""Files of solutions, as many programs write them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.linear.building import ModelBuilder
from matheur.linear.lp_reader import read_lp
from matheur.linear.lp_writer import write_lp
from matheur.linear.model import LinearModel
from matheur.linear.mps_reader import read_mps
from matheur.linear.solutions import objective_of, read_solution, values_of, write_solution

MODEL = read_lp("min\n obj: x + 2 y\nst\n r: x + y + z >= 2\ngeneral\n x\nend\n")
FILES = {
    "miplib": "=obj= 3.5\nx 1\ny 1.25\n",
    "scip": "solution status: optimal solution found\nobjective value:                  3.5\n"
    "x                                  1 \t(obj:1)\ny                               1.25 \t(obj:2)\n",
    "gurobi": "# Solution for model obj\n# Objective value = 3.5\nx 1\ny 1.25\nz 0\n",
    "highs": "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 3.5\n"
    "# Columns 3\nx 1\ny 1.25\nz 0\n# Rows 1\nr 2.25\n\n# Dual solution values\nNone\n\n# Basis\nHiGHS v1\nNone\n",
    "cplex": '<?xml version = "1.0" encoding="UTF-8" standalone="yes"?>\n<CPLEXSolution version="1.2">\n'
    '<header problemName="m" objectiveValue="3.5"/>\n<linearConstraints><constraint name="r" index="0"/>'
    '</linearConstraints>\n<variables>\n<variable name="x" index="0" value="1"/>\n'
    '<variable name="y" index="1" value="1.25"/>\n</variables>\n</CPLEXSolution>\n',
    "cbc": "Optimal - objective value 3.50000000\n      0 x                  1                       1\n"
    "      1 y               1.25                       2\n",
    "cbc with all rows": "Optimal - objective value 3.50000000\n**    0 r                  1                       1\n"
    "      0 x                  1                       1\n**    1 y               1.25                       2\n",
    "cbc that stopped": "Stopped on iterations - objective value 3.50000000\n"
    "      0 x                  1                       1\n**    1 y               1.25                       2\n",
}
ODD_NAMES = (
    "#x", "# x", "//z", "*a", "**", "** 1 y 9", "\\b", "=obj=", "=infeas=", "=obj=s", "infeasible_slack", "infeasible",
    "Infeasible -", "X ONE", "X  ONE", "X", "no solution", "objective", "objective value", "solution status", "optimal",
    "1", "0 x", "x 1", "x 1 (obj:2)", "<x>", "<!DOCTYPE", "# Columns", "Columns", "Problem:", "s mip 1 1", "None",
    "# Primal", "Optimal - objective value", "\u00e9", "x\u00a0y", "x\u2028y",
)  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_of_solvers(name: str) -> None:
    """Values by name, and what the file says they are worth."""
    found = read_solution(FILES[name].splitlines(), MODEL)
    assert values_of(MODEL, found.named)[0].tolist() == [1, 1.25, 0]
    assert found.objective == 3.5


def test_the_constant_of_a_written_lp_file_is_no_column() -> None:
    """Solvers return the column that stands for it; any other value of it is an error."""
    model = read_mps(
        ["NAME n", "ROWS", " N obj", " G r", "COLUMNS", " x obj 1 r 1", "RHS", " RHS obj -5 r 2", "ENDATA"]
    )
    assert read_lp("\n".join(write_lp(model))).column_names == ("x", "ONE_VAR_CONSTANT")
    for name in ("ONE_VAR_CONSTANT", "ONE_VAR_CONSTANT_"):
        found = read_solution(["Optimal - objective value 7", f" 0 {name} 1 5", " 1 x 2 0"], model)
        assert values_of(model, found.named)[0].tolist() == [2]
    found = read_solution(["Optimal - objective value 7", " 0 r_upper 2 0", " 0 x 2 1"], model)
    assert found.named == {"x": 2}
    with pytest.raises(InputError, match="no column 'ONE_VAR_CONSTANT'"):
        values_of(model, {"ONE_VAR_CONSTANT": 0.0})


def test_what_is_written_is_read_back() -> None:
    """In the form of MIPLIB, without zeros."""
    values = np.array([3.0, 0.0, 0.1])
    lines = list(write_solution(MODEL, values, "3"))
    assert lines == ["=obj= 3", "x 3", "z 0.1"]
    assert values_of(MODEL, read_solution(lines).named)[0].tolist() == values.tolist()


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("x one\n", 1, "'one'"),
        ("x 1\nx 2\n", 2, "second value of 'x'"),
        ("=obj= 1\nx\n", 2, "a name and a value"),
        ("=infeas=\n", 1, "no solution"),
        ("# no solution\n", None, "holds no solution"),
        ("", None, "holds no solution"),
        ("# Columns 0\n# Rows 1\nr 2\n", None, "holds no solution"),
        ("Infeasible - objective value 2.25\n  0 x  1  0\n", 1, "no solution"),
        ("Integer infeasible - objective value 2.25\n", 1, "no solution"),
        ("# Primal solution values\nFeasible\n# Columns -1 sparse\nx 1\n", 4, "a name, a value and a number"),
        ("c Rows: 1\ns mip 1 3 o 1\nj 1 1\nj 3 1\n", 4, "number of the next column"),
        ("c Rows: 1\ns mip 1 1 o 1\nj 1 1\n", None, "values of 1 columns without names"),
        ("<a><b></a>", 1, "XML"),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><x/>", None, "XML"),
    ],
)
def test_faults(text: str, line: int | None, said: str) -> None:
    """Each names line and value."""
    with pytest.raises(InputError) as caught:
        read_solution(text.splitlines())
    assert caught.value.line == line
    assert said in caught.value.message


def test_unknown_names() -> None:
    """With the nearest column of a small model."""
    with pytest.raises(InputError, match="no column 'w'"):
        values_of(MODEL, {"w": 1.0})


def model_of(names: list[str]) -> LinearModel:
    """A model with these columns and nothing else."""
    builder = ModelBuilder()
    for name in names:
        builder.add_column(name)
    return builder.made()


@given(
    st.lists(
        st.sampled_from(ODD_NAMES)
        | st.text("=#*/\\ x1<(:)", min_size=1, max_size=8).filter(lambda name: name == name.strip()),
        min_size=1,
        max_size=12,
        unique=True,
    ),
    st.integers(0, 1000),
)
def test_all_names_come_back(names: list[str], seed: int) -> None:
    """Whatever columns are called that readers accept; also if all are 0."""
    model = model_of(names)
    rng = random.Random(seed)
    for values in (np.zeros(len(names)), np.array([rng.choice([0, 1, -2.5, 1e-7]) for _ in names])):
        text = "".join(f"{line}\n" for line in write_solution(model, values, "7"))
        found = read_solution(Source("x.sol", text.encode()).lines, model)
        assert values_of(model, found.named)[0].tolist() == values.tolist()
        assert found.objective == 7


@pytest.mark.parametrize(
    "name", ["two\nlines", "two\r\nlines", " before", "after ", "\ttab", "", "<&\"'>\n", "\u2028", "caf\xe9\r", "a b"]
)
def test_names_that_do_not_fit_a_line_are_written_in_xml(name: str) -> None:
    """Every name is read back, with those that look alike; a blank inside a name is no reason for XML."""
    model = model_of(list(dict.fromkeys([name, "x", f"{name}x", name.strip()])))
    values = np.arange(1.0, model.width + 1)
    text = "".join(f"{line}\n" for line in write_solution(model, values, "7.5"))
    found = read_solution(Source("x.sol", text.encode()).lines, model)
    assert values_of(model, found.named)[0].tolist() == values.tolist()
    assert (found.objective, objective_of(text.splitlines())) == (7.5, 7.5)
    assert text.startswith("=obj=" if name == "a b" else "<CPLEXSolution")


def test_names_that_no_file_of_solutions_can_hold() -> None:
    """XML has no control characters: an error names the column, instead of a file that nobody can read."""
    model = model_of(["x\n\0"])
    with pytest.raises(InputError, match=r"the name 'x\\n\\x00' of a column cannot be written to a \.sol file. Maybe"):
        list(write_solution(model, np.ones(1), "1"))


def test_the_objective_alone() -> None:
    """Whatever the columns are called, it is seen without the model."""
    assert objective_of(["", "=obj= 3", "x 1 5", "x 2 5"]) == 3
    assert objective_of(["=infeas="]) is None
    assert objective_of(["x 1"]) is None
    assert objective_of(FILES["gurobi"].splitlines()) == 3.5


def test_names_with_blanks_of_the_fixed_form() -> None:
    """Also among the costs of SCIP and the numbers of CBC, and in a message."""
    lines = ["NAME", "ROWS", " N  COST", " L  ROW 1", "COLUMNS", f"    {'X ONE':10}{'ROW 1':10}{1:12}"]
    model = read_mps([*lines, "RHS", f"    {'RHS':10}{'ROW 1':10}{4:12}", "ENDATA"])
    for line in ("X ONE 3", "X ONE            3 \t(obj:1)", "      0 X ONE       3         1", "**   0 X ONE   3   1"):
        assert read_solution([line], model).named == {"X ONE": 3}
    with pytest.raises(InputError, match="no column 'X TWO'"):
        values_of(model, read_solution(["X TWO 3"], model).named)


# In a process of its own: a fork of a process that has run HiGHS cannot run it through Pyomo any more.
STYLES = """
import json, sys, highspy
highs = highspy.Highs()
highs.silent()
highs.readModel(sys.argv[1])
highs.run()
for style in range(-1, 6):
    highs.writeSolution(f"{sys.argv[1]}{style}.sol", style)
print(json.dumps([list(highs.getSolution().col_value), highs.getObjectiveValue()]))
"""


def solved_by_highs(path: Path) -> tuple[list[float], float]:
    """Values and objective; the solution is next to the file, in all styles."""
    done = subprocess.run([sys.executable, "-c", STYLES, str(path)], capture_output=True, text=True, check=True)
    values, objective = json.loads(done.stdout.splitlines()[-1])
    return values, objective


def test_styles_of_highs(tmp_path: Path) -> None:
    """All of them, where it has values; names that look like comments as well."""
    text = "max\n obj: x + 2 #y + 3 z\nst\n c: x + #y + z <= 5.5\n d: x - z >= 1\nbounds\n -3 <= w <= 4\nend\n"
    for whole in ("", "general\n #y\n"):
        path = tmp_path / "m.lp"
        path.write_text(text.replace("end", f"{whole}end"))
        model = read_lp(path.read_text())
        expected, objective = solved_by_highs(path)
        for style in range(-1, 6):
            lines = Path(f"{path}{style}.sol").read_text().splitlines()
            found = read_solution(lines, model)
            assert values_of(model, found.named)[0].tolist() == pytest.approx(expected), style
            assert found.objective == (None if style == -1 else pytest.approx(objective))
            assert objective_of(lines) == found.objective


@pytest.mark.parametrize("kind", ["", " sparse", " partial"])
def test_sparse_solutions_of_highs(kind: str) -> None:
    """Its versions have them with and without the word; columns of the value 0 are left out."""
    lines = ["Model status", "Optimal", "", "# Primal solution values", "Feasible", "Objective 10"]
    found = read_solution([*lines, f"# Columns -2{kind}", "x 1 0", "#y 4.5 1"], model_of(["x", "#y", "z"]))
    assert (found.named, found.objective) == ({"x": 1, "#y": 4.5}, 10)


def test_styles_of_highs_without_a_solution(tmp_path: Path) -> None:
    """A model that is infeasible has none in any style."""
    path = tmp_path / "m.lp"
    path.write_text("max\n obj: x\nst\n c: x + y <= 5\n d: x >= 7\nend\n")
    solved_by_highs(path)
    for style in range(5):
        with pytest.raises(InputError, match="no solution"):
            read_solution(Path(f"{path}{style}.sol").read_text().splitlines(), read_lp(path.read_text()))


GLPK = """Problem:
Rows:       1
Columns:    3
Objective:  obj = 3.5 (MINimum)

   No.   Row name   St   Activity     Lower bound   Upper bound    Marginal
------ ------------ -- ------------- ------------- ------------- -------------
     1 r            NU          2.25             2                           2

   No. Column name  St   Activity     Lower bound   Upper bound    Marginal
------ ------------ -- ------------- ------------- ------------- -------------
     1 x            B              1             0
     2 a_long_name_of_column
                    NU          1.25             0             4             1
     3 z            NL             0             0                       < eps

"""
GLPK_RAW = "c Problem:\nc\ns bas 1 3 f f 3.5\ni 1 u 2.25 2\nj 1 b 1 0\nj 2 u 1.25 1\nj 3 l 0 0\ne o f\n"


@pytest.mark.parametrize("text", [GLPK, GLPK_RAW])
def test_tables_of_glpk(text: str) -> None:
    """With names that are longer than their field, and without names in the order of the columns."""
    model = model_of(["x", "a_long_name_of_column", "z"])
    found = read_solution(text.splitlines(), model)
    assert found.named == {"x": 1, "a_long_name_of_column": 1.25, "z": 0}
    assert found.objective == objective_of(text.splitlines()) == 3.5


def test_values_by_number_belong_to_the_columns_of_a_written_lp_file() -> None:
    """The file names the columns in their order, then that of the constant, whose value is 1."""
    for costs in ([0, 3, 1], [0, 0, 0], [2, 0, 0]):
        model = read_lp("max\n x + y + z + 5\nst\n c: z + x <= 4\n d: y + z <= 3\nend\n")
        model = replace(model, cost=np.array(costs, dtype=np.float64))
        again = read_lp("\n".join(write_lp(model)))
        assert again.column_names == ("x", "y", "z", "ONE_VAR_CONSTANT")
        raw = "c Problem:\nc\ns mip 2 4 o 16\ni 1 4\ni 2 3\nj 1 4\nj 2 3\nj 3 0\nj 4 1\ne o f\n"
        assert read_solution(raw.splitlines(), model).named == {"x": 4, "y": 3, "z": 0}
    with pytest.raises(InputError, match="values of 4 columns without names, and the model has 3 columns"):
        read_solution(raw.replace("j 4 1", "j 4 0").splitlines(), model)


def test_files_that_are_cut_off() -> None:
    """HiGHS and GLPK announce the number of columns."""
    for text, missing in (("# Columns 3\nx 1\ny 2\n", 1), ("# Columns 3\nx 1\n# Rows 1\nr 2\n", 2)):
        with pytest.raises(InputError, match=f"{missing} of the columns that the file announces are missing"):
            read_solution(f"# Primal solution values\nFeasible\n{text}".splitlines(), MODEL)
    model = model_of(["x", "a_long_name_of_column", "z"])
    with pytest.raises(InputError, match="1 of the columns that the file announces are missing"):
        read_solution(GLPK.partition("     3 z")[0].splitlines(), model)
