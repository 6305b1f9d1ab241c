"""Party building: an item for every slot, all demands met, at the least total price.

If the objective of the instance is the synergy, (1) is instead the number of points that are missing to a synergy of 1,
which is the negated left side of (6); if it is the chemistry, the negated sum of the p of (13).

Synergy compares the items of adjacent slots by the values of a trait, never item by item, so the model needs no pairs
of items. With X[k,v] the share of slot k that has value v (a sum of x),

    x[k,i]      binary, item i stands in slot k                                     (items that may stand there only)
    f[e,t,v,w]  in [0, 1], the ends of edge e have the values v and w of term t     (only where a match deviates)

    min   sum price[i] x[k,i]                                                                              (1)
    s.t.  sum_i x[k,i] = 1                                                          all slots k            (2)
          sum_k x[k,i] <= 1                                                         items of several slots (3)
          sum_w f[e,t,v,w] <= X[a,v],   sum_v f[e,t,v,w] <= X[b,w]                  all e = (a, b), t      (4)
          sum_w f[e,t,v,w] >= X[a,v] + sum_w X[b,w] - 1      where some f of v takes points away           (5)
          sum (other + sum (points - other) f) >= demanded points                                          (6)
          the constraints on sums and counts, as they are                                                  (7)
          y[c,v] <= sum x with value v,   y[c,v] >= X[k,v]   for distinct values, as the operator needs    (8)
          sum x with value v <= k                                   at most k of the same                  (9)
          sum x with value v >= k y[c,v],   sum_v y[c,v] >= 1       at least k of the same                 (10)
          squad rating                                                                                   (11), (12)
          chemistry                                                                                      (13), (14)

A pair of values deviates if its points differ from those of two different values, `other`: equal values and the listed
pairs do. In (6) an edge earns `other` if neither end is empty. For plain equality this is f[e,t,v] <= X[a,v], X[b,v]: a
continuous variable for each edge and value, with a strong relaxation. With listed pairs, (4) makes f a flow between
the values of both ends. (5) forces flows that a maximising solver would leave out. It is tight if equal values are the
only deviation, since two values cannot both have more than one half of both ends.

X[k,v] is a separate variable if several items have the value, because all edges of the slot use it.

The squad rating compares R = n A + sum_k max(0, n a[k] - A) with a whole number, where a[k] is the number of the item
in slot k and A is the sum of these. For "at most", the maximum is a variable e[k] for each slot:

    e[k] >= n a[k] - A,   e[k] >= 0,   n A + sum_k e[k] <= most                                             (11)

For "at least", R is the maximum of (n - m) A + n (sum of the m greatest numbers) over m = 0 .. n-1. A binary w[m]
selects m, A[m] is A for this m and 0 for the others, and u[r] <= (sum of x with number r) are the m greatest:

    sum_m w[m] = 1,   sum_m A[m] = A,   least A w[m] <= A[m] <= greatest A w[m]
    sum_r u[r] = sum_m m w[m],   sum_m (n - m) A[m] + n sum_r r u[r] >= least                               (12)

With m = 0 the mean alone reaches the rating; with m > 0 the sum A need not exceed the value that suffices for m = 0,
and cannot be less than the value from which the widest spread of numbers reaches the demand.

Chemistry counts the items in position: C[v] is the sum of x in position with value v of a group. Binaries t[v,j]
indicate that step j is reached, p[i] are the points of an item, and P[i] is the sum of its x in position:

    C[v] >= step[j] t[v,j],   t[v,j] <= t[v,j-1],   p[i] <= most P[i],   p[i] <= sum of its t                 (13)
    C[v] <= step[j] - 1 + (n - step[j] + 1) t[v,j],   p[i] >= sum of its t - (steps - most) - ...             (14)

(13) is used if points are wanted, (14) if there may be too many; see `chemistry`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray

from matheur.errors import SolverError
from matheur.models.party_rows import Row, Rows, groups_of, linear, pairs_of, whole
from matheur.models.party_rules import chemistry, min_same, squad_rating
from matheur.problems.party.constraints import (
    ChemistryConstraint,
    CountConstraint,
    DistinctConstraint,
    MaxSameConstraint,
    MinSameConstraint,
    SquadRatingConstraint,
    SumConstraint,
    slots_of,
)
from matheur.problems.party.instance import Instance
from matheur.problems.party.synergy import TermPoints
from matheur.pyomo_turn import in_turn

__all__ = ["PartyModel", "build"]


@dataclass(frozen=True, slots=True)
class PartyModel:
    """A model, with the data to read a party from its solution.

    Attributes
    ----------
    model
        The `pyomo.ConcreteModel`; its objective is the price.
    slot, item
        Slot and item of each variable x, by slot and then by item. int32.
    variables
        The variables x in this order.
    step
        Number of which all differences of prices are multiples.
    base, unit
        Constants of the price, which is `base` plus `unit` times the objective: 0 and 1 unless the model was built in
        units.
    """

    model: Any
    slot: NDArray[np.int32]
    item: NDArray[np.int32]
    variables: tuple[Any, ...]
    step: int
    base: int = 0
    unit: int = 1

    def objective_of(self, price: float) -> float:
        """The objective of the model for a price."""
        return (price - self.base) / self.unit

    def read(self, values: Mapping[Any, float]) -> NDArray[np.int32]:
        """Item number by slot, from a solver's values (by variable; missing values count as 0)."""
        chosen = np.array([(values.get(variable) or 0.0) > 0.5 for variable in self.variables], dtype=bool)
        if not np.array_equal(self.slot[chosen], np.arange(int(self.slot[-1]) + 1)):
            raise SolverError("the values of the solver do not put one item into every slot")
        return self.item[chosen]

    def write(self, party: NDArray[np.int32]) -> None:
        """Set the variables x to a party, as a warm start."""
        for variable, here in zip(self.variables, (np.asarray(party)[self.slot] == self.item).tolist(), strict=True):
            variable.set_value(int(here), skip_validation=True)


@in_turn
def build(
    instance: Instance,
    candidates: Sequence[NDArray[np.int32]] | None = None,
    *,
    price_max: int | None = None,
    priced: bool = True,
    in_units: bool = False,
) -> PartyModel:
    """A model of all parties.

    Parameters
    ----------
    instance
        The puzzle.
    candidates
        Allowed items for each slot, a subset of `instance.candidates`; None for all of these.
    price_max
        Highest price of a party (or number of missing points, if the synergy is the objective).
    priced
        Whether to minimise the price; else the objective is 0, and the model only asks for a feasible party.
    in_units
        Whether the objective is the price above the cheapest candidates of all slots, in steps. Prices go up to 10^15,
        and a floating-point solver distinguishes only small numbers reliably.

    Raises
    ------
    ValueError
        If a slot has no candidates.
    """
    chosen = instance.candidates if candidates is None else candidates
    for name, items in zip(instance.slots, chosen, strict=True):
        if not len(items):
            raise ValueError(f"slot '{name}' has no candidates")
    return _Builder(instance, chosen).build(price_max, priced, in_units)


class _Builder(Rows):
    """The variables and rows of one model."""

    def build(self, price_max: int | None, priced: bool, in_units: bool) -> PartyModel:
        """Everything, in the order of the equations."""
        model, prices = self.model, self.instance.costs[self.item]
        least = np.minimum.reduceat(prices, self.first[:-1])
        above = prices - least[self.slot]
        step = max(1, math.gcd(*np.unique(above).tolist()))
        base, unit = (sum(least.tolist()), step) if in_units else (0, 1)
        costs = above // unit if in_units else prices
        paid = (costs if priced else np.zeros_like(costs)).tolist()
        model.price = pyo.Objective(expr=linear(paid, self.x), sense=pyo.minimize)
        if price_max is not None and self.instance.additive:
            self.add("price_max", {0: Row(None, costs.tolist(), self.x, float((price_max - base) // unit))})
        self.add("slot", {k: self.ones(range(*ends), 1.0, 1.0) for k, ends in enumerate(pairs_of(self.first))})
        several = {i: xs for i, xs in groups_of(self.item).items() if len(xs) > 1}
        self.add("once", {i: self.ones(xs, None, 1.0) for i, xs in several.items()})
        earned, points = self.synergy()
        for number, constraint in enumerate(self.instance.constraints):
            self.constraint(f"demand_{number}", constraint)
        if not self.instance.additive:
            if self.instance.objective == "chemistry":
                number = self.instance.constraints.index(self.instance.chemistry)
                earned, points = 0, [(1.0, one) for one in getattr(model, f"demand_{number}_points").values()]
            step, unit = 1, 1
            base = self.instance.points_top - earned
            del model.price
            model.price = pyo.Objective(expr=linear([-gain for gain, _ in points], [one for _, one in points]))
            if price_max is not None:
                enough = float(base - price_max)
                self.add("missing", {0: Row(enough, [gain for gain, _ in points], [one for _, one in points], None)})
        return PartyModel(model, self.slot, self.item, self.x, step, base, unit)

    def constraint(self, name: str, constraint: Any) -> None:
        """(7) to (14), for one constraint."""
        catalogue = self.instance.catalogue
        scope = slots_of(constraint, len(self.instance.slots))
        mine = np.flatnonzero(np.isin(self.slot, list(scope)))
        if isinstance(constraint, SumConstraint):
            measure = catalogue.measures[constraint.column]
            weights = measure.amounts[self.item[mine]]
            unit = max(1, math.gcd(*np.unique(weights).tolist()))
            bounds = whole(constraint.op, constraint.value * measure.scale / unit)
            self.add(name, {0: Row(bounds[0], (weights // unit).tolist(), self.of(mine), bounds[1])})
            return
        if isinstance(constraint, SquadRatingConstraint):
            squad_rating(self, name, constraint, scope, mine)
            return
        if isinstance(constraint, ChemistryConstraint):
            chemistry(self, name, constraint, scope, mine)
            return
        trait = catalogue.traits[constraint.column]
        if isinstance(constraint, CountConstraint):
            among = trait.among(constraint.values)[self.item[mine]]
            self.add(name, {0: self.ones(mine[among], *whole(constraint.op, constraint.value))})
            return
        groups = {v: mine[xs] for v, xs in groups_of(trait.codes[self.item[mine]], least=0).items()}
        if isinstance(constraint, DistinctConstraint):
            self.distinct(name, constraint, groups)
        elif isinstance(constraint, MinSameConstraint):
            min_same(self, name, math.ceil(constraint.value), groups)
        else:
            assert isinstance(constraint, MaxSameConstraint)
            most = float(math.floor(constraint.value))
            many = {v: xs for v, xs in groups.items() if len(np.unique(self.slot[xs])) > most}
            self.add(name, {v: self.ones(xs, None, most) for v, xs in many.items()})

    def distinct(self, name: str, constraint: DistinctConstraint, groups: Mapping[int, NDArray[np.intp]]) -> None:
        """(8). y needs no integrality: for whole x a feasible whole y exists, which is unique for `==`."""
        present = pyo.Var(list(groups), bounds=(0, 1))
        setattr(self.model, f"{name}_present", present)
        if constraint.op != "<=":
            rows = {v: self.ones(xs, 0.0, None, [(-1.0, present[v])]) for v, xs in groups.items()}
            self.add(f"{name}_least", rows)
        if constraint.op != ">=":
            linked = {
                (v, k): self.ones(xs[mine], None, 0.0, [(-1.0, present[v])])
                for v, xs in groups.items()
                for k, mine in groups_of(self.slot[xs]).items()
            }
            self.add(f"{name}_most", linked)
        bounds = whole(constraint.op, constraint.value)
        self.add(name, {0: Row(bounds[0], [1.0] * len(groups), list(present.values()), bounds[1])})

    def synergy(self) -> tuple[int, list[tuple[float, Any]]]:
        """(4), (5) and (6); returns the points that every party has, and the points of each variable."""
        points = self.instance.points
        if points is None or (points.demand <= 0 and self.instance.additive):
            return 0, []
        edges = self.instance.edges.tolist()
        traits = {term.column: self.shares(term.codes) for term in points.terms}
        flows: dict[tuple[int, int, int, int], int] = {}
        both: dict[tuple[int, int], int] = {}
        earned = 0
        for e, (a, b) in enumerate(edges):
            for t, term in enumerate(points.terms):
                here, there = traits[term.column][a], traits[term.column][b]
                flows.update({(e, t, v, w): gain for (v, w), gain in _deviations(term, here, there).items()})
                if term.other and -1 not in here and -1 not in there:
                    earned += term.other
                elif term.other and len(here.keys() - {-1}) and len(there.keys() - {-1}):
                    both[e, t] = term.other
        self.model.f = pyo.Var(list(flows), bounds=(0, 1))
        self.model.both = pyo.Var(list(both), bounds=(0, 1))
        self.flow(flows, traits)
        self.add(
            "filled",
            {
                (e, t, k): self.ones(traits[points.terms[t].column][k].get(-1, ()), None, 1.0, [(1.0, variable)])
                for (e, t), variable in self.model.both.items()
                for k in edges[e]
            },
        )
        weights, variables = [*flows.values(), *both.values()], [*self.model.f.values(), *self.model.both.values()]
        self.add("synergy", {0: Row(float(points.demand - earned), weights, variables, None)})
        return earned, list(zip(map(float, weights), variables, strict=True))

    def flow(
        self, flows: Mapping[tuple[int, int, int, int], int], traits: Mapping[str, list[dict[int, NDArray[np.intp]]]]
    ) -> None:
        """(4) and (5): rows of the values of both ends."""
        terms, edges = self.instance.points.terms, self.instance.edges.tolist()  # type: ignore[union-attr]
        # Edge, term, slot here, value here, slot there -> the values there, their variables, whether one takes points.
        ends: dict[tuple[int, int, int, int, int], tuple[list[int], list[Any], list[bool]]] = {}
        for (e, t, v, w), gain in flows.items():
            a, b = edges[e]
            for key, other in (((e, t, a, v, b), w), ((e, t, b, w, a), v)):
                values, variables, takes = ends.setdefault(key, ([], [], []))
                values.append(other)
                variables.append(self.model.f[e, t, v, w])
                takes.append(gain < 0)
        needed = {(terms[t].column, k, v) for _, t, k, v, _ in ends}
        self.model.share = pyo.Var(
            [key for key in sorted(needed) if len(traits[key[0]][key[1]][key[2]]) > 1], bounds=(0, 1)
        )
        self.add(
            "sharing",
            {
                (column, k, v): self.ones(traits[column][k][v], 0.0, 0.0, [(-1.0, variable)])
                for (column, k, v), variable in self.model.share.items()
            },
        )

        def share(column: str, k: int, v: int) -> Any:
            own = traits[column][k][v]
            return self.x[own[0]] if len(own) == 1 else self.model.share[column, k, v]

        most, least = {}, {}
        for (e, t, k, v, there), (values, variables, takes) in ends.items():
            column = terms[t].column
            count, mine = len(variables), share(column, k, v)
            most[e, t, k, v] = Row(None, [1.0] * count + [-1.0], [*variables, mine], 0.0)
            if any(takes):
                others = [share(column, there, w) for w in values]
                least[e, t, k, v] = Row(-1.0, [1.0] * count + [-1.0] * (count + 1), [*variables, mine, *others], None)
        self.add("flow_most", most)
        self.add("flow_least", least)

    def shares(self, codes: NDArray[np.int32]) -> list[dict[int, NDArray[np.intp]]]:
        """By slot and value the positions of the variables x; -1 stands for an empty cell."""
        own = codes[self.item]
        return [{v: low + xs for v, xs in groups_of(own[low:high]).items()} for low, high in pairs_of(self.first)]


def _deviations(term: TermPoints, here: Mapping[int, Any], there: Mapping[int, Any]) -> dict[tuple[int, int], int]:
    """Pairs of values at both ends of an edge whose points differ from `other`, and the differences."""
    found = {}
    if term.same != term.other:
        found = {(v, v): term.same - term.other for v in sorted(here.keys() & there.keys() - {-1})}
    if len(term.table) > 1:
        rows = [[(v, int(term.group[v])) for v in end if v >= 0 and term.group[v]] for end in (here, there)]
        for v, row in rows[0]:
            for w, column in rows[1]:
                listed = int(term.table[row, column])
                if listed >= 0:
                    found.pop((v, w), None)
                    if listed != term.other:
                        found[v, w] = listed - term.other
    return found
