"""What puzzles with plans share."""

from __future__ import annotations

from matheur.problems.lights_out import Instance, LightsOut


def test_a_start_that_is_the_goal_needs_no_moves() -> None:
    """Any other start has no given solution."""
    given = LightsOut(Instance(1, 2, (False, False))).given_solution()
    assert given is not None
    assert not len(given)
    assert LightsOut(Instance(1, 2, (True, True))).given_solution() is None


def test_the_fingerprint_names_the_content() -> None:
    """The title does not matter."""
    board = Instance(1, 2, (True, True))
    assert LightsOut(board).fingerprint == LightsOut(Instance(1, 2, (True, True), title="one")).fingerprint
    assert LightsOut(board).fingerprint != LightsOut(Instance(2, 1, (True, True))).fingerprint
