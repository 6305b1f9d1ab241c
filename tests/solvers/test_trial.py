"""Options of solvers, tried before a run."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from matheur.errors import MatheurError, SolverError
from matheur.solvers.trial import check_options

FINE: list[tuple[str, dict[str, Any]]] = [
    ("highs", {}), ("highs", {"presolve": "off"}), ("scip", {"limits/nodes": 5}), ("pyomo:cbc", {"preprocess": "off"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), FINE)
def test_options_of_the_solver_are_fine(name: str, options: dict[str, Any]) -> None:
    """Nothing is raised, however often they are tried."""
    if name == "pyomo:cbc" and shutil.which("cbc") is None:
        pytest.skip("CBC is not installed")
    for _ in range(2):
        check_options(name, options)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("highs", {"presolv": "off"}, "no option 'presolv'. Maybe one of: presolve"),
        ("highs", {"presolve": 7}, "refuses the option presolve = 7"),
        ("highs", {"output_flag": True}, "use log_file"),
        ("scip", {"limits/node": 5}, "Maybe one of: limits/nodes"),
        ("pyomo:cbc", {"preproces": "off"}, "refuses an option"),
        ("none", {}, "'none'"),
    ],
)
def test_others_are_errors_each_time(name: str, options: dict[str, Any], said: str) -> None:
    """In the words of a solve."""
    if name == "pyomo:cbc" and shutil.which("cbc") is None:
        pytest.skip("CBC is not installed")
    for _ in range(2):
        with pytest.raises(MatheurError) as caught:
            check_options(name, options)
        assert said in str(caught.value)


def test_options_of_cp_sat() -> None:
    """It has a process of its own, which knows them."""
    pytest.importorskip("ortools")
    with pytest.raises(SolverError, match=r"no option 'linearisation_level'\. Maybe one of: linearization_level"):
        check_options("cp-sat", {"linearisation_level": 2})
