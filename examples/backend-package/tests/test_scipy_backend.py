"""The backend keeps the contract of all backends, and a run can use it."""

import matheur
from matheur.testing import check_backend


def test_contract() -> None:
    """On small models, through its entry point."""
    check_backend("scipy")


def test_operators_use_it() -> None:
    """A neighbourhood that solves a MILP takes the backend by its name."""
    result = matheur.solve(
        "edge-matching/4x4", solver="scipy", construction="random", neighbourhoods=["border"], iterations=2, seed=1
    )
    assert result.feasible
    assert result.operators["border"].calls > 0
