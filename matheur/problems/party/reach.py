"""Limits given by the candidates of the slots: seatings of slots, extreme sums, and the best match of two slots."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.party.synergy import TermPoints

__all__ = ["Seating", "best_match", "extreme_sum", "greedy_sum", "seat"]

_ASSIGNED_MAX = 100  # slots; above this number a weaker bound is used
_EXACT_MAX = 1 << 52

Items = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Seating:
    """Maximum assignment of slots to choices with limited capacities.

    Attributes
    ----------
    seats
        Choice of each slot, any integer; None for a slot without a seat.
    crowd, exhausted
        Slots that compete for too few places, and the choices for which they compete; empty if all slots are seated.
    """

    seats: tuple[int | None, ...]
    crowd: tuple[int, ...] = ()
    exhausted: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of seated slots."""
        return sum(seat is not None for seat in self.seats)


def seat(choices: Sequence[Sequence[int]], room: Callable[[int], int]) -> Seating:
    """Find a maximum seating by augmenting paths (Kuhn); by Hall's theorem, an unseated slot belongs to a crowd."""
    seats: list[int | None] = [None] * len(choices)
    taken: dict[int, list[int]] = {}
    crowd: tuple[int, ...] = ()
    exhausted: tuple[int, ...] = ()
    for first in range(len(choices)):
        came_from: dict[int, int] = {}  # choice -> slot that asked for it
        asking, queue, free = {first}, deque([first]), None
        while queue and free is None:
            slot = queue.popleft()
            for choice in choices[slot]:
                if choice in came_from:
                    continue
                came_from[choice] = slot
                if len(taken.setdefault(choice, [])) < room(choice):
                    free = choice
                    break
                others = [other for other in taken[choice] if other not in asking]
                asking.update(others)
                queue.extend(others)
        if free is None:
            if not crowd:
                crowd, exhausted = tuple(sorted(asking)), tuple(sorted(came_from))
            continue
        while True:  # every slot on the path moves by one seat
            slot = came_from[free]
            before, seats[slot] = seats[slot], free
            taken[free].append(slot)
            if before is None:
                break
            taken[before].remove(slot)
            free = before
    return Seating(tuple(seats), crowd, exhausted)


def greedy_sum(weights: NDArray[np.int64], candidates: Sequence[Items], *, largest: bool) -> int | None:
    """Return a large or small sum of different items, chosen greedily; None if a slot has no item left.

    Slots with few candidates choose first. This is faster than the extreme, and often shows that a sum can be reached.
    """
    signed = weights.astype(np.int64) * (1 if largest else -1)
    taken: list[int] = []
    for items in sorted(_tops(signed, candidates), key=len):
        left = items[~np.isin(items, taken)]
        if not len(left):
            return None
        taken.append(int(left[np.argmax(signed[left])]))
    return sum(weights[taken].tolist())  # of any size: int64 may be too small


def _tops(signed: NDArray[np.int64], candidates: Sequence[Items]) -> list[Items]:
    """Return the best candidates of each slot, one per slot: the other slots cannot use up all of them."""
    slots = len(candidates)
    return [
        items[np.argpartition(-signed[items], slots - 1)[:slots]] if len(items) > slots else items
        for items in candidates
    ]


def extreme_sum(weights: NDArray[np.int64], candidates: Sequence[Items], *, largest: bool) -> int:
    """Return the largest or smallest sum of weights of different items, one per slot; for many slots, a bound of it.

    Every slot must have candidates, and a seating of all slots must exist; `weights` contains the weights of all items.
    """
    sign, slots = (1 if largest else -1), len(candidates)
    signed = weights.astype(np.int64) * sign
    tops = _tops(signed, candidates)
    coarse = sum(int(signed[items].max()) for items in tops)
    heaviest = max(int(np.abs(signed[items]).max()) for items in tops)
    if slots > _ASSIGNED_MAX or slots * heaviest >= _EXACT_MAX:
        return sign * coarse
    from scipy.optimize import linear_sum_assignment  # late: recognising a file does not need scipy

    items = np.unique(np.concatenate(tops))
    table = np.full((slots, len(items)), -np.inf)
    for slot, own in enumerate(tops):
        table[slot, np.searchsorted(items, own)] = signed[own]
    rows, columns = linear_sum_assignment(table, maximize=True)
    return sign * int(table[rows, columns].astype(np.int64).sum())


def best_match(term: TermPoints, one: Items, two: Items) -> int:
    """Return the maximum points of a term for two slots, with different items of their candidates."""
    values = len(term.group)
    first, second = (np.bincount(term.codes[items] + 1, minlength=values + 1)[1:] for items in (one, two))
    here, there = np.flatnonzero(first), np.flatnonzero(second)
    if not len(here) or not len(there):
        return 0
    best = 0
    both = np.intersect1d(here, there)
    if len(both):
        # A value that only one item has in both slots cannot match itself.
        alone = both[(first[both] == 1) & (second[both] == 1)]
        lonely = [value for value in alone.tolist() if _only(term, one, value) == _only(term, two, value)]
        meeting = np.setdiff1d(both, lonely)
        listed = term.table[term.group[meeting], term.group[meeting]]
        best = max(best, int(np.where(listed >= 0, listed, term.same).max(initial=0)))
    groups_here, groups_there = np.unique(term.group[here]), np.unique(term.group[there])
    listed = term.table[np.ix_(groups_here, groups_there)]
    different = (groups_here[:, None] != groups_there[None, :]) | (
        (groups_here[:, None] == 0) & (len(np.union1d(_of_group_0(term, here), _of_group_0(term, there))) > 1)
    )
    return max(best, int(np.where(listed >= 0, listed, term.other)[different].max(initial=0)))


def _only(term: TermPoints, items: Items, value: int) -> int:
    return int(items[np.flatnonzero(term.codes[items] == value)[0]])


def _of_group_0(term: TermPoints, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the values that no listed pair contains."""
    return values[term.group[values] == 0]
