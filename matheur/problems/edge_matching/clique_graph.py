"""Edge-matching puzzles as maximum clique (Salassa et al. 2017, section 2.2).

A vertex is a placement in a cell. Two vertices are adjacent unless they conflict: the same piece, the same cell, or
neighbouring cells with different colours on the common edge. A clique with one vertex per cell is a perfect board. The
graph is built from the instance's arrays, complement first, for a whole board or for a region of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.methods.clique.graph import ENTRIES_MAX, Graph, check_size
from matheur.problems.edge_matching.clique_nodes import place
from matheur.problems.edge_matching.instance import DOWN, EMPTY, LEFT, RIGHT, UP, Board, Hint, Instance

__all__ = ["PlacementGraph", "build", "to_board"]

_COMPARISONS = 1 << 24  # per kernel call


@dataclass(frozen=True, eq=False, slots=True)
class PlacementGraph:
    """A graph of placements, with the placement of each vertex.

    Attributes
    ----------
    graph
        The graph; vertices are sorted by cell, then piece, then rotation.
    piece, cell, rotation
        int32 arrays by vertex, 0-based, in the conventions of the instance.
    cells
        Cells that the graph covers, ascending. Their number is an upper bound on the size of a clique.
    """

    graph: Graph
    piece: NDArray[np.int32]
    cell: NDArray[np.int32]
    rotation: NDArray[np.int32]
    cells: NDArray[np.int32]

    def to_networkx(self) -> Any:
        """The graph as a `networkx.Graph` whose nodes have the attributes `piece`, `cell` and `rotation`."""
        found = self.graph.to_networkx()
        for name in ("piece", "cell", "rotation"):
            for vertex, value in enumerate(getattr(self, name).tolist()):
                found.nodes[vertex][name] = value
        return found


def build(
    instance: Instance,
    *,
    cells: Sequence[int] | NDArray[np.integer] | None = None,
    board: Board | None = None,
    pieces: Sequence[int] | NDArray[np.integer] | None = None,
    hints: Sequence[Hint] = (),
    entries_max: int = ENTRIES_MAX,
) -> PlacementGraph:
    """The clique graph of a board, or of a region of one.

    Parameters
    ----------
    cells
        Cells of the region; all cells if None.
    board
        Board around the region: placements that mismatch a neighbour outside are left out. None and empty cells
        restrict nothing.
    pieces
        Pieces that may be used; if None, those that do not lie outside the region.
    hints
        Pieces that must lie in given cells, in addition to the instance's own hints. The graphs of Salassa et al.
        (table 1) fix the first piece in the top-left corner: `hints=[Hint(cell=0, piece=0)]`.
    entries_max
        Maximum number of entries of the complement.

    Raises
    ------
    MatheurError
        If the complement would have more than `entries_max` entries; this is checked before memory is allocated.

    Notes
    -----
    Time and memory are determined by the complement: 4,500 conflicts per vertex on a 16 x 16 board of 22 colours,
    2.8 GB in total. A 6 x 6 window takes a few milliseconds.
    """
    region = np.unique(np.arange(instance.cells) if cells is None else np.asarray(cells, dtype=np.int64))
    if region.size and not (region[0] >= 0 and region[-1] < instance.cells):
        wrong = region[0] if region[0] < 0 else region[-1]
        raise ValueError(f"no such cell ({wrong}); they are 0 to {instance.cells - 1}")
    inside = np.zeros(instance.cells, dtype=bool)
    inside[region] = True
    outside = np.full(instance.cells, EMPTY, dtype=np.int32) if board is None else np.where(inside, EMPTY, board)
    if pieces is None:
        available = np.ones(instance.cells, dtype=bool)
        available[outside[outside != EMPTY] >> 2] = False
    else:
        available = np.zeros(instance.cells, dtype=bool)
        available[np.asarray(pieces, dtype=np.int64)] = True

    allowed = instance.fits[:, region] & np.repeat(available, 4)[:, None]
    for hint in hints:
        place = np.flatnonzero(region == hint.cell)
        kept = allowed[4 * hint.piece : 4 * hint.piece + 4, place].copy()
        if hint.rotation is not None:
            kept &= (np.arange(4) == hint.rotation)[:, None]
        allowed[:, place] = False
        allowed[4 * hint.piece : 4 * hint.piece + 4, :] = False
        allowed[4 * hint.piece : 4 * hint.piece + 4, place] = kept
    for side in range(4):
        other = instance.neighbours[region, side]
        lies = np.where(other >= 0, outside[other], EMPTY)
        asks = np.flatnonzero(lies != EMPTY)
        wanted = instance.sides[lies[asks], (side + 2) % 4]
        allowed[:, asks] &= instance.sides[:, [side]] == wanted[None, :]

    position, placement = np.nonzero(allowed.T)
    cell, piece = region[position].astype(np.int32), (placement >> 2).astype(np.int32)
    graph = _conflict_graph(instance, cell, piece, instance.sides[placement], entries_max)
    return PlacementGraph(graph, piece, cell, (placement & 3).astype(np.int32), region.astype(np.int32))


def _conflict_graph(
    instance: Instance,
    cell: NDArray[np.int32],
    piece: NDArray[np.int32],
    side: NDArray[np.int16],
    entries_max: int,
) -> Graph:
    # Numba is imported where it is used, to keep importing the package cheap.
    from matheur.problems.edge_matching.clique_graph_kernels import count_conflicts, fill_conflicts

    n = len(cell)
    first = np.searchsorted(cell, np.arange(instance.cells + 1)).astype(np.int64)
    piece_nodes = np.argsort(piece, kind="stable").astype(np.int32)
    piece_first = np.searchsorted(piece[piece_nodes], np.arange(instance.cells + 1)).astype(np.int64)
    order = np.array([UP, LEFT, RIGHT, DOWN])  # ascending cells, so that rows come out sorted
    touching = np.ascontiguousarray(instance.neighbours[:, order])
    touching_side = np.broadcast_to(order, touching.shape).astype(np.int32)
    tables = (cell, piece, np.ascontiguousarray(side), first, piece_first, piece_nodes, touching, touching_side)

    # Portions of some milliseconds, so that a request to stop takes effect.
    dearest = 5 * int(np.diff(first).max(initial=0)) + int(np.diff(piece_first).max(initial=0))
    step = max(1, _COMPARISONS // max(1, dearest))
    ptr, entries = np.zeros(n + 1, dtype=np.int64), 0
    for begin in range(0, n, step):
        end = min(n, begin + step)
        count_conflicts(begin, end, *tables, ptr[1:])
        entries += int(ptr[begin + 1 : end + 1].sum())
        check_size(n, entries, entries_max=entries_max, counted=end == n)
    np.cumsum(ptr, out=ptr)
    idx = np.empty(ptr[-1], dtype=np.int32)
    for begin in range(0, n, step):
        fill_conflicts(begin, min(n, begin + step), *tables, ptr, idx)
    return Graph(ptr, idx)


def to_board(
    placements: PlacementGraph,
    vertices: Sequence[int] | NDArray[np.integer],
    board: Board,
) -> Board:
    """The board of a clique: a copy of `board` in which the covered cells hold only the placements of the clique.

    Raises
    ------
    ValueError
        If two vertices share a cell or a piece, or a piece already lies elsewhere on the board.
    """
    chosen = np.asarray(vertices, dtype=np.int64)
    rest = np.array(board, dtype=np.int32)
    rest[placements.cells] = EMPTY
    return place(rest, placements.cell[chosen], placements.piece[chosen], placements.rotation[chosen])
