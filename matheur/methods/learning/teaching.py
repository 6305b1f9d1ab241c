"""Sources of training targets: look-ahead, walks, or exact distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.methods.learning.sampling import Ball, Walker
from matheur.methods.statespace.domain import Automorphisms, Domain

__all__ = ["Distances", "LookAhead", "Policy", "Steps", "Teacher"]

States = NDArray[np.uint8]
Evaluate = Callable[[States], NDArray[np.float32]]


class Teacher(Protocol):
    """Source of training batches."""

    def batch(self, count: int, rng: Generator) -> tuple[States, NDArray[Any]]:
        """States uint8[count, components] and their targets."""


class LookAhead:
    """Deep approximate value iteration (Agostinelli et al. 2019): targets are the least cost plus estimate one move on.

    The length of a walk is an upper bound on the distance. If targets are clipped, the first targets are these lengths:
    the network then soon orders states better than a network that learns one more move with every replacement.

    Parameters
    ----------
    domain
        Reversible, with one goal state.
    longest
        Length of the longest walk from the goal.
    estimate
        The target network, replaced from time to time by the network that learns; None for the lengths of the walks.
    clipped
        Clip targets at the steps of the walk. Else targets follow equation (1) alone, and states are ends of walks of
        at least one step in which all moves have equal probabilities, as in the paper.
    depth
        Number of moves to look ahead.

    Raises
    ------
    ValueError
        If targets are not clipped and there is no estimate.
    """

    def __init__(
        self, domain: Domain, longest: int, estimate: Evaluate | None, *, clipped: bool = True, depth: int = 1
    ) -> None:
        if not clipped and estimate is None:
            raise ValueError("targets that are not clipped need an estimate")
        self.domain: Domain = domain
        self.estimate: Evaluate | None = estimate
        self.clipped: bool = clipped
        self.depth: int = depth
        self._walker = Walker(domain, longest, goal=clipped, straight=clipped)

    def batch(self, count: int, rng: Generator) -> tuple[States, NDArray[np.float32]]:
        """States of random walks; the target of the goal is 0, of a dead end infinite unless it is clipped."""
        drawn = self._walker.draw(count, rng)
        targets = drawn.steps.astype(np.float32)
        if self.estimate is not None:
            ahead = self._ahead(self.estimate, drawn.keys, self.depth)
            targets = np.minimum(targets, ahead) if self.clipped else ahead
        return self.domain.packing.unpack(drawn.keys), targets

    def _ahead(self, estimate: Evaluate, keys: NDArray[np.uint64], depth: int) -> NDArray[np.float32]:
        """Least cost plus estimate float32[n] over states `depth` moves ahead or a goal before them; 0 at the goal."""
        if depth == 0:
            found = np.maximum(estimate(self.domain.packing.unpack(keys))[:, 0], np.float32(0))
        else:
            successors = self.domain.expand(keys)
            values = self._ahead(estimate, successors.keys, depth - 1) + successors.costs.astype(np.float32)
            found = np.full(len(keys), np.inf, dtype=np.float32)
            np.minimum.at(found, successors.parents, values)
        found[self.domain.is_goal(keys)] = 0.0
        return found


class Steps:
    """The steps of the walks that led to states (Chervov et al. 2025, CayleyPy).

    A network learns the mean over all walks to a state. This is not the distance, but walks to states farther away are
    longer on average.
    """

    def __init__(self, domain: Domain, longest: int) -> None:
        self.domain: Domain = domain
        self._walker = Walker(domain, longest)

    def batch(self, count: int, rng: Generator) -> tuple[States, NDArray[np.float32]]:
        """States of random walks, and their steps since the goal."""
        found = self._walker.draw(count, rng)
        return self.domain.packing.unpack(found.keys), found.steps.astype(np.float32)


class Policy:
    """The move that undoes the last step of a walk (Takano 2023, EfficientCube)."""

    def __init__(self, domain: Domain, longest: int) -> None:
        self.domain: Domain = domain
        self._walker = Walker(domain, longest, goal=False)

    def batch(self, count: int, rng: Generator) -> tuple[States, NDArray[np.int32]]:
        """States of walks of at least one step, and the moves that undo their last steps."""
        found = self._walker.draw(count, rng)
        return self.domain.packing.unpack(found.keys), found.back


class Distances:
    """Exact distances of known states: all of a small puzzle, or those on optimal plans.

    Parameters
    ----------
    known
        The states.
    symmetries
        Symmetries of the domain: each state is replaced by one of its images, drawn uniformly. None: no symmetries.
    preferred, share
        Rows of `known`, and the share of a batch that is drawn only from these rows.
    """

    def __init__(
        self,
        domain: Domain,
        known: Ball,
        symmetries: Automorphisms | None = None,
        *,
        preferred: NDArray[np.integer] | None = None,
        share: float = 0.0,
    ) -> None:
        self.domain: Domain = domain
        self.known: Ball = known
        self.symmetries: Automorphisms | None = symmetries
        self.preferred: NDArray[np.integer] | None = preferred
        self.share: float = share

    def batch(self, count: int, rng: Generator) -> tuple[States, NDArray[np.float32]]:
        """States drawn uniformly, apart from the share of preferred rows, and their distances."""
        rows = rng.integers(0, len(self.known.distances), count)
        if self.preferred is not None and self.share > 0:
            many = round(self.share * count)
            rows[:many] = rng.choice(self.preferred, many)
        states = self.domain.packing.unpack(self.known.keys[rows])
        if self.symmetries is not None:
            states = _some_images(self.symmetries, states, rng)
        return states, self.known.distances[rows].astype(np.float32)


def _some_images(symmetries: Automorphisms, states: States, rng: Generator) -> States:
    """A random image of each state."""
    drawn = rng.integers(0, len(symmetries), len(states))
    images = np.empty_like(states)
    np.put_along_axis(
        images, symmetries.components[drawn], np.take_along_axis(symmetries.values[drawn], states, axis=1), axis=1
    )
    return images
