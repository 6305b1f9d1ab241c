"""The backend keeps the contract of all backends, and a run can use it."""

import matheur
from matheur.testing import check_backend


def test_contract() -> None:
    """The backend, found through its entry point, solves small models as the contract requires."""
    check_backend("scipy")


def test_operators_use_it() -> None:
    """A neighbourhood that solves a MILP can use the backend by its name."""
    result = matheur.solve(
        "edge-matching/4x4", solver="scipy", construction="random", neighbourhoods=["border"], iterations=2, seed=1
    )
    assert result.feasible
    assert result.operators["border"].calls > 0
