"""Instances for property tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from matheur.problems.quadratic_assignment import Instance


@st.composite
def instances(draw: st.DrawFn, largest: int = 7) -> Instance:
    """Small matrices of any symmetry, sparse or full, with and without diagonals and negative numbers."""
    n = draw(st.integers(1, largest))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    low = draw(st.sampled_from([-9, 0]))
    flows, distances = (rng.integers(low, 10, size=(n, n)) for _ in range(2))
    flows[rng.random((n, n)) < draw(st.sampled_from([0.0, 0.6]))] = 0
    if draw(st.booleans()):
        flows = flows + flows.T
    if draw(st.booleans()):
        distances = distances + distances.T
    if draw(st.booleans()):
        np.fill_diagonal(flows, 0)
        np.fill_diagonal(distances, 0)
    return Instance(flows * draw(st.sampled_from([1, 3, 10**6])), distances)
