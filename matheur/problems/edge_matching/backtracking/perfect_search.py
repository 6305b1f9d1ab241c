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
        Whether lines that cannot be filled are left out where they begin.

    Attributes
    ----------
    board
        The last board that was found, None before.

    Raises
    ------
    ConfigurationError
        The puzzle or the order is none of those of `layer_tables`, or it has more free pieces than words have bits.
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
        """Placements so far."""
        return self._walk.nodes

    @property
    def exhausted(self) -> bool:
        """Whether there is no other board than those found."""
        return not self._whole and self._shown == self._found and (self._walk.ended or self._walk.cells == 0)

    def advance(self, nodes: int) -> bool:
        """Make up to `nodes` more placements, or some thousand more; True as soon as there is another board."""
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
    """All perfect boards, counted one by one, and the placements that this took: an oracle for small puzzles.

    The four turns of a solution of a square puzzle are four boards. Each board is shown to `look`. Puzzles that
    `layer_tables` takes are searched many boards at a time, several times as fast, and with `look_ahead` with fewer
    placements than a plain scan, as lines that cannot be filled are left out where they begin.

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
    """By the slip backtracker without slips."""
    search = planned_search(instance, Plan(order, total=0, opening=1.0, restart=None), np.random.default_rng(0))
    boards = 0
    while not search.exhausted and not search.mismatches:
        if search.advance(1 << 40) and search.board is not None:
            boards += 1
            look(search.board)
            search.done, search.slips = False, 1  # go on behind a perfect board
    return boards, search.nodes
