"""Networks that say what moves are worth, and searches that make a state only when its move is due."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from matheur.engine import Budget
from matheur.errors import ConfigurationError
from matheur.methods.learning import Model, Progress, TrainingOptions, deferred, learnt_heuristic, train, write_model
from matheur.methods.learning.actions import Actions, least_of_moves
from matheur.methods.learning.deferred import DeferredDomain
from matheur.methods.learning.sampling import ball
from matheur.methods.statespace import batch_astar, bfs
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics import Heuristic
from matheur.problems.plans.anytime import BatchAStar
from matheur.problems.sliding_tile import Instance, SlidingTile

PUZZLE = SlidingTile(Instance(2, 3, (4, 1, 3, 0, 2, 5)))


@pytest.fixture(scope="module")
def trained() -> tuple[Model, list[Progress]]:
    """A network for 2 x 3 tiles, and what the training told."""
    from matheur.methods.statespace.domains import domain_of

    told: list[Progress] = []
    options = TrainingOptions(method="actions", batch=200, longest=40, every=100, patience=40)
    return train(domain_of(PUZZLE), options, Budget(iterations=700), 0, on_progress=told.append), told


def exact_distances(domain: Domain) -> dict[bytes, int]:
    """Of all boards."""
    known = ball(domain, 1000)
    return {key.tobytes(): int(distance) for key, distance in zip(known.keys, known.distances, strict=True)}


def test_exact_worths_are_a_fixed_point(domain: Domain) -> None:
    """Looking ahead from exact worths gives exact worths again; impossible moves have none."""
    table = exact_distances(domain)

    def exact(states: np.ndarray) -> np.ndarray:
        keys = domain.packing.pack(states)
        found = domain.expand(keys)
        worth = np.full((len(keys), domain.moves), -7, dtype=np.float32)  # of impossible moves: nonsense
        worth[found.parents, found.moves] = [1 + table[key.tobytes()] for key in found.keys]
        return worth

    keys = ball(domain, 1000).keys
    distances = [table[key.tobytes()] for key in keys]
    np.testing.assert_array_equal(least_of_moves(domain, keys, exact(domain.packing.unpack(keys))), distances)
    rng = np.random.default_rng(0)
    states, targets = Actions(domain, 60, exact).batch(400, rng)
    wanted = exact(states)
    possible = wanted > 0
    assert np.array_equal(np.isfinite(targets), possible)
    np.testing.assert_array_equal(targets[possible], wanted[possible])
    states, bounds = Actions(domain, 60, None).batch(400, rng)
    assert (bounds[np.isfinite(bounds)] >= exact(states)[np.isfinite(bounds)]).all()


def test_a_deferred_search_is_a_search(domain: Domain) -> None:
    """With exact worths the first plan is optimal, and only the moves along it are made; without, it is A* as well."""
    table = exact_distances(domain)
    pairs = DeferredDomain(domain)

    def worth(keys: np.ndarray) -> np.ndarray:
        states, moves = pairs.split(keys)
        values = []
        for state, move in zip(states, moves, strict=True):
            here = table[state.tobytes()]
            found = domain.expand(state[None])
            after = [table[key.tobytes()] for key, one in zip(found.keys, found.moves, strict=True) if one == move]
            values.append(0 if here == 0 else 1 + after[0] if after else here)
        return np.array(values, dtype=np.int32)

    optimum = bfs(domain).cost
    assert optimum is not None
    exact = batch_astar(pairs, Heuristic("exact", True, False, batch=worth), batch=1)  # type: ignore[arg-type]
    blind = Heuristic("zero", True, True, batch=lambda keys: np.zeros(len(keys), dtype=np.int32))
    slow = batch_astar(pairs, blind, batch=7)  # type: ignore[arg-type]
    for answer in (exact, slow):
        assert answer.cost == optimum
        assert answer.plan is not None
        assert np.array_equal(domain.apply(domain.start, answer.plan[:-1])[-1], domain.goal)
    assert exact.expanded <= optimum + 1
    assert exact.proved


def test_training_gets_better_and_the_network_guides(
    domain: Domain, trained: tuple[Model, list[Progress]], tmp_path: Path
) -> None:
    """Loss, greedy solutions and ranks are told; the search with it expands less than a blind one, near the optimum."""
    model, told = trained
    assert model.output == "actions"
    assert model.spec.outputs == domain.moves
    assert told[-1].correlation is not None
    assert told[-1].correlation > 0.8
    assert told[-1].solved > told[0].solved or told[-1].solved == 1
    far = domain.packing.unpack(ball(domain, 1000).keys[-1:])[0]
    puzzle, domain = SlidingTile(Instance(2, 3, tuple(far.tolist()))), domain.between(far, domain.goal)
    optimum, blind = bfs(domain).cost, bfs(domain).expanded
    pairs, heuristic = deferred(domain, model)
    answer = batch_astar(pairs, heuristic, batch=5)
    assert answer.cost is not None
    assert optimum is not None
    assert optimum == 21
    assert optimum <= answer.cost <= optimum + 6
    assert answer.expanded < blind
    assert not heuristic.admissible
    write_model(tmp_path / "a.npz", model)
    offered: list[tuple[int, float]] = []
    budget = Budget(work=5000, on_incumbent=lambda plan, cost: offered.append((len(plan), cost)))
    outcome = BatchAStar(heuristic=f"{tmp_path}/a.npz", batch=5).build(puzzle, budget, np.random.default_rng(0))
    assert outcome.solution is not None
    assert puzzle.evaluate(outcome.solution).feasible
    assert len(outcome.solution) == outcome.objective == answer.cost
    assert offered[-1] == (answer.cost, answer.cost)


def test_what_does_not_fit_is_refused(domain: Domain, model: Model, trained: tuple[Model, list[Progress]]) -> None:
    """A network for moves is no heuristic, one for distances says nothing of moves."""
    with pytest.raises(ConfigurationError, match="batch-astar"):
        learnt_heuristic(domain, trained[0])
    with pytest.raises(ConfigurationError, match="what moves are worth"):
        deferred(domain, model)
    with pytest.raises(ConfigurationError, match="not for"):
        deferred(domain, replace(trained[0], fingerprint="other"))
