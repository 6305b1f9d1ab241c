"""Neighbourhood `groups`: fix and optimise over the index sets of the model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.limits import option
from matheur.linear.coupling import Structure
from matheur.problems.milp.operators.neighbourhood import LargeNeighbourhood
from matheur.problems.milp.operators.state import State
from matheur.solvers.linear_task import Restriction

__all__ = ["Groups"]


@dataclass(frozen=True, slots=True)
class Groups(LargeNeighbourhood):
    """Integer columns of some groups of a family are free: all that concerns a few items, periods, machines.

    Groups that follow each other, as periods do, are freed in windows. In other families, one group is drawn, together
    with groups that share rows with it, or with random ones. With several families, there are also boxes, such as some
    items in some periods; for families without an order, a box consists of some groups of one family, such as agents,
    and the groups of the other, such as jobs, that the incumbent combines with them. The families are those that the
    user declares (`groups="x:1"`), else the most promising ones among those derived from column names or from the index
    sets of a Pyomo model; if there are none, columns that lie near each other in the graph of rows and columns form a
    group. Fix-and-optimise (Pochet and Wolsey 2006, section 3.6; Helber and Sahling 2010).

    Attributes
    ----------
    boxes
        Share of calls with a box of two families, if there are two.
    coupled
        Share of calls that prefer groups sharing rows with the first one, if there is no order.
    costly
        Share of calls in which the first group, or the middle of a window, is drawn by cost: the amount by which the
        incumbent pays more for the columns of a group than the linear relaxation.
    """

    boxes: float = option(0.5, minimum=0, maximum=1)
    coupled: float = option(0.5, minimum=0, maximum=1)
    costly: float = option(0.9, minimum=0, maximum=1)

    def choose(self, state: State, rng: Generator) -> Restriction | None:
        """Rank the groups of one or two families."""
        structures = state.problem.structures
        chosen = [structures[number] for number in rng.permutation(len(structures))[:2]]
        excess = _excess(state) if rng.random() < self.costly else None
        ranks = [self._ranks(one, state, excess, rng) for one in chosen]
        if len(ranks) == 1:
            return state.freed(state.first(ranks[0], rng))
        first, second = ranks
        # Where two families cut each other the second one orders the columns within a group of the first.
        if rng.random() >= self.boxes:
            return state.freed(state.first(first + second * 1e-6, rng))
        if not any(one.time_like for one in chosen):
            second = _met(chosen[1], first, state)
        return state.freed(state.first(np.maximum(first, second) + second * 1e-6, rng))

    def _ranks(
        self, one: Structure, state: State, excess: NDArray[np.float64] | None, rng: Generator
    ) -> NDArray[np.float64]:
        """The position of each integer column's group, from 0 to 1; columns of no group come last."""
        count = len(one.family.values)
        first = _drawn(one, excess, rng)
        if one.time_like:
            distance = np.abs(np.arange(count) - first + rng.uniform(-0.5, 0.5))
        else:
            distance = rng.permutation(count).astype(np.float64)
            if rng.random() < self.coupled:
                shared = one.neighbours[[first], :].toarray()[0]
                distance[shared > 0] -= count
            distance[first] = -2.0 * count
        place = np.empty(count + 1)
        place[np.argsort(distance, kind="stable")] = np.arange(1, count + 1) / count
        place[-1] = 2.0
        return place[one.family.of[state.whole]]


def _met(one: Structure, first: NDArray[np.float64], state: State) -> NDArray[np.float64]:
    """The position of each integer column's group: the position of its first column that the incumbent uses."""
    whole = state.whole
    group = one.family.of[whole]
    low = state.model.lower[whole]
    used = (np.abs(state.incumbent[whole] - np.where(np.isfinite(low), low, 0.0)) > 0.5) & (group >= 0)
    place = np.full(len(one.family.values) + 1, 2.0)
    np.minimum.at(place, group[used], first[used])
    place[-1] = 2.0
    return place[group]


def _excess(state: State) -> NDArray[np.float64] | None:
    """Excess cost of the incumbent over the linear relaxation, by column; None if there is no relaxation."""
    root = state.relaxation
    if root is None:
        return None
    sense = -1.0 if state.model.maximise else 1.0
    excess: NDArray[np.float64] = sense * state.model.cost * (state.incumbent - root.values)
    return excess


def _drawn(one: Structure, excess: NDArray[np.float64] | None, rng: Generator) -> int:
    """A random group: by the excess of its columns if there is any, else uniformly."""
    count = len(one.family.values)
    if excess is not None:
        inside = one.family.of >= 0
        weights = np.bincount(one.family.of[inside], weights=excess[inside], minlength=count).clip(0.0)
        if weights.sum() > 0:
            return int(rng.choice(count, p=weights / weights.sum()))
    return int(rng.integers(count))
