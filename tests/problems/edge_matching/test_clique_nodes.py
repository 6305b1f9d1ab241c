"""The table that says what exported vertices mean."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.methods.clique import search
from matheur.problems.edge_matching.clique_graph import build
from matheur.problems.edge_matching.clique_nodes import NodeTable
from matheur.problems.edge_matching.instance import Hint, Instance

HEADER = "node,tile,row,column,rotation\n"


def parse(text: str) -> NodeTable:
    return NodeTable.parse(Source("nodes.csv", text.encode()))


def test_a_table_rebuilds_the_board_without_the_puzzle(puzzle: Callable[[int], Instance], tmp_path: Path) -> None:
    """A clique and the saved table give a board of the puzzle's size whose joints all match."""
    instance = puzzle(4)
    placements = build(instance, hints=[Hint(0, 0)])
    path = tmp_path / "nodes.csv"
    NodeTable.of(placements, instance.columns).save(path)
    assert path.read_text().splitlines()[:2] == ["node,tile,row,column,rotation", f"1,1,0,0,{placements.rotation[0]}"]
    table = NodeTable.parse(Source("nodes.csv", path.read_bytes()))
    assert len(table) == 138
    found = search(placements.graph, np.random.default_rng(1), max_selections=1_000_000, target=16)
    assert found.size == 16
    board = table.to_board(found.vertices)
    sides = instance.sides[board].reshape(4, 4, 4)
    assert (sides[:, :-1, 1] == sides[:, 1:, 3]).all()
    assert (sides[:-1, :, 2] == sides[1:, :, 0]).all()


def test_a_region_goes_into_its_board() -> None:
    """Given a board, the cells of the table are emptied and filled, the others kept."""
    table = parse(HEADER + "1,5,0,1,2\n2,6,1,1,0\n3,5,1,1,3\n")
    board = np.array([0, 4, 8, 12], dtype=np.int32)
    with pytest.raises(ValueError, match="no piece"):
        table.to_board([0], rows=2, columns=2, board=board)
    table = parse(HEADER + "2,4,1,1,0\n1,2,0,1,2\n")
    assert table.to_board([0], rows=2, columns=2, board=board).tolist() == [0, 6, 8, -1]
    with pytest.raises(ValueError, match="do not fit"):
        table.to_board([0], rows=1, columns=2)
    with pytest.raises(ValueError, match="has 4 cells"):
        table.to_board([0], board=board[:2])
    with pytest.raises(ValueError, match="piece 1 is taken"):
        table.to_board([0], board=np.array([4, -1, -1, -1], dtype=np.int32))


def test_columns_and_rows_may_come_in_any_order() -> None:
    """The header names the columns; nodes need not be sorted."""
    table = parse("rotation, column ,row,tile,Node\n3,1,0,7,2\n\n2,0,1,4,1\n")
    assert table.piece.tolist() == [3, 6]
    assert table.row.tolist() == [1, 0]
    assert table.column.tolist() == [0, 1]
    assert table.rotation.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "first line"),
        ("node,tile\n1,2\n", 1, "first line"),
        (HEADER + "1,1,0,0\n", 2, "5 values"),
        (HEADER + "\n1,1,0,0,4\n", 3, "rotation must be a number from 0 to 3"),
        (HEADER + "1,0,0,0,0\n", 2, "tile"),
        (HEADER + "1,1,-1,0,0\n", 2, "row"),
        (HEADER + "1,1,0,x,0\n", 2, "column"),
        (HEADER + "2,1,0,0,0\n", 2, "node must be a number from 1 to 1"),
        (HEADER + "1,1,0,0,0\n1,1,0,0,0\n", None, "named twice"),
        (HEADER + "1,1,99999999999,0,0\n", 2, "row"),
    ],
)
def test_bad_tables_are_input_errors(text: str, line: int | None, words: str) -> None:
    """A wrong header, a wrong number and a missing node are named with their line."""
    with pytest.raises(InputError, match=words) as caught:
        parse(text)
    assert caught.value.line == line


@settings(max_examples=200)
@given(st.one_of(st.binary(max_size=60), st.binary(max_size=40).map(lambda rest: HEADER.encode() + rest)))
def test_any_bytes_are_a_table_or_an_input_error(data: bytes) -> None:
    """No content makes the reader fail otherwise than with an input error."""
    try:
        assert len(NodeTable.parse(Source("nodes.csv", data))) >= 0
    except InputError:
        return
