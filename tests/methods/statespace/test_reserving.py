"""Addresses for searches where a process may have few of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from matheur.methods.statespace import astar, batch_astar, reserving
from matheur.methods.statespace.breadth_first import bfs
from matheur.methods.statespace.reserving import reserve_addresses
from matheur.methods.statespace.table import StateTable
from matheur.problems.sliding_tile.domain import SlidingTileDomain

FAR = SlidingTileDomain(3, 3, (8, 6, 7, 2, 5, 4, 3, 0, 1), (1, 2, 3, 4, 5, 6, 7, 8, 0))


def few(most: int) -> Any:
    """Makes bytes as long as they are at most so many."""

    def make(size: int) -> bytearray:
        if size > most:
            raise MemoryError
        return bytearray(size)

    return make


def test_all_that_is_asked_for_where_there_is_enough() -> None:
    """Without a limit the whole is reserved."""
    made, size = reserve_addresses(1 << 20, few(1 << 20))
    assert (len(made), size) == (1 << 20, 1 << 20)


@pytest.mark.parametrize("most", [1 << 17, (1 << 18) - 1, 1 << 19])
def test_less_where_there_is_not(most: int) -> None:
    """At most half of what was possible is taken, so that others find addresses as well."""
    made, size = reserve_addresses(1 << 20, few(most))
    assert len(made) == size
    assert most // 8 < size <= most // 2


def test_none_at_all_is_an_error() -> None:
    """A process without addresses for a few states is out of memory; a small wish is not made smaller."""
    with pytest.raises(MemoryError):
        reserve_addresses(1 << 20, few(1000))
    assert reserve_addresses(500, few(500))[1] == 500


@pytest.mark.parametrize("search", [astar, batch_astar, bfs])
def test_searches_get_along_with_few_addresses(search: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search whose memory limit is beyond the addresses of the process finds its plan all the same."""
    arguments = () if search is bfs else (FAR.heuristics()["manhattan"](),)
    options = {"until": "proved"} if search is batch_astar else {}
    search(FAR, *arguments, **options)  # compiles what knows the true `empty` only
    monkeypatch.setattr(reserving, "_LEAST", 1 << 12)
    real = np.empty

    def empty(shape: Any, dtype: Any = float, **options: Any) -> Any:
        if np.prod(shape, dtype=float) * np.dtype(dtype).itemsize > 1 << 28:
            raise MemoryError
        return real(shape, dtype, **options)

    monkeypatch.setattr(np, "empty", empty)
    answer = search(FAR, *arguments, memory=1 << 40, **options)
    assert (answer.cost, answer.limit) == (31, None)


def test_a_table_of_states_knows_how_many_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The capacity is that of the addresses, not of the memory limit."""
    real = np.empty

    def empty(shape: Any, dtype: Any = float, **options: Any) -> Any:
        if np.prod(shape, dtype=float) * np.dtype(dtype).itemsize > 1 << 20:
            raise MemoryError
        return real(shape, dtype, **options)

    monkeypatch.setattr(np, "empty", empty)
    table = StateTable(2, 1 << 30)
    assert 0 < table.capacity <= (1 << 20) // 32
