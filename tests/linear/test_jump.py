"""The local search of linear models: what it calls a solution is one, and slices do not change its course."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from matheur.linear.building import ModelBuilder
from matheur.linear.jump import Jump
from matheur.linear.lp_reader import read_lp
from matheur.linear.model import LinearModel

ROOM = 1e-6


def _model(seed: int) -> LinearModel:
    """Whole columns with few values, and rows of all kinds that one point satisfies."""
    rng = np.random.default_rng(seed)
    made = ModelBuilder()
    made.maximise = bool(rng.integers(2))
    width = int(rng.integers(3, 7))
    for column in range(width):
        made.add_column(f"x{column}", integral=True)
        made.put("lower", column, float(rng.integers(-2, 1)))
        made.put("upper", column, float(rng.integers(1, 4)))
        made.put("cost", column, float(rng.integers(-3, 4)))
    point = rng.integers(0, 2, width)
    for row in range(int(rng.integers(2, 5))):
        weights = rng.choice([-3.0, -1.0, 0.0, 1.0, 2.0, 5.0], width)
        value = float(weights @ point)
        low, high = ((value, value), (value - 1, np.inf), (-np.inf, value + 1))[int(rng.integers(3))]
        made.add_row(f"r{row}", low, high)
        for column in np.flatnonzero(weights).tolist():
            made.add_entry(row, column, float(weights[column]))
    return made.made()


def _holds(model: LinearModel, values: np.ndarray) -> bool:
    shown = model.matrix @ values
    within = np.all(shown >= model.row_lower - ROOM) and np.all(shown <= model.row_upper + ROOM)
    return bool(within and np.all(values >= model.lower) and np.all(values <= model.upper))


def _best(model: LinearModel) -> float:
    """The least cost, by trying all values; of a model that maximises, minus the largest."""
    sign = -1 if model.maximise else 1
    choices = [range(int(low), int(high) + 1) for low, high in zip(model.lower, model.upper, strict=True)]
    points = (np.array(point, dtype=np.float64) for point in product(*choices))
    return min(sign * float(model.cost @ point) for point in points if _holds(model, point))


def test_small_models_are_solved() -> None:
    """Every model gets a solution that holds, and nearly all of them the best one."""
    optimal = 0
    for seed in range(30):
        model = _model(seed)
        search = Jump(model, np.random.default_rng(seed), step=1.0)
        search.run(200_000)
        best = search.best
        assert best is not None, seed
        assert _holds(model, best)
        assert np.array_equal(best, np.rint(best))
        optimal += float((-1 if model.maximise else 1) * (model.cost @ best)) == _best(model)
    assert optimal >= 27


def test_slices_do_not_change_the_course() -> None:
    """One call and many short ones end at the same values, the same solutions and the same effort."""
    model = _model(3)
    one, two = (Jump(model, np.random.default_rng(5), step=1.0) for _ in range(2))
    one.run(30_000)
    while two.effort < one.effort:
        two.run(1)
    assert one.effort == two.effort
    assert one.steps == two.steps
    assert np.array_equal(one.values, two.values)
    assert np.array_equal(one.near, two.near)
    assert one.found == two.found


def test_continuous_columns_take_the_values_of_the_rows() -> None:
    """Equations between continuous and whole columns without bounds hold in the end."""
    rows = " a: x - 2.5 n = 0.25\n b: x + y >= 7\n c: y - z = 1\n"
    model = read_lp(f"min\n o: 3 n + y\nst\n{rows}bounds\n -inf <= z <= 3\ngeneral\n n\nend\n")
    search = Jump(model, np.random.default_rng(1))
    search.run(300_000)
    best = search.best
    assert best is not None
    assert _holds(model, best)


def test_a_solution_from_elsewhere_is_to_be_beaten() -> None:
    """Once it is taken over, only better ones count."""
    model = read_lp("max\n o: 2 x + 3 y + z\nst\n a: x + y + z <= 2\nbinary\n x y z\nend\n")
    search = Jump(model, np.random.default_rng(1), step=1.0)
    search.accept(np.array([1.0, 1.0, 0.0]))
    search.run(50_000)
    assert search.found == 1
    assert search.best is not None
    assert model.cost @ search.best == 5


CONTINUE = """
import sys
import numpy as np
from matheur.linear.jump import Jump
from matheur.linear.lp_reader import read_lp

model = read_lp(sys.argv[1])
for given in (False, True):
    search = Jump(model, np.random.default_rng(1))
    if given:
        search.accept(search.near)
    search.run(2_000)
"""
DEGENERATE = {
    "no columns": "min\n o: 3\nst\nend\n",
    "no rows": "min\n o: x - y\nst\nbounds\n x <= 2\n y <= 3\nend\n",
    "no costs": "min\n o: 3\nst\n a: x + y >= 1\nend\n",
    "an empty row": "min\n o: x\nst\n a: 0 x >= 1\nend\n",
    "only fixed columns": "min\n o: x\nst\n a: x + y >= 5\nbounds\n x = 1\n y = 1\nend\n",
}


@pytest.mark.parametrize("text", DEGENERATE.values(), ids=list(DEGENERATE))
def test_degenerate_models_stay_within_the_arrays(text: str) -> None:
    """Compiled kernels do not check indices, so the kernel runs as Python here, also from a given point."""
    command = [sys.executable, "-W", "ignore::RuntimeWarning", "-c", CONTINUE, text]
    done = subprocess.run(
        command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
