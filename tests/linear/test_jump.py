"""The local search of linear models: what it calls a solution is one, and slices do not change its course."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

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


def _value(search: Jump, weights: np.ndarray) -> float:
    """The score of the change from the activities of a search to those of its current values, row by row."""
    starts, columns, data, _, _, _ = search._matrix
    before, most = search._table[:, 0], search._table[:, 2]
    after = csr_array((data, columns, starts), (len(before), len(search.values))) @ search.values
    total = 0.0
    for row in range(len(before)):
        if before[row] > most[row]:
            total += weights[row] * (2 if after[row] <= most[row] else 1 if after[row] < before[row] else -1)
        elif after[row] > most[row]:
            total -= 2 * weights[row]
    return total


def test_the_score_of_a_pair_is_that_of_both_changes() -> None:
    """Rows of both columns count once, with what both changes do to them."""
    rng = np.random.default_rng(4)
    seen = 0
    for seed in range(200):
        model = _model(seed)
        search = Jump(model, rng, step=1.0)
        search.run(int(rng.integers(2_000)))
        kernels, parts = search._kernels, (search._matrix, search._table, search._state)
        kernels.begin(search._matrix, search._table, search.values, search._rows, search._state)
        lower, upper, _ = search._box
        first, second = rng.choice(model.width, 2, replace=False)
        changes = [float(rng.integers(lower[j], upper[j] + 1) - search.values[j]) for j in (first, second)]
        starts, touched = search._matrix[3], search._matrix[4]
        ends = [touched[starts[j] : starts[j + 1]] for j in (first, second)]
        if not all(changes) or any(len(one) == 0 for one in ends):
            continue
        score = kernels._score(first, changes[0], *parts)
        score += kernels._score_after(second, changes[1], first, changes[0], *parts)
        search.values[[first, second]] += changes
        untouched = np.setdiff1d(np.arange(len(search._table)), np.concatenate(ends))
        weights = search._table[:, kernels.WEIGHT].copy()
        weights[untouched] = 0
        assert score == _value(search, weights)
        seen += len(np.intersect1d(*ends)) > 0
    assert seen > 50


def test_exchanges_that_need_two_changes_are_found() -> None:
    """Each item is in one of eight places that hold two: a better assignment is never one change away."""
    rng = np.random.default_rng(7)
    rows = [" + ".join(f"x{i}_{j}" for j in range(8)) + " = 1" for i in range(16)]
    rows += [" + ".join(f"x{i}_{j}" for i in range(16)) + " <= 2" for j in range(8)]
    cost = rng.integers(1, 50, (16, 8))
    names = [f"x{i}_{j}" for i in range(16) for j in range(8)]
    objective = " + ".join(f"{c} {name}" for c, name in zip(cost.ravel(), names, strict=True))
    lines = "\n".join(f" r{number}: {row}" for number, row in enumerate(rows))
    model = read_lp(f"min\n o: {objective}\nst\n{lines}\nbinary\n {' '.join(names)}\nend\n")
    places = np.repeat(np.arange(8), 2)
    best = cost[:, places][linear_sum_assignment(cost[:, places])].sum()
    gaps = []
    for seed in range(5):
        search = Jump(model, np.random.default_rng(seed), step=1.0)
        search.run(1_000_000)
        assert search.best is not None
        assert _holds(model, search.best)
        gaps.append(model.cost @ search.best / best - 1)
    assert np.median(gaps) < 0.1, gaps


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
