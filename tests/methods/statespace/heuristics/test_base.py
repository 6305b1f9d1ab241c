"""Sums of table values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matheur.methods.statespace.heuristics import (
    INFINITE,
    UNREACHED,
    Heuristic,
    Lookup,
    largest_table_sum,
    table_sum,
    zero,
)
from matheur.methods.statespace.packing import Packing


def naive(packing: Packing, sums: list[list[Lookup]], state: list[int]) -> int:
    """The largest sum for one state, by the definition."""
    totals = [0]
    for lookups in sums:
        total = 0
        for lookup in lookups:
            index = place = 0
            for i in lookup.components:
                value = state[i] if lookup.values is None else int(lookup.values[state[i]])
                index |= value << place
                place += packing.widths[i]
            entry = int(lookup.table[index])
            total += INFINITE if entry == UNREACHED else entry
        totals.append(total)
    return min(max(totals), INFINITE)


@given(seed=st.integers(0, 2**32), widths=st.lists(st.integers(1, 8), min_size=1, max_size=24))
@settings(max_examples=80)
def test_values_are_those_of_the_definition(seed: int, widths: list[int]) -> None:
    """Any components in any order, in several words, mapped or not, with dead ends, shared tables and several sums."""
    rng, packing = np.random.default_rng(seed), Packing(tuple(widths))
    sums: list[list[Lookup]] = []
    for _ in range(int(rng.integers(1, 4))):
        lookups = []
        for _ in range(int(rng.integers(1, 4))):
            chosen = rng.permutation(packing.size)[: int(rng.integers(1, 4))]
            if rng.random() < 0.5:
                chosen = np.sort(chosen)
            while sum(widths[i] for i in chosen) > 14:
                chosen = chosen[:-1]
            table = rng.integers(0, 256, 1 << sum(widths[i] for i in chosen)).astype(np.uint8)
            least = min(widths[i] for i in chosen)
            turned = rng.permutation(1 << least).astype(np.uint8)
            mapped = rng.random() < 0.5 and all(widths[i] == least for i in chosen)
            lookups.append(Lookup(tuple(chosen.tolist()), table, turned if mapped else None))
        sums.append([*lookups, lookups[0]])
    states = np.stack([rng.integers(0, 1 << np.array(widths)) for _ in range(20)])
    heuristic = largest_table_sum("some", packing, sums)
    values = heuristic.estimate(packing.pack(states))
    assert values.dtype == np.int32
    assert values.tolist() == [naive(packing, sums, state) for state in states.tolist()]
    assert heuristic.memory == sum({id(one.table): one.table.nbytes for part in sums for one in part}.values())


def test_an_unreached_entry_makes_a_dead_end() -> None:
    """255 is no distance: one such entry makes the sum infinite, and 254 does not."""
    packing = Packing((2, 2))
    far = np.array([0, 1, 254, 255], dtype=np.uint8)
    heuristic = table_sum("far", packing, [([0], far), ([1], far)])
    keys = packing.pack([[0, 1], [2, 2], [3, 0], [0, 3], [3, 3]])
    assert heuristic.estimate(keys).tolist() == [1, 508, INFINITE, INFINITE, INFINITE]


def test_a_table_of_another_length_is_refused() -> None:
    """Its length has to fit the components."""
    with pytest.raises(ValueError, match="4 entries"):
        table_sum("wrong", Packing((3,)), [([0], np.zeros(4, dtype=np.uint8))])


def test_zero_and_nothing() -> None:
    """Zero is 0; a heuristic without any form says so."""
    assert zero().estimate(Packing((3,)).pack([[1], [2]])).tolist() == [0, 0]
    with pytest.raises(NotImplementedError, match="neither"):
        Heuristic("empty", True, True).estimate(np.zeros((1, 1), dtype=np.uint64))
