"""Perfect boards by quotas of many sets of rare colours, all as strict as leaves trees of one size."""

from __future__ import annotations

import math
from heapq import heapify, heapreplace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.layer_walk import LayerWalk, layer_tables
from matheur.problems.edge_matching.backtracking.slip_schedule import LATER, exhaustion_curve, rare_sets
from matheur.problems.edge_matching.backtracking.slip_tables import fill_order
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance

__all__ = ["PerfectRounds", "QuotaTree", "perfect_rounds", "scan_walks"]

_STRICTEST = 0.96
CURVE = LATER
_SCANS = ("rows", "columns")
_SETS = 10_000  # all of them
_FAMILIES = ((3, 3), (1, 2))  # colours of the frame and others of a set
_GROWTH = 4.0  # how many times as large the next tree should be
_WHOLE = 100_000_000  # placements that are tried without a quota first, which is all of a small puzzle
_SMALL = 1_000_000  # placements of a tree whose growth tells nothing yet
_STEP_MIN, _STEP_MAX = 0.0025, 0.03


class QuotaTree:
    """All boards without a mismatch that a quota of some colours allows; then all that a weaker one does, and so on.

    A tree uses its walk alone from where it begins a quota to the end of it.

    Parameters
    ----------
    colours
        That are spent first; none for no quota.

    Attributes
    ----------
    strength
        What the quota asks for now; see `exhaustion_curve`. 0 for all boards.
    size
        Placements of the last quota that was tried to its end, 0 before there is one.
    whole
        Whether that were all boards.
    nodes
        Placements of all of them so far.
    """

    def __init__(self, instance: Instance, walk: LayerWalk, colours: NDArray[np.int64], rng: Generator) -> None:
        self._instance, self._colours, self._rng = instance, colours, rng
        self.walk = walk
        self.strength = _STRICTEST if colours.size else 0.0
        self.size = self.nodes = 0
        self.whole = False
        self._step = _STEP_MAX
        self._left: list[int | None] = []
        self._allowed = np.zeros(walk.cells + 1, dtype=np.int64)
        self._begin()

    def _begin(self) -> None:
        offset = self._instance.cells - self.walk.cells
        quota = exhaustion_curve(self._instance, self._colours, self._instance.cells, self.strength, CURVE)
        self._quota = quota[offset:]
        self._left = list(self.walk.beginnings) or [None]
        self._begun = self.nodes
        self._running = False

    def advance(self, nodes: int) -> bool:
        """Make up to so many more placements, or some thousand more; True when the quota was tried to its end.

        Full boards are at `walk.found` and `walk.full`; the next call goes on behind them.
        """
        end = self.nodes + nodes
        while self.nodes < end:
            if not self._running:
                self.walk.begin(self._colours, self._rng, self._left.pop())
                self._running = True
            before = self.walk.nodes
            self.walk.advance(before + end - self.nodes, self._allowed, self._quota - self.walk.sides)
            self.nodes += self.walk.nodes - before
            if self.walk.ended:
                self._running = False
                if not self._left:
                    self._weaken()
                    return True
            if self.walk.found:
                return False
        return False

    def _weaken(self) -> None:
        """Ask for so much less as should make the tree some times as large."""
        before, self.size = self.size, self.nodes - self._begun
        self.whole = self.whole or self.strength <= 0
        if before >= _SMALL and self.size > before:
            self._step *= math.log(_GROWTH) / math.log(self.size / before)
        elif self.size >= _SMALL:
            self._step /= 2
        self._step = min(max(self._step, _STEP_MIN), _STEP_MAX)
        self.strength = max(0.0, self.strength - self._step)
        self._begin()


class PerfectRounds:
    """Goes from one set of colours to the next, each by rows and by columns: the one with the smallest tree is next.

    Before, it tries so much without a quota as would be all of a small puzzle.

    How likely a perfect board is to lie in a tree goes by the placements of it, whatever the colours, and falls for
    each placement as trees become larger (decision 66).

    Parameters
    ----------
    job
        Number of this search and how many there are, which divide the trees.
    families
        How many colours of the frame and how many others a set has: the first of these that leaves some of each, else
        the last.

    Attributes
    ----------
    board
        A perfect board, None before there is one.
    nodes
        Placements so far.
    done
        Whether there is one, or none.
    exhausted
        Whether there is none.
    deepest
        The most cells that were ever filled.
    """

    given_up = None

    def __init__(
        self,
        instance: Instance,
        walks: list[LayerWalk],
        rng: Generator,
        job: tuple[int, int] = (0, 1),
        families: tuple[tuple[int, int], ...] = _FAMILIES,
    ) -> None:
        sets = _sets(instance, families)
        every = [QuotaTree(instance, walk, colours, rng) for colours in sets for walk in walks]
        self._first: QuotaTree | None = QuotaTree(instance, walks[0], np.zeros(0, dtype=np.int64), rng)
        number, jobs = job[0], min(job[1], len(every))
        self._queue = [(0, place, tree) for place, tree in enumerate(every[number % jobs :: jobs])]
        heapify(self._queue)
        self._offset = instance.cells - walks[0].cells
        self.nodes = 0
        self.board: Board | None = None
        self.done = self.exhausted = False
        self.deepest, self._fullest = 0, np.full(instance.cells, EMPTY, dtype=np.int32)

    @property
    def slips(self) -> int:
        """Mismatches of the board, 1 before there is one."""
        return int(self.board is None)

    def demand(self, slips: int) -> None:
        """Look for boards of fewer mismatches than so many: perfect ones are all that it looks for."""
        self.done = self.done or slips <= 0

    def partial(self) -> Board:
        """The fullest board so far."""
        return self._fullest.copy()

    def advance(self, nodes: int) -> bool:
        """Make up to so many more placements, or some thousand more; True when there is a perfect board."""
        end = self.nodes + nodes
        while self.nodes < end and not self.done:
            tree = self._first or self._queue[0][-1]
            before = tree.nodes
            ended = tree.advance(end - self.nodes)
            self.nodes += tree.nodes - before
            if tree.walk.deepest + self._offset > self.deepest:
                self.deepest, self._fullest = tree.walk.deepest + self._offset, tree.walk.fullest()
            if tree.walk.found:
                self.board, self.done = tree.walk.full(0), True
            elif self._first is not None:
                self.done = self.exhausted = tree.whole
                if tree.nodes >= _WHOLE:
                    self._first = None
            elif ended:
                heapreplace(self._queue, (tree.size, self._queue[0][1], tree))
                self.done = self.exhausted = tree.whole
        return self.board is not None


def _sets(instance: Instance, families: tuple[tuple[int, int], ...]) -> list[NDArray[np.int64]]:
    """All sets of a family; one without colours where the puzzle has none."""
    for frame, inside in families:
        sets = rare_sets(instance, _SETS, frame, inside)
        if len({tuple(sorted(colours[:frame])) for colours in sets}) > 1:  # not all colours of the frame
            return sets
    return sets or [np.zeros(0, dtype=np.int64)]


def scan_walks(instance: Instance, scans: tuple[str, ...] = _SCANS) -> list[LayerWalk]:
    """Walks of an empty board, or of one with hints, by rows and by columns; none where the puzzle is too large."""
    orders = (fill_order(instance.rows, instance.columns, scan) for scan in scans)
    tables = [layer_tables(instance, order) for order in orders]
    return [LayerWalk(one) for one in tables if one is not None and one.whole]


def perfect_rounds(instance: Instance, rng: Generator, job: tuple[int, int] = (0, 1)) -> PerfectRounds | None:
    """A search for perfect boards, None where the puzzle is too large for it."""
    walks = scan_walks(instance)
    return PerfectRounds(instance, walks, rng, job) if walks and walks[0].cells else None
