"""What the HiGHS backend leans on."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import highspy
import numpy as np
import pytest

from matheur.errors import ConfigurationError, SolverError
from matheur.linear.lp_reader import read_lp
from matheur.linear.mps_reader import read_mps
from matheur.solvers import MilpStatus, SolveRequest, get_backend
from matheur.solvers.highs_arrays import _engine_of
from matheur.solvers.linear import solve_linear
from matheur.testing import models as small


def test_private_names_of_pyomo_are_still_there() -> None:
    """The backend reads three private attributes of Pyomo's interface: a new name must be noticed here first."""
    from matheur.solvers.highs_pyomo import _Translated

    model = small.odd_cycle_cover(5)
    translated = _Translated.of(model)
    assert set(translated._pyomo_var_to_solver_var_map) == set(translated._vars)
    assert translated._solver_model.getNumCol() == 5
    assert {v.name for v in translated.variables} == {v.name for v in model.x.values()}
    assert translated.engine.getNumRow() == 5


def test_option_that_gives_wrong_optima_is_refused() -> None:
    """`objective_bound` makes HiGHS call a non-optimal solution optimal, so it cannot be set."""
    with pytest.raises(ConfigurationError, match="cutoff"):
        get_backend("highs").solve(small.odd_cycle_cover(), SolveRequest(options={"objective_bound": 12.0}))


def test_unknown_option_names_the_nearest() -> None:
    """The message helps."""
    with pytest.raises(SolverError, match="mip_heuristic_effort"):
        get_backend("highs").solve(small.knapsack(), SolveRequest(options={"mip_heuristic_efort": 0.5}))
    with pytest.raises(SolverError, match="wrong type or out of range"):
        get_backend("highs").solve(small.knapsack(), SolveRequest(options={"mip_heuristic_effort": "much"}))


def test_known_option_reaches_the_solver(tmp_path: object) -> None:
    """Options are passed as they are; the log goes where it is asked to."""
    log = tmp_path / "highs.log"  # type: ignore[operator]
    get_backend("highs").solve(small.knapsack(), SolveRequest(options={"log_file": str(log)}))
    assert "HiGHS" in log.read_text()


def test_values_that_are_not_those_of_the_objective_are_noticed() -> None:
    """HiGHS 1.16 shows the values of the start for this optimum; without presolve it does not."""
    text = (
        "max\n obj: 5 x1 + 4 x2 + 3 x3 + 2.5 y + 1\nst\n room: 4 x1 + 3 x2 + 2 x3 + y <= 6\n c2: x1 + x2 <= 1\n"
        "bounds\n y <= 0.5\nbinary\n x1 x2 x3\nend\n"
    )
    answer = solve_linear(get_backend("highs"), read_lp(text), start=np.array([0.0, 0.0, 0.0, 0.5]))
    assert answer.status is MilpStatus.OPTIMAL
    assert answer.objective == pytest.approx(9.25)
    assert answer.values is not None
    assert answer.values.tolist() == pytest.approx([0, 1, 1, 0.5])


@pytest.mark.parametrize("name", ["highs", "pyomo:appsi_highs"])
def test_backend_works_after_highs_was_used_in_this_process(name: str) -> None:
    """A scheduler that the process already has does not survive the fork, and is not used."""
    import highspy

    engine = highspy.Highs()
    engine.setOptionValue("output_flag", False)
    engine.setOptionValue("threads", 2)
    engine.addVars(1, np.zeros(1), np.ones(1))
    engine.run()
    assert get_backend(name).solve(small.odd_cycle_cover(), SolveRequest()).objective == pytest.approx(14)


def test_highs_gets_the_numbers_in_the_order_of_the_file(data: Path) -> None:
    """As its own reader passes them: the order decides ties, so that a solve by hand has the same search tree."""
    scrambled = 0
    for name in ("pp08a", "vpm2", "flugpl", "p0201"):
        path = data / "mip" / "miplib3" / f"{name}.mps.gz"
        by_hand = highspy.Highs()
        by_hand.setOptionValue("output_flag", False)
        by_hand.readModel(str(path))
        model = read_mps(gzip.decompress(path.read_bytes()).decode().splitlines())
        scrambled += model.file_order is not None
        for ours, theirs in zip(_arrays(_engine_of(model)), _arrays(by_hand), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert scrambled == 2


def _arrays(engine: highspy.Highs) -> list[Any]:
    """The matrix by columns, costs, bounds and limits of the rows."""
    lp = engine.getLp()
    matrix = lp.a_matrix_
    assert matrix.format_ == highspy.MatrixFormat.kColwise
    parts = (matrix.start_, matrix.index_, matrix.value_, lp.col_cost_, lp.col_lower_, lp.col_upper_, lp.row_lower_)
    return [np.array(part) for part in (*parts, lp.row_upper_)]
