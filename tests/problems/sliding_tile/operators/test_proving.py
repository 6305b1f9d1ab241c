"""Which tables iterative deepening takes in a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from matheur.engine import Budget
from matheur.engine.cache import store_table
from matheur.methods.statespace.answer import SearchAnswer
from matheur.problems.sliding_tile import Instance, SlidingTile
from matheur.problems.sliding_tile.operators import proving
from matheur.problems.sliding_tile.search.geometry import geometry
from matheur.problems.sliding_tile.search.partitions import partition

FIFTEEN, TWENTY_FOUR = geometry(4, 4, "blank-last"), geometry(5, 5, "blank-last")


def taken(monkeypatch: pytest.MonkeyPatch, board: Any, *, ready: bool, seconds: float | None) -> list[str]:
    """The tables of searches that prove nothing."""
    names: list[str] = []

    class Domain:
        def ida_star(self, name: str, *, budget: Budget, memory: int, threads: int) -> SearchAnswer:
            assert seconds is None or budget.seconds_left < seconds
            names.append(name)
            return SearchAnswer(bound=10 + len(names), limit="time")

    problem = SlidingTile(Instance(board.rows, board.columns, tuple(board.target.tolist())))
    monkeypatch.setattr(proving, "sliding_tile_domain", lambda _problem: Domain())
    monkeypatch.setattr(proving, "at_hand", lambda _board, _name: ready)
    answer = proving.prove(problem, board, Budget(seconds=seconds), nodes=1000, seconds=15.0)
    assert answer.bound == 10 + len(names)
    return names


def test_a_short_run_does_not_read_large_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading hundreds of megabytes would take most of it, and the beams would get nothing."""
    assert taken(monkeypatch, FIFTEEN, ready=True, seconds=2.0) == ["auto"]


@pytest.mark.parametrize("seconds", [10.0, 60.0])
def test_large_tables_at_hand_follow_the_small_ones(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """As the small ones prove most boards in a moment; the better bound is kept."""
    assert taken(monkeypatch, FIFTEEN, ready=True, seconds=seconds) == ["auto", "7-8"]
    assert taken(monkeypatch, TWENTY_FOUR, ready=True, seconds=seconds) == ["auto", "6-6-6-6"]


def test_large_tables_are_built_where_they_are_sure_to_prove_and_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a minute for the 15-puzzle; not in ten seconds, and not for larger boards, whose proofs would take hours."""
    assert taken(monkeypatch, FIFTEEN, ready=False, seconds=60.0) == ["auto", "7-8"]
    assert taken(monkeypatch, FIFTEEN, ready=False, seconds=10.0) == ["auto"]
    assert taken(monkeypatch, TWENTY_FOUR, ready=False, seconds=60.0) == ["auto"]


def test_without_a_clock_the_disk_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run with a limit of work is the same on every machine."""
    assert taken(monkeypatch, FIFTEEN, ready=True, seconds=None) == ["auto"]


def test_tables_are_at_hand_when_all_are_in_the_cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of another goal, or one of two, do not count."""
    monkeypatch.setenv("MATHEUR_CACHE", str(tmp_path))
    patterns = partition(FIFTEEN, "7-8")
    assert not proving.at_hand(FIFTEEN, "7-8")
    for number, tiles in enumerate(patterns):
        content = {"rows": 4, "columns": 4, "goal": "blank-last", "tiles": list(tiles), "form": 1}
        store_table("sliding-tile", "some", content, np.zeros(8, dtype=np.uint8), 1.0)
        assert proving.at_hand(FIFTEEN, "7-8") == (number == len(patterns) - 1)
    assert not proving.at_hand(geometry(4, 4, "blank-first"), "7-8")


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (2, 5)])
def test_small_boards_need_no_large_tables(rows: int, columns: int) -> None:
    """There the usual tables hold all tiles in one pattern."""
    assert proving.large_tables(geometry(rows, columns, "blank-last")) is None
