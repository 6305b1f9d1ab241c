"""Assignments for training: random ones that mostly follow a bound, and exact costs near their ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.errors import ConfigurationError
from matheur.methods.statespace.best_first.batch_astar import batch_astar
from matheur.methods.statespace.heuristics.base import INFINITE, Heuristic

if TYPE_CHECKING:
    from matheur.methods.statespace.placing import PlacingDomain

__all__ = ["Samples"]

_AT_ONCE = 64  # assignments that are made together
_ROUNDS = 50  # rounds in which all assignments ended in dead ends, before giving up
_KEPT = 2_000
_CURIOSITY = 0.1  # share of slots that take any value
_OPEN = 5  # open slots of the states whose exact costs are computed
_WORK = 2_000  # states expanded for one such state


@dataclass(frozen=True, slots=True)
class _Walks:
    """Assignments slot by slot.

    Attributes
    ----------
    keys
        uint64[slots + 1, n, words]: states with 0, 1, ... filled slots.
    costs, moves
        int64[slots, n], int32[slots, n]: cost and value of each slot.
    """

    keys: NDArray[np.uint64]
    costs: NDArray[np.int64]
    moves: NDArray[np.int32]

    def take(self, chosen: NDArray[np.integer]) -> _Walks:
        return _Walks(self.keys[:, chosen], self.costs[:, chosen], self.moves[:, chosen])

    def joined(self, other: _Walks) -> _Walks:
        return _Walks(
            np.concatenate([self.keys, other.keys], axis=1),
            np.concatenate([self.costs, other.costs], axis=1),
            np.concatenate([self.moves, other.moves], axis=1),
        )


class Samples:
    """Random assignments of a domain; new ones are mixed with earlier ones."""

    def __init__(self, domain: PlacingDomain, heuristic: Heuristic) -> None:
        self._domain, self._heuristic = domain, heuristic
        self._pool: _Walks | None = None

    def walks_back(
        self, count: int, longest: int, rng: Generator
    ) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int32]]:
        """States of `count` assignments, full ones first: keys, costs of the remaining slots, and the next value.

        Raises
        ------
        ConfigurationError
            If no assignment was found.
        """
        walks = self._drawn(count, rng)
        slots = len(walks.moves)
        left = np.zeros((slots + 1, count), dtype=np.int64)
        left[:-1] = np.cumsum(walks.costs[::-1], axis=0)[::-1]
        moves = np.concatenate([walks.moves, np.full((1, count), -1, dtype=np.int32)])
        some = slice(None, -min(longest, slots) - 2, -1)
        keys = walks.keys[some].reshape(-1, walks.keys.shape[2])
        return keys, left[some].ravel().astype(np.int32), moves[some].ravel()

    def known(self, most: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """States near the ends of assignments with exact remaining costs; always the same ones."""
        rng = np.random.default_rng(0)
        domain = self._domain
        keys, costs = [domain.key(np.empty(0, dtype=np.int64))[:0]], list[int]()
        walks = self._made(rng)
        for number in range(min(most, walks.keys.shape[1])):
            key = walks.keys[len(walks.moves) - 1 - number % min(_OPEN, len(walks.moves)), number][None]
            rest = domain.between(domain.packing.unpack(key)[0], domain.goal)
            answer = batch_astar(rest, self._heuristic, batch=32, budget=Budget(work=_WORK), until="proved")
            if answer.proved and answer.cost is not None:
                keys.append(key)
                costs.append(answer.cost)
        return np.concatenate(keys), np.array(costs, dtype=np.int32)

    def _drawn(self, count: int, rng: Generator) -> _Walks:
        """A mix of new and earlier assignments."""
        fresh = self._made(rng)
        pool = fresh if self._pool is None else self._pool.joined(fresh)
        size = pool.keys.shape[1]
        while size < min(count, _KEPT):
            pool = pool.joined(self._made(rng))
            size = pool.keys.shape[1]
        self._pool = pool.take(np.arange(max(0, size - _KEPT), size))
        return pool.take(rng.choice(size, count, replace=size < count))

    def _made(self, rng: Generator) -> _Walks:
        """New assignments, at least one."""
        for _ in range(_ROUNDS):
            walks = self._walked(rng)
            if walks is not None:
                return walks
        raise ConfigurationError(f"no complete assignment of '{self._domain.name}' was found to learn from")

    def _walked(self, rng: Generator) -> _Walks | None:
        """Assignments with the value of least cost plus bound in most slots; None if all ended in dead ends."""
        domain, slots = self._domain, self._domain.placing.slots
        keys = np.repeat(domain.packing.pack(domain.start[None]), _AT_ONCE, axis=0)
        walks = _Walks(keys[None], np.empty((0, _AT_ONCE), np.int64), np.empty((0, _AT_ONCE), np.int32))
        for _ in range(slots):
            found = domain.expand(walks.keys[-1])
            estimates = self._heuristic.estimate(found.keys)
            draws = rng.random(len(estimates))
            wild = np.less(rng.random(walks.keys.shape[1]), _CURIOSITY)
            rank = np.where(wild[found.parents], draws, found.costs + estimates + draws)
            alive = np.flatnonzero(estimates < INFINITE)
            order = alive[np.lexsort((rank[alive], found.parents[alive]))]
            parents, first = np.unique(found.parents[order], return_index=True)
            if not len(parents):
                return None
            # Random successors replace assignments that reached a dead end.
            more = alive[rng.integers(len(alive), size=_AT_ONCE - len(parents))]
            chosen = np.concatenate([order[first], more])
            kept = walks.take(found.parents[chosen])
            walks = _Walks(
                np.concatenate([kept.keys, found.keys[chosen][None]]),
                np.concatenate([kept.costs, found.costs[chosen][None].astype(np.int64)]),
                np.concatenate([kept.moves, found.moves[chosen][None]]),
            )
        return walks
