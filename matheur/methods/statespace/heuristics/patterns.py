"""Choice of the components of pattern databases."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics.tables import distance_table

__all__ = ["BITS", "partition", "walk_states"]

BITS = 20
"""Most bits of a pattern by default: tables of at most 1 MiB, built in a fraction of a second."""

_PAIRS_MAX = 1 << 21  # entries of all tables of pairs together, a second or two
_WALKERS = 50
_STRIDE = 3


def walk_states(domain: Domain, count: int, rng: Generator, steps: int = 60) -> NDArray[np.uint64]:
    """Keys [count, words] of states on random walks from the start, without the first `steps` moves."""
    keys = np.repeat(domain.packing.pack(domain.start[None]), _WALKERS, axis=0)
    kept: list[NDArray[np.uint64]] = []
    for step in range(steps + _STRIDE * -(-count // _WALKERS)):
        found = domain.expand(keys)
        ways = np.bincount(found.parents, minlength=_WALKERS)
        chosen = np.cumsum(ways) - ways + (rng.random(_WALKERS) * ways).astype(np.int64)
        # A walk that has ended restarts.
        keys[ways == 0] = domain.packing.pack(domain.start[None])
        keys[ways > 0] = found.keys[chosen[ways > 0]]
        if step >= steps and (step - steps) % _STRIDE == 0:
            kept.append(keys.copy())
    return np.concatenate(kept)[:count]


def partition(
    domain: Domain, bits: int | None = None, *, sample: NDArray[np.uint64], budget: Budget | None = None
) -> list[tuple[int, ...]]:
    """Disjoint patterns of at most `bits` bits that together contain all components.

    Components belong together if their joint distance often exceeds the sum of their own distances. This is measured
    for all pairs on a sample of states. Each pattern starts with the remaining pair of strongest interaction, and
    repeatedly adds the component that interacts most with it, until it is full.

    Parameters
    ----------
    bits
        Most bits of a pattern; None for `BITS`. A domain whose states have at most this many bits becomes one pattern,
        whose distances are exact.
    sample
        Keys of states.
    budget
        Limits of time and interrupt; the work limit is ignored.

    Raises
    ------
    OutOfBudgetError
        If the budget ended first.
    ConfigurationError
        If a single component has more bits, or the domain has no projections.
    """
    limit = BITS if bits is None else bits
    widths = domain.packing.widths
    if max(widths) > limit:
        raise ConfigurationError(f"a component has {max(widths)} bits, more than a pattern may have ({limit})")
    if sum(widths) <= limit:
        return [tuple(range(len(widths)))]
    weights = _interactions(domain, limit, sample, Budget() if budget is None else budget)
    left, patterns = set(range(len(widths))), []
    while left:
        pattern = _grow(left, weights, widths, limit)
        left -= set(pattern)
        patterns.append(tuple(sorted(pattern)))
    return sorted(patterns)


def _grow(left: set[int], weights: NDArray[np.float64], widths: tuple[int, ...], limit: int) -> list[int]:
    """One pattern from the remaining components."""
    fitting = [(a, b) for a, b in combinations(sorted(left), 2) if widths[a] + widths[b] <= limit]
    pattern = [*max(fitting, key=lambda pair: float(weights[pair]))] if fitting else [min(left)]
    while True:
        room = limit - sum(widths[i] for i in pattern)
        more = [i for i in sorted(left - set(pattern)) if widths[i] <= room]
        if not more:
            return pattern
        pull = weights[:, pattern].sum(axis=1)
        pattern.append(max(more, key=pull.__getitem__))


def _interactions(domain: Domain, limit: int, sample: NDArray[np.uint64], budget: Budget) -> NDArray[np.float64]:
    """Mean over the sample of the distance of each pair minus the distances of its two members.

    All 0 if that would take long: components are then combined in their order.
    """
    size, widths = domain.packing.size, domain.packing.widths
    pairs = [(a, b) for a, b in combinations(range(size), 2) if widths[a] + widths[b] <= limit]
    weights = np.zeros((size, size))
    if sum(1 << (widths[a] + widths[b]) for a, b in pairs) <= _PAIRS_MAX:
        states = domain.packing.unpack(sample)
        alone = [_mean(domain, (i,), states, budget) for i in range(size)]
        for a, b in pairs:
            weights[a, b] = weights[b, a] = _mean(domain, (a, b), states, budget) - alone[a] - alone[b]
    return weights


def _mean(domain: Domain, components: tuple[int, ...], states: NDArray[np.uint8], budget: Budget) -> float:
    budget.check()
    projection = domain.project(components)
    if projection is None:
        raise ConfigurationError(f"'{domain.name}' has no projections, and so no pattern databases")
    try:
        values = distance_table(projection).values  # a few thousand entries: built without a limit
    except ValueError as error:
        raise ConfigurationError(f"no pattern database: {error}") from error
    return float(values[projection.packing.pack(states[:, list(components)])[:, 0].astype(np.int64)].mean())
