"""The loop of a search, in slices: take tasks from a source, walk them, keep full boards, report to the source."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.allowances import Allowances
from matheur.problems.edge_matching.backtracking.plan import Plan
from matheur.problems.edge_matching.backtracking.quotas import quota_end
from matheur.problems.edge_matching.backtracking.slip_tables import SlipTables, fill_order
from matheur.problems.edge_matching.backtracking.sources.adaptive import Adaptive
from matheur.problems.edge_matching.backtracking.sources.by_size import FAMILIES, BySize
from matheur.problems.edge_matching.backtracking.sources.sampled import Sampled
from matheur.problems.edge_matching.backtracking.tasks import End, Outcome, Source, Task
from matheur.problems.edge_matching.backtracking.walk import Walk
from matheur.problems.edge_matching.backtracking.walks.layered import LayerWalk, layer_tables
from matheur.problems.edge_matching.backtracking.walks.single import SlipWalk
from matheur.problems.edge_matching.backtracking.walks.staged import StagedWalk
from matheur.problems.edge_matching.instance import Board, Instance

__all__ = ["Search", "perfect_search", "planned_search", "planned_tasks", "scan_walks"]

_UNFILLED = 6  # starts that pass the quota but fill no board, before more mismatches are allowed
_SCANS = ("rows", "columns")


class Search:
    """Carries out the tasks of a source; its behaviour depends on the placements made, not on the slices.

    After each full board, fewer mismatches than it has are allowed. If no board is filled, more are allowed.

    Parameters
    ----------
    source
        Source of the tasks.
    walks
        Walks that tasks refer to by number, all with the same number of cells.
    plan
        Number of mismatches allowed, and where: `total`, `opening`, `settling`, `schedule`, `restart`. With a
        `restart` of None, never more than `total` are allowed.

    Attributes
    ----------
    source, walks
        As given.
    task
        Current task; None while the source chooses it.
    walk
        Walk of the current task.
    board
        Last full board that was better; None before.
    slips
        Mismatches of `board`; before, the allowance plus one. Only boards with fewer mismatches count.
    full
        Number of boards filled.
    given_up
        Fullest board of the last start that passed the quota but was stopped.
    done
        True once the last board has no mismatches beyond those of fixed pieces with each other, or there is no other
        board within the allowances.
    exhausted
        True once it is known that there is no perfect board, or none other than those found.
    mismatches
        Mismatches of fixed pieces with each other, which every board has.
    """

    def __init__(self, instance: Instance, source: Source, walks: Sequence[Walk], plan: Plan, rng: Generator) -> None:
        self._instance, self._rng, self._relaxing = instance, rng, plan.restart is not None
        self.source, self.walks, self.walk = source, walks, walks[0]
        self._offset = instance.cells - self.walk.cells  # cells fixed from the start count as filled
        self._mark = int(quota_end(instance.cells) * instance.cells)
        self._allowances = Allowances(plan, instance.cells, self.walk.try_cost, self.walk.try_follows)
        self._spent = self._tried = 0  # placements and tries before this task
        self._fullest, self._most = self.walk.fixed.copy(), 0
        self._unfilled = self.full = 0
        self._demanded = False
        self.board: Board | None = None
        self.mismatches = self.walk.mismatches
        self.slips = max(plan.total, self.mismatches) + 1
        self.given_up: Board | None = None
        self.done = self.exhausted = False
        self.task: Task | None = None
        self._begin()

    @property
    def nodes(self) -> int:
        """Number of placements so far."""
        return self._spent + self.walk.nodes

    @property
    def deepest(self) -> int:
        """Largest number of cells filled so far."""
        return max(self._most, self.walk.deepest) + self._offset

    @property
    def opening(self) -> float:
        """Share of the board from which the curve of allowances permits mismatches now."""
        return self._allowances.opening

    @property
    def only_perfect(self) -> bool:
        """True if only boards without mismatches, apart from those of fixed pieces, would be better.

        No framed board has a single mismatch if every colour has an even number of sides: it would leave two colours
        with an odd number.
        """
        plain = self._instance.framed and not self._instance.rules.signed
        even = plain and not (np.bincount(self._instance.pieces.ravel())[1:] % 2).any()
        return self.slips <= self.mismatches + 1 + even

    @property
    def _beyond(self) -> bool:
        """Whether this start has passed the quota."""
        return self.walk.deepest + self._offset >= self._mark

    def partial(self) -> Board:
        """The fullest board so far."""
        self._keep_fullest()
        return self._fullest.copy()

    def demand(self, slips: int) -> None:
        """Look only for boards with fewer than `slips` mismatches from now on, even if no board is filled."""
        if slips < self.slips:
            self.slips, self._demanded, self.done = slips, True, slips <= self.mismatches
            self._allowances.renew()
            self._allow()

    def advance(self, nodes: int) -> bool:
        """Make up to `nodes` more placements; True as soon as a full board has fewer mismatches than the last one.

        Layered walks may make some thousand more.
        """
        end = self.nodes + nodes
        while not self.done and self.nodes < end:
            if self.task is None:
                self._begin()
                return False
            limit, pause = self._limit(self.task), self._allowances.pause
            pauses = [one - self._spent for one in (end, pause) if one is not None]
            self.walk.advance(min(pauses) if limit is None else min(limit, *pauses), self._allowed, self._quota)
            if pause is not None and self.nodes >= pause:
                self._allowances.look(self.nodes, self._tried + self.walk.tries)
                self._allow()
            if self.walk.found:
                if self._take():
                    return True
            elif self.walk.ended:
                self._end(End.TRIED)
            elif self.walk.stuck:
                self._end(End.STUCK)
            elif limit is not None and self.walk.nodes >= limit:
                self._judge(self.task, limit)
        if self.task is not None and self.task.in_slices and self.walk.nodes >= (self.task.limit or self.nodes + 1):
            self._end(End.STOPPED)
        return False

    def _limit(self, task: Task) -> int | None:
        """Placements after which this start is judged."""
        limits = (self._longest(task), None if self._entered else task.patience)
        return min((limit for limit in limits if limit is not None), default=None)

    def _longest(self, task: Task) -> int | None:
        """Placements after which this start ends."""
        if task.trial is not None and self.board is None and not self._demanded:
            return task.trial
        return None if task.in_slices else task.limit

    def _judge(self, task: Task, limit: int) -> None:
        """At the limit of placements, continue if the start has passed the quota and may be longer; else end it."""
        if limit == self._longest(task) or not self._beyond:
            self._end(End.STOPPED)
        else:
            self._entered = True

    def _begin(self) -> None:
        """Begin the next task, if it is known, with equally good candidates in another order."""
        self.task = self.source.next()
        if self.task is None:
            return
        self._keep_fullest()
        self._spent += self.walk.nodes
        self._tried += self.walk.tries
        self._entered = False  # whether this start was continued after passing the quota
        self.walk = self.walks[self.task.walk]
        self.walk.begin(self.task.quota.spent, self._rng, self.task.first)
        self._share = 1 - self.task.spread * self._rng.random() if self.task.spread else 1.0
        asked = self.task.quota if self.task.firm else self.task.quota.weakened(self._share)
        self._quota = asked.asked(self._instance)[self._offset :] - self.walk.sides
        self._allow()

    def _end(self, end: End) -> None:
        """Report the outcome of this task; allow more mismatches if no task filled a board, and begin the next task."""
        beyond = self._beyond
        whole = self.source.tell(Outcome(end, self._share, beyond, self.walk.nodes))
        if beyond and end is End.STOPPED and self._relaxing:
            self.given_up = self.walk.fullest()
            self._unfilled += 1
            if self.board is None and not self._demanded and self._unfilled >= _UNFILLED:
                self._unfilled = 0
                self._relax(8)
        elif whole:
            # Whatever the allowance, boards without mismatches were among those tried.
            self.exhausted = self.slips > 0 and self.source.complete
            again = self._relaxing and not self._demanded and self.slips <= self._instance.joints
            if self.board is not None or not again:
                self.done = True
                return
            self._relax(4)
        self.task = None
        if self.source.ready:
            self._begin()

    def _relax(self, part: int) -> None:
        """Increase the allowed mismatches by the fraction 1 / `part`."""
        self.slips += max(1, self.slips // part)
        self.source.renew()

    def _take(self) -> bool:
        """Take the best of the full boards just found; return whether it is better than the last one."""
        slips, number = min((self.walk.slips(number), number) for number in range(self.walk.found))
        slips += self.mismatches
        self.full += self.walk.found
        self._unfilled = 0
        if slips >= self.slips:
            return False
        self.board, self.slips = self.walk.full(number), slips
        self.done = slips <= self.mismatches
        self._allowances.renew()
        self._allow()
        return True

    def _allow(self) -> None:
        """Update the allowances for boards better than the last one."""
        self._allowed: NDArray[np.int64] = self._allowances.of(max(0, self.slips - 1 - self.mismatches))[self._offset :]

    def _keep_fullest(self) -> None:
        if self.walk.deepest > self._most:
            self._most, self._fullest = self.walk.deepest, self.walk.fullest()


def planned_tasks(instance: Instance, plan: Plan, rng: Generator) -> tuple[Source, list[Walk]]:
    """The source of tasks of a plan, and the fastest walks that can carry it out."""
    walks = _walks(instance, plan)
    if plan.sampling is None or (plan.restart and instance.hints):
        return Adaptive(instance, plan, walks, rng), walks
    return Sampled(instance, plan, walks, rng, plan.sampling), walks


def planned_search(instance: Instance, plan: Plan, rng: Generator) -> Search:
    """The search of a plan."""
    source, walks = planned_tasks(instance, plan, rng)
    return Search(instance, source, walks, plan, rng)


def perfect_search(
    instance: Instance,
    rng: Generator,
    job: tuple[int, int] = (0, 1),
    families: tuple[tuple[int, int], ...] = FAMILIES,
) -> Search | None:
    """A search for perfect boards (see `BySize`); None if the puzzle is too large for it."""
    walks = scan_walks(instance)
    if not walks or not walks[0].cells:
        return None
    plan = Plan(fill_order(instance.rows, instance.columns, "rows"), total=0, opening=1.0, restart=None)
    return Search(instance, BySize(instance, walks, job, families), walks, plan, rng)


def scan_walks(instance: Instance, scans: tuple[str, ...] = _SCANS) -> list[LayerWalk]:
    """Walks by rows and by columns of a board that holds only the hints; empty if the puzzle is too large."""
    orders = (fill_order(instance.rows, instance.columns, scan) for scan in scans)
    tables = [layer_tables(instance, order) for order in orders]
    return [LayerWalk(one) for one in tables if one is not None and one.whole]


def _walks(instance: Instance, plan: Plan) -> list[Walk]:
    """The fastest walk that can carry out the plan, for each order."""
    if plan.layered and not plan.apart:
        tables = layer_tables(instance, plan.order)
        if tables is not None and not tables.whole:
            one = SlipWalk(SlipTables(instance, plan.order, plan.loose), plan.apart)
            return [StagedWalk(one, LayerWalk(tables), tables, plan.patience if plan.restart else 0)]
        if tables is not None:
            others = (layer_tables(instance, order) for order in plan.others)
            return [LayerWalk(tables), *(LayerWalk(other) for other in others if other is not None and other.whole)]
    return [SlipWalk(SlipTables(instance, plan.order, plan.loose), plan.apart)]
