"""Plans with their states and costs."""

from __future__ import annotations

import numpy as np
import pytest
from problems.plans.puzzles import PancakeProblem, cube

from matheur.methods.statespace.domain import IllegalMoveError
from matheur.methods.statespace.domains import domain_of
from matheur.problems.plans.trajectory import Trajectory, matching_edges


def test_states_and_costs_of_a_plan() -> None:
    """Each move changes the state as the domain says and adds its cost."""
    path = Trajectory.of(PancakeProblem((2, 0, 1)).domain(), [3, 2])
    assert path.states.tolist() == [[2, 0, 1], [1, 0, 2], [0, 1, 2]]
    assert path.spent.tolist() == [0, 3, 5]
    assert (path.cost, len(path)) == (5, 2)


def test_an_empty_plan() -> None:
    """It has one state and costs nothing."""
    path = Trajectory.of(domain_of(cube(3, 1, "0 5", "0 5")), [])
    assert (len(path), path.cost, path.states.tolist()) == (0, 0, [[0, 5]])


def test_a_part_can_be_replaced() -> None:
    """The moves around the part stay; a plan that does not fit together is an error."""
    path = Trajectory.of(domain_of(cube(3, 1, "0", "3")), [1, 5, 1, 3])
    shorter = path.replaced(1, 3, np.empty(0, dtype=np.int32))
    assert shorter.plan.tolist() == [1, 3]
    with pytest.raises(IllegalMoveError):
        path.replaced(0, 1, np.array([2], dtype=np.int32))


def test_one_move_in_many_states() -> None:
    """Rows in which the move is not possible are left out."""
    domain = domain_of(cube(3, 1, "0 1", "0 1"))
    keys = domain.packing.pack([[0, 1], [0, 2], [3, 2]])
    rows, after, costs = matching_edges(domain, keys, np.array([1, 1, 1], dtype=np.int32))
    assert rows.tolist() == [1, 2]
    assert domain.packing.unpack(after).tolist() == [[1, 2], [1, 2]]
    assert costs.tolist() == [1, 1]
