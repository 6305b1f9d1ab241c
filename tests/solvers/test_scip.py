"""What the SCIP backend leans on."""

from __future__ import annotations

import pyomo.environ as pyo
import pytest

from matheur.errors import ConfigurationError, FailedSolveError, SolverError
from matheur.solvers import MilpStatus, SolveRequest, get_backend
from matheur.testing import models as small

scip = pytest.importorskip("matheur.solvers.scip")


def test_private_names_of_pyomo_are_still_there() -> None:
    """Linear rows and objectives bypass Pyomo's translation: no epigraph variable, one column per variable."""
    from matheur.solvers.scip_pyomo import _Translated

    translated = _Translated.of(small.odd_cycle_cover(5))
    assert len(translated.columns) == translated.engine.getNVars() == 5
    assert translated.engine.getNConss() == 5


def test_quadratic_rows_still_take_pyomos_way() -> None:
    """What is not linear is translated by Pyomo."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers, bounds=(0, 9))
    model.row = pyo.Constraint(expr=model.x**2 <= 30)
    model.gain = pyo.Objective(expr=model.x, sense=pyo.maximize)
    assert get_backend("scip").solve(model, SolveRequest()).objective == pytest.approx(5)


def test_unknown_option_names_the_nearest() -> None:
    """The message helps."""
    with pytest.raises(SolverError, match="limits/stallnodes"):
        get_backend("scip").solve(small.knapsack(), SolveRequest(options={"limits/stalnodes": 5}))
    with pytest.raises(SolverError, match="refuses"):
        get_backend("scip").solve(small.knapsack(), SolveRequest(options={"limits/stallnodes": "many"}))


def test_handling_of_ctrl_c_is_not_for_sale() -> None:
    """Ctrl-C belongs to the caller."""
    with pytest.raises(ConfigurationError, match="Ctrl-C"):
        get_backend("scip").solve(small.knapsack(), SolveRequest(options={"misc/catchctrlc": True}))


@pytest.mark.parametrize(
    ("error", "kind"), [(Exception("SCIP: error in LP solver!"), FailedSolveError), (MemoryError(), MemoryError)]
)
def test_a_failure_of_scip_is_a_failed_solve(error: Exception, kind: type[Exception]) -> None:
    """Another attempt, such as another part of the model, may succeed."""

    class Failing:
        def optimize(self) -> None:
            raise error

    with pytest.raises(kind, match=None if kind is MemoryError else "error in LP solver"):
        scip._run(Failing())


def test_known_option_reaches_the_solver() -> None:
    """A limit of one solution ends the solve at the first."""
    answer = get_backend("scip").solve(small.market_split(slack=True), SolveRequest(options={"limits/bestsol": 1}))
    assert (answer.status, answer.message) == (MilpStatus.FEASIBLE, "bestsollimit")
