"""Small quadratic assignment problems for the contract of operators, with optima found by enumeration."""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from matheur.problems.quadratic_assignment import Instance, QuadraticAssignment

NAMES = ("symmetric6", "asymmetric6", "sparse7")


@cache
def problem(name: str) -> QuadraticAssignment:
    """Return the problem with a name of `NAMES`."""
    n = int(name[-1])
    rng = np.random.default_rng(NAMES.index(name))
    flows, distances = (rng.integers(0, 20, (n, n)) for _ in range(2))
    if name.startswith("symmetric"):
        flows, distances = flows + flows.T, distances + distances.T
    if name.startswith("sparse"):
        flows = np.triu(flows, 1) * (rng.random((n, n)) < 0.3)
    else:
        np.fill_diagonal(flows, 0)
    return QuadraticAssignment(Instance(flows.astype(np.int64), distances.astype(np.int64), name))


@cache
def _objectives(one: QuadraticAssignment) -> tuple[int, NDArray[np.int32]]:
    a, b = one.instance.flows, one.instance.distances
    best, worst = None, (-1, ())
    for order in permutations(range(one.instance.n)):
        value = int((a * b[np.ix_(order, order)]).sum())
        best = value if best is None else min(best, value)
        worst = max(worst, (value, order))
    assert best is not None
    return best, np.array(worst[1], dtype=np.int32)


def optimum(one: QuadraticAssignment) -> int:
    """Return the least cost of a problem."""
    return _objectives(one)[0]


def some_permutation(one: QuadraticAssignment) -> NDArray[np.int32]:
    """Return the worst permutation as a read-only array."""
    found = _objectives(one)[1].copy()
    found.setflags(write=False)
    return found
