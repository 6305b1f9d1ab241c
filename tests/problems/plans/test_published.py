"""The presets `paper` of the four puzzles of Agostinelli et al. (2019), against the parameters of its Methods."""

from __future__ import annotations

from dataclasses import fields

import pytest

import matheur
from matheur.engine.options import configure
from matheur.errors import ConfigurationError
from matheur.methods.learning import PRESETS, TrainingOptions
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
    assert found.construction == {
        "name": "batch-astar", "heuristic": "learnt", "weight": weight, "batch": batch, "rounded": False,
    }  # fmt: skip
    training = preset_training(puzzle.name, "paper", puzzle)
    assert PRESETS[training["network"]] == {"hidden": (5000, 1000), "blocks": blocks}
    assert training.pop("steps") == 1_000_000
    options = configure(TrainingOptions, training)
    assert (options.longest, options.batch, options.threshold, options.check) == (longest, 10_000, 0.05, 5000)
    assert (options.method, options.clipped, options.depth, options.patience) == ("davi", False, 1, 0)
    assert set(training) <= {one.name for one in fields(TrainingOptions)}


def test_a_puzzle_with_a_network_is_solved_as_published() -> None:
    """By the network that comes with matheur; what the user says wins."""
    result = matheur.solve("sliding-tile/4x4-easy", preset="paper", settings=["construction.batch=100"])
    assert result.objective is not None
    assert list(result.operators) == ["batch-astar"]


def test_without_a_network_the_error_says_how_to_train_one() -> None:
    """In one line, with the command."""
    with pytest.raises(ConfigurationError, match=r"no network.*matheur train INSTANCE --out FILE.npz.*--preset paper"):
        matheur.solve("sliding-tile/7x7", preset="paper")
