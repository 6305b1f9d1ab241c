"""Learning from one's own searches: plans become labels, walks become longer, networks better."""

from dataclasses import replace

import numpy as np
import pytest

from matheur.engine import Budget
from matheur.errors import ConfigurationError
from matheur.methods.learning import Model, TrainingOptions, learnt_heuristic, train
from matheur.methods.learning.bootstrapping import Bootstrap
from matheur.methods.learning.measuring import rank_correlation
from matheur.methods.learning.sampling import ball
from matheur.methods.statespace import heuristic_by_name
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.heuristics import Heuristic
from matheur.problems.sliding_tile.problem_type import TYPE

OPTIONS = TrainingOptions(method="bootstrap", longest=40, batch=100, patience=20, instances=10, nodes=200, every=100)


def gain(domain: Domain, model: Model) -> float:
    """Rank correlation of a network with exact distances, less that of the Manhattan distance."""
    known = ball(domain, 200_000)
    if len(known.keys) > 50_000:
        known = known.take(np.arange(0, len(known.keys), 8))
    estimates = (learnt_heuristic(domain, model), heuristic_by_name(domain, "manhattan"))
    found, other = (rank_correlation(one.estimate(known.keys), known.distances) for one in estimates)
    return found - other


def test_rounds(domain: Domain) -> None:
    """Optimal plans give exact distances; walks grow while instances are solved, and shrink when they are not."""
    known = ball(domain, 1000)
    table = {key.tobytes(): int(one) for key, one in zip(known.keys, known.distances, strict=True)}
    teacher, rng = Bootstrap(domain, 30, instances=10, nodes=400), np.random.default_rng(0)
    reached = [teacher.reach]
    for _ in range(6):
        assert teacher.round(heuristic_by_name(domain, "zero"), Budget(), rng) == 1.0
        reached.append(teacher.reach)
    assert reached == sorted(reached)
    assert reached[-1] == 30
    found = [table[key.tobytes()] for key in teacher.known.keys]
    # A batch of states may contain a goal that is not the nearest: plans of blind search in batches are almost optimal.
    assert np.mean(teacher.known.distances - np.array(found)) < 0.2
    assert (teacher.known.distances >= found).all()
    states, targets = teacher.batch(50, rng)
    assert states.shape == (50, 6)
    assert (targets >= 1).all()
    teacher.nodes = 1
    assert teacher.round(heuristic_by_name(domain, "zero"), Budget(), rng) < 0.2  # type: ignore[operator]
    assert teacher.reach < 30
    assert teacher.round(heuristic_by_name(domain, "zero"), Budget(work=0), rng) is None


def test_what_is_remembered_goes_on(domain: Domain) -> None:
    """A restored teacher teaches the same."""
    zero: Heuristic = heuristic_by_name(domain, "zero")
    one, other = (Bootstrap(domain, 30, instances=5, nodes=400) for _ in range(2))
    one.round(zero, Budget(), np.random.default_rng(1))
    other.restore(*one.state())
    assert other.reach == one.reach
    for left, right in zip(
        one.batch(20, np.random.default_rng(2)), other.batch(20, np.random.default_rng(2)), strict=True
    ):
        np.testing.assert_array_equal(left, right)


def test_a_network_learns_from_its_searches(domain: Domain) -> None:
    """All 360 boards of 2 x 3 are ranked better than by Manhattan distance, with nothing but moves and goal."""
    model = train(domain, OPTIONS, Budget(iterations=200), 0)
    assert model.training["reach"] > 20
    assert model.training["updates"] == 10
    assert gain(domain, model) > 0.1


def test_searches_that_find_nothing_end(domain: Domain) -> None:
    """A limit that is too small for any plan is named, where there is no other limit."""
    options = replace(OPTIONS, nodes=1, longest=12)
    with pytest.raises(ConfigurationError, match="within 1 nodes"):
        train(domain, options, Budget(iterations=1), 0)


@pytest.mark.slow
def test_boards_of_eight_tiles() -> None:
    """The same on the 181,440 boards of 3 x 3."""
    domain = domain_of(TYPE.builtin("3x3", {}))
    options = replace(OPTIONS, longest=100, batch=200, patience=40, instances=20, nodes=1000, every=400)
    assert gain(domain, train(domain, options, Budget(iterations=400), 0)) > 0.03
