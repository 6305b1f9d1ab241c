"""Greedy and beam repair of a region: partial fillings cell by cell, those with the fewest mismatches kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance
from matheur.problems.edge_matching.operators.board_tools import kernel_state, unused_pieces

__all__ = ["BEAM_MAX", "TRIED_PER_WORK", "beam_fill"]

BEAM_MAX = 1 << 16
"""Partial fillings that may be kept: 140 MB for a region of 256 cells."""

TRIED_PER_WORK = 1_000

_OPEN = -1


def beam_fill(
    instance: Instance, board: Board, cells: NDArray[np.intp], width: int, limit: int, budget: Budget, rng: Generator
) -> Board | None:
    """Fill a region with its own pieces and unused ones by a beam; all other cells are fixed.

    The next cell is the one with the most filled neighbours and, among equals, the fewest pieces that may lie there,
    with random ties. A width of 1 gives a greedy repair.

    Parameters
    ----------
    cells
        Cells of the region, none of them fixed by a hint. A filling may leave as many cells empty as are empty now.
    width
        Partial fillings kept, from 1 to `BEAM_MAX`.
    limit
        Maximum number of mismatched joints with an end in the region, except those with empty cells outside.
    budget
        Budget, checked before each cell. Work: placements tried, divided by 1,000.

    Returns
    -------
    The whole board with the best filling, with random ties; None if none is within the limit or the budget ended.
    """
    # Numba is imported where it is used, to keep importing the package cheap.
    from matheur.problems.edge_matching.operators.region_beam_kernels import lengthen

    if limit < 0 or not cells.size:
        return None
    region = _Region.of(instance, board, cells, rng)
    state = kernel_state(rng)
    n, words = cells.size, -(-region.tiles.size // 64)
    used, new_used = np.zeros((2, width, words), dtype=np.uint64)
    lying, new_lying = np.zeros((2, width, n), dtype=np.int32)
    cost, new_cost = np.zeros((2, width), dtype=np.int64)
    rows = 1
    for depth in range(n):
        if budget.exhausted:
            return None
        rows, looked = lengthen(
            depth, rows, width, limit, region.links[depth], region.given[depth], region.turns[depth], region.pieces,
            region.none, region.sides, used, lying, cost, new_used, new_lying, new_cost, state,
        )  # fmt: skip
        budget.spend(work=1 + int(looked) // TRIED_PER_WORK)
        if rows == 0:
            return None
        used, new_used, lying, new_lying, cost, new_cost = new_used, used, new_lying, lying, new_cost, cost
    best = rng.choice(np.flatnonzero(cost[:rows] == cost[:rows].min()))
    filled = board.copy()
    tile = region.tiles[lying[best] >> 2]
    filled[region.order] = np.where(tile == EMPTY, EMPTY, 4 * tile + (lying[best] & 3))
    return filled


@dataclass(frozen=True, slots=True)
class _Region:
    """The tables of `region_beam_kernels`, with the cells in the order in which they are filled.

    Attributes
    ----------
    order
        Cells in the order of filling.
    tiles
        Pieces in random order, then `EMPTY` for each place that may stay empty.
    pieces
        Number of tiles that are pieces.
    sides
        Colours by rotated tile and side; `none` matches nothing.
    links, given, turns
        Tables by cell; see `lengthen`.
    """

    order: NDArray[np.intp]
    tiles: NDArray[np.int32]
    pieces: int
    sides: NDArray[np.int64]
    none: int
    links: NDArray[np.int64]
    given: NDArray[np.int64]
    turns: NDArray[np.uint8]

    @classmethod
    def of(cls, instance: Instance, board: Board, cells: NDArray[np.intp], rng: Generator) -> _Region:
        own = board[cells]
        pieces = rng.permutation(np.concatenate([own[own != EMPTY] >> 2, unused_pieces(instance, board)]))
        tiles = np.append(pieces, np.full(np.count_nonzero(own == EMPTY), EMPTY)).astype(np.int32)
        placements = 4 * tiles[:, None] + np.arange(4)
        none = instance.colours
        sides = np.where((tiles == EMPTY)[:, None, None], none, instance.sides[placements]).astype(np.int64)
        if instance.framed:
            sides[sides == 0] = none
        allowed = instance.fits[placements[:, :, None], cells]
        allowed[tiles == EMPTY] = (np.arange(4) == 0)[:, None]
        turns = (allowed * np.array([1, 2, 4, 8], dtype=np.uint8)[:, None]).sum(axis=1, dtype=np.uint8).T
        inside = np.full(instance.cells, -1)
        inside[cells] = np.arange(cells.size)
        beside = instance.neighbours[cells]
        within = np.where(beside >= 0, inside[beside], _OPEN)
        facing = instance.sides[board[beside], (np.arange(4) + 2) % 4].astype(np.int64)
        given = np.where((beside >= 0) & (within < 0) & (board[beside] != EMPTY), facing, _OPEN)
        number = _in_turn(within, given >= 0, (turns > 0).sum(axis=1), rng)
        place = np.empty(cells.size, dtype=np.int64)
        place[number] = np.arange(cells.size)
        links = np.where(within[number] >= 0, place[within[number]], _OPEN)
        links[links >= np.arange(cells.size)[:, None]] = _OPEN  # those are filled later
        return cls(
            cells[number], tiles, pieces.size, sides.reshape(-1, 4), none, links, given[number], turns[number].copy()
        )


def _in_turn(
    within: NDArray[np.int64], lies: NDArray[np.bool_], fitting: NDArray[np.int64], rng: Generator
) -> NDArray[np.int64]:
    """Numbers of the cells in filling order: the cell with the most filled neighbours is always next."""
    n = len(within)
    neighbours = lies.sum(axis=1)
    rank = fitting + rng.random(n)  # fewer pieces first, with random ties
    left = np.ones(n, dtype=bool)
    order = np.empty(n, dtype=np.int64)
    for step in range(n):
        most = np.flatnonzero(left & (neighbours == neighbours[left].max()))
        chosen = most[rank[most].argmin()]
        order[step], left[chosen] = chosen, False
        beside = within[chosen]
        neighbours[beside[beside >= 0]] += 1
    return order
