"""Exact search over a small region of the board: the best refill, or a proof that there is no better one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from matheur.problems.edge_matching.instance import EMPTY, Board, Instance
from matheur.problems.edge_matching.operators.exact_kernels import DEPTH, NODES, STATE_SIZE, UPPER, prepare, search

__all__ = ["TILES_MAX", "ExactResult", "RegionStatus", "region_cost", "solve_region"]

TILES_MAX = 64  # pieces of a region are the bits of a machine word
CHUNK = 500_000  # nodes between two calls of `interrupt`, 25-40 ms


class RegionStatus(Enum):
    """Claim of a region search."""

    OPTIMAL = "optimal"  # the tree is exhausted: no refill is cheaper than the result
    FOUND = "found"  # with `equal`: the search stopped at another refill, at most as expensive
    LIMIT = "limit"  # the node limit or an interrupt ended the search; the best refill so far is returned


@dataclass(frozen=True, slots=True)
class ExactResult:
    """Result of `solve_region`.

    Attributes
    ----------
    status
        Claim of the search; OPTIMAL with `equal` means that there is no other refill below the limit.
    board
        Whole board with the best refill found; equal to the given board if none was found.
    cost
        Mismatched joints with at least one end in the region, on `board`.
    delta
        Change of the objective: `cost` minus the cost of the given board.
    found
        Whether a refill below the upper limit was found.
    nodes
        Candidates tried.
    """

    status: RegionStatus
    board: Board
    cost: int
    delta: int
    found: bool
    nodes: int


def region_cost(instance: Instance, board: Board, cells: ArrayLike) -> int:
    """Mismatched joints with at least one end in the region, empty cells included."""
    inside = np.zeros(instance.cells + 1, dtype=bool)
    inside[np.asarray(cells, dtype=np.int64)] = True
    shown = np.full((instance.cells + 1, 4), -1, dtype=np.int64)
    filled = np.flatnonzero(board != EMPTY)
    shown[filled] = instance.sides[board[filled]]
    count = 0
    for side in (1, 2):
        beside = instance.neighbours[:, side]
        joint = (beside >= 0) & (inside[:-1] | inside[beside])
        own, other = shown[:-1, side], shown[beside, (side + 2) % 4]
        count += int(np.count_nonzero(joint & ((own != other) | (own < 0))))
    return count


def solve_region(
    instance: Instance,
    board: Board,
    cells: ArrayLike,
    *,
    spare: ArrayLike = (),
    upper: int | None = None,
    equal: bool = False,
    node_limit: int | None = None,
    rng: Generator | None = None,
    interrupt: Callable[[], bool] = bool,
) -> ExactResult:
    """Refill a region optimally with its own pieces and spare ones; all other cells are fixed.

    Parameters
    ----------
    board
        Board, possibly with empty cells; it is not changed. A refill leaves no more cells empty than before.
    cells
        Cells of the region, in any shape; cells that a hint fixes are left unchanged.
    spare
        Further pieces (not placements) that may be used; they must lie nowhere on the board.
    upper
        Exclusive upper limit on the cost of a refill; the present cost by default.
    equal
        Whether to stop at the first refill that differs from the present one and costs less than `upper`. The default
        of `upper` is then the present cost plus one, which allows a sideways move.
    node_limit
        Number of nodes after which the search stops with LIMIT; None for no limit.
    rng
        Generator that shuffles equally good candidates; without it, pieces are tried in ascending order.
    interrupt
        Called every 500,000 nodes; True stops the search with LIMIT.

    Raises
    ------
    ValueError
        If cells or pieces repeat, or the region has more than 64 pieces and empty places.
    """
    board = np.asarray(board, dtype=np.int32)
    cells = np.asarray(cells, dtype=np.int32).ravel()
    cells = np.sort(cells[~instance.fixed[cells]])
    present = region_cost(instance, board, cells)
    if upper is None:
        upper = present + 1 if equal else present
    tiles = _tiles(instance, board, cells, spare)
    if cells.size == 0 or upper <= 0:
        return ExactResult(RegionStatus.OPTIMAL, board.copy(), present, 0, False, 0)
    if rng is not None:
        tiles = rng.permutation(tiles)
    tree = _Tree(instance, board, cells, tiles, upper)
    status = tree.search(equal, node_limit, interrupt)
    found = tree.upper < upper
    result = tree.refilled(board) if found else board.copy()
    cost = tree.upper if found else present
    return ExactResult(status, result, cost, cost - present, found, tree.nodes)


def _tiles(instance: Instance, board: Board, cells: NDArray[np.int32], spare: ArrayLike) -> NDArray[np.int32]:
    """The pieces of a region and the spare ones, -1 for each cell that may stay empty."""
    own = board[cells]
    tiles = np.concatenate([np.where(own == EMPTY, EMPTY, own >> 2), np.asarray(spare, dtype=np.int32).ravel()])
    pieces = tiles[tiles != EMPTY]
    if np.unique(cells).size < cells.size or np.unique(pieces).size < pieces.size:
        raise ValueError("cells or pieces of a region are named twice")
    if tiles.size > TILES_MAX:
        raise ValueError(f"a region may have up to {TILES_MAX} pieces and empty places (this one has {tiles.size})")
    return tiles


class _Tree:
    """The tables and the state of one search, see `exact_kernels`."""

    def __init__(
        self, instance: Instance, board: Board, cells: NDArray[np.int32], tiles: NDArray[np.int32], upper: int
    ) -> None:
        size, none = cells.size, instance.colours
        placements = 4 * tiles[:, None] + np.arange(4)
        piece_sides = np.where((tiles < 0)[:, None, None], none, instance.sides[placements]).astype(np.int16)
        if instance.framed:
            piece_sides[piece_sides == 0] = none
        allowed = instance.fits[placements[:, :, None], cells]
        allowed[tiles < 0] = (np.arange(4) == 0)[:, None]
        kind = np.arange(none + 1, dtype=np.int32)
        if instance.rules.signed:  # turned sides change between the two codes of a colour, see `Instance.sides`
            kind[1:none] = (kind[1:none] + 1) // 2
        order = np.empty(size, dtype=np.int32)
        links = np.empty((size, 4), dtype=np.int32)
        colours = np.empty((size, 4), dtype=np.int32)
        fitting = np.empty((size, 4), dtype=np.uint64)
        masks = np.empty((4, none + 1, 4), dtype=np.uint64)
        supply, demand = np.empty((2, size + 1, none + 1), dtype=np.int32)
        open_joints, inner_joints = np.empty((2, size + 1), dtype=np.int64)
        prepare(
            cells, np.array(board), instance.neighbours, instance.sides, piece_sides.reshape(-1, 4), kind,
            allowed.reshape(-1, size), none, order, links, colours, fitting, masks, supply, demand,
            open_joints, inner_joints,
        )  # fmt: skip
        self.cells, self.tiles = cells[order], tiles
        bits = np.uint64(1) << np.arange(tiles.size, dtype=np.uint64)
        available = np.zeros(size, dtype=np.uint64)
        available[0] = np.bitwise_or.reduce(bits)
        self._best = np.empty(size, dtype=np.int32)
        self._control = np.zeros(STATE_SIZE, dtype=np.int64)
        self._control[DEPTH], self._control[UPPER] = -1, upper
        self._forbidden = self._filling(board)
        dummies = np.bitwise_or.reduce(bits[tiles < 0], initial=np.uint64(0))
        self._state = (
            links, colours, fitting, masks, dummies, piece_sides.reshape(-1, 4), kind, open_joints, inner_joints,
            supply, demand, np.empty((size, 5, 4), dtype=np.uint64), available, np.zeros(size, dtype=np.int64),
            np.zeros((size, 4), dtype=np.int32), np.zeros(size, dtype=np.int32),
        )  # fmt: skip

    @property
    def upper(self) -> int:
        """Cost of the best refill found, or the limit that it has to beat."""
        return int(self._control[UPPER])

    @property
    def nodes(self) -> int:
        """Candidates tried so far."""
        return int(self._control[NODES])

    def search(self, first: bool, node_limit: int | None, interrupt: Callable[[], bool]) -> RegionStatus:
        """Run to the end of the tree, the first board, the node limit or the interrupt."""
        forbidden = self._forbidden if first else np.full_like(self._forbidden, -1)
        while not interrupt():
            left = CHUNK if node_limit is None else min(CHUNK, node_limit - self.nodes)
            if left <= 0:
                break
            done = search(left, first, forbidden, *self._state, self._best, self._control)
            if done:
                return RegionStatus.FOUND if done == 2 else RegionStatus.OPTIMAL
        return RegionStatus.LIMIT

    def refilled(self, board: Board) -> Board:
        """A copy of the board with the best refill."""
        result = board.copy()
        tile = self.tiles[self._best >> 2]
        result[self.cells] = np.where(tile < 0, EMPTY, 4 * tile + (self._best & 3))
        return result

    def _filling(self, board: Board) -> NDArray[np.int32]:
        """Present filling of the region, encoded as in `best`; empty places in the order in which they are tried."""
        lying = board[self.cells]
        piece = np.where(lying < 0, EMPTY, lying >> 2)
        filling = np.empty(lying.size, dtype=np.int32)
        empties = iter(np.flatnonzero(self.tiles < 0).tolist())
        where = {int(tile): place for place, tile in enumerate(self.tiles) if tile >= 0}
        for depth, tile in enumerate(piece.tolist()):
            filling[depth] = 4 * next(empties) if tile < 0 else 4 * where[tile] + (int(lying[depth]) & 3)
        return filling
