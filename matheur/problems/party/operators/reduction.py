"""Elimination of candidates that a cheapest party never needs: by dominance and by reduced costs."""

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
    """Return the candidates without dominated items.

    An item dominates another one with the same profile (slots that it fits and is in position in, values that synergy
    or constraints read) if it is not more expensive and not worse in any sum, count or squad rating: more is better if
    the demand is "at least", less if it is "at most", and only equal amounts are comparable if it is both. Of two equal
    items, the one with the lower number dominates. An item can be left out if it is dominated by as many items as there
    are slots for them, because one of these is always unused. The result is computed once per instance object.

    Returns
    -------
    tuple of int32 arrays
        Remaining items of each slot, ascending. At least one cheapest party uses only these, if there is any party.
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
    # Less is better in every column; the first column determines the order.
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
    """Rows, in lexicographic order, that are dominated by fewer than `needed` earlier rows that are kept."""
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
    """Restrict a subproblem to the choices that a party of at most this price may contain (reduced-cost fixing).

    A party costs at least the bound plus the amounts by which the reduced costs of its items exceed the minima of their
    slots.
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
    """Return the candidates for parties of at most this price, and a lower bound of the price of any party.

    Fewer choices give better duals, which eliminate more choices; so both steps are repeated.

    Returns
    -------
    candidates, bound
        Candidates of each slot, all empty if there are no such parties, and the bound. It holds for all parties of the
        given candidates and is at most `price_max` plus one step.
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
