"""Slots that are set free and filled again."""

from __future__ import annotations

import numpy as np
import pytest
from contracts.benches import BENCHES

from matheur.engine import Budget, Status
from matheur.methods.statespace.domains import domain_of
from matheur.problems import edge_matching
from matheur.problems.placements.refill import Refill


@pytest.mark.parametrize("name", ["edge-matching", "party", "quadratic-assignment"])
def test_a_wide_beam_over_all_slots_finds_the_optimum(name: str) -> None:
    """With all slots free and nothing cut, one call leads from any solution to the best one."""
    bench = BENCHES[name]
    problem = bench.make(bench.names[0])
    begin = bench.incumbent(problem)
    whole = Refill(slots=16, width=3000, tries=1)
    found = whole.explore(problem, begin, Budget(), np.random.default_rng(1))
    assert found.status is Status.IMPROVED
    assert found.objective == problem.evaluate(found.solution).objective
    if name != "edge-matching":  # sixteen cells are too many for a beam that is not cut
        assert found.objective == bench.optimum(problem)


@pytest.mark.parametrize("name", ["edge-matching", "party", "quadratic-assignment"])
def test_an_order_changes_no_solution(name: str) -> None:
    """A solution is the same row in every order of the slots, and costs the same."""
    bench = BENCHES[name]
    problem = bench.make(bench.names[0])
    begin = bench.incumbent(problem)
    placing = domain_of(problem).placing
    order = np.random.default_rng(1).permutation(placing.slots)
    other = placing.reordered(order)
    assert (placing.solution(placing.row(begin)) == begin).all()
    assert (other.row(begin) == placing.row(begin)[order]).all()
    assert (other.solution(other.row(begin)) == begin).all()
    row, total = other.row(begin), 0
    for slot, value in enumerate(row):
        _, values, costs = other.extensions(row[None, :slot])
        total += int(costs[values == value][0])
    assert other.offset + other.scale * total == problem.evaluate(begin).objective


def test_boards_with_empty_cells_are_left_alone() -> None:
    """They are no rows of values."""
    problem = edge_matching.EdgeMatching(edge_matching.builtin("3x3"))
    empty = np.full(9, -1, dtype=np.int32)
    found = Refill().explore(problem, empty, Budget(), np.random.default_rng(0))
    assert found.status is Status.NO_IMPROVEMENT
