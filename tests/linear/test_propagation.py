"""Bound propagation: nothing that is a solution is cut off."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator

from matheur.linear.building import ModelBuilder
from matheur.linear.lp_reader import read_lp
from matheur.linear.model import LinearModel
from matheur.linear.propagation import Propagation
from matheur.linear.propagation_kernels import CHEAP, DOWN, POINT, RANDOM, SAFE, UP


def _model(rng: Generator) -> LinearModel:
    """Some integer columns with few values and maybe a continuous one, in rows of all kinds."""
    made = ModelBuilder()
    width = int(rng.integers(2, 6))
    for column in range(width):
        made.add_column(f"x{column}", integral=column < width - 1 or bool(rng.integers(2)))
        low = float(rng.integers(-2, 2))
        made.put("lower", column, low)
        made.put("upper", column, low + float(rng.integers(0, 4)))
        made.put("cost", column, float(rng.integers(-3, 4)))
    for row in range(int(rng.integers(1, 5))):
        low = float(rng.integers(-6, 6)) / float(rng.choice([1, 2, 3]))
        low, high = ((low, np.inf), (-np.inf, low), (low, low), (low, low + 2))[int(rng.integers(4))]
        made.add_row(f"r{row}", low, high)
        for column in range(width):
            if rng.random() < 0.7:
                made.add_entry(row, column, float(rng.choice([-3, -1, -0.5, 1 / 3, 0.5, 1, 2, 7])))
    return made.made()


def _points(model: LinearModel, rng: Generator) -> np.ndarray:
    """Whole values of the integer columns, some of the continuous ones, that satisfy all rows within 1e-6."""
    choices = []
    for low, high, whole in zip(model.lower, model.upper, model.integral, strict=True):
        between = np.concatenate((np.linspace(low, high, 5), rng.uniform(low, high, 3)))
        choices.append(np.arange(low, high + 1) if whole else between)
    points = np.array(list(product(*choices)))
    shown = points @ model.matrix.toarray().T
    low = model.row_lower - 1e-6 * np.maximum(1, np.abs(model.row_lower))
    high = model.row_upper + 1e-6 * np.maximum(1, np.abs(model.row_upper))
    return points[np.all((shown >= low) & (shown <= high), axis=1)]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_no_solution_is_cut_off(seed: int) -> None:
    """Neither by all rows nor by what follows from fixed columns; a conflict means that there is none."""
    rng = np.random.default_rng(seed)
    model = _model(rng)
    points = _points(model, rng)
    bounds = Propagation(model)
    conflict = bounds.all_rows()
    assert conflict is None or not len(points), conflict
    if conflict is not None:
        return
    assert np.all(points >= bounds.lower)
    assert np.all(points <= bounds.upper)
    before = bounds.lower.copy(), bounds.upper.copy()
    for _ in range(3):
        column = int(rng.integers(model.width))
        value = float(rng.integers(model.lower[column], model.upper[column] + 1))
        bounds.reset()
        assert bounds.all_rows() is None
        assert np.array_equal(bounds.lower, before[0])
        assert np.array_equal(bounds.upper, before[1])
        found = points[points[:, column] == value]
        conflict = bounds.fix(np.array([column]), np.array([value]))
        assert conflict is None or not len(found), conflict
        if conflict is None:
            assert np.all(found >= bounds.lower)
            assert np.all(found <= bounds.upper)
        else:
            assert np.array_equal(bounds.lower, before[0])  # taken back
            assert np.array_equal(bounds.upper, before[1])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([UP, DOWN, RANDOM, CHEAP, SAFE, POINT]))
def test_dives_fix_all_integers(seed: int, mode: int) -> None:
    """Within the bounds; without a conflict and without continuous columns, the values are a solution."""
    rng = np.random.default_rng(seed)
    model = _model(rng)
    bounds = Propagation(model)
    if bounds.all_rows() is not None:
        return
    order = np.flatnonzero(model.integral).astype(np.int32)
    point, random = rng.uniform(-2, 4, model.width), np.array([seed], dtype=np.uint64)
    bounds.begin_dive()
    while not bounds.dive(1, order, mode, point, random):  # cut into the smallest slices
        pass
    values = bounds.lower[order]
    assert np.array_equal(values, bounds.upper[order])
    assert np.array_equal(values, np.rint(values))
    assert np.all((values >= model.lower[order]) & (values <= model.upper[order]))
    if not bounds.conflicts and model.integral.all():
        assert any(np.array_equal(bounds.lower, point) for point in _points(model, rng))


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("writable", [False, True])
def test_all_dives_share_what_is_compiled(sense: str, writable: bool) -> None:
    """A kernel is compiled for read-only arrays and for others, so it gets only one kind."""
    bounds = Propagation(read_lp(f"{sense}\n o: x\nst\n few: x + y <= 1\nbinary\n x y\nend\n"))
    point = np.zeros(2)
    point.flags.writeable = writable
    seen = []
    kernels = {**vars(bounds._kernels), "dive": lambda *arguments: seen.extend(arguments)}
    bounds._kernels = SimpleNamespace(**kernels)  # type: ignore[assignment]
    bounds.dive(1, np.zeros(1, dtype=np.int32), POINT, point, np.zeros(1, dtype=np.uint64))
    costs, points = seen[9], seen[11]
    assert costs.tolist() == [-1 if sense == "max" else 1, 0]
    assert costs.flags.writeable
    assert points.flags.writeable


def test_a_conflict_names_the_row() -> None:
    """What the row can reach, and its limit; or the bound that a value passes."""
    model = read_lp("min\n o: x\nst\n few: x + y + z <= 2\n many: x + y + 2 z >= 3\nbinary\n x y z\nend\n")
    bounds = Propagation(model)
    assert bounds.all_rows() is None
    x, y, z = (model.column_index[name] for name in "xyz")
    conflict = bounds.fix(np.array([x, y]), np.array([0.0, 0.0]))
    assert conflict is not None
    assert str(conflict) == "row many is at most 2, not >= 3"
    assert bounds.fix(np.array([x]), np.array([0.0])) is None
    assert (bounds.lower[y], bounds.lower[z]) == (1, 1)
    conflict = bounds.fix(np.array([z]), np.array([0.0]))
    assert str(conflict) == "column z is 0, and has to be >= 1"
    odd = read_lp("min\n o: x\nst\n odd: 2 x + 2 y = 3\nbinary\n x y\nend\n")
    assert str(Propagation(odd).all_rows()) == "row odd is at least 4, not <= 3"  # since x and y have to be 1


def test_infinite_bounds_become_finite() -> None:
    """Where all other columns of a row have bounds; and endless tightening ends."""
    model = read_lp("min\n o: x\nst\n a: x - y >= 1\n b: x + 2 y <= 7\n c: u - 0.9 v = 0\n d: v - 0.9 u = 0\nend\n")
    bounds = Propagation(model)
    assert bounds.all_rows() is None
    shown = {name: (bounds.lower[j], bounds.upper[j]) for name, j in model.column_index.items()}
    assert shown["x"] == pytest.approx((1, 7), abs=1e-4)
    assert shown["y"] == pytest.approx((0, 3), abs=1e-4)
    assert shown["u"][1] == np.inf


def test_large_bounds_of_integers_are_not_passed() -> None:
    """A relative tolerance would be whole units; a bound that is nearly whole is meant to be whole."""
    model = read_lp(
        "min\n o: x\nst\n r: x + y + z >= -9\nbounds\n -5000000 <= x <= 5000000\n -7000000 <= y <= 7000000\n"
        " z <= 2.9999999\ngeneral\n x z\nend\n"
    )
    bounds = Propagation(model)
    shown = {name: (bounds.lower[j], bounds.upper[j]) for name, j in model.column_index.items()}
    assert shown["x"] == (-5_000_000, 5_000_000)
    assert shown["y"] == pytest.approx((-7_000_007, 7_000_007))
    assert shown["z"] == (0, 3)
