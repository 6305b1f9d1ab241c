"""Partial assignments as a state space: slots are filled in order, and each move assigns a value to the next slot.

Every search over states can thus construct solutions of problems that are not puzzles of moves: boards of pieces,
parties of items, facilities on locations. The `Placing` of a problem defines the values that a slot can take after the
previous slots, how much each adds to the objective, and a lower bound on the contribution of the remaining slots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import BaseDomain, Successors
from matheur.methods.statespace.heuristics.base import INFINITE, Heuristic
from matheur.methods.statespace.packing import Packing
from matheur.methods.statespace.placing_samples import Samples

__all__ = ["Bound", "Extensions", "Placing", "PlacingDomain"]

Extensions = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Row, value and cost of each way to fill the next slot of some rows; rows ascending, then values."""

Bound = Callable[[NDArray[np.int64]], NDArray[np.int64]]
"""Lower bounds on the cost of the remaining slots, int64[n], for rows [n, filled]; `INFINITE` or more in dead ends."""

_COST_MAX = (1 << 31) - 1
_CELLS = 1 << 22  # cells of a table of states that are processed together
_BYTE = 8


class Placing(Protocol):
    """A problem's description of its partial assignments. Slots are numbered in the order in which they are filled.

    Attributes
    ----------
    name
        Display name.
    fingerprint
        Identifier of all the attributes below.
    slots, values
        Number of slots, and number of values 0, 1, ... that slots can take.
    scale, offset
        Constants of the objective, `offset + scale * cost`, with the total cost of all slots.
    cost_max
        Upper bound on the cost of an assignment.
    """

    name: str
    fingerprint: str
    slots: int
    values: int
    scale: int
    offset: int
    cost_max: int

    def extensions(self, rows: NDArray[np.int64]) -> Extensions:
        """All ways to fill the next slot of rows [n, filled], filled < slots; costs are not negative."""

    def bounds(self) -> Mapping[str, Callable[[Budget], Bound]]:
        """Functions by name that make lower bounds, the best first. They may raise an `OutOfBudgetError`."""

    def solution(self, row: NDArray[np.int64]) -> NDArray[np.int32]:
        """The problem's solution for a full row."""

    def row(self, solution: NDArray[np.integer]) -> NDArray[np.int64]:
        """The full row of a solution; negative values for empty slots."""

    def reordered(self, order: NDArray[np.integer]) -> Placing:
        """The same problem with slot `order[i]` filled as the i-th, and with all values that a solution can have."""


class PlacingDomain(BaseDomain):
    """The partial assignments of a `Placing`. A state consists of the values of the filled slots.

    A value plus one takes a component of the state for each of its bytes, 0 stands for an empty slot. The last
    component is 1 as soon as all slots are filled, which is the goal. A move is the value of the next slot.

    Parameters
    ----------
    placing
        The problem's definition of the assignments.
    start
        Initial state; None for an empty one.

    Raises
    ------
    ConfigurationError
        If costs are too large for the searches.
    """

    reversible = False
    unit_costs = False

    def __init__(self, placing: Placing, start: NDArray[np.uint8] | None = None) -> None:
        if placing.cost_max > _COST_MAX:
            raise ConfigurationError(
                f"searches over states count costs up to {_COST_MAX}, those of this instance reach {placing.cost_max}. "
                "Maybe another construction?"
            )
        self.placing: Placing = placing
        self.name: str = placing.name
        self.fingerprint: str = placing.fingerprint
        width = max(1, placing.values.bit_length())
        widths = tuple(min(_BYTE, width - bit) for bit in range(0, width, _BYTE))
        self.packing: Packing = Packing((*(widths * placing.slots), 1))
        self.branching: int = max(1, placing.values)
        self.moves: int = max(1, placing.values)
        self.longest: int = placing.slots
        size = self.packing.size
        self.start: NDArray[np.uint8] = np.zeros(size, dtype=np.uint8) if start is None else start
        self.goal: NDArray[np.uint8] = np.zeros(size, dtype=np.uint8)
        self.goal[-1] = 1
        self.goal_mask: NDArray[np.bool_] = np.arange(size) == size - 1
        parts = len(widths)
        # Word and shift of each part of a value, by slot, and the bit of the value at which the part begins.
        self._word = self.packing.word[:-1].reshape(-1, parts)
        self._shift = self.packing.shift[:-1].reshape(-1, parts).astype(np.uint64)
        self._bits = [(part * _BYTE, np.uint64((1 << bits) - 1)) for part, bits in enumerate(widths)]
        self._done_word = int(self.packing.word[-1])
        self._done = np.uint64(1) << np.uint64(self.packing.shift[-1])

    def rows(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Values [n, slots] of packed states, -1 for empty slots, and the number of filled slots."""
        values = np.zeros((len(keys), self.placing.slots), dtype=np.int64)
        for part, (bit, mask) in enumerate(self._bits):
            values |= ((keys[:, self._word[:, part]] >> self._shift[:, part]) & mask).astype(np.int64) << bit
        values -= 1
        return values, (values >= 0).sum(axis=1)

    def key(self, row: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The packed state uint64[1, words] of a row of values."""
        keys = np.zeros((1, self.packing.words), dtype=np.uint64)
        for slot, value in enumerate(np.asarray(row, dtype=np.int64)):
            self._fill(keys, slot, value[None])
        return keys

    def _fill(self, keys: NDArray[np.uint64], slot: int, values: NDArray[np.int64]) -> None:
        """Assign a value to the empty slot of each key."""
        for part, (bit, mask) in enumerate(self._bits):
            piece = ((values + 1) >> bit).astype(np.uint64) & mask
            keys[:, self._word[slot, part]] |= piece << self._shift[slot, part]
        if slot == self.placing.slots - 1:
            keys[:, self._done_word] |= self._done

    def expand(self, keys: NDArray[np.uint64]) -> Successors:
        """All successors: one for each value that the next slot can take."""
        keys = np.asarray(keys, dtype=np.uint64).reshape(-1, self.packing.words)
        found = [
            self._extended(keys, rows, filled)
            for rows, filled in self._groups(keys, self.branching)
            if filled.shape[1] < self.placing.slots
        ]
        if not found:
            nothing = np.empty(0, dtype=np.int32)
            return Successors(keys[:0], np.empty(0, dtype=np.int64), nothing, nothing)
        if len(found) == 1:
            return found[0]
        parents = np.concatenate([one.parents for one in found])
        order = np.argsort(parents, kind="stable")
        return Successors(
            np.concatenate([one.keys for one in found])[order],
            parents[order],
            np.concatenate([one.moves for one in found])[order],
            np.concatenate([one.costs for one in found])[order],
        )

    def _extended(self, keys: NDArray[np.uint64], rows: NDArray[np.int64], filled: NDArray[np.int64]) -> Successors:
        """Successors of rows with the same number of filled slots."""
        parents, values, costs = self.placing.extensions(filled)
        right = costs >= 0
        if costs.dtype.kind == "f":
            right &= np.floor(costs) == costs
        if not right.all():
            raise ConfigurationError(
                f"a cost of '{self.name}' is {costs[~right][0]}, and has to be a whole number from 0. "
                "Maybe count in a smaller unit?"
            )
        parents = rows[parents]
        children = keys[parents]
        self._fill(children, filled.shape[1], values)
        return Successors(children, parents, values.astype(np.int32), costs.astype(np.int32))

    def _groups(self, keys: NDArray[np.uint64], width: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Groups of states, of limited size, with the same number of filled slots: numbers, and values of the slots."""
        found = []
        step = max(1, _CELLS // max(width, self.placing.slots))
        for low in range(0, len(keys), step):
            values, filled = self.rows(keys[low : low + step])
            for count in np.unique(filled):
                rows = np.flatnonzero(filled == count)
                found.append((low + rows, values[rows, :count]))
        return found

    def is_goal(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Mask of the full states, or of the empty states if `between` has set that goal."""
        rows = np.asarray(keys, dtype=np.uint64).reshape(-1, self.packing.words)
        full = (rows[:, self._done_word] & self._done) != 0
        return np.asarray(full == bool(self.goal[-1]), dtype=np.bool_)

    def between(self, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> PlacingDomain:
        """The same slots and values from another partial assignment; only the last component defines the goal."""
        other = type(self)(self.placing, np.array(start, dtype=np.uint8))
        other.goal = np.array(goal, dtype=np.uint8)
        return other

    def heuristics(self) -> Mapping[str, Callable[..., Heuristic]]:
        """The bounds of the problem, all admissible."""
        return {name: partial(self._heuristic, name, make) for name, make in self.placing.bounds().items()}

    def _heuristic(self, name: str, make: Callable[[Budget], Bound], budget: Budget | None = None) -> Heuristic:
        bound = make(Budget() if budget is None else budget)

        def batch(keys: NDArray[np.uint64]) -> NDArray[np.int32]:
            values = np.zeros(len(keys), dtype=np.int32)
            for rows, filled in self._groups(keys, self.branching):
                if filled.shape[1] < self.placing.slots:
                    values[rows] = np.minimum(bound(filled), INFINITE)
            return values

        return Heuristic(name, True, False, batch=batch)

    def walks_back(
        self, count: int, longest: int, rng: Generator
    ) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int32]]:
        """As `SampledDomain` has it."""
        return self._samples.walks_back(count, longest, rng)

    def known(self, most: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """As `SampledDomain` has it."""
        return self._samples.known(most)

    @cached_property
    def _samples(self) -> Samples:
        return Samples(self, next(iter(self.heuristics().values()))())

    def solution(self, plan: NDArray[np.int32]) -> NDArray[np.int32]:
        """The problem's solution for a plan from the empty assignment."""
        return self.placing.solution(np.asarray(plan, dtype=np.int64))

    def objective(self, cost: int) -> int:
        """The problem's objective for a plan of this cost."""
        return self.placing.offset + self.placing.scale * cost
