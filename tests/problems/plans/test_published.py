"""The presets `paper` of the four puzzles of Agostinelli et al. (2019), against the parameters of its Methods."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

import matheur
from matheur.engine import Budget
from matheur.engine.options import configure
from matheur.errors import ConfigurationError
from matheur.methods.learning import PRESETS, Encoding, TrainingOptions, train
from matheur.methods.learning.sampling import walks
from matheur.problems.plans.training import learnt_domain, training_of
from matheur.problems.rubik.cubies import Cubies, facelets_of
from matheur.problems.rubik.stickers import FACES
from matheur.running.configuration import preset_training, resolve
from matheur.running.loading import load_instance

# Puzzle, K, lambda, N, residual blocks.
PUBLISHED = [
    ("rubik/random-1", 30, 0.6, 10_000, 4),
    ("sliding-tile/4x4", 500, 0.8, 20_000, 4),
    ("sliding-tile/5x5", 500, 0.8, 20_000, 6),
    ("sliding-tile/6x6", 1000, 0.8, 20_000, 4),
    ("sliding-tile/7x7", 1000, 0.6, 20_000, 4),
    ("lights-out/all-7x7", 500, 0.2, 1000, 4),
    ("sokoban/random-10x10", 1000, 0.8, 1, 4),
]


@pytest.mark.parametrize(("name", "longest", "weight", "batch", "blocks"), PUBLISHED)
def test_the_paper_s_parameters(name: str, longest: int, weight: float, batch: int, blocks: int) -> None:
    """Batch weighted A* by real estimates with its lambda and N; value iteration without clipping with its K."""
    puzzle = load_instance(name)[1]
    found = resolve(puzzle.name, preset="paper", instance=puzzle)
    assert found.neighbourhoods == ()
    network = "learnt(method=davi)" if puzzle.name == "sliding-tile" else "learnt"
    assert found.construction == {
        "name": "batch-astar", "heuristic": network, "weight": weight, "batch": batch, "rounded": False,
    }  # fmt: skip
    training = preset_training(puzzle.name, "paper", puzzle)
    assert PRESETS[training["network"]] == {"hidden": (5000, 1000), "blocks": blocks}
    assert training.pop("steps") == 1_000_000
    options = configure(TrainingOptions, training)
    assert (options.longest, options.batch, options.threshold, options.check) == (longest, 10_000, 0.05, 5000)
    assert (options.method, options.clipped, options.depth, options.patience) == ("davi", False, 1, 0)
    assert options.inputs == "paper"
    assert set(training) <= {one.name for one in fields(TrainingOptions)}


def seen(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Some states of a puzzle, and what the paper shows a network of them."""
    puzzle = load_instance(name)[1]
    domain = learnt_domain([puzzle])
    encoding, inputs = Encoding.of(domain), training_of(puzzle.name).inputs(puzzle)
    states = domain.packing.unpack(walks(domain, 3, 20, np.random.default_rng(0)).keys)
    units = np.zeros((len(states), encoding.units), dtype=np.int64)
    units[np.arange(len(states))[:, None], states + encoding.offsets] = 1
    return states, units @ inputs


def test_a_network_of_the_paper_sees_stickers_cells_and_lights() -> None:
    """324 inputs of the cube, 256 and 625 of tiles, 49 of Lights Out, 400 of Sokoban, by their definition."""
    states, inputs = seen("rubik/random-1")
    assert inputs.shape[1] == 324
    for state, row in zip(states, inputs, strict=True):
        corners, edges = state[:8].tolist(), state[8:].tolist()
        cubies = Cubies(
            tuple(one // 3 for one in corners), tuple(one % 3 for one in corners),
            tuple(one // 2 for one in edges), tuple(one % 2 for one in edges),
        )  # fmt: skip
        assert row.reshape(54, 6).tolist() == [[int(face == one) for face in FACES] for one in facelets_of(cubies)]
    for name, cells in (("sliding-tile/4x4", 16), ("sliding-tile/5x5", 25)):
        states, inputs = seen(name)
        assert np.array_equal(inputs.reshape(-1, cells, cells), states[:, :, None] == np.arange(cells))
    states, inputs = seen("lights-out/all-7x7")
    assert np.array_equal(inputs, states)
    states, inputs = seen("sokoban/random-10x10")
    planes = (states >= 5, (states == 3) | (states == 4), (states == 2) | (states == 4) | (states == 6), states == 0)
    assert inputs.shape[1] == 400
    assert [row.tolist() for row in np.split(_by_plane(inputs), 4)] == [plane.astype(int).tolist() for plane in planes]


def _by_plane(inputs: np.ndarray) -> np.ndarray:
    """The four planes of all boards, one below the other."""
    return np.concatenate(np.split(inputs, 4, axis=1))


def test_what_a_network_saw_in_training_goes_into_its_weights(jax_cache: None) -> None:
    """The model sees components; it has been trained on fewer inputs, and gives the numbers that were measured."""
    puzzle = load_instance("lights-out/demo")[1]
    domain, shown = learnt_domain([puzzle]), training_of(puzzle.name).inputs(puzzle)
    options = TrainingOptions(inputs="paper", batch=20, longest=9, known=200, every=5)
    models = [train(domain, options, Budget(iterations=steps), 0, inputs=shown) for steps in (0, 5)]
    for model in models:
        assert model.spec.inputs == model.encoding.units == 2 * shown.shape[1]
        weight = model.arrays["hidden0.weight"]
        assert not weight[0::2].any()  # a light that is off shows nothing
        assert weight[1::2].any()
    assert not np.array_equal(models[0].arrays["hidden0.weight"], models[1].arrays["hidden0.weight"])
    with pytest.raises(ConfigurationError, match="the inputs of a network"):
        train(domain, options, Budget(iterations=1), 0)
    with pytest.raises(ConfigurationError, match="no paper"):
        training_of("cubical").inputs(load_instance("cubical/demo")[1])


def test_a_puzzle_with_a_network_is_solved_as_published() -> None:
    """By the network that comes with matheur; what the user says wins."""
    result = matheur.solve("sliding-tile/4x4-easy", preset="paper", settings=["construction.batch=100"])
    assert result.objective is not None
    assert list(result.operators) == ["batch-astar"]


def test_without_a_network_the_error_says_how_to_train_one() -> None:
    """In one line, with the command."""
    with pytest.raises(ConfigurationError, match=r"no network.*matheur train INSTANCE --out FILE.npz.*--preset paper"):
        matheur.solve("sliding-tile/7x7", preset="paper")
