"""The neighbourhood keeps the contract of operators, and improves solutions that no exchange improves."""

import numpy as np
from matheur_three_cycle import ThreeCycle

import matheur
from matheur.engine import Budget, Status
from matheur.problems.quadratic_assignment import Instance, QuadraticAssignment
from matheur.testing import check_operator


def problem(n: int, seed: int) -> QuadraticAssignment:
    """Generate a problem with random flows and distances."""
    flows, distances = np.random.default_rng(seed).integers(0, 20, (2, n, n))
    return QuadraticAssignment(Instance(flows, distances, f"random{n}"))


def test_contract() -> None:
    """The contract holds with few tries, and with enough tries for a proof."""
    one = problem(6, seed=1)
    for operator in (ThreeCycle, ThreeCycle(5)):
        check_operator(one, operator, incumbent=np.arange(6, dtype=np.int32))


def test_it_gains_where_no_exchange_does() -> None:
    """A rotation improves the results of some of ten descents with exchanges."""
    found = set()
    for seed in range(10):
        one = problem(10, seed)
        swaps = matheur.solve(one, construction="random", neighbourhoods=["swap"], iterations=20, seed=seed)
        outcome = ThreeCycle().explore(one, swaps.solution, Budget(), np.random.default_rng(seed))
        found.add(outcome.status)
    assert Status.IMPROVED in found


def test_preset() -> None:
    """The entry point makes the preset available, and the preset uses the operator."""
    result = matheur.solve("quadratic-assignment/demo", preset="three-cycle", iterations=20, seed=1)
    assert result.operators["three-cycle"].calls > 0
