"""Breadth-first searches in one component of the cubical sliding puzzle, with the best-suited representation."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from families import Family
from moving_parts import MovingPart
from numba import njit
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.breadth_first.hashed import HashedLevels
from matheur.methods.statespace.breadth_first.ranked import RankedLevels, bytes_of, ranked_levels
from matheur.methods.statespace.domain import BaseDomain
from matheur.methods.statespace.table import StateTable

__all__ = ["ByLevels", "Numbered", "Search", "Searcher", "StoppedError", "searcher"]

_BATCH = 4096
_LISTED, _LAST = 2_000, 4
"""States of a level, and number of levels, up to which the classes of the last levels are found."""

_NUMBERED_MAX = 1 << 31
_SPARSE = 256
"""Number of bits for each state above which a component is numbered, even if bit arrays would fit."""

Rows = NDArray[np.uint8]


class StoppedError(Exception):
    """The time limit is reached."""


@dataclass(frozen=True)
class Search:
    """Result of a breadth-first search from a state.

    Attributes
    ----------
    depth
        Eccentricity of the state.
    states
        Number of states reached.
    last
        States uint8[n, rings] of the last levels by depth, as far as the levels are small.
    opposite
        Whether opposite vertices exist and the state with every ring on its opposite vertex was reached.
    """

    depth: int
    states: int
    last: dict[int, Rows]
    opposite: bool


class Searcher(Protocol):
    """Searches from states of one component."""

    def search(self, start: Rows) -> Search:
        """Search from a state uint8[rings] of the moving part; raises `StoppedError`."""


@njit(cache=True, nogil=True)
def _levels(first, heads, source, order, depth):  # type: ignore[no-untyped-def]
    """Fill in the numbers of the states in order of depth, and the depths (initially all 65535)."""
    order[0], depth[source] = source, 0
    at, count = 0, 1
    while at < count:
        state = order[at]
        below = depth[state] + np.uint16(1)
        for arc in range(first[state], first[state + 1]):
            head = heads[arc]
            if depth[head] == np.uint16(65535):
                depth[head] = below
                order[count] = head
                count += 1
        at += 1
    return count


class Numbered:
    """Numbered states of a component, and the numbers of their neighbours.

    Needs the table of the states, 14 bytes per state and 4 bytes per move.
    """

    def __init__(self, family: Family, part: MovingPart, *, memory: int, budget: Budget) -> None:
        assert family.edges is not None
        domain = part.domain
        self._packing, self._budget, self._part = domain.packing, budget, part
        states = family.states
        self._table = StateTable(domain.packing.words, memory, states)
        self._first = np.zeros(states + 1, dtype=np.int64)
        self._heads = np.empty(family.edges, dtype=np.int32)
        self._table.add(domain.packing.pack(part.starts[:1]))
        at = filled = 0
        while at < self._table.count:
            if budget.exhausted:
                raise StoppedError
            end = min(self._table.count, at + _BATCH)
            found = domain.expand(self._table.keys[at:end])
            heads, _ = self._table.add(found.keys)
            if self._table.count > states:
                break
            self._heads[filled : filled + len(heads)] = heads
            self._first[at + 1 : end + 1] = filled + np.bincount(found.parents, minlength=end - at).cumsum()
            filled += len(heads)
            at = end
        if self._table.count != states or filled != family.edges:
            raise AssertionError(f"a component of {states} states was expected ({domain.name}, {family.starts[0]})")
        self._order = np.empty(states, dtype=np.int32)
        self._depth = np.empty(states, dtype=np.uint16)

    @staticmethod
    def nbytes(family: Family, part: MovingPart) -> int | None:
        """Bytes for a component; None if it has too many states to number."""
        if family.edges is None or family.states >= _NUMBERED_MAX:
            return None
        words: int = part.domain.packing.words
        return family.states * (8 * words + 14 + 14) + 4 * family.edges

    def search(self, start: Rows) -> Search:
        """Search from a state."""
        if self._budget.exhausted:
            raise StoppedError
        opposite = self._part.opposite
        source, far = self._table.find(self._packing.pack(np.stack([start, start ^ (opposite or 0)]))).tolist()
        self._depth[:] = 65535
        count = _levels(self._first, self._heads, source, self._order, self._depth)
        if count != len(self._order):
            raise AssertionError(f"{count} of {len(self._order)} states were reached")
        deepest = int(self._depth[self._order[-1]])
        last, end = {}, count
        for depth in range(deepest, max(deepest - _LAST, -1), -1):
            tail = self._order[max(0, end - _LISTED - 1) : end]
            level = tail[self._depth[tail] == depth]
            if len(level) > _LISTED:
                break
            last[depth] = self._packing.unpack(self._table.keys[level])
            end -= len(level)
        return Search(deepest, count, last, opposite is not None and far >= 0)


class ByLevels:
    """Each search builds its levels again, on bit arrays or in a hash table."""

    def __init__(
        self, part: MovingPart, build: Callable[[NDArray[np.uint64]], RankedLevels | HashedLevels], budget: Budget
    ) -> None:
        self._part, self._build, self._budget = part, build, budget

    def search(self, start: Rows) -> Search:
        """Search from a state."""
        packing, opposite = self._part.domain.packing, self._part.opposite
        key, far = packing.pack(np.stack([start, start ^ (opposite or 0)]))
        levels = self._build(key)
        listed: deque[tuple[int, NDArray[np.uint64]]] = deque(maxlen=_LAST)
        while levels.counts[-1]:
            if levels.counts[-1] <= _LISTED:
                listed.append((levels.depth, levels.sample(_LISTED)))
            if levels.advance(self._budget) is not None:
                raise StoppedError
        deepest = levels.depth - 1
        last = {
            depth: packing.unpack(keys)
            for depth, keys in listed
            if all(levels.counts[below] <= _LISTED for below in range(depth, deepest + 1))
        }
        if isinstance(levels, HashedLevels):
            reached = levels.table.find(far[None])[0] >= 0
        else:
            reached = levels.depth_code(far) != 0
        return Search(deepest, levels.stored, last, opposite is not None and bool(reached))


def searcher(family: Family, part: MovingPart, *, memory: int, budget: Budget) -> Searcher | None:
    """Fastest searcher that fits into `memory` bytes; None if there is none.

    Bit arrays are the fastest if the component fills a large part of the space of codes. Otherwise, the states are
    numbered once, and each search reads the numbers of the neighbours. A hash table for each search needs the least
    memory.
    """
    domain = part.domain
    numbered = Numbered.nbytes(family, part)
    fits = numbered is not None and numbered <= memory
    bits = _bits(domain, memory)
    if bits is not None and (not fits or family.states * _SPARSE >= bits):
        return ByLevels(part, lambda key: _ranked(domain, key, memory), budget)
    if fits:
        return Numbered(family, part, memory=memory, budget=budget)
    if family.states * (8 * domain.packing.words + 14) > memory:
        return None
    return ByLevels(part, lambda key: HashedLevels(domain, key, memory=memory, parents=False), budget)


def _bits(domain: BaseDomain, memory: int) -> int | None:
    """Bits of each array of `ranked_levels`; None if the arrays do not fit."""
    sizes = [1 << domain.packing.bits] if domain.packing.words == 1 else []
    sizes += [domain.ranking.states] if domain.ranking is not None else []
    return next((size for size in sizes if bytes_of(size, depths=False) <= memory), None)


def _ranked(domain: BaseDomain, key: NDArray[np.uint64], memory: int) -> RankedLevels:
    levels = ranked_levels(domain, key, memory=memory)
    assert levels is not None
    return levels
