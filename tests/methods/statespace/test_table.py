"""The hash table of states against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matheur.methods.statespace.table import OutOfMemoryBudgetError, StateTable, capacity_within


@given(
    words=st.integers(1, 3),
    batches=st.lists(st.lists(st.integers(0, 40), max_size=200), max_size=6),
    spread=st.sampled_from([1, 1 << 20, 1 << 58]),
)
@settings(max_examples=60)
def test_indices_are_those_of_a_dictionary(words: int, batches: list[list[int]], spread: int) -> None:
    """Duplicates inside and across batches get the index of their first insertion, also while the table grows."""
    table = StateTable(words, 1 << 20, capacity=1)
    known: dict[tuple[int, ...], int] = {}
    for batch in batches:
        # The words differ only in one of them, by turns: every word has to count.
        keys = np.zeros((len(batch), words), dtype=np.uint64)
        for row, value in enumerate(batch):
            keys[row, value % words] = value * spread
        rows = [tuple(row) for row in keys.tolist()]
        fresh = [row not in known and row not in rows[:i] for i, row in enumerate(rows)]
        for row in rows:
            known.setdefault(row, len(known))
        index, new = table.add(keys)
        assert index.tolist() == [known[row] for row in rows]
        assert new.tolist() == fresh
        assert table.find(keys).tolist() == index.tolist()
    assert table.count == len(table) == len(known)
    assert [tuple(row) for row in table.keys.tolist()] == list(known)
    absent = np.full((1, words), 41 * spread, dtype=np.uint64)
    assert table.find(absent).tolist() == [-1]


def test_structured_keys_do_not_slow_the_table_down() -> None:
    """Keys that differ in a few bits only, wherever these lie, fill the table like random ones."""
    for shift in (0, 20, 44):
        table = StateTable(1, 1 << 24)
        keys = np.arange(100_000, dtype=np.uint64)[:, None] << np.uint64(shift)
        index, fresh = table.add(keys)
        assert fresh.all()
        assert (index == np.arange(100_000)).all()
        assert (table.find(keys[::-1]) == index[::-1]).all()


@pytest.mark.parametrize("words", [1, 2])
def test_memory_is_never_exceeded(words: int) -> None:
    """The table takes what fits, counts its bytes honestly, keeps what it has and refuses the rest."""
    memory = 50_000
    table = StateTable(words, memory)
    keys = np.arange(10_000 * words, dtype=np.uint64).reshape(-1, words)
    with pytest.raises(OutOfMemoryBudgetError, match="50000"):
        table.add(keys)
    assert table.count == capacity_within(memory, 8 * words)
    assert memory // 2 < table.nbytes <= memory
    assert (table.find(keys[: table.count]) == np.arange(table.count)).all()
    assert (table.find(keys[table.count :]) == -1).all()
    index, fresh = table.add(keys[:10])
    assert index.tolist() == list(range(10))
    assert not fresh.any()


def test_views_stay_valid_while_the_table_grows() -> None:
    """A view of the keys that was taken early still shows them after much growth."""
    table = StateTable(1, 1 << 22, capacity=1)
    table.add(np.arange(10, dtype=np.uint64)[:, None])
    early = table.keys
    table.add(np.arange(50_000, dtype=np.uint64)[:, None])
    assert early.tolist() == [[i] for i in range(10)]


def test_wrong_sizes_are_refused() -> None:
    """Too little memory for an empty table and keys of a wrong width are errors."""
    with pytest.raises(OutOfMemoryBudgetError, match="100 bytes"):
        StateTable(1, 100)
    with pytest.raises(ValueError, match="2 words"):
        StateTable(2, 1 << 16).add(np.zeros(3, dtype=np.uint64))


def test_no_keys_are_fine() -> None:
    """Empty batches change nothing."""
    table = StateTable(2, 1 << 16)
    index, fresh = table.add(np.empty((0, 2), dtype=np.uint64))
    assert (len(index), len(fresh), table.count) == (0, 0, 0)
    assert table.find(np.empty((0, 2), dtype=np.uint64)).size == 0
    assert table.keys.shape == (0, 2)
