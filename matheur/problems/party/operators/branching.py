"""Branch and bound over the values of traits: it branches on the league in a slot rather than on the item."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.party.operators.lagrangian import Lagrangian, Subproblem
from matheur.problems.party.operators.reduction import affordable

__all__ = ["BranchOptions", "Tree"]

Party = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class BranchOptions:
    """How subproblems are bounded and split.

    Attributes
    ----------
    steps, effort
        Minimum and maximum number of dual steps in each of the two stages that bound a subproblem, and target number of
        reduced costs computed in a stage. Within the limits, small subproblems get more steps.
    share
        Minimum share of a slot from which a value becomes a subproblem of its own; the other values stay together.
    enumeration
        Maximum number of steps of the enumeration near the dual point, which finds parties and closes small
        subproblems.
    """

    steps: tuple[int, int] = (150, 2_000)
    effort: int = 1_000_000
    share: float = 0.2
    enumeration: int = 2_000


class Tree:
    """Open subproblems of a puzzle, in best-first order.

    The gap of the relaxation comes from mixing whole parties: half of each slot from one league, half from another.
    Fixing the league in a slot breaks up the mixture, also for the slot's neighbours.

    Parameters
    ----------
    lagrangian
        The dual of the puzzle.
    evaluate
        Function that returns the price of a party, or None if it is not feasible.
    price_max
        Largest price of the parties sought.
    options
        Options for bounding and splitting; the defaults if None.
    root
        All choices with good duals, if already known.

    Attributes
    ----------
    best, price
        Best party found, and its price; None if there is none.
    price_max
        Largest price of the parties sought: at most one step below the price of the best party found.
    expanded
        Number of subproblems bounded.
    work
        Number of reduced costs computed plus enumeration steps.
    nbytes
        Size of the open subproblems in bytes.
    """

    def __init__(
        self,
        lagrangian: Lagrangian,
        evaluate: Callable[[Party], int | None],
        price_max: int,
        options: BranchOptions | None = None,
        root: Subproblem | None = None,
    ) -> None:
        self.lagrangian: Lagrangian = lagrangian
        self.evaluate: Callable[[Party], int | None] = evaluate
        self.price_max = price_max
        self.options: BranchOptions = BranchOptions() if options is None else options
        self.best: Party | None = None
        self.price: int | None = None
        self.expanded = self.work = 0
        self._heap: list[tuple[float, int, Subproblem]] = []
        self._count = 0
        self.nbytes = 0
        self._rooted = False
        self._importance = _importance(lagrangian)
        if root is not None:
            self._begin_with(root)

    def _begin_with(self, root: Subproblem) -> None:
        self._rooted = True
        self._push(root.bound, root)

    @property
    def closed(self) -> bool:
        """Whether the search is complete: no further party costs at most `price_max`."""
        self._prune()
        return self._rooted and not self._heap

    @property
    def bound(self) -> int:
        """Lower bound of the price of any party, except for parties that are known to cost more than `price_max`."""
        beyond = self.price_max + self.lagrangian.step
        if not self._rooted:
            return self.lagrangian.base
        self._prune()
        return min(beyond, self.lagrangian.round_up(self._heap[0][0])) if self._heap else beyond

    def lower(self, price_max: int) -> None:
        """Seek only parties that cost at most this price from now on."""
        self.price_max = min(self.price_max, price_max)

    def begin(self, interrupt: Callable[[], bool] = lambda: False) -> None:
        """Bound the whole puzzle; after an interruption, the next call starts from the beginning."""
        root = self.lagrangian.root(interrupt=interrupt, enough=self._enough)
        if not interrupt():
            self._begin_with(root)

    def expand(self) -> None:
        """Tighten the bound of the most promising subproblem, and split it unless this closes it."""
        self._prune()
        if not self._heap:
            return
        _, _, node = heapq.heappop(self._heap)
        self.nbytes -= node.nbytes
        self.expanded += 1
        gap = self.price_max - node.bound
        gap = max(min(gap, 0.25 * (abs(node.bound) + self.lagrangian.step)), 1e-3 * self.lagrangian.step)
        for heat in (gap / 250, gap / 800):
            node = self._climb(node, heat, gap)
            if node.bound > self._enough:
                return
        node = affordable(self.lagrangian, node, self.price_max)
        if node.empty:
            return
        bound = self.lagrangian.price_out(node)
        # Enough for one choice in every slot, so that every branch of the tree ends.
        steps = max(self.options.enumeration, 2 * self.lagrangian.slots)
        parties, made, complete = self.lagrangian.enumerate(node, bound, self._enough, self.price_max, steps)
        self.work += made + len(node.open)
        for party in parties:
            self._consider(party)
        if not complete and node.bound <= self._enough:
            self._split(node, bound, gap / 400)

    @property
    def _enough(self) -> float:
        return self.price_max + self.lagrangian.tolerance(self.price_max)

    def _climb(self, node: Subproblem, heat: float, gap: float) -> Subproblem:
        low, high = self.options.steps
        steps = max(low, min(high, self.options.effort // len(node.open)))
        self.work += steps * len(node.open)
        return self.lagrangian.improve(
            node, steps=steps, heat=heat, rate=heat / 2, enough=self._enough, least_gain=gap / 2000
        )

    def _consider(self, party: Party) -> None:
        price = self.evaluate(party) if self._price(party) <= self.price_max else None
        if price is not None:
            self.best, self.price = party, price
            self.lower(price - self.lagrangian.step)

    def _price(self, party: Party) -> int:
        return int(self.lagrangian.instance.costs[party].sum())

    def _push(self, bound: float, node: Subproblem) -> None:
        if bound <= self._enough and not node.empty:
            self._count += 1
            heapq.heappush(self._heap, (bound, self._count, node))
            self.nbytes += node.nbytes

    def _prune(self) -> None:
        """Drop all open subproblems if none can contain a party that costs at most `price_max`."""
        if self._heap and self._heap[0][0] > self._enough:
            self._heap.clear()
            self.nbytes = 0

    def _split(self, node: Subproblem, bound: float, heat: float) -> None:
        """Create one subproblem for each frequent value of a trait in a slot, and one for all other values."""
        dual, heat = self.lagrangian, max(heat, 1e-9)
        above = dual.above(node)
        spread = dual.spread(node, heat)
        score = (1.0 - spread[:, :, 0]) * spread[:, :, 1] * self._importance[:, None]
        score[spread[:, :, 2] < 2] = 0.0
        if score.size and score.max() > 0.02:
            slot, column = divmod(int(np.argmax(score)), score.shape[1])
            part = slice(node.first[slot], node.first[slot + 1])
            codes = dual.static.codes[node.open[part], column]
        else:
            slot = self._undecided(node, above)
            part = slice(node.first[slot], node.first[slot + 1])
            codes = np.where(np.arange(part.stop - part.start) == np.argmin(above[part]), 0, 1)
        share = np.exp(-above[part] / heat)
        values, number = np.unique(codes, return_inverse=True)
        mass = np.bincount(number, share / share.sum())
        alone = np.argsort(-mass, kind="stable")[:6]
        alone = alone[(mass[alone] >= self.options.share) | (alone == alone[0])]
        group = np.full(len(values), len(alone))
        group[alone] = np.arange(len(alone))
        for one in range(len(alone) + (len(alone) < len(values))):
            kept = np.ones(len(node.open), dtype=bool)
            kept[part] = group[number] == one
            least = bound + float(above[part][kept[part]].min())
            self._push(max(node.bound, least), dual.restrict(node, kept, max(node.bound, least)))

    def _undecided(self, node: Subproblem, above: NDArray[np.float64]) -> int:
        """Return the slot whose second-best choice is closest to its best one."""
        found, least = 0, np.inf
        for slot in range(self.lagrangian.slots):
            part = above[node.first[slot] : node.first[slot + 1]]
            if len(part) > 1 and (second := float(np.partition(part, 1)[1])) < least:
                found, least = slot, second
        return found


def _importance(lagrangian: Lagrangian) -> NDArray[np.float64]:
    """Weight of each slot for branching: slots with more neighbours are more important."""
    degree = np.bincount(lagrangian.instance.edges.ravel(), minlength=lagrangian.slots)
    return np.asarray(1.0 + degree / max(1.0, float(degree.mean()) * 2.0))
