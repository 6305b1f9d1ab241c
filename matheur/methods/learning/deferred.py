"""Search over moves instead of states: a successor is generated only when its move is taken from the queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.learning.heuristic import scaled
from matheur.methods.learning.model_file import Model
from matheur.methods.learning.use import Use, outputs_by_key
from matheur.methods.statespace.domain import BaseDomain, Domain, Successors
from matheur.methods.statespace.heuristics import Heuristic
from matheur.methods.statespace.packing import Packing

__all__ = ["DeferredDomain", "deferred"]

_NONE = 255
_MOVES_MAX = 254
_USE = Use()


class DeferredDomain(BaseDomain):
    """States of a domain, each with a pending move; expanding one makes this move and names the next ones.

    The last component is the pending move, 255 for none, as in the start. A plan here has one move more than a plan of
    the domain: the last move is not made, since its state is a goal.

    Raises
    ------
    ConfigurationError
        If the domain has more than 254 moves.
    """

    reversible = False
    unit_costs = False

    def __init__(self, domain: Domain) -> None:
        if domain.moves > _MOVES_MAX:
            raise ConfigurationError(f"a deferred search takes up to {_MOVES_MAX} moves ('{domain.name}')")
        self.domain = domain
        self.name: str = f"{domain.name}, deferred"
        self.packing: Packing = Packing((*domain.packing.widths, 8))
        self.branching: int = max(1, domain.branching)
        self.moves: int = _NONE + 1
        self.start: NDArray[np.uint8] = np.append(domain.start, _NONE).astype(np.uint8)
        self.goal: NDArray[np.uint8] = np.append(domain.goal, 0).astype(np.uint8)
        self.goal_mask: NDArray[np.bool_] = np.append(domain.goal_mask, False)
        self._word, self._shift = int(self.packing.word[-1]), np.uint64(self.packing.shift[-1])

    def split(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Keys of the domain [n, words], and the pending moves."""
        moves = (keys[:, self._word] >> self._shift) & np.uint64(_NONE)
        states = keys.copy()
        states[:, self._word] &= ~(np.uint64(_NONE) << self._shift)
        return np.ascontiguousarray(states[:, : self.domain.packing.words]), moves.astype(np.int64)

    def expand(self, keys: NDArray[np.uint64]) -> Successors:
        """Make the pending moves and name all moves possible after them, at the cost of the move just made."""
        states, moves = self.split(np.asarray(keys, dtype=np.uint64).reshape(-1, self.packing.words))
        costs = np.zeros(len(states), dtype=np.int32)
        due = np.flatnonzero(moves != _NONE)
        made = self.domain.expand(states[due])
        hits = made.moves == moves[due][made.parents]
        rows = due[made.parents[hits]]
        states[rows], costs[rows] = made.keys[hits], made.costs[hits]
        following = self.domain.expand(states)
        ends = np.setdiff1d(np.arange(len(states)), following.parents)
        ends = ends[self.domain.is_goal(states[ends])]  # goals without a move to name
        parents = np.concatenate([following.parents, ends])
        named_moves = np.concatenate([following.moves, np.full(len(ends), _NONE, dtype=np.int32)])
        order = np.argsort(parents, kind="stable")
        parents, named_moves = parents[order], named_moves[order]
        named = np.zeros((len(parents), self.packing.words), dtype=np.uint64)
        named[:, : self.domain.packing.words] = states[parents]
        named[:, self._word] |= named_moves.astype(np.uint64) << self._shift
        return Successors(named, parents, named_moves, costs[parents])

    def between(self, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> DeferredDomain:
        """Other endpoints, without pending moves."""
        return DeferredDomain(self.domain.between(start, goal))


def deferred(domain: Domain, model: Model, use: Use = _USE, *, scale: int = 1) -> tuple[Domain, Heuristic]:
    """The moves of a domain as states, and their worth as estimated by a trained network.

    Parameters
    ----------
    model
        Network with the output `actions`.
    use, scale
        As for `learnt_heuristic`.

    Raises
    ------
    ConfigurationError
        If the model does not fit, or JAX is needed and not installed.
    """
    if model.output != "actions":
        raise ConfigurationError("this network does not say what moves are worth")
    pairs, outputs = DeferredDomain(domain), outputs_by_key(use.applied(model), domain, use)
    size = sum(array.nbytes for array in model.arrays.values())
    name = f"network {model.training.get('method', '')}".strip()
    heuristic = Heuristic(name, False, False, batch=_worth(pairs, outputs, scale), memory=size, scale=scale)
    return cast("Domain", pairs), heuristic


def _worth(
    pairs: DeferredDomain, outputs: Callable[[NDArray[np.uint64]], NDArray[np.float32]], scale: int
) -> Callable[[NDArray[np.uint64]], NDArray[np.int32]]:
    def batch(keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        states, moves = pairs.split(keys)
        first = np.ones(len(states), dtype=np.bool_)  # moves of a state are consecutive: each state is evaluated once
        first[1:] = (states[1:] != states[:-1]).any(axis=1)
        values = outputs(states[first])[np.cumsum(first) - 1, np.minimum(moves, pairs.domain.moves - 1)]
        found = scaled(values, scale)
        found[pairs.domain.is_goal(states)] = 0
        return found

    return batch
