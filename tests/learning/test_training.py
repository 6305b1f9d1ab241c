"""Trainings from the first batch to a heuristic that a search uses."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from matheur.engine import Budget
from matheur.errors import ConfigurationError, InputError
from matheur.learning import (
    Model,
    Progress,
    TrainingOptions,
    learnt_heuristic,
    learnt_policy,
    train,
    write_model,
)
from matheur.learning.measuring import rank_correlation
from matheur.learning.sampling import ball
from matheur.learning.subject import learnt_domain
from matheur.problems.sliding_tile.problem_type import TYPE
from matheur.problems.sokoban import Sokoban, generate
from matheur.problems.sokoban.problem_type import TYPE as SOKOBAN
from matheur.statespace import anytime_beam, batch_astar, heuristic_by_name
from matheur.statespace.domain import Domain
from matheur.statespace.domains import domain_of
from matheur.statespace.heuristics import zero

QUICK = TrainingOptions(batch=100, longest=30, every=10, patience=10)


def test_training_beats_manhattan_distance() -> None:
    """After 200 steps of value iteration the 181,440 boards of 3 x 3 are ranked better than by Manhattan distance."""
    domain = domain_of(TYPE.builtin("3x3", {}))
    model = train(domain, TrainingOptions(longest=60), Budget(iterations=200), 0)
    known = ball(domain, 200_000)
    found = learnt_heuristic(domain, model).estimate(known.keys)
    manhattan = heuristic_by_name(domain, "manhattan").estimate(known.keys)
    assert rank_correlation(found, known.distances) > rank_correlation(manhattan, known.distances) > 0.5
    assert found[0] == 0
    assert found[1:].min() >= 1


@pytest.mark.parametrize("method", ["davi", "distances", "policy"])
def test_the_same_seed_gives_the_same_network(domain: Domain, method: str, tmp_path: Path) -> None:
    """With or without a break in between."""
    options = replace(QUICK, method=method)  # type: ignore[arg-type]
    whole = train(domain, options, Budget(iterations=30), 4)
    kept = tmp_path / "kept.npz"
    train(domain, options, Budget(iterations=20), 4, checkpoint=kept)
    rest = train(domain, options, Budget(iterations=10), 4, checkpoint=kept)
    again = train(domain, options, Budget(iterations=30), 4)
    for name, array in whole.arrays.items():
        np.testing.assert_array_equal(again.arrays[name], array)
        if method == "distances":  # walks that were made before the break are not kept
            np.testing.assert_array_equal(rest.arrays[name], array)
    assert rest.training["steps"] == whole.training["steps"] == 30


def test_small_puzzles_are_learnt_by_heart(domain: Domain) -> None:
    """All 360 boards of 2 x 3: exact distances are learnt, progress is told, a search finds an optimal plan by them."""
    told: list[Progress] = []
    options = TrainingOptions(method="distances", batch=200, every=100, longest=40)
    model = train(domain, options, Budget(iterations=600), 0, on_progress=told.append)
    assert [one.steps for one in told] == [100, 200, 300, 400, 500, 600, 600]
    assert told[0].loss is not None
    assert told[-1].loss is not None
    assert told[-1].loss < told[0].loss
    heuristic = learnt_heuristic(domain, model)
    assert not heuristic.admissible
    answer = batch_astar(domain, heuristic, batch=1)
    exact = ball(domain, 1000)
    start = domain.packing.pack(domain.start[None])
    distance = int(exact.distances[(exact.keys == start).all(axis=1)][0])
    assert answer.cost is not None
    assert distance <= answer.cost <= distance + 2
    assert answer.bound == 0 or answer.bound <= distance


def test_what_does_not_fit_is_refused(domain: Domain, model: Model, tmp_path: Path) -> None:
    """Another puzzle, a policy as a distance, moves without a way back, a checkpoint of another training."""
    other = domain_of(TYPE.builtin("3x3", {}))
    with pytest.raises(ConfigurationError, match="not for"):
        learnt_heuristic(other, model)
    with pytest.raises(ConfigurationError, match="chooses moves"):
        learnt_heuristic(domain, replace(model, output="policy"))
    with pytest.raises(ConfigurationError, match="way back"):
        train(domain_of(SOKOBAN.builtin("demo", {})), QUICK, Budget(iterations=1), 0)
    kept = tmp_path / "kept.npz"
    train(domain, QUICK, Budget(iterations=10), 0, checkpoint=kept)
    with pytest.raises(ConfigurationError, match="'seed' differs"):
        train(domain, QUICK, Budget(iterations=1), 1, checkpoint=kept)
    kept.write_bytes(b"junk")
    with pytest.raises(InputError, match="not a checkpoint"):
        train(domain, QUICK, Budget(iterations=1), 0, checkpoint=kept)
    for change in ({"method": "luck"}, {"network": "huge"}, {"batch": 0}, {"rate": 0.0}):
        with pytest.raises(ConfigurationError):
            replace(QUICK, **change)  # type: ignore[arg-type]
    write_model(tmp_path / "m.npz", model)
    assert learnt_heuristic(domain, tmp_path / "m.npz").memory > 0


def test_missing_libraries_are_named(domain: Domain, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without JAX one line says how to get it."""
    monkeypatch.setattr("matheur.learning.extra.find_spec", lambda _: None)
    with pytest.raises(ConfigurationError, match=r"training needs JAX.*pip install 'matheur\[neural\]'"):
        train(domain, QUICK, Budget(iterations=1), 0)


@pytest.mark.parametrize("method", ["davi", "policy", "distances"])
def test_sokoban_levels_are_learnt_together(method: str) -> None:
    """One network for levels of a size: the loss falls, greedy steps solve some, it fits a level not learnt from."""
    problems = [Sokoban(generate(6, 6, seed=seed, boxes=1)[0]) for seed in range(9)]
    domain = learnt_domain(problems[1:])
    options = replace(QUICK, method=method, longest=20, every=50, known=3000)  # type: ignore[arg-type]
    told: list[Progress] = []
    model = train(domain, options, Budget(iterations=150), 0, on_progress=told.append)
    assert told[-1].solved > 0.3
    assert told[0].correlation is None or told[-1].correlation > 0.5  # type: ignore[operator]
    level = domain_of(problems[0])
    if method == "policy":
        answer = anytime_beam(level, zero(), rng=np.random.default_rng(0), guide=learnt_policy(level, model))
    else:
        answer = batch_astar(level, learnt_heuristic(level, model))
    assert answer.plan is not None
    assert problems[0].evaluate(answer.plan).feasible
