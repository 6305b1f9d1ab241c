"""Small linear programs for the contract of operators, with optima found by enumeration of the integers."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from matheur.linear.lp_reader import read_lp
from matheur.linear.model import LinearModel
from matheur.problems.milp import Milp

NAMES = ("knapsack", "mixed", "maximum")
TEXTS = {
    "knapsack": """minimize
 obj: -8 a - 11 b - 6 c - 4 d - 5 e + 40
subject to
 weight: 5 a + 7 b + 4 c + 3 d + 4 e <= 14
 choice: 1 <= a + b + e <= 2
binary
 a b c d e
end
""",
    "mixed": """minimize
 obj: 10 open1 + 14 open2 + 2.5 x + 1.5 y + z
subject to
 demand: x + y + z >= 7.5
 first: x - 6 open1 <= 0
 second: y - 5 open2 <= 0
bounds
 z <= 2
 open2 <= 2
binary
 open1
general
 open2
end
""",
    "maximum": """maximize
 obj: 3 u + 2 v - w
subject to
 one: u + v + w <= 4
 two: u - 2 v >= -2
 three: u + w = 3
bounds
 u <= 3
 v <= 3
 -1 <= w <= 2
general
 u v w
end
""",
}


@cache
def problem(name: str) -> Milp:
    """Return the problem with a name of `NAMES`."""
    return Milp(read_lp(TEXTS[name]))


@cache
def _values(one: Milp) -> tuple[tuple[float, tuple[float, ...]], ...]:
    """For each choice of the integers, return the best objective and values; a linear program gives the rest."""
    model, found = one.model, []
    whole = np.flatnonzero(model.integral).tolist()
    rest = np.flatnonzero(~model.integral).tolist()
    dense: Any = model.matrix.toarray()
    for chosen in product(*(range(int(model.lower[j]), int(model.upper[j]) + 1) for j in whole)):
        values = np.zeros(model.width)
        values[whole] = chosen
        if rest:
            fixed = dense @ values
            upper, lower = np.isfinite(model.row_upper), np.isfinite(model.row_lower)
            part = dense[:, rest]
            done = linprog(
                model.cost[rest],
                A_ub=np.vstack((part[upper], -part[lower])),
                b_ub=np.concatenate(((model.row_upper - fixed)[upper], (fixed - model.row_lower)[lower])),
                bounds=[(model.lower[j], None if np.isinf(model.upper[j]) else model.upper[j]) for j in rest],
            )
            if done.status != 0:
                continue
            values[rest] = done.x
        evaluation = one.evaluate(values)
        if evaluation.feasible:
            found.append((evaluation.objective, tuple(values.tolist())))
    return tuple(found)


def optimum(one: Milp) -> int | float:
    """Return the least objective of a problem."""
    return min(objective for objective, _ in _values(one))


def some_values(one: Milp) -> NDArray[np.float64]:
    """Return the worst of these solutions as a read-only array."""
    found = np.array(max(_values(one))[1], dtype=np.float64)
    found.setflags(write=False)
    return found


def market_split(rows: int, columns: int, *, integral: bool = False) -> tuple[LinearModel, NDArray[np.float64]]:
    """Return a model that is very hard for a tree search (Cornuejols and Dawande 1998), and its planted solution.

    Parameters
    ----------
    integral
        Whether the slacks of the rows are integers, too.
    """
    rng = np.random.default_rng(7)
    weights, planted = rng.integers(1, 100, (rows, columns)), rng.integers(0, 2, columns)
    names = [f"x{column}" for column in range(columns)]
    text = ["min", " o: " + " + ".join(f"m{row} + p{row}" for row in range(rows)), "st"]
    for row in range(rows):
        terms = " + ".join(f"{weight} {name}" for weight, name in zip(weights[row], names, strict=True))
        text.append(f" r{row}: {terms} + m{row} - p{row} = {weights[row] @ planted}")
    text += ["binary", " " + " ".join(names)]
    if integral:
        slacks = [f"{sign}{row}" for row in range(rows) for sign in "mp"]
        text += ["general", " " + " ".join(slacks), "bounds", *(f" {name} <= {100 * columns}" for name in slacks)]
    model = read_lp("\n".join([*text, "end"]))
    values = dict(zip(names, planted, strict=True))
    return model, np.array([float(values.get(name, 0)) for name in model.column_names])
