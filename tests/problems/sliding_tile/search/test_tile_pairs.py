"""Values of pairs in beams: kept up to date move by move."""

from dataclasses import replace

import numpy as np
import pytest

from matheur.engine.budget import Budget
from matheur.problems.sliding_tile.search import beam
from matheur.problems.sliding_tile.search.geometry import geometry
from matheur.problems.sliding_tile.search.guide import guide_by_name
from matheur.problems.sliding_tile.search.pairs import SCALE, PairValues


@pytest.mark.parametrize("unknown", [-1, 7])
@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (4, 5)])
def test_values_follow_the_slides(rows: int, columns: int, unknown: int) -> None:
    """What slides add up to is what a board is worth by the definition, also if a tile's pairs do not count."""
    board = geometry(rows, columns, "blank-last")
    guide = guide_by_name(board, "4")
    assert guide is not None
    cells = board.cells
    rng = np.random.default_rng(1)
    values = np.rint(SCALE * rng.normal(scale=0.2, size=(cells,) * 4)) / SCALE
    values = (values + values.transpose(2, 3, 0, 1)).astype(np.float32)
    pairs = PairValues.of(board, 1.5, np.full(guide.partitions, 1.5), 2.0, values)
    tiles = board.target.copy()
    tiles[:3] = tiles[[1, 2, 0]]
    search = beam._Beam(replace(guide, pairs=pairs, unknown=unknown), tiles.tolist(), 100, None, (1, 1), 0, Budget())
    for _ in range(12):
        assert search._expand() is None
        search._choose()
    assert len(search.boards) > 20
    for row, learnt in zip(search.boards, search.learnt, strict=True):
        assert pairs.total(row[cells : 2 * cells], unknown) == learnt


def test_boards_of_earlier_layers_are_left_out() -> None:
    """A beam that holds all boards at each depth hardly ever holds one again: its memory forgets few."""
    board = geometry(3, 3, "blank-last")
    guide = guide_by_name(board, "4")
    assert guide is not None
    search = beam._Beam(guide, [8, 6, 7, 2, 5, 4, 3, 0, 1], 30_000, None, (1, 1), 0, Budget())
    seen: set[bytes] = set()
    for _ in range(20):
        assert search._expand() is None
        search._choose()
        layer = {row[:9].tobytes() for row in search.boards}
        assert len(layer) == len(search.boards)
        assert len(layer & seen) <= 0.02 * len(layer)
        seen |= layer
