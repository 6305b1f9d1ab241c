"""Arrays of the kernels, shared by the operators that move items."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.party.operators.move_kernels import STRICT, reset
from matheur.problems.party.operators.move_state import Puzzle, State
from matheur.problems.party.operators.rule_tables import CHEMISTRY, RATING
from matheur.problems.party.operators.tables import Tables, kernel_state

__all__ = ["any_party", "begin", "effort", "puzzle_of", "state_of", "weights"]

_puzzles: WeakKeyDictionary[Tables, Puzzle] = WeakKeyDictionary()


def puzzle_of(tables: Tables) -> Puzzle:
    """Return the input of the kernels, built once per `Tables` object; it has no terms if no synergy is demanded."""
    found = _puzzles.get(tables)
    if found is None:
        found = _puzzles[tables] = _build(tables)
    return found


def weights(tables: Tables, coins: float) -> NDArray[np.float64]:
    """Prices of violations: about `coins` for one match, a quarter of a total's standard deviation, or one item.

    For rules, the unit is one item, one point of chemistry, or a quarter of the standard deviation of the numbers.
    """
    spreads = tables.amounts.std(axis=0) if len(tables.items) else np.zeros(len(tables.low))
    point = coins * max(1, len(tables.same)) / max(1, tables.edge_points)
    labels = np.full(2 * len(tables.same_high), coins)
    rules = tables.rules
    units = np.where(rules.kinds == RATING, rules.slots.sum(axis=1), 1)  # a rating counts each number this many times
    widths = rules.amounts.std(axis=0) if len(tables.items) else np.zeros(len(units))
    others = coins / (units * np.maximum(1.0, widths / 4))
    return np.concatenate([[point], coins / np.maximum(1.0, spreads / 4), labels, others])


def effort(puzzle: Puzzle) -> int:
    """Approximate factor by which rules slow down the evaluation of one item, as they read the whole party."""
    looked = puzzle.rule_slots.size + int(puzzle.rule_slots.sum(axis=1) @ (1 + np.diff(puzzle.rule_first)))
    return int(1 + looked // 8)


def state_of(tables: Tables, rng: Generator) -> State:
    """Allocate the state of a party."""
    puzzle = puzzle_of(tables)
    terms, slots, demands = len(puzzle.codes), tables.slots, len(weights(tables, 1.0))
    degree = int(np.diff(tables.neighbour_starts).max(initial=0))
    return State(
        party=np.zeros(slots, dtype=np.int64),
        best=np.zeros(slots, dtype=np.int64),
        used=np.zeros(len(tables.items), dtype=np.bool_),
        sums=np.zeros(4, dtype=np.int64),
        totals=np.zeros(len(tables.low), dtype=np.int64),
        counts=np.zeros(int(tables.label_sizes.sum()), dtype=np.int32),
        distinct=np.zeros(len(tables.same_high), dtype=np.int64),
        excess=np.zeros(len(tables.same_high), dtype=np.int64),
        bins=np.zeros(int(tables.rules.sizes.sum()), dtype=np.int32),
        equal=np.zeros((terms, int(puzzle.codes.max(initial=0)) + 1), dtype=np.int64),
        listed=np.zeros((terms, int(tables.table_sizes.max(initial=0)) + 1), dtype=np.int64),
        weights=np.zeros(demands),
        middle=np.zeros(demands),
        violated=np.zeros(demands, dtype=np.int64),
        segments=np.zeros((2 + 2 * degree * terms, 3), dtype=np.int64),
        random=kernel_state(rng),
    )


def begin(state: State, puzzle: Puzzle, places: NDArray[np.int32], prices: NDArray[np.float64] | None = None) -> bool:
    """Start from a party with these prices of violations (None: prohibitive ones); return whether it is feasible."""
    state.party[:] = places
    state.middle[:] = STRICT if prices is None else prices
    return bool(reset(state, puzzle))


def _build(tables: Tables) -> Puzzle:
    items = tables.candidates
    terms = len(tables.same) if tables.demand > 0 else 0
    label_starts = np.cumsum([0, *tables.label_sizes])[:-1].astype(np.int32)
    labels = tables.labels[items]
    kinds = len(tables.starts) - 1
    _, first = np.unique(tables.kinds, return_index=True)
    own = np.repeat(np.arange(kinds), np.diff(tables.starts))  # the kind of each place
    slot = first[own]  # and a slot of that kind
    rules, placed = tables.rules, tables.in_position[own, items]
    owner = np.repeat(np.arange(len(rules.kinds)), np.diff(rules.first))  # the rule of each bin
    bin_starts = np.cumsum([0, *rules.sizes])[:-1].astype(np.int32)
    counted = (rules.codes[items] >= 0).T & rules.slots[:, slot][owner]
    counted &= placed | (rules.kinds[owner] != CHEMISTRY)[:, None]
    shared = np.zeros((kinds, kinds), dtype=bool)
    for kind in range(kinds):
        mine = items[tables.starts[kind] : tables.starts[kind + 1]]
        shared[kind] = (tables.places[:, mine] >= 0).any(axis=1)
    pairs = [
        (a, b)
        for a in range(tables.slots)
        for b in range(a + 1, tables.slots)
        if shared[tables.kinds[a], tables.kinds[b]] and np.diff(tables.starts)[tables.kinds[[a, b]]].max() > 1
    ]
    tables_of_terms = tables.table[: int(tables.table_starts[terms])]
    return Puzzle(
        prices=tables.prices[items],
        kinds=tables.kinds,
        starts=tables.starts,
        items=items,
        places=tables.places,
        codes=np.ascontiguousarray(tables.codes[items, :terms].T + np.int32(1)),
        groups=np.ascontiguousarray(
            np.where(tables.codes[items, :terms] < 0, 0, tables.groups[items, :terms] + 1).T.astype(np.int32)
        ),
        plain=bool((tables.other[:terms] == 0).all() and (tables.table_sizes[:terms] == 1).all()),
        same=tables.same[:terms],
        other=tables.other[:terms],
        table=tables_of_terms,
        table_starts=tables.table_starts,
        table_sizes=tables.table_sizes[:terms],
        demand=tables.demand,
        edge_points=tables.edge_points,
        neighbour_starts=tables.neighbour_starts,
        neighbours=tables.neighbours,
        amounts=np.ascontiguousarray(tables.amounts[items].T * tables.total_slots[:, slot]),
        low=tables.low,
        high=tables.high,
        labels=np.ascontiguousarray(
            np.where((labels < 0).T | ~tables.label_slots[:, slot], -1, (labels + label_starts).T).astype(np.int32)
        ),
        distinct_low=tables.distinct_low,
        distinct_high=tables.distinct_high,
        same_high=tables.same_high,
        by_value=tables.by_value[:terms],
        value_starts=tables.value_starts,
        rule_kinds=rules.kinds,
        rule_slots=rules.slots,
        rule_low=rules.low,
        rule_high=rules.high,
        rule_most=rules.most,
        rule_each=rules.each,
        rule_amounts=np.ascontiguousarray(rules.amounts[items].T),
        rule_full=np.ascontiguousarray(rules.full[items].T & placed),
        rule_first=rules.first,
        bins=np.ascontiguousarray(np.where(counted, (rules.codes[items] + bin_starts).T, -1).astype(np.int32)),
        levels=rules.levels,
        varied=bool(
            not tables.total_slots.all()
            or not tables.label_slots.all()
            or not rules.slots.all()
            or (len(rules.kinds) and not tables.in_position.all())
        ),
        free=np.flatnonzero(np.diff(tables.starts)[tables.kinds] > 1).astype(np.int64),
        pairs=np.array(pairs, dtype=np.int64).reshape(-1, 2),
    )


def any_party(tables: Tables, rng: Generator) -> NDArray[np.int32] | None:
    """Return places of a random party of different items, ignoring the demands; None if the slots cannot be filled.

    Slots choose in turn; a slot whose candidates are all taken makes another slot choose again (augmenting paths). For
    each slot, as many candidates as there are slots suffice.
    """
    wanted = []
    for kind in tables.kinds:
        low, high = int(tables.starts[kind]), int(tables.starts[kind + 1])
        if high - low > tables.slots:
            wanted.append(rng.choice(high - low, size=tables.slots, replace=False) + low)
        else:
            wanted.append(rng.permutation(high - low) + low)
    holder: dict[int, int] = {}
    chosen = np.full(tables.slots, -1, dtype=np.int32)
    for slot in rng.permutation(tables.slots):
        if not _find(int(slot), wanted, tables.candidates, holder, chosen, set()):
            return None
    return chosen


def _find(
    slot: int,
    wanted: list[NDArray[np.int64]],
    items: NDArray[np.int32],
    holder: dict[int, int],
    chosen: NDArray[np.int32],
    asked: set[int],
) -> bool:
    """Find an item for a slot, if necessary by moving others; return whether this succeeds."""
    for place in wanted[slot]:
        item = int(items[place])
        if item in asked:
            continue
        asked.add(item)
        if item not in holder or _find(holder[item], wanted, items, holder, chosen, asked):
            holder[item] = slot
            chosen[slot] = place
            return True
    return False
