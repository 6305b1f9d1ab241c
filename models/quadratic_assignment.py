"""Quadratic assignment as a MILP: three linearisations, for whole instances and for a few free facilities.

Facility i stands on location k if x[i,k] = 1; every facility has one location and every location one facility. Fixed
facilities lead to linear costs c[i,k] (`matheur.problems.quadratic_assignment.restriction`). The objective to be
minimised is

    sum c[i,k] x[i,k] + sum over i != j, k != h of a[i,j] b[k,h] x[i,k] x[j,h],

in which the formulations replace the products. Matrices may be asymmetric, and numbers negative. `adams-johnson` also
accepts the general form (Lawler 1963), with costs c[i,k,j,h] in place of a[i,j] b[k,h].

`adams-johnson` (Adams, Johnson 1994; the level-1 RLT): y[i,k,j,h], i < j, stands for x[i,k] x[j,h].

    sum over h of y[i,k,j,h] = x[i,k]        all i, k, j                                                     (1)
    sum over j of y[i,k,j,h] = x[i,k]        all i, k, h                                                     (2)

(y[i,k,j,h] and y[j,h,i,k] are one variable). Tight and large: n**4 / 2 variables.

`flow`: y[i,k,j,h] only for those pairs {i, j} that exchange any flow, with (1), and in place of (2), where i has more
than one partner,

    sum over the partners j of i of y[i,k,j,h] <= x[i,k]        all i, k, h.                                  (3)

Locations and facilities change roles if fewer pairs of locations have a distance. This is the formulation for sparse
matrices; (3) is left out if not `strengthened`.

`kaufman-broeckx` (Kaufman, Broeckx 1978): w[i,k] is the cost of the flows from facility i if it stands on k.

    w[i,k] >= sum over j, h of a[i,j] b[k,h] x[j,h] - u[i,k] (1 - x[i,k]) - f[i,k] x[i,k],    w[i,k] >= 0    (4)

with the objective sum (c[i,k] + f[i,k]) x[i,k] + w[i,k]. u[i,k] is an upper bound on the sum; f[i,k] is its minimum if
x[i,k] = 1, the Gilmore-Lawler cost (Xia, Yuan 2006), or 0 if not `strengthened`, which gives the original model. 2 n**2
variables; weak.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.typing import ArrayLike, NDArray
from pyomo.core.expr import LinearExpression

from matheur.errors import SolverError
from matheur.problems.quadratic_assignment.bound import pair_costs
from matheur.problems.quadratic_assignment.instance import Instance, flows_only
from matheur.problems.quadratic_assignment.restriction import Restriction, restrict
from matheur.pyomo_turn import in_turn

__all__ = ["FORMULATIONS", "AssignmentModel", "build", "entries"]

FORMULATIONS = ("adams-johnson", "flow", "kaufman-broeckx")

_TOLERANCE = 1e-9  # relative to the sums of costs that a solver adds up in floating point

Matrix = NDArray[np.int64]
_Terms = list[tuple[float, Any]]


@dataclass(frozen=True, slots=True)
class AssignmentModel:
    """A model, with the data to read a permutation from its solution.

    Attributes
    ----------
    model
        The `pyomo.ConcreteModel`, with the objective of the instance.
    restriction
        The modelled problem: the free facilities and locations, and the costs between them.
    x
        The assignment variables by number of the free facility and of the free location.
    floor
        f of `kaufman-broeckx`, shape (k, k).
    slack
        Possible error of a bound on the objective from the solver's arithmetic.
    """

    model: Any
    restriction: Restriction
    x: Mapping[tuple[int, int], Any]
    floor: NDArray[np.int64]
    slack: float

    def begin_at(self, places: NDArray[np.int32]) -> None:
        """Set all variables to a permutation of the whole instance, as a start of the solver."""
        one = self.restriction
        order = one.order(places)
        for (i, k), variable in self.x.items():
            variable.value = float(order[i] == k)
        if self.model.component("y") is not None:
            swapped = self.model.swapped
            where = np.argsort(order) if swapped else order
            for (i, k, j, h), product in self.model.y.items():
                product.value = float(where[i] == k and where[j] == h)
        if self.model.component("w") is not None:
            for (i, k), outflow in self.model.w.items():
                cost = int((one.flows[i] * one.distances[k][order]).sum()) - int(self.floor[i, k])
                outflow.value = float(cost) if order[i] == k else 0.0

    def read(self, values: Mapping[Any, float]) -> NDArray[np.int32]:
        """The permutation of the whole instance, from a solver's values (by variable; missing values count as 0).

        Raises
        ------
        SolverError
            If they are not a permutation.
        """
        order = np.full(len(self.restriction.facilities), -1)
        for (i, k), variable in self.x.items():
            if (values.get(variable) or 0.0) > 0.5:
                order[i] = k
        if (np.sort(order) != np.arange(len(order))).any():
            raise SolverError("the values of the solver are not a permutation")
        return self.restriction.complete(order)


@in_turn
def build(
    instance: Instance,
    formulation: str = "adams-johnson",
    *,
    fixed: ArrayLike | None = None,
    strengthened: bool = True,
) -> AssignmentModel:
    """A model of an instance.

    Parameters
    ----------
    instance
        Flows and distances.
    formulation
        `adams-johnson`, `flow` or `kaufman-broeckx`.
    fixed
        Location of each fixed facility, -1 for free facilities, shape (n,); None if all are free.
    strengthened
        See the formulations `flow` and `kaufman-broeckx` above.

    Raises
    ------
    ConfigurationError
        If the instance has the general form, which only `adams-johnson` accepts.
    ValueError
        If the formulation is unknown, no facility is free, or two fixed facilities share a location.
    """
    if formulation not in FORMULATIONS:
        raise ValueError(f"no formulation is called {formulation!r}; there are {', '.join(FORMULATIONS)}")
    if formulation != "adams-johnson":
        flows_only(instance, formulation)
    one = restrict(instance, np.full(instance.n, -1) if fixed is None else fixed)
    if not len(one.facilities):
        raise ValueError("all facilities are fixed; there is nothing to decide")
    size = range(len(one.facilities))
    model = pyo.ConcreteModel(name="quadratic-assignment")
    model.implied_integral = True
    model.x = pyo.Var(size, size, domain=pyo.Binary)
    x = dict(model.x.items())
    _add(model, "facility", {i: (1, [(1, x[i, k]) for k in size], 1) for i in size})
    _add(model, "location", {k: (1, [(1, x[i, k]) for i in size], 1) for k in size})
    costs: _Terms = [(int(one.linear[i, k]), variable) for (i, k), variable in x.items()]
    least = pair_costs(one.flows, one.distances)
    floor = least if strengthened else np.minimum(least, 0)
    model.swapped = formulation == "flow" and _pairs(one.distances) < _pairs(one.flows)
    if formulation == "kaufman-broeckx":
        costs += _outflows(model, one, x, floor)
    elif model.swapped:
        roles = {(k, i): variable for (i, k), variable in x.items()}
        costs += _products(model, one.distances, one.flows, roles, sparse=True, partners=strengthened)
    else:
        sparse = formulation == "flow"
        costs += _products(model, one.flows, one.distances, x, sparse=sparse, partners=strengthened, table=one.pairs)
    model.cost = pyo.Objective(expr=_linear(costs, one.constant), sense=pyo.minimize)
    return AssignmentModel(model, one, x, floor, _slack(one))


def entries(one: Restriction, formulation: str) -> int:
    """Approximate number of nonzeros in the rows of a model."""
    size = len(one.facilities)
    if formulation == "kaufman-broeckx":
        return int(np.count_nonzero(one.flows)) * int(np.count_nonzero(one.distances))
    pairs = min(_pairs(one.flows), _pairs(one.distances)) if formulation == "flow" else size * (size - 1) // 2
    return 4 * pairs * size * size


def _pairs(matrix: Matrix) -> int:
    """Number of pairs with a nonzero entry."""
    return int(np.count_nonzero(np.triu((matrix != 0) | (matrix.T != 0), 1)))


def _products(
    model: Any, a: Matrix, b: Matrix, x: Mapping[Any, Any], *, sparse: bool, partners: bool, table: Matrix | None = None
) -> _Terms:
    """Add the variables and rows of `adams-johnson` or, if `sparse`, of `flow`; returns their cost terms.

    `table` holds the costs of the general form, in place of products.
    """
    size = range(len(a))
    linked = (a != 0) | (a.T != 0) if sparse else ~np.eye(len(a), dtype=bool)
    pairs = [(i, j) for i in size for j in size if i < j and linked[i, j]]
    both = [(i, k, j, h) for i, j in pairs for k in size for h in size if k != h]
    model.y = pyo.Var(both, bounds=(0, 1))
    y = dict(model.y.items())

    def row(i: int, k: int, partners: Iterable[int], at: Iterable[int]) -> _Terms:
        keys = ((i, k, j, h) if i < j else (j, h, i, k) for j in partners for h in at if h != k)
        return [(1, y[key]) for key in keys] + [(-1, x[i, k])]

    arcs = [*pairs, *((j, i) for i, j in pairs)]
    _add(model, "row", {(i, k, j): (0, row(i, k, [j], size), 0) for i, j in arcs for k in size})
    beside = {i: np.flatnonzero(linked[i]).tolist() for i in size}
    full = len(a) - 1
    _add(
        model,
        "column",
        {
            (i, k, h): (0 if len(beside[i]) == full else None, row(i, k, beside[i], [h]), 0)
            for i, k in x
            for h in size
            if h != k and len(beside[i]) > 1 and (partners or not sparse)
        },
    )
    if table is not None:
        return [(int(table[i, k, j, h] + table[j, h, i, k]), y[i, k, j, h]) for i, k, j, h in both]
    return [(int(a[i, j] * b[k, h] + a[j, i] * b[h, k]), y[i, k, j, h]) for i, k, j, h in both]


def _outflows(model: Any, one: Restriction, x: Mapping[Any, Any], floor: Matrix) -> _Terms:
    """Add the variables and rows (4); returns their cost terms."""
    most = _most(one)
    model.w = pyo.Var(list(x), bounds=lambda _model, i, k: (0, max(0, int(most[i, k] - floor[i, k]))))
    rows = {}
    for i, k in x:
        cost = np.outer(one.flows[i], one.distances[k])
        terms: _Terms = [(-int(cost[j, h]), x[j, h]) for j, h in np.argwhere(cost).tolist()]
        terms += [(1, model.w[i, k]), (int(floor[i, k] - most[i, k]), x[i, k])]
        rows[i, k] = (-int(most[i, k]), terms, None)
    _add(model, "outflow", rows)
    return [(int(floor[key]), variable) for key, variable in x.items()] + [(1, model.w[key]) for key in x]


def _most(one: Restriction) -> Matrix:
    """Upper bound on the cost of the flows from i on k, shape (k, k), even if some facilities have no location.

    Flows and distances are paired in sorted order, and negative products are left out. No other pairing, complete or
    partial, has a larger sum.
    """
    size = len(one.flows)
    if size == 1:
        return np.zeros((1, 1), dtype=np.int64)
    off = ~np.eye(size, dtype=bool)
    flows, distances = (np.sort(m[off].reshape(size, size - 1), axis=1) for m in (one.flows, one.distances))
    return np.array([np.maximum(0, row * distances).sum(axis=1) for row in flows])


def _slack(one: Restriction) -> float:
    """Relative to the sums of products at stake: every facility anywhere else."""
    dearest = (one.linear + _most(one)).max(axis=1) - (one.linear + pair_costs(one.flows, one.distances)).min(axis=1)
    of_pairs = 0.0 if one.pairs is None else 2.0 * float(abs(one.pairs).max(axis=(1, 3)).sum())
    return 1e-6 + _TOLERANCE * (float(dearest.sum()) + of_pairs)


def _add(model: Any, name: str, rows: Mapping[Any, tuple[float | None, _Terms, float | None]]) -> None:
    def rule(_model: Any, *key: Any) -> Any:
        lower, terms, upper = rows[key if len(key) > 1 else key[0]]
        return (lower, _linear(terms), upper)

    setattr(model, name, pyo.Constraint(list(rows), rule=rule))


def _linear(terms: Iterable[tuple[float, Any]], constant: int = 0) -> Any:
    used = [(factor, variable) for factor, variable in terms if factor != 0]
    return LinearExpression(
        constant=constant, linear_coefs=[factor for factor, _ in used], linear_vars=[variable for _, variable in used]
    )
