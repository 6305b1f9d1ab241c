"""Small quadratic assignment problems and checks that the tests of their operators share."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from matheur.engine.outcome import Outcome
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment

SHAPES = ("both", "flows", "distances", "none")
"""Which of the two matrices are symmetric."""


def problem(
    n: int, symmetric: str = "both", seed: int = 0, *, zeros: float = 0.0, scale: int = 1
) -> QuadraticAssignment:
    """Random matrices with diagonals, of positive and negative numbers, a share of the flows zero."""
    rng = np.random.default_rng(seed)
    flows, distances = rng.integers(-9, 20, size=(2, n, n))
    flows = np.where(rng.random((n, n)) < zeros, 0, flows)
    if symmetric in ("both", "flows"):
        flows = flows + flows.T
    if symmetric in ("both", "distances"):
        distances = distances + distances.T
    return QuadraticAssignment(Instance(flows, scale * distances))


def random_permutation(n: int, seed: int = 0) -> NDArray[np.int32]:
    """A read-only permutation."""
    permutation = np.random.default_rng(seed).permutation(n).astype(np.int32)
    permutation.setflags(write=False)
    return permutation


def exchanged(permutation: NDArray[np.int32], one: int, other: int) -> NDArray[np.int32]:
    """A copy with the locations of two facilities exchanged."""
    changed = permutation.copy()
    changed[[one, other]] = changed[[other, one]]
    return changed


def optimum(one: QuadraticAssignment) -> int:
    """The least objective of all permutations."""
    flows, distances = one.instance.flows, one.instance.distances
    places = np.array(list(permutations(range(one.instance.n))))
    return int((flows * distances[places[:, :, None], places[:, None, :]]).sum(axis=(1, 2)).min())


def check(one: QuadraticAssignment, outcome: Outcome[NDArray[np.int32]]) -> int:
    """The outcome's objective, after the evaluator agreed with it and found a permutation."""
    assert outcome.solution is not None
    assert outcome.solution.dtype == np.int32
    evaluation = one.evaluate(outcome.solution)
    assert evaluation.feasible, evaluation.violations
    assert evaluation.objective == outcome.objective
    return int(evaluation.objective)


@st.composite
def problems(draw: st.DrawFn, largest: int = 12) -> QuadraticAssignment:
    """Problems of every symmetry, some with numbers that need 64 bits, some with many zeros."""
    return problem(
        draw(st.integers(1, largest)),
        draw(st.sampled_from(SHAPES)),
        draw(st.integers(0, 1000)),
        zeros=draw(st.sampled_from([0.0, 0.7])),
        scale=draw(st.sampled_from([1, 10**9])),
    )
