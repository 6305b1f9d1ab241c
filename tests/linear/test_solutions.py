"""Files of solutions, as five programs write them."""

from __future__ import annotations

import numpy as np
import pytest

from matheur.errors import InputError
from matheur.linear.lp_reader import read_lp
from matheur.linear.solutions import read_solution, values_of, write_solution

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
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_solvers(name: str) -> None:
    """Values by name, and what the file says they are worth."""
    found = read_solution(FILES[name].splitlines())
    assert values_of(MODEL, found.named)[0].tolist() == [1, 1.25, 0]
    assert found.objective == 3.5


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
