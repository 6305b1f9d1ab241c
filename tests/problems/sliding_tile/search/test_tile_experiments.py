"""The experiments on exact search of sliding tiles."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest


@pytest.fixture(scope="module")
def scripts() -> Iterator[SimpleNamespace]:
    """The modules of the experiments."""
    folder = str(Path(__file__).resolve().parents[4] / "experiments" / "deepcubea")
    sys.path.insert(0, folder)
    yield SimpleNamespace(exact=import_module("sliding_tile_exact"), gods_numbers=import_module("tile_gods_numbers"))
    sys.path.remove(folder)


@pytest.mark.parametrize(("rows", "columns", "number", "farthest"), [(1, 5, 4, 1), (2, 2, 6, 1), (3, 3, 31, 2)])
def test_gods_numbers(scripts: SimpleNamespace, rows: int, columns: int, number: int, farthest: int) -> None:
    """All boards are counted, and the farthest ones are the known ones."""
    row = scripts.gods_numbers.search(rows, columns)
    assert (row["gods_number"], row["farthest"], row["counts"][0]) == (number, farthest, 1)
    scripts.gods_numbers.KNOWN[3, 3], known = 30, scripts.gods_numbers.KNOWN[3, 3]
    try:
        with pytest.raises(RuntimeError, match="3 x 3"):
            scripts.gods_numbers.search(3, 3)
    finally:
        scripts.gods_numbers.KNOWN[3, 3] = known


def test_small_boards_are_proved(scripts: SimpleNamespace) -> None:
    """Random boards are the same each time; a proof is written with the plan, one that is cut short is not."""
    boards = [*scripts.exact.boards("small")]
    assert len(boards) == sum(scripts.exact.SMALL.values())
    assert boards == [*scripts.exact.boards("small")]
    row = scripts.exact.prove(boards[0], 1, None)
    assert row["length"] == row["optimum"] == len(row["plan"])
    assert scripts.exact.prove(boards[0], 1, 0.0) is None


def test_sets_are_those_of_the_data(scripts: SimpleNamespace, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sizes of the sets, and a report of what has been proved."""
    assert data.is_dir()
    sizes = [sum(1 for _ in scripts.exact.boards(name)) for name in scripts.exact.SETS]
    assert sizes == [100, 100, 17, 500, 1600, 320, 4, 50]
    assert sum(1 for _ in scripts.exact.boards("deepcubea24", 25)) == 124
    scripts.exact.report(scripts.exact.done())
    assert "| korf15 | 7-8 | 1 | 100 | 100 | 53.05 |" in capsys.readouterr().out
