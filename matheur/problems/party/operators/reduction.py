"""Which candidates a cheapest party never needs: dominated ones, and those that the Lagrangian bound prices out."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from matheur.problems.party.instance import Instance
from matheur.problems.party.operators.lagrangian import Lagrangian, Subproblem
from matheur.problems.party.operators.tables import UNBOUNDED, Tables

__all__ = ["Candidates", "affordable", "cheaper", "undominated"]

Candidates = tuple[NDArray[np.int32], ...]

_undominated: WeakKeyDictionary[Instance, Candidates] = WeakKeyDictionary()


def undominated(instance: Instance) -> Candidates:
    """Candidates without those that others replace at no higher price.

    An item dominates another one with the same profile (slots that it fits and is in position in, values that synergy
    or constraints look at) if it is no dearer and does no worse in any sum, count or squad rating: more where the
    demand is "at least", less where it is "at most", equal where it is both. Of two equal items the one with the lower
    number dominates. An item can be spared if as many others dominate it as there are slots for them: one of these is
    always unused. They are found once for each instance object.

    Returns
    -------
    tuple of int32 arrays
        For each slot the items that are left, ascending. At least one cheapest party uses no others, if there are
        parties at all.
    """
    found = _undominated.get(instance)
    if found is None:
        found = _undominated[instance] = _reduced(instance)
    return found


def _reduced(instance: Instance) -> Candidates:
    tables = Tables.of_any(instance)
    rules = tables.rules
    slots = len(instance.slots)
    fits = np.zeros((len(tables.items), slots), dtype=bool)
    for slot, items in enumerate(instance.candidates):
        fits[tables.local[items], slot] = True
    low = np.concatenate([tables.low, rules.low]) > -UNBOUNDED
    high = np.concatenate([tables.high, rules.high]) < UNBOUNDED
    amounts = np.concatenate([tables.amounts, rules.amounts], axis=1)  # no amounts but those of ratings in the latter
    both, least, most = low & high, low & ~high, ~low & high
    profile = np.concatenate(
        [fits, tables.codes, tables.labels, rules.codes, rules.full, tables.in_position.T, amounts[:, both]],
        axis=1,
        dtype=np.int64,
        casting="unsafe",
    )
    # The less the better, in every column; the first decides the order.
    cost = np.concatenate([tables.prices[:, None], -amounts[:, least], amounts[:, most]], axis=1)
    _, group = np.unique(profile.view(f"V{profile.strides[0]}").ravel(), return_inverse=True)  # rows as bytes
    order = np.lexsort((np.arange(len(group)), *cost.T[::-1], group))
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    kept = np.ones(len(tables.items), dtype=bool)
    for members in np.split(order, starts[1:]):
        needed = int(fits[members[0]].sum())
        if len(members) > needed:
            kept[members] = _kept(cost[members], needed)
    kept[tables.local[[item for item in instance.fixed.values() if tables.local[item] >= 0]]] = True
    return tuple(items[kept[tables.local[items]]] for items in instance.candidates)


def _kept(cost: NDArray[np.int64], needed: int) -> NDArray[np.bool_]:
    """Rows, in lexicographic order, that fewer than `needed` earlier kept rows dominate."""
    kept = np.zeros(len(cost), dtype=bool)
    kept[:needed] = True
    chosen = np.empty_like(cost)
    chosen[:needed] = cost[:needed]
    count = needed
    for row in range(needed, len(cost)):
        if np.count_nonzero((chosen[:count] <= cost[row]).all(axis=1)) < needed:
            kept[row] = True
            chosen[count] = cost[row]
            count += 1
    return kept


def affordable(lagrangian: Lagrangian, given: Subproblem, price_max: int) -> Subproblem:
    """The choices of a subproblem that a party of at most this price may contain (reduced-cost fixing).

    A party costs at least the bound plus the amount by which the reduced costs of its items exceed the least ones
    of their slots.
    """
    bound = lagrangian.price_out(given)
    enough = price_max + lagrangian.tolerance(price_max)
    return lagrangian.restrict(given, bound + lagrangian.above(given) <= enough, given.bound)


def cheaper(
    instance: Instance,
    candidates: Candidates,
    price_max: int,
    *,
    interrupt: Callable[[], bool] = lambda: False,
    rounds: int = 6,
) -> tuple[Candidates, int]:
    """Candidates for parties of at most this price, and a lower bound of the price of any party.

    Fewer choices have better duals, which price more choices out: so some rounds of both.

    Returns
    -------
    candidates, bound
        An empty array for each slot if there are no such parties. The bound counts for all parties of the given
        candidates; it is at most `price_max` plus one step.
    """
    lagrangian = Lagrangian(instance, candidates)
    beyond = price_max + lagrangian.tolerance(price_max)
    found = lagrangian.root(interrupt=interrupt, enough=beyond)
    bound = found.bound
    for _ in range(rounds):
        if found.bound > beyond or interrupt():
            break
        before = len(found.open)
        found = affordable(lagrangian, found, price_max)
        if found.empty or len(found.open) > 0.9 * before:
            break
        heat = max((price_max - found.bound) / 300, 1e-9)
        found = lagrangian.improve(found, steps=200, heat=heat, rate=heat / 2, enough=beyond)
    if found.bound > beyond or found.empty:
        nothing = np.zeros(0, dtype=np.int32)
        return tuple(nothing for _ in candidates), lagrangian.round_up(min(bound, beyond + lagrangian.step))
    left = tuple(
        lagrangian.item[found.open[low:high]] for low, high in zip(found.first[:-1], found.first[1:], strict=True)
    )
    return left, lagrangian.round_up(bound)
