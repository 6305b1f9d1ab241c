"""All perfect boards of an edge-matching puzzle: an oracle for small puzzles."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.problems.edge_matching.backtracking.plan import Plan
from matheur.problems.edge_matching.backtracking.search import planned_search
from matheur.problems.edge_matching.backtracking.walks.layered import LayerWalk, layer_tables
from matheur.problems.edge_matching.instance import Board, Instance

__all__ = ["PerfectSearch", "count_boards"]

_UNLIMITED = 1 << 62


class PerfectSearch:
    """Exhaustive search for boards without any mismatch, many partial boards at a time, in slices.

    Parameters
    ----------
    order
        Cells by rows, by columns or as a comb.
    look_ahead
        Whether to drop partial boards at the beginning of a line that cannot be filled.

    Attributes
    ----------
    board
        Last board found; None before.

    Raises
    ------
    ConfigurationError
        If `layer_tables` does not accept the puzzle or the order, or there are more free pieces than bits in a word.
    """

    def __init__(self, instance: Instance, order: NDArray[np.int64], look_ahead: bool = True) -> None:
        tables = layer_tables(instance, order, look_ahead)
        if tables is None or not tables.whole:
            raise ConfigurationError("this puzzle, or this order, does not fit in the words of the layered backtracker")
        self._walk = LayerWalk(tables)
        self._walk.begin(np.zeros(0, dtype=np.int64), np.random.default_rng(0))
        self._none = np.zeros(self._walk.cells + 1, dtype=np.int64)  # neither mismatches nor a quota
        self._shown = self._found = 0
        self._whole = self._walk.cells == 0
        self.board: Board | None = None

    @property
    def nodes(self) -> int:
        """Number of placements so far."""
        return self._walk.nodes

    @property
    def exhausted(self) -> bool:
        """True if there is no board other than those found."""
        return not self._whole and self._shown == self._found and (self._walk.ended or self._walk.cells == 0)

    def advance(self, nodes: int) -> bool:
        """Make `nodes` more placements, or up to some thousand above that; True as soon as another board is found."""
        if self._whole:
            self._whole, self.board = False, self._walk.fixed.copy()
            return True
        if self._shown == self._found and not self.exhausted:
            self._walk.advance(self.nodes + nodes, self._none, self._none)
            self._shown, self._found = 0, self._walk.found
        if self._shown == self._found:
            return False
        self.board = self._walk.full(self._shown)
        self._shown += 1
        return True


def count_boards(
    instance: Instance,
    order: NDArray[np.int64] | None = None,
    look: Callable[[Board], object] = lambda _: None,
    look_ahead: bool = True,
) -> tuple[int, int]:
    """Number of perfect boards, counted one by one, and of placements made: an oracle for small puzzles.

    The four turns of a solution of a square puzzle count as four boards. Each board is passed to `look`. Puzzles that
    `layer_tables` accepts are searched many boards at a time, which is several times as fast. With `look_ahead`, this
    takes fewer placements than a plain scan, because lines that cannot be filled are dropped where they begin.

    Examples
    --------
    >>> from matheur.problems.edge_matching import generate
    >>> count_boards(generate(3, 3, seed=1)[0])[0]
    8
    """
    order = np.arange(instance.cells) if order is None else order
    try:
        search = PerfectSearch(instance, order, look_ahead)
    except ConfigurationError:
        return _count_one_by_one(instance, order, look)
    boards = 0
    while not search.exhausted:
        if search.advance(_UNLIMITED - search.nodes) and search.board is not None:
            boards += 1
            look(search.board)
    return boards, search.nodes


def _count_one_by_one(instance: Instance, order: NDArray[np.int64], look: Callable[[Board], object]) -> tuple[int, int]:
    """Count with the slip backtracker, without slips."""
    search = planned_search(instance, Plan(order, total=0, opening=1.0, restart=None), np.random.default_rng(0))
    boards = 0
    while not search.exhausted and not search.mismatches:
        if search.advance(1 << 40) and search.board is not None:
            boards += 1
            look(search.board)
            search.done, search.slips = False, 1  # continue after a perfect board
    return boards, search.nodes
