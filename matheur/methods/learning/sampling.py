"""States to learn from: random walks from the goal, and exact distances around it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import Domain, SampledDomain, TaughtDomain

__all__ = ["Ball", "Walker", "Walks", "ball", "walks"]

Keys = NDArray[np.uint64]
_POOL = 20  # batches for which a set of walks is made
_GOALS = 400  # states around each of several goals


@dataclass(frozen=True, slots=True)
class Walks:
    """States on random walks from the goal.

    Attributes
    ----------
    keys
        uint64[n, words].
    steps
        int32[n]: steps since the goal.
    back
        int32[n]: the move that undoes the last step; -1 at the goal.
    """

    keys: Keys
    steps: NDArray[np.int32]
    back: NDArray[np.int32]

    def take(self, rows: NDArray[np.integer] | slice) -> Walks:
        """Some of the states."""
        return Walks(self.keys[rows], self.steps[rows], self.back[rows])


def walks(domain: Domain, count: int, longest: int, rng: Generator, *, straight: bool = True) -> Walks:
    """All states of `count` walks of `longest` steps, including the goal.

    Parameters
    ----------
    straight
        Never undo a step immediately; else all moves of a state have equal probabilities. A `TaughtDomain` or a
        `SampledDomain` makes walks in its own way and ignores this; the steps of a `SampledDomain` are costs.

    Raises
    ------
    ValueError
        If the domain is not reversible, or its goal is not one state.
    ConfigurationError
        If no move is possible at the goal.
    """
    if isinstance(domain, TaughtDomain | SampledDomain):
        return Walks(*domain.walks_back(count, longest, rng))
    if not domain.reversible or not np.asarray(domain.goal_mask).all():
        raise ValueError("random walks from the goal need a reversible domain with one goal state")
    goal = domain.packing.pack(domain.goal[None])
    if not len(domain.expand(goal).moves):
        raise ConfigurationError(f"no move is possible at the goal of '{domain.name}', so there is nothing to learn")
    keys = np.repeat(goal, count, axis=0)
    found, backs = [keys], [np.full(count, -1, dtype=np.int32)]
    before: Keys | None = None
    for _ in range(longest):
        before, keys = keys, _step(domain, keys, before if straight else None, rng)
        found.append(keys)
        backs.append(_moves_between(domain, keys, before))
    steps = np.repeat(np.arange(longest + 1, dtype=np.int32), count)
    return Walks(np.concatenate(found), steps, np.concatenate(backs))


class Walker:
    """An unlimited stream of states of random walks, in random order.

    Parameters
    ----------
    domain, longest
        As for `walks`.
    goal
        Include the goal itself, the state before the first step.
    straight
        As for `walks`.
    """

    def __init__(self, domain: Domain, longest: int, *, goal: bool = True, straight: bool = True) -> None:
        self.domain: Domain = domain
        self.longest: int = longest
        self.goal: bool = goal
        self.straight: bool = straight
        self._pool: Walks | None = None

    def draw(self, count: int, rng: Generator) -> Walks:
        """The next states; the states of a walk are spread over many calls."""
        if self._pool is None or len(self._pool.steps) < count:
            many = max(64, -(-_POOL * count // self.longest))
            made = walks(self.domain, many, self.longest, rng, straight=self.straight)
            kept = np.flatnonzero((made.back >= 0) | self.goal)
            self._pool = made.take(rng.permutation(kept))
        drawn, self._pool = self._pool.take(slice(count)), self._pool.take(slice(count, None))
        return drawn


def _step(domain: Domain, keys: Keys, before: Keys | None, rng: Generator) -> Keys:
    """A random successor of each state; not its predecessor if there is another successor."""
    successors = domain.expand(keys)
    draws = rng.random(len(successors.parents))
    if before is not None:
        draws[(successors.keys == before[successors.parents]).all(axis=1)] += 1.0
    order = np.lexsort((draws, successors.parents))
    first = np.searchsorted(successors.parents[order], np.arange(len(keys)))
    return successors.keys[order[first]]


def _moves_between(domain: Domain, keys: Keys, targets: Keys) -> NDArray[np.int32]:
    """The move from each state to its target, which is a neighbour."""
    found = np.full(len(keys), -1, dtype=np.int32)
    successors = domain.expand(keys)
    hits = (successors.keys == targets[successors.parents]).all(axis=1)
    found[successors.parents[hits]] = successors.moves[hits]
    return found


@dataclass(frozen=True, slots=True)
class Ball:
    """All states near the goal, with their exact distances.

    Attributes
    ----------
    keys
        uint64[n, words], by distance.
    distances
        int32[n].
    """

    keys: Keys
    distances: NDArray[np.int32]

    def take(self, rows: NDArray[np.integer]) -> Ball:
        """Some of the states."""
        return Ball(self.keys[rows], self.distances[rows])


def ball(domain: Domain, most: int) -> Ball:
    """Breadth-first levels from the goal while they have at most this many states together; unit costs only.

    A `SampledDomain` provides its own states with exact costs.
    """
    if isinstance(domain, SampledDomain):
        return Ball(*domain.known(most))
    if isinstance(domain, TaughtDomain):
        goal, back = domain.goals(max(1, most // _GOALS)), domain.backwards()
    else:
        goal, back = domain.packing.pack(domain.goal[None]), domain
    levels, known = [goal], {row.tobytes() for row in goal}
    while levels[-1].size:
        following = np.unique(back.expand(levels[-1]).keys, axis=0)
        fresh = [row.tobytes() not in known for row in following]
        new = following[np.array(fresh, dtype=bool)]
        if len(known) + len(new) > most:
            break
        known.update(row.tobytes() for row in new)
        levels.append(new)
    distances = np.repeat(np.arange(len(levels), dtype=np.int32), [len(level) for level in levels])
    return Ball(np.concatenate(levels), distances)
