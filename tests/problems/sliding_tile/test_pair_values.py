"""Learnt values of pairs of tiles: training, files, and beams that they guide."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.errors import ConfigurationError, InputError
from matheur.problems.sliding_tile.operators import guiding
from matheur.problems.sliding_tile.operators.guiding import values_for
from matheur.problems.sliding_tile.pair_values import (
    PairModel,
    PairOptions,
    PairProgress,
    averaged,
    read_pairs,
    train_pairs,
    write_pairs,
)
from matheur.problems.sliding_tile.pair_values.fitting import fit, shared_values, values_from
from matheur.problems.sliding_tile.pair_values.samples import collect, walk
from matheur.problems.sliding_tile.search.beam import beam_tiles
from matheur.problems.sliding_tile.search.geometry import Geometry, geometry
from matheur.problems.sliding_tile.search.guide import guide_by_name
from matheur.problems.sliding_tile.search.pairs import SCALE

BOARD = geometry(4, 4, "blank-last")


def trained(boards: tuple[int, ...] = (20, 30), seed: int = 1, **options: object) -> PairModel:
    """Values for 4x4 boards, in a few seconds."""
    return train_pairs(BOARD, PairOptions(patterns="5", boards=boards, width=(60,), **options), Budget(), seed)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def model() -> PairModel:
    """Values for 4x4 boards."""
    return trained((50, 200))


def lengths(model: PairModel | None, seed: int) -> list[int]:
    """Of plans of narrow beams on boards that no training has seen."""
    guide = guide_by_name(BOARD, "5")
    assert guide is not None
    if model is not None:
        guide = replace(guide, pairs=model.on(BOARD, guide.partitions))
    rng = np.random.default_rng([5, seed])
    answers = [beam_tiles(guide, walk(BOARD, 300, rng), width=12, excess=(100, 150)) for _ in range(60)]
    return [answer.cost for answer in answers if answer.cost is not None]


def test_plans_get_shorter(model: PairModel) -> None:
    """Narrow beams find shorter plans with the values than without."""
    with_values, without = lengths(model, 0), lengths(None, 0)
    assert len(with_values) == len(without) == 60
    assert np.mean(with_values) < np.mean(without)


def test_the_same_seed_gives_the_same_values() -> None:
    """And another seed others."""
    one, again, other = trained((10, 15)), trained((10, 15)), trained((10, 15), seed=2)
    assert np.array_equal(one.values, again.values)
    assert one.distance == again.distance
    assert not np.array_equal(one.values, other.values)
    assert np.array_equal(one.values, trained((10, 15), threads=2).values)


def test_rounds_of_their_own() -> None:
    """Every round has its width and its walks: short walks have short plans."""
    seen: list[PairProgress] = []
    options = PairOptions(patterns="5", boards=(30, 30), width=(50, 70), walks=((10, 30), (400, 600)))
    train_pairs(BOARD, options, Budget(), 0, on_progress=seen.append)
    near, far = (one.length for one in seen if one.error is not None)
    assert near < 20 < far


def total(model: PairModel, board: Geometry, cells: NDArray[np.uint8]) -> float:
    """Constant and pairs of one arrangement, in slides."""
    return model.on(board, 2).total(cells, -1) / SCALE


def test_the_other_goal(model: PairModel) -> None:
    """Half a turn of board and tiles changes no estimate, and two of them nothing at all."""
    other = geometry(4, 4, "blank-first")
    turned = model.facing("blank-first")
    assert np.array_equal(turned.facing("blank-last").values, model.values)
    rng = np.random.default_rng(0)
    for _ in range(5):
        cells = rng.permutation(16).astype(np.uint8)
        same = np.empty_like(cells)
        same[-np.arange(16) % 16] = 15 - cells
        assert total(turned, other, same) == pytest.approx(total(model, BOARD, cells), abs=0.05)
        assert total(model, other, same) == pytest.approx(total(turned, other, same), abs=0.05)


def test_mean(model: PairModel) -> None:
    """The mean's estimate is the mean of the estimates, whatever the goals; sizes must agree."""
    other = trained((40,), seed=3)
    mean = averaged([model, other.facing("blank-first")])
    assert mean.goal == "blank-last"
    assert len(mean.training["mean_of"]) == 2
    cells = np.random.default_rng(1).permutation(16).astype(np.uint8)
    wanted = (total(model, BOARD, cells) + total(other, BOARD, cells)) / 2
    assert total(mean, BOARD, cells) == pytest.approx(wanted, abs=0.05)
    assert mean.distance == pytest.approx((model.distance + other.distance) / 2)
    assert averaged([model]).training == model.training
    with pytest.raises(ConfigurationError, match="of one size"):
        averaged([model, PairModel(3, 4, "blank-last", "4", 1.0, 1.0, 0.0, np.zeros((66, 12, 12), dtype=np.float32))])


def test_progress_and_budget() -> None:
    """Every round is told; a budget of boards ends the training, which learns from what it has."""
    seen: list[PairProgress] = []
    budget = Budget(iterations=50)
    model = train_pairs(
        BOARD, PairOptions(patterns="5", boards=(30, 1000), width=(60,)), budget, 0, on_progress=seen.append
    )
    assert [one.boards for one in seen if one.error is not None] == [30, 20]
    assert model.training["round"] == 2
    smaller = geometry(3, 4, "blank-last")
    for boards in (0, 1):
        with pytest.raises(ConfigurationError, match=r"two boards|before the tables"):
            train_pairs(BOARD, PairOptions(patterns="5", width=(60,)), Budget(iterations=boards), 0)
        with pytest.raises(ConfigurationError, match=r"two boards|before the tables"):
            train_pairs(smaller, PairOptions(patterns="4", width=(60,)), Budget(iterations=boards), 0, start=model)


def test_file(model: PairModel, tmp_path: Path) -> None:
    """Back as it was, but for the rounding; damage is refused in one line."""
    path = tmp_path / "p.npz"
    write_pairs(path, model)
    again = read_pairs(path)
    assert (again.rows, again.columns, again.goal, again.patterns) == (4, 4, "blank-last", model.patterns)
    assert (again.distance, again.excess, again.constant) == (model.distance, model.excess, model.constant)
    assert again.training == json.loads(json.dumps(model.training))
    assert np.abs(again.values - model.values).max() <= 1 / 512 + 1e-6
    data = path.read_bytes()
    for bad in (b"", b"PK", data[: len(data) // 2], data[:-200] + b"\0" * 200):
        path.write_bytes(bad)
        with pytest.raises(InputError, match=r"p\.npz"):
            read_pairs(path)
    with pytest.raises(InputError, match=r"missing\.npz"):
        read_pairs(tmp_path / "missing.npz")


def test_they_fit_one_size_and_both_goals(model: PairModel) -> None:
    """Half a turn of a board has the same value with the other goal."""
    with pytest.raises(ConfigurationError, match="4x4"):
        model.on(geometry(3, 4, "blank-last"), 1)
    first = geometry(4, 4, "blank-first")
    here, there = model.on(BOARD, 2), model.on(first, 2)
    rng = np.random.default_rng(3)
    for _ in range(5):
        cell_of = rng.permutation(16).astype(np.uint8)
        turned = np.empty_like(cell_of)
        turned[-np.arange(16) % 16] = 15 - cell_of
        assert abs(here.total(cell_of, -1) - there.total(turned, -1)) <= 1
    with pytest.raises(ConfigurationError, match="3x3 to 8x8"):
        train_pairs(geometry(2, 5, "blank-last"), PairOptions(), Budget(), 0)


def test_what_is_shared_goes_to_other_sizes(model: PairModel) -> None:
    """Pairs of the larger board that lie as those of the smaller one do have the same mean number."""
    shared = shared_values(model)
    larger = geometry(5, 5, "blank-last")
    values = values_from(larger, shared)
    assert values.shape == (300, 25, 25)
    # Tiles 1 and 2, exchanged, in the first row of both boards.
    small = values_from(BOARD, shared)
    assert values[2 * 1 // 2 + 1, 0, 1] == small[2 * 1 // 2 + 1, 0, 1] != 0
    started = train_pairs(larger, PairOptions(patterns="4", boards=(10,), width=(60,)), Budget(), 0, start=model)
    assert (started.rows, started.columns) == (5, 5)


def test_fit_is_better_than_the_plain_score() -> None:
    """On boards that were not learnt from."""
    guide = guide_by_name(BOARD, "5")
    assert guide is not None
    rng = np.random.default_rng(0)
    samples = collect(guide, 100, (50, 800), 40, 0.05, rng, Budget())
    assert samples.cells_of.shape == (len(samples.left), 16)
    assert (np.sort(samples.cells_of, axis=1) == np.arange(16)).all()
    found = fit(guide, samples, rng)
    assert found.error < found.plain_error


@pytest.mark.parametrize(
    "options",
    [
        {"boards": ()},
        {"boards": (0,)},
        {"width": (0,)},
        {"width": ()},
        {"width": (5, 6)},
        {"share": 2.0},
        {"trust": -1.0},
        {"threads": 0},
        {"walks": ((5, 3),)},
        {"walks": ((0, 3),)},
        {"walks": ((1, 2), (1, 2))},
    ],
)
def test_options_are_checked(options: dict[str, object]) -> None:
    """Limits of the options."""
    with pytest.raises(ConfigurationError):
        PairOptions(**options)  # type: ignore[arg-type]


def test_what_comes_with_matheur_fits_its_name() -> None:
    """The files are found by size and can be read; other sizes have none."""
    folder = Path(guiding.__file__).parents[1] / "trained"
    found = sorted(one.name for one in folder.glob("*-pairs.npz"))
    assert "sliding-tile-6x6-pairs.npz" in found
    for name in found:
        rows, columns = (int(one) for one in name.split("-")[2].split("x"))
        board = geometry(rows, columns, "blank-first")
        model = values_for(board, "auto")
        assert model is not None
        assert model.fits(board)
    assert values_for(BOARD, "auto") is None
    assert values_for(geometry(6, 6, "blank-last"), "none") is None


@pytest.mark.parametrize(("rows", "columns"), [(5, 6), (3, 10)])
def test_larger_boards_take_what_pairs_in_like_places_have_in_common(rows: int, columns: int) -> None:
    """Beams with the values of 7 x 7 find shorter plans on sizes that have none of their own."""
    board = geometry(rows, columns, "blank-last")
    guide = guide_by_name(board, "4")
    model = values_for(board, "auto")
    assert guide is not None
    assert model is not None
    assert model.fits(board)
    rng = np.random.default_rng(0)
    totals = [0, 0]
    for _ in range(6):
        tiles = walk(board, 1000, rng)
        for i, one in enumerate((guide, replace(guide, pairs=model.on(board, guide.partitions)))):
            totals[i] += beam_tiles(one, tiles, width=500, most=400).cost or 400
    assert totals[1] < totals[0]


def test_boards_of_two_rows_have_no_values() -> None:
    """Their pairs are nothing like those of squares."""
    assert values_for(geometry(2, 16, "blank-last"), "auto") is None
