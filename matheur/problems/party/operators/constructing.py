"""Constructions of parties, slot by slot (Algorithm 1): for populations, healing and restarts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.party.operators.constructing_kernels import Plan, Puzzle, complete
from matheur.problems.party.operators.tables import Tables, kernel_state

__all__ = ["MATCH", "MIXED", "UNGUIDED", "Guidance", "construct", "construct_counted"]

SATURATION = 4
"""Number of candidates with the same value that promise half of the points."""

_puzzles: WeakKeyDictionary[Tables, Puzzle] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Guidance:
    """Rule for choosing among the items that leave all demands reachable; ties are broken at random.

    The item with the largest score `match` * matches + `promise` * promises - `price` * log2(1 + price) - `level` *
    overuse is chosen. Matches are the points with placed neighbours, in edges. Promises are the points expected from
    neighbours that are not placed yet, by the share of their candidates with the item's values. Overuse is the number
    of shares of the remaining slack of a sum or count that the item takes beyond its own, where each empty slot has an
    equal share.

    Attributes
    ----------
    match, promise, level, price
        Weights of the score. If all are zero, the item is random (unguided).
    spread
        Largest factor of `level` and `price`: each attempt draws their factors between 1 / spread and spread.
    chance
        Probability that a slot is filled at random, so that every party remains reachable.
    connected
        Whether to fill slots with the most placed neighbours first. Otherwise the order is random.
    lookahead
        Whether to bound totals by the best amounts still available in each empty slot. Otherwise the best amount of all
        items is used.
    shares
        Whether to filter by equal shares: an item must contribute at least the mean of what the empty slots still have
        to contribute to a sum (or at most that mean, if the sum has an upper limit). So the rest never becomes harder,
        and demands cannot starve each other. Counts keep the rule of the bound: an item without the value is rejected
        if all remaining slots need it. A sum with two limits is only bounded.
    prune
        Whether to skip items with which the synergy demand would fail even if all open edges matched fully.
    scan
        Length of a candidate list above which only parts of it are scanned.
    """

    match: float = 1.0
    promise: float = 1.0
    level: float = 1.0
    price: float = 0.1
    spread: float = 4.0
    chance: float = 0.02
    connected: bool = True
    lookahead: bool = True
    shares: bool = False
    prune: bool = True
    scan: int = 4096


MIXED = Guidance()
"""The default: matches, slack and price."""
UNGUIDED = Guidance(
    match=0.0, promise=0.0, level=0.0, price=0.0, spread=1.0, chance=0.0, connected=False, shares=True, prune=False,
    scan=1 << 31,
)  # fmt: skip
"""The paper's construction without its heuristic: a random item from the filtered candidates (section IV-B1)."""
MATCH = replace(UNGUIDED, match=1.0)
"""The paper's choice: the best match with the placed neighbours (section IV-B2), slots in random order."""


def construct(
    tables: Tables,
    partial: NDArray[np.int32],
    rng: Generator,
    *,
    attempts: int = 20,
    guidance: Guidance = MIXED,
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Complete partial parties one after another, each with up to `attempts` random orders of the slots.

    Algorithm 1 of the paper on the Party Building Puzzle: items are filtered by forward checking of every constraint,
    then the best match is chosen. A party that gets stuck or fails the synergy demand starts over. Given items stay.

    Parameters
    ----------
    partial
        Catalogue numbers of the items by slot, -1 for an empty slot. Shape (k, slots), int32; not modified. Fixed slots
        are filled automatically.
    attempts
        Maximum number of attempts, at least 1.

    Returns
    -------
    genomes, feasible
        Completed parties, shape (k, slots), int32, and whether each meets all demands, including the synergy. An
        infeasible row is the last attempt, with -1 in the slots that remained empty.
    """
    genomes, feasible, _ = construct_counted(tables, partial, rng, attempts=attempts, guidance=guidance)
    return genomes, feasible


def construct_counted(
    tables: Tables,
    partial: NDArray[np.int32],
    rng: Generator,
    *,
    attempts: int = 20,
    guidance: Guidance = MIXED,
    barred: NDArray[np.int32] | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.int64]]:
    """Do the same as `construct`, and also return the number of attempts for each row.

    `barred` holds items (catalogue numbers) that a row must not receive, -1 for none; shape (k, at most slots). The
    given items of a row must not include them.
    """
    given = np.asarray(partial, dtype=np.int32).reshape(-1, tables.slots)
    genomes = tables.to_local(given)
    hopeless = (genomes == -2).any(axis=1)
    if guidance.shares:  # what the other slots have to bring is known from the start
        genomes = np.where(genomes == -1, tables.only, genomes).astype(np.int32)
    feasible = np.zeros(len(genomes), dtype=np.bool_)
    made = np.zeros(len(genomes), dtype=np.int64)
    if not tables.impossible:
        rows = np.ascontiguousarray(genomes[~hopeless])
        found, tried = np.zeros(len(rows), dtype=np.bool_), np.zeros(len(rows), dtype=np.int64)
        out = np.full((len(rows), 1), -1, dtype=np.int32) if barred is None else tables.to_local(barred)[~hopeless]
        complete(rows, out, attempts, found, tried, _plan(guidance), kernel_state(rng), _puzzle(tables))
        genomes[~hopeless], feasible[~hopeless], made[~hopeless] = rows, found, tried
    genomes = np.where(hopeless[:, None], given, tables.to_items(genomes)).astype(np.int32)
    return genomes, feasible, made


def _plan(guidance: Guidance) -> Plan:
    """Convert the guidance to the types that the kernel is compiled for."""
    return Plan(
        match=float(guidance.match),
        promise=float(guidance.promise),
        level=float(guidance.level),
        price=float(guidance.price),
        spread=float(guidance.spread),
        chance=float(guidance.chance),
        connected=bool(guidance.connected),
        lookahead=bool(guidance.lookahead),
        shares=bool(guidance.shares),
        prune=bool(guidance.prune),
        scan=int(guidance.scan),
    )


def _puzzle(tables: Tables) -> Puzzle:
    """Return the arrays of the kernel, built once per `Tables` object."""
    found = _puzzles.get(tables)
    if found is None:
        found = _puzzles[tables] = Puzzle(
            prices=tables.prices,
            logarithms=np.log2(1.0 + tables.prices),
            kinds=tables.kinds,
            starts=tables.starts,
            lists=np.concatenate([tables.candidates[tables.by_value], tables.candidates[None]]),
            value_starts=tables.value_starts,
            places=tables.places,
            codes=tables.codes,
            groups=tables.groups,
            same=tables.same,
            other=tables.other,
            table=tables.table,
            table_starts=tables.table_starts,
            table_sizes=tables.table_sizes,
            demand=tables.demand,
            edge_points=tables.edge_points,
            neighbour_starts=tables.neighbour_starts,
            neighbours=tables.neighbours,
            amounts=tables.amounts,
            low=tables.low,
            high=tables.high,
            sums=tables.sums,
            largest=_extremes(tables, -1),
            smallest=_extremes(tables, 1),
            overall=np.stack([tables.amounts.max(axis=0), tables.amounts.min(axis=0)], axis=1),
            promise=_promises(tables),
            labels=tables.labels,
            label_starts=np.cumsum([0, *tables.label_sizes]).astype(np.int64),
            distinct_low=tables.distinct_low,
            distinct_high=tables.distinct_high,
            same_high=tables.same_high,
        )
    return found


def _extremes(tables: Tables, sign: int) -> NDArray[np.int32]:
    """Items of smallest `sign` * amount for each kind and total: enough for all slots and as many barred, then -1."""
    kinds, totals, depth = len(tables.starts) - 1, len(tables.low), 2 * tables.slots
    found = np.full((kinds, totals, depth), -1, dtype=np.int32)
    for kind in range(kinds):
        mine = tables.candidates[tables.starts[kind] : tables.starts[kind + 1]]
        for total in range(totals):
            best = mine[np.argsort(sign * tables.amounts[mine, total], kind="stable")][:depth]
            found[kind, total, : len(best)] = best
    return found


def _promises(tables: Tables) -> NDArray[np.float64]:
    """Points expected from a neighbour of each kind: the more candidates share an item's values, the more points."""
    found = np.zeros((len(tables.starts) - 1, len(tables.items)))
    for kind, starts in enumerate(tables.value_starts):
        for term, same in enumerate(tables.same):
            sharing = np.append(np.diff(starts[term]), 0)[tables.codes[:, term]]
            found[kind] += same * sharing / (sharing + SATURATION)
    return found
