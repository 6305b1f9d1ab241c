"""Walks from the goal, and distances around it."""

from collections.abc import Callable

import numpy as np
import pytest

from matheur.methods.learning.measuring import greedy_solved, rank_correlation
from matheur.methods.learning.sampling import Walker, ball, walks
from matheur.methods.learning.teaching import Distances, LookAhead, Policy
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.problems.sokoban.problem_type import TYPE as SOKOBAN


def test_walks(domain: Domain) -> None:
    """A state is one move from the one before, and the move back leads there; no step undoes the one before."""
    found = walks(domain, 5, 12, np.random.default_rng(0))
    states = domain.packing.unpack(found.keys).reshape(13, 5, -1)
    backs = found.back.reshape(13, 5)
    assert (backs[0] == -1).all()
    assert (states[0] == domain.goal).all()
    for step in range(1, 13):
        for walk in range(5):
            here = states[step, walk]
            assert np.array_equal(domain.apply(here, [int(backs[step, walk])])[-1], states[step - 1, walk])
            if step > 1:
                assert not np.array_equal(here, states[step - 2, walk])
    assert found.steps.reshape(13, 5)[:, 0].tolist() == list(range(13))


def test_walker_gives_all_states_of_its_walks(domain: Domain) -> None:
    """Draws are as long as asked; the goal is among them only if wanted."""
    rng = np.random.default_rng(0)
    walker = Walker(domain, 9, goal=False)
    drawn = [walker.draw(100, rng) for _ in range(30)]
    assert all(len(one.steps) == 100 for one in drawn)
    steps = np.concatenate([one.steps for one in drawn])
    assert steps.min() == 1
    assert abs(float(steps.mean()) - 5.0) < 0.5
    assert (Walker(domain, 9).draw(500, rng).steps == 0).any()


def test_ball(domain: Domain) -> None:
    """All 360 boards, at most 21 slides from the goal (God's number of 2 x 3)."""
    everything = ball(domain, 1000)
    assert len(everything.distances) == 360
    assert everything.distances.max() == 21
    part = ball(domain, 100)
    assert len(part.distances) <= 100
    assert np.array_equal(part.distances, everything.distances[: len(part.distances)])


def test_exact_distances_are_a_fixed_point(domain: Domain) -> None:
    """Looking one move ahead from exact distances gives exact distances again (Bellman), however long the walk was."""
    known = ball(domain, 1000)
    table = dict(zip(map(bytes, domain.packing.unpack(known.keys)), known.distances.tolist(), strict=True))

    def exact(states: np.ndarray) -> np.ndarray:
        return np.array([[table[bytes(state)]] for state in states], dtype=np.float32)

    rng = np.random.default_rng(0)
    states, targets = LookAhead(domain, 60, exact).batch(500, rng)
    np.testing.assert_array_equal(targets, exact(states)[:, 0])
    states, steps = LookAhead(domain, 60, None).batch(500, rng)
    assert (steps >= exact(states)[:, 0]).all()
    states, labels = Distances(domain, known).batch(50, rng)
    np.testing.assert_array_equal(labels, exact(states)[:, 0])
    states, moves = Policy(domain, 3).batch(50, rng)
    assert (exact(states)[:, 0] <= 3).all()
    assert moves.min() >= 0
    assert greedy_solved(domain, known.keys, exact, 21) == 1.0
    assert greedy_solved(domain, known.keys, exact, 20) == pytest.approx(1 - (known.distances == 21).mean())
    assert rank_correlation(exact(states)[:, 0], exact(states)[:, 0].astype(int)) == pytest.approx(1.0)
    assert rank_correlation(np.zeros(3), np.arange(3)) == 0.0


def _constant(value: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda states: np.full((len(states), 1), value, dtype=np.float32)


def _exact(domain: Domain) -> dict[bytes, int]:
    known = ball(domain, 1000)
    return dict(zip(map(bytes, domain.packing.unpack(known.keys)), known.distances.tolist(), strict=True))


def _one_move_from(distance: int, value: float) -> float:
    """What equation (1) gives where the estimate is the same everywhere, but 0 at the goal."""
    return distance if distance < 2 else value + 1


def test_clipped_targets_end_at_the_walk_and_the_paper_s_do_not(domain: Domain) -> None:
    """With 50 everywhere equation (1) gives 51, but 1 next to the goal; clipped, no target exceeds its walk's steps."""
    rng = np.random.default_rng(0)
    exact = _exact(domain)
    states, targets = LookAhead(domain, 20, _constant(50.0), clipped=False).batch(500, rng)
    assert targets.tolist() == [_one_move_from(exact[bytes(state)], 50.0) for state in states]
    assert {1.0, 51.0} <= set(targets.tolist())
    states, targets = LookAhead(domain, 20, _constant(50.0)).batch(500, rng)
    assert targets.max() == 20.0
    assert len(set(targets.tolist())) == 21


def test_both_kinds_of_targets_agree_where_the_walk_is_long(domain: Domain) -> None:
    """An estimate of 2 everywhere gives 3 after a long walk, clipped or not: the walk is no bound there."""
    rng, exact = np.random.default_rng(0), _exact(domain)
    for clipped in (False, True):
        states, targets = LookAhead(domain, 4000, _constant(2.0), clipped=clipped).batch(300, rng)
        assert targets.tolist() == [_one_move_from(exact[bytes(state)], 2.0) for state in states]


def test_looking_two_moves_ahead(domain: Domain) -> None:
    """From 0 everywhere each move ahead adds 1 to the target, up to the exact distance."""
    rng, exact = np.random.default_rng(0), _exact(domain)
    for depth in (1, 2, 3):
        states, targets = LookAhead(domain, 60, _constant(0.0), clipped=False, depth=depth).batch(200, rng)
        assert targets.tolist() == [min(exact[bytes(state)], depth) for state in states]


def test_the_paper_s_walks_may_take_a_step_back(domain: Domain) -> None:
    """Its states are ends of walks of at least one step; without clipping there is no first target but an estimate."""
    found = walks(domain, 50, 4, np.random.default_rng(0), straight=False)
    states = domain.packing.unpack(found.keys).reshape(5, 50, -1)
    assert (states[2] == states[0]).all(axis=1).any()
    with pytest.raises(ValueError, match="estimate"):
        LookAhead(domain, 20, None, clipped=False)


def test_puzzles_without_a_way_back_are_refused() -> None:
    """Pushes cannot be taken back."""
    with pytest.raises(ValueError, match="reversible"):
        walks(domain_of(SOKOBAN.builtin("demo", {})), 2, 2, np.random.default_rng(0))
