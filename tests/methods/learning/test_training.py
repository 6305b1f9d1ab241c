"""Trainings from the first batch to a heuristic that a search uses."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from matheur.engine import Budget
from matheur.errors import ConfigurationError, InputError
from matheur.methods.learning import (
    LabellingOptions,
    Model,
    Progress,
    TrainingOptions,
    labelled_states,
    learnt_heuristic,
    learnt_policy,
    make_labels,
    train,
    write_model,
)
from matheur.methods.learning.labels import starts_of
from matheur.methods.learning.measuring import Errors, rank_correlation
from matheur.methods.learning.sampling import Ball, ball
from matheur.methods.learning.teaching import Distances
from matheur.methods.statespace import anytime_beam, batch_astar, heuristic_by_name
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.heuristics import zero
from matheur.problems.cubical import Cubical
from matheur.problems.cubical import Instance as Rings
from matheur.problems.plans.training import learnt_domain
from matheur.problems.sliding_tile.problem_type import TYPE
from matheur.problems.sokoban import Sokoban, generate
from matheur.problems.sokoban.problem_type import TYPE as SOKOBAN

QUICK = TrainingOptions(batch=100, longest=30, every=10, patience=10)


@pytest.fixture(scope="module")
def boards() -> Ball:
    """The 181,440 boards of 3 x 3, the goal first."""
    return ball(domain_of(TYPE.builtin("3x3", {})), 200_000)


def test_training_beats_manhattan_distance(boards: Ball) -> None:
    """After 200 steps of value iteration boards of 3 x 3 are ranked better than by Manhattan distance."""
    domain = domain_of(TYPE.builtin("3x3", {}))
    model = train(domain, TrainingOptions(longest=60, batch=300), Budget(iterations=200), 0)
    known = boards.take(np.arange(0, len(boards.keys), 8))
    found = learnt_heuristic(domain, model).estimate(known.keys)
    manhattan = heuristic_by_name(domain, "manhattan").estimate(known.keys)
    assert rank_correlation(found, known.distances) > rank_correlation(manhattan, known.distances) > 0.5
    assert found[0] == 0
    assert found[1:].min() >= 1


def test_a_training_that_diverges_is_an_error(domain: Domain, tmp_path: Path) -> None:
    """A network of infinite numbers was written, which could not be read, and replaced the last good checkpoint."""
    options, file = replace(QUICK, method="walks", rate=0.5), tmp_path / "checkpoint.npz"
    first = train(domain, options, Budget(iterations=1), 0)
    huge = replace(first, arrays={name: array * np.float32(1e20) for name, array in first.arrays.items()})
    with pytest.raises(ConfigurationError, match=r"has diverged: .* Maybe a rate below 0\.5\?"):
        train(domain, options, Budget(iterations=30), 0, begin=huge, checkpoint=file)
    assert not file.exists()


def test_targets_change_when_the_loss_is_checked(domain: Domain) -> None:
    """Every `check` steps, if it is below the threshold; else only after `patience` steps, or never if that is 0."""
    paper = replace(QUICK, clipped=False, threshold=1e9, check=60, patience=0)

    def updates(options: TrainingOptions) -> int:
        found = train(domain, options, Budget(iterations=130), 0).training["updates"]
        assert isinstance(found, int)
        return found

    assert updates(paper) == 2
    assert updates(replace(paper, threshold=0.0)) == 0
    assert updates(replace(paper, threshold=0.0, patience=40)) == 3
    assert updates(replace(paper, check=1)) == 2  # the mean of fifty losses is needed each time
    with pytest.raises(ConfigurationError, match="patience"):
        TrainingOptions(method="bootstrap", patience=0)


def test_value_iteration_as_published_learns(domain: Domain) -> None:
    """Equation (1) alone, from the weights at the beginning: estimates come nearer to the distances move by move."""
    options = TrainingOptions(batch=100, longest=30, clipped=False, patience=20, every=100)
    errors: list[float | None] = []
    train(domain, options, Budget(iterations=400), 0, on_progress=lambda progress: errors.append(progress.error))
    assert errors[0] is not None
    assert errors[-1] is not None
    assert errors[-1] < errors[0] - 1
    deeper = train(domain, replace(options, depth=2), Budget(iterations=10), 0).training
    assert deeper["depth"] == 2


@pytest.mark.parametrize("method", ["davi", "walks", "distances", "labelled", "bootstrap", "policy"])
def test_the_same_seed_gives_the_same_network(domain: Domain, method: str, tmp_path: Path) -> None:
    """With or without a break in between."""
    options = replace(QUICK, method=method, halving=10, instances=5)  # type: ignore[arg-type]
    labels = make_labels(domain, 100, LabellingOptions(), Budget(), 0) if method == "labelled" else None

    def trained(steps: int, checkpoint: Path | None = None) -> Model:
        return train(domain, options, Budget(iterations=steps), 4, labels=labels, checkpoint=checkpoint)

    whole, kept = trained(30), tmp_path / "kept.npz"
    trained(16, kept)
    rest, again = trained(14, kept), trained(30)
    for name, array in whole.arrays.items():
        np.testing.assert_array_equal(again.arrays[name], array)
        if method in ("distances", "labelled", "bootstrap"):  # walks that were made before the break are not kept
            np.testing.assert_array_equal(rest.arrays[name], array)
    assert rest.training["steps"] == whole.training["steps"] == 30


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_steps_of_walks_are_learnt(boards: Ball, precision: str) -> None:
    """Boards of 3 x 3 that longer walks lead to are farther; in half the precision just as well."""
    domain = domain_of(TYPE.builtin("3x3", {}))
    options = TrainingOptions(method="walks", longest=60, batch=300, precision=precision)  # type: ignore[arg-type]
    model = train(domain, options, Budget(iterations=300), 0)
    known = boards.take(np.arange(0, len(boards.keys), 8))
    found = learnt_heuristic(domain, model).estimate(known.keys)
    manhattan = heuristic_by_name(domain, "manhattan").estimate(known.keys)
    assert rank_correlation(found, known.distances) > rank_correlation(manhattan, known.distances)


@pytest.mark.slow
def test_labels_are_learnt_from(boards: Ball) -> None:
    """Some plans on 3 x 3, and their mirror images: other boards are ranked better than by Manhattan distance."""
    domain = domain_of(TYPE.builtin("3x3", {}))
    labels = make_labels(domain, 1000, LabellingOptions(), Budget(), 0)
    model = train(domain, TrainingOptions(method="labelled", halving=100), Budget(iterations=300), 0, labels=labels)
    assert model.training["labels"]["plans"] == len(labels)
    drawn = domain.packing.pack(domain.uniform(2000, np.random.default_rng(5)))
    table = {key.tobytes(): one for key, one in zip(boards.keys, boards.distances, strict=True)}
    exact = np.array([table[key.tobytes()] for key in drawn])
    manhattan = heuristic_by_name(domain, "manhattan").estimate(drawn)
    errors = Errors.of(learnt_heuristic(domain, model).estimate(drawn), exact)
    assert errors.correlation > rank_correlation(manhattan, exact) + 0.05
    assert errors.absolute < 0.7 * Errors.of(manhattan, exact).absolute


def test_a_network_to_begin_with(domain: Domain, model: Model) -> None:
    """A training begins with the weights of a network that looks alike, of the same puzzle."""
    options = replace(QUICK, method="distances", every=1000)
    first = train(domain, options, Budget(iterations=1), 0)
    again = train(domain, replace(options, rate=1e-9), Budget(iterations=1), 5, begin=first)
    for name, array in first.arrays.items():
        np.testing.assert_allclose(again.arrays[name], array, atol=1e-7)
    assert again.training["begin"]["steps"] == 1
    with pytest.raises(ConfigurationError, match="another architecture"):
        train(domain, options, Budget(iterations=1), 0, begin=model)
    with pytest.raises(ConfigurationError, match="was trained for"):
        train(domain_of(TYPE.builtin("3x3", {})), options, Budget(iterations=1), 0, begin=first)


def test_starts_alone_are_learnt_from(domain: Domain) -> None:
    """With the share 1 the states on the way are neither made nor measured, as if the labels had no moves."""
    labels = make_labels(domain, 300, LabellingOptions(), Budget(), 0)
    options = replace(QUICK, method="labelled", starts=1.0)
    plain, alone = (train(domain, options, Budget(iterations=3), 0, labels=one) for one in (labels, labels.alone()))
    assert plain.training["labels"]["states"] == plain.training["labels"]["plans"] == len(labels)
    for name, array in plain.arrays.items():
        np.testing.assert_array_equal(alone.arrays[name], array)


def test_starts_are_preferred(domain: Domain) -> None:
    """A share of a batch comes from the starts of plans, and no other states are drawn where it is everything."""
    labels = make_labels(domain, 50, LabellingOptions(), Budget(), 0)
    known, starts = labelled_states(domain, labels), starts_of(labels)
    np.testing.assert_array_equal(known.distances[starts], labels.lengths[labels.lengths > 0])
    wanted = {bytes(state) for state in labels.starts}
    everything = Distances(domain, known, preferred=starts, share=1.0).batch(300, np.random.default_rng(0))[0]
    assert {bytes(state) for state in everything} <= wanted
    half = Distances(domain, known, preferred=starts, share=0.5).batch(300, np.random.default_rng(0))[0]
    assert sum(bytes(state) in wanted for state in half[:150]) == 150
    assert sum(bytes(state) in wanted for state in half[150:]) < 150


def test_images_are_as_far(domain: Domain) -> None:
    """Symmetric images that a network learns from keep their distances, and both images come."""
    square = domain_of(TYPE.builtin("3x3", {}))
    known = ball(square, 2000)
    table = {key.tobytes(): one for key, one in zip(known.keys, known.distances, strict=True)}
    teacher = Distances(square, known.take(np.array([7, 500])), square.automorphisms())
    states, targets = teacher.batch(40, np.random.default_rng(0))
    found = square.packing.pack(states)
    assert [table[key.tobytes()] for key in found] == targets.tolist()
    assert len(np.unique(found)) == 4
    assert domain.automorphisms() is None


def test_errors() -> None:
    """Figures of errors by hand."""
    distances = np.array([1, 2, 2, 5])
    estimates = np.array([1.0, 3.0, 2.4, 4.0])
    errors = Errors.of(estimates, distances)
    assert (errors.states, errors.over) == (4, 0.25)
    assert errors.absolute == pytest.approx(0.6)
    assert errors.bias == pytest.approx(0.1)
    assert errors.square == pytest.approx(np.sqrt((1 + 0.16 + 1) / 4))
    table = Errors.by_distance(estimates, distances)
    assert table[2]["states"] == 2
    assert table[2]["bias"] == pytest.approx(0.7)
    assert table[5]["square"] == pytest.approx(1.0)


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
    with pytest.raises(ConfigurationError, match="must be reversible"):
        train(domain_of(SOKOBAN.builtin("demo", {})), QUICK, Budget(iterations=1), 0)
    kept = tmp_path / "kept.npz"
    train(domain, QUICK, Budget(iterations=10), 0, checkpoint=kept)
    with pytest.raises(ConfigurationError, match="'seed' differs"):
        train(domain, QUICK, Budget(iterations=1), 1, checkpoint=kept)
    begun = tmp_path / "begun.npz"
    train(domain, QUICK, Budget(iterations=1), 0, begin=train(domain, QUICK, Budget(iterations=1), 0), checkpoint=begun)
    with pytest.raises(ConfigurationError, match="'begin' differs"):
        train(domain, QUICK, Budget(iterations=1), 0, checkpoint=begun)
    kept.write_bytes(b"junk")
    with pytest.raises(InputError, match="not a checkpoint"):
        train(domain, QUICK, Budget(iterations=1), 0, checkpoint=kept)
    with pytest.raises(ConfigurationError, match="needs labels"):
        train(domain, replace(QUICK, method="labelled"), Budget(iterations=1), 0)
    few = make_labels(domain, 1, LabellingOptions(), Budget(), 0).first(9)
    with pytest.raises(ConfigurationError, match="takes no labels"):
        train(domain, QUICK, Budget(iterations=1), 0, labels=few)
    with pytest.raises(ConfigurationError, match="too few"):
        train(domain, replace(QUICK, method="labelled"), Budget(iterations=1), 0, labels=few)
    for change in (
        {"method": "luck"},
        {"network": "huge"},
        {"batch": 0},
        {"precision": "float16"},
        {"rate": 0.0},
        {"halving": -1},
        {"nodes": 0},
        {"starts": 2},
    ):
        with pytest.raises(ConfigurationError):
            replace(QUICK, **change)  # type: ignore[arg-type]
    write_model(tmp_path / "m.npz", model)
    assert learnt_heuristic(domain, tmp_path / "m.npz").memory > 0


def test_missing_libraries_are_named(domain: Domain, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without JAX one line says how to get it."""
    monkeypatch.setattr("matheur.methods.learning.extra.find_spec", lambda _: None)
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


def test_nothing_to_learn_is_an_error(domain: Domain) -> None:
    """No states around the goal but the goal itself, or a goal at which no move is possible."""
    with pytest.raises(ConfigurationError, match="no state but the goal"):
        train(domain, replace(QUICK, method="distances", known=2), Budget(iterations=1), 0)
    stuck = domain_of(Cubical(Rings(3, 3, ("a", "b"), (0, 1), (1, 0))))
    with pytest.raises(ConfigurationError, match="no move is possible at the goal"):
        train(stuck, QUICK, Budget(iterations=1), 0)
    with pytest.raises(ConfigurationError, match="no move is possible at the goal"):
        make_labels(stuck, 1, LabellingOptions(), Budget(), 0)
