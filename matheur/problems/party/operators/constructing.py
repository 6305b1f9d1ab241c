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
    """What decides between the items that leave all demands reachable; ties are broken at random.

    The item of largest `match` * matches + `promise` * promises - `price` * log2(1 + price) - `level` * overuse is
    taken. Matches are the points with the neighbours that are placed, in edges; promises those with the neighbours
    that are not, as far as their candidates share the item's values; overuse is how many shares of the remaining slack
    of a sum or count the item takes beyond its own, if each empty slot has an equal share.

    Attributes
    ----------
    match, promise, level, price
        Weights. All zero: a random item (unguided).
    spread
        Each attempt draws its own factors of `level` and `price` between 1 / spread and spread.
    chance
        Probability that a slot is filled at random, so that no party is out of reach.
    connected
        Fill slots with most placed neighbours first, else in a random order.
    lookahead
        Bound totals by the best amounts still available in each empty slot, else by the best amount of all items.
    shares
        Filter by equal shares: an item must bring at least the mean of what the empty slots still have to bring to a
        sum (or take at most that mean, if the sum has a greatest value). So what is left never becomes harder, and
        several demands cannot starve each other. Counts keep the rule of the bound: an item without the value is
        refused when all slots that are left need it. A sum with two bounds is only bounded.
    prune
        Skip items with which the synergy demand cannot be met any more even if all open edges match fully.
    scan
        Lists of candidates that are longer are scanned in parts.
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
"""Our default: matches, slack and price."""
UNGUIDED = Guidance(
    match=0.0, promise=0.0, level=0.0, price=0.0, spread=1.0, chance=0.0, connected=False, shares=True, prune=False,
    scan=1 << 31,
)  # fmt: skip
"""The paper's construction without its heuristic: a random item of the filtered candidates (section IV-B1)."""
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
    """Complete partial parties, one after the other, each with up to `attempts` random orders of the slots.

    Algorithm 1 of the paper on the Party Building Puzzle: items are filtered by forward checking of every constraint,
    then the best match is taken; a party that is stuck or fails the synergy demand starts over. What is given stays.

    Parameters
    ----------
    partial
        Catalogue numbers of the items by slot, -1 for an empty slot. Shape (k, slots), int32; not changed. Fixed slots
        are filled by themselves.
    attempts
        Number of attempts, at least 1.

    Returns
    -------
    genomes, feasible
        Completed parties, shape (k, slots), int32, and for each whether it is a feasible party (all demands, the
        synergy too). A row that is not feasible is the last attempt, -1 in slots where it was stuck.
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
    """The same as `construct`, and the attempts made for each row.

    `barred` holds items (catalogue numbers) that a row must not get, -1 for none; shape (k, at most slots). None of
    them may be given in the row.
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
    """The guidance with the types that the kernel is compiled for."""
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
    """The arrays of the kernel, made once per tables."""
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
    """For each kind and total the items of smallest `sign` * amount, for all slots and as many barred, then -1."""
    kinds, totals, depth = len(tables.starts) - 1, len(tables.low), 2 * tables.slots
    found = np.full((kinds, totals, depth), -1, dtype=np.int32)
    for kind in range(kinds):
        mine = tables.candidates[tables.starts[kind] : tables.starts[kind + 1]]
        for total in range(totals):
            best = mine[np.argsort(sign * tables.amounts[mine, total], kind="stable")][:depth]
            found[kind, total, : len(best)] = best
    return found


def _promises(tables: Tables) -> NDArray[np.float64]:
    """How many points an item may expect from a neighbour of each kind: more, the more candidates share its values."""
    found = np.zeros((len(tables.starts) - 1, len(tables.items)))
    for kind, starts in enumerate(tables.value_starts):
        for term, same in enumerate(tables.same):
            sharing = np.append(np.diff(starts[term]), 0)[tables.codes[:, term]]
            found[kind] += same * sharing / (sharing + SATURATION)
    return found
