"""Networks that compare two states, and A* that waits in the order of comparisons."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from matheur.engine import Budget
from matheur.errors import ConfigurationError
from matheur.methods.learning import (
    LabellingOptions,
    Model,
    TrainingOptions,
    comparison,
    learnt_heuristic,
    make_labels,
    train,
    write_model,
)
from matheur.methods.learning.pairs import Pairs
from matheur.methods.learning.sampling import ball
from matheur.methods.learning.teaching import Distances
from matheur.methods.statespace import bidirectional, relative_astar
from matheur.methods.statespace.domain import Domain
from matheur.problems.plans.exact import AStar
from matheur.problems.sliding_tile import Instance, SlidingTile

QUICK = TrainingOptions(method="pairs", batch=200, longest=40, every=1000)


def exact(domain: Domain) -> dict[bytes, int]:
    """Distances of all states by name."""
    known = ball(domain, 10**6)
    states = domain.packing.unpack(known.keys)
    return {bytes(state): int(far) for state, far in zip(states, known.distances, strict=True)}


def test_right_comparisons_lead_straight_to_the_goal(domain: Domain) -> None:
    """No state off the optimal plan is expanded, and each new state takes as many comparisons as the list has bits."""
    distances, calls = exact(domain), []

    def farther(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> NDArray[np.float32]:
        calls.append(len(first))
        return np.float32([distances[bytes(a)] - distances[bytes(b)] for a, b in zip(first, second, strict=True)])

    found = relative_astar(domain, farther)
    assert found.cost == found.expanded == distances[bytes(domain.start)]
    assert found.plan is not None
    assert domain.is_goal(domain.packing.pack(domain.apply(domain.start, found.plan)[-1:]))[0]
    assert not found.proved
    assert sum(calls) < found.generated * 6


def test_without_a_difference_cost_alone_decides(domain: Domain) -> None:
    """Then the search is breadth first, and optimal; budgets and memory end it; what cannot be reached is proved."""
    plain = lambda first, _: np.zeros(len(first), dtype=np.float32)  # noqa: E731
    best = bidirectional(domain).cost
    assert relative_astar(domain, plain).cost == best
    assert relative_astar(domain, plain, budget=Budget(work=5)).limit == "work"
    assert relative_astar(domain, plain, memory=3000).limit == "memory"
    odd = domain.start.copy()
    odd[[0, 1]] = odd[[1, 0]]
    lost = relative_astar(domain.between(odd, domain.goal), plain)
    assert lost.unreachable
    assert lost.expanded == lost.stored == 360
    assert relative_astar(domain.between(domain.goal, domain.goal), plain).cost == 0


def test_pairs_are_near_or_far(domain: Domain) -> None:
    """Targets are differences of exact distances; in half of a batch the two states are about equally far."""
    distances = exact(domain)
    known = ball(domain, 10**6)
    states, targets = Pairs(Distances(domain, known)).batch(400, np.random.default_rng(0))
    size = domain.packing.size
    assert states.shape == (400, 2 * size)
    wanted = [distances[bytes(one[:size])] - distances[bytes(one[size:])] for one in states]
    np.testing.assert_array_equal(targets, wanted)
    assert np.abs(targets[:200]).mean() < 1 < 2 < np.abs(targets[200:]).mean()


def test_a_network_learns_to_compare_and_orders_the_open_list(domain: Domain, model: Model, tmp_path: Path) -> None:
    """From all states of a small puzzle; as the option of A*, which then takes no heuristic."""
    trained = train(domain, QUICK, Budget(iterations=400), 0)
    assert trained.output == "difference"
    assert trained.training["correlation"] > 0.7
    path, problem = tmp_path / "pairs.npz", SlidingTile(Instance(2, 3, (4, 1, 3, 0, 2, 5)))
    write_model(path, trained)
    found = AStar(order=f"{path}(precision=int8)").build(problem, Budget(work=360), np.random.default_rng(0))
    assert found.solution is not None
    best = bidirectional(domain).cost
    assert best is not None
    assert best <= problem.evaluate(found.solution).objective <= best + 4
    with pytest.raises(ConfigurationError, match="not both"):
        AStar(order="pairs.npz", heuristic="manhattan")
    with pytest.raises(ConfigurationError, match="compares states, it does not estimate"):
        learnt_heuristic(domain, trained)
    with pytest.raises(ConfigurationError, match="does not compare states"):
        comparison(domain, model)
    other = domain.between(domain.start, domain.start)
    with pytest.raises(ConfigurationError, match="another goal"):
        comparison(other, trained)


def test_pairs_of_labelled_states(domain: Domain, tmp_path: Path) -> None:
    """Labels give the states where there are any; a checkpoint goes on as if there had been no break."""
    labels, options = make_labels(domain, 200, LabellingOptions(), Budget(), 0), replace(QUICK, every=2)
    whole = train(domain, options, Budget(iterations=4), 0, labels=labels)
    file = tmp_path / "checkpoint.npz"
    for steps in (2, 2):
        parts = train(domain, options, Budget(iterations=steps), 0, labels=labels, checkpoint=file)
    for name, array in whole.arrays.items():
        np.testing.assert_array_equal(parts.arrays[name], array)
    with pytest.raises(ConfigurationError, match="'labels' differs"):
        train(domain, options, Budget(iterations=1), 0, checkpoint=file)
