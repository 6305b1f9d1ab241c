"""The slip backtracker in slices: restarts, falling allowances, full boards."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.layer_walk import LayerWalk, layer_tables
from matheur.problems.edge_matching.backtracking.plan import Plan
from matheur.problems.edge_matching.backtracking.quota_choice import Quota, QuotaRounds
from matheur.problems.edge_matching.backtracking.slip_opening import WINDOW, SettlingOpening
from matheur.problems.edge_matching.backtracking.slip_schedule import allowance, exhaustion_curve, quota_end, rare_sets
from matheur.problems.edge_matching.backtracking.slip_tables import SlipTables
from matheur.problems.edge_matching.backtracking.slip_walk import SlipWalk
from matheur.problems.edge_matching.backtracking.staged_walk import StagedWalk
from matheur.problems.edge_matching.backtracking.walk import Walk
from matheur.problems.edge_matching.instance import Board, Instance

__all__ = ["SlipSearch"]

# The quota is lowered after a start that does not come beyond it and raised after one that does, so that five in six
# do: as strict as that leaves the fewest colours for the rest.
_LOWER, _RAISE = 0.01, 0.002
_SHORTEST = 0.1  # of the longest start; one is as long as all before it, within these limits
_LEAST = 0.2  # where even a weak quota leaves nothing, there is none
_FIRST = 20_000_000  # placements of a start that may be as long as it likes, before there is a board
_UNFILLED = 6  # starts that come beyond it but fill no board, before more mismatches are allowed


class SlipSearch:
    """Fills a board cell by cell along a plan; what it does depends on the placements made, not on the slices.

    The quota adjusts itself to what the puzzle's pieces can meet, and where no board is filled more mismatches are
    allowed.

    Attributes
    ----------
    board
        The last full board, None before.
    slips
        Its mismatches; before, the allowance and one more.
    full
        Boards filled.
    given_up
        The fullest board of the last start that came beyond the quota but ended.
    done
        Whether the last board has no mismatch beyond those of fixed pieces with each other, or there is no other board
        within the schedule.
    exhausted
        Whether there is no perfect board, or no other than those found.
    mismatches
        Those of fixed pieces with each other, which every board has.
    """

    def __init__(self, instance: Instance, plan: Plan, rng: Generator) -> None:
        self._instance, self._plan, self._rng = instance, plan, rng
        self._sets = rare_sets(instance, plan.sets) if plan.strength > 0 else []
        self._sets = self._sets or [np.zeros(0, dtype=np.int64)]
        self._strengths = np.full(len(self._sets), plan.strength)
        self._ceilings = np.ones(len(self._sets))  # above them everything was tried
        self._set = 0  # each start spends the colours of the set with the strictest quota
        self._share = 0.0  # what this start asks for of it; each one sets it
        self._length, self._patience = plan.restart, plan.patience  # of this start
        self._walks = _walks(instance, plan)
        self._walk = self._walks[0]
        every = _parts(self._walks, plan)
        job, jobs = plan.job[0], min(plan.job[1], len(every))
        self._parts = every[job % jobs :: jobs]
        self._choosing = None if plan.restart and instance.hints else plan.sampling
        self._portion = len(self._parts) / len(every)  # of this job
        self._rounds: QuotaRounds | None = None
        self._chosen: Quota | None = None  # instead of a set and its strength
        self._looking = False  # for the next one
        if len(self._parts) > 1:
            self._patience = -(-plan.patience // len(self._walk.beginnings))
        self._left: list[tuple[int, int | None]] = []  # parts that are to be tried with this quota
        self._began = 0  # placements before it
        self._offset = instance.cells - self._walk.cells  # cells fixed from the start count as filled
        self._mark = int(quota_end(instance.cells) * instance.cells)
        self._fullest, self._most = self._walk.fixed.copy(), 0
        self._entered = False  # whether this start has come beyond the quota
        self._spent = self._unfilled = self.full = 0
        walk = self._walk
        self._opening = SettlingOpening(plan.opening, instance.cells, walk.try_cost, walk.try_follows)
        self._looked: tuple[int, int] | None = (0, 0) if plan.settling else None  # placements, tries at the last look
        self._tried = 0
        self._demanded = False
        self.board: Board | None = None
        self.mismatches = walk.mismatches
        self.slips = max(plan.total, self.mismatches) + 1
        self.given_up: Board | None = None
        self.done = self.exhausted = False
        self.restart()

    @property
    def nodes(self) -> int:
        """Placements made so far."""
        return self._spent + self._walk.nodes

    @property
    def depth(self) -> int:
        """Cells that are filled now."""
        return self._walk.depth + self._offset

    @property
    def deepest(self) -> int:
        """The most cells that were ever filled."""
        return max(self._most, self._walk.deepest) + self._offset

    @property
    def opening(self) -> float:
        """Share of the board from which mismatches are allowed now, by the curve of allowances."""
        return self._opening.opening

    @property
    def only_perfect(self) -> bool:
        """Whether only boards without a mismatch beyond those of fixed pieces would be better.

        No framed board has a single one if every colour has an even number of sides: it would leave two odd ones.
        """
        even = self._instance.framed and not (np.bincount(self._instance.pieces.ravel())[1:] % 2).any()
        return self.slips <= self.mismatches + 1 + even

    @property
    def _beyond(self) -> bool:
        """Whether this start has come beyond the quota."""
        return self._walk.deepest + self._offset >= self._mark

    def partial(self) -> Board:
        """The fullest board so far."""
        self._keep_fullest()
        return self._fullest.copy()

    def _keep_fullest(self) -> None:
        if self._walk.deepest > self._most:
            self._most, self._fullest = self._walk.deepest, self._walk.fullest()

    def advance(self, nodes: int) -> bool:
        """Make up to so many more placements; True as soon as a board is full with fewer mismatches than the last."""
        end = self.nodes + nodes
        while not self.done and self.nodes < end:
            if self._looking:
                self._look_for_quota()
                return False
            limit = self._limit()
            look = None if self._looked is None else self._looked[0] + WINDOW
            pauses = [pause - self._spent for pause in (end, look) if pause is not None]
            self._walk.advance(min(pauses) if limit is None else min(limit, *pauses), self._allowed, self._quota)
            if look is not None and self.nodes >= look:
                self._settle()
            if self._walk.found:
                if self._take():
                    return True
            elif self._walk.ended:
                self._relax()
            elif self._walk.stuck:
                if not self._beyond:
                    self._lower()
                self.restart()
            elif limit is not None and self._walk.nodes >= limit:
                self._judge(limit)
        return False

    def demand(self, slips: int) -> None:
        """From now on look for boards of fewer mismatches than so many, and do not allow more where none is filled."""
        if slips < self.slips:
            self.slips, self._demanded, self.done = slips, True, slips <= self.mismatches
            self._opening.renew()
            self._schedule()

    def restart(self) -> None:
        """Begin again, equally good candidates in another order; or look for a quota, and then begin again."""
        if self._plan.restart and self._begin_choosing(self.nodes):
            self._looking = True
            return
        self._keep_fullest()
        self._spent += self._walk.nodes
        self._tried += self._walk.tries
        self._entered = False
        self._set = int(self._strengths.argmax())
        if not self._left:
            self._began = self._spent
            self._left = [self._parts[part] for part in self._rng.permutation(len(self._parts))]
        walk, first = self._left.pop()
        self._walk = self._walks[walk]
        colours = self._sets[self._set] if self._chosen is None else np.array(self._chosen.colours)
        self._walk.begin(colours, self._rng, first)
        strictest = self._plan.spread == 0 or self._share < 1
        self._share = 1.0 if strictest else 1 - self._plan.spread * self._rng.random()
        if self._plan.restart:
            part = min(1.0, max(_SHORTEST, self._spent / self._plan.restart))
            self._length = int(np.ceil(part * self._plan.restart))
            self._patience = int(np.ceil(part * self._plan.patience))
        self._schedule()

    def _settle(self) -> None:
        """Move the opening, by what was done since the last look."""
        nodes, tries = self._looked or (0, 0)
        self._looked = self.nodes, self._tried + self._walk.tries
        self._opening.look(self._looked[0] - nodes, self._looked[1] - tries)
        self._schedule()

    def _limit(self) -> int | None:
        """Placements after which this start is judged."""
        looking = self._patience > 0 and self._strengths[self._set] > 0 and not self._entered and self._chosen is None
        limits = (self._longest(), self._patience if looking else None)
        return min((limit for limit in limits if limit is not None), default=None)

    def _longest(self) -> int | None:
        """Placements after which this start ends."""
        if self._length == 0:
            return None if self.board is not None or self._demanded else _FIRST
        return self._length

    def _judge(self, limit: int) -> None:
        """After so many placements: go on if it has come beyond the quota and may be longer, else begin again."""
        if limit == self._longest() or not self._beyond:
            self._give_up()
        else:
            self._entered = True

    def _take(self) -> bool:
        """Look at full boards; whether the best of them is better than the last."""
        slips, number = min((self._walk.slips(number), number) for number in range(self._walk.found))
        slips += self.mismatches
        self.full += self._walk.found
        self._unfilled = 0
        if slips >= self.slips:
            return False
        self.board, self.slips = self._walk.full(number), slips
        self.done = slips <= self.mismatches
        self._opening.renew()
        self._schedule()
        return True

    def _give_up(self) -> None:
        """After a start that was long enough; whether the quota or the schedule is too strict shows in its depth."""
        if not self._beyond:
            if not self._left:
                self._lower()
        else:
            raised = self._strengths[self._set] * (1 + _RAISE)
            self._strengths[self._set] = min(raised, self._ceilings[self._set])
            self.given_up = self._walk.fullest()
            self._unfilled += 1
            if self.board is None and not self._demanded and self._unfilled >= _UNFILLED:
                self._unfilled = 0
                self.slips += max(1, self.slips // 8)
                self._ceilings[:] = 1.0
        self.restart()

    def _lower(self) -> None:
        """Ask for less of the colours that this start spends."""
        self._strengths[self._set] *= 1 - _LOWER

    def _begin_choosing(self, placements: int) -> bool:
        """Whether quotas are chosen from now on, after so many placements."""
        search = self._choosing
        if self._rounds is not None or search is None or placements < search.after * self._portion:
            return False
        self._rounds = QuotaRounds(self._instance, self._plan.order, search)
        return True

    def _choose(self) -> bool:
        """After a quota was tried: whether the next one is to be chosen, as that took long."""
        if self._plan.restart == 0:
            self._begin_choosing(self.nodes - self._began)
        self._looking = self._rounds is not None and not self._rounds.ended
        return self._looking

    def _look_for_quota(self) -> None:
        """Take a sample, and begin with the next quota when it is known."""
        assert self._rounds is not None
        self._chosen = self._rounds.look()
        if self._chosen is not None or self._rounds.ended:
            self._looking = False
            self.restart()

    def _relax(self) -> None:
        """After everything that the schedule and the quota allow was tried."""
        if self._left:
            self.restart()
            return
        if self._strengths[self._set] > 0:
            if self._choose():
                return
            self._strengths[self._set] *= self._share
            self._lower()
            self._ceilings[self._set] = self._strengths[self._set]
            if self._plan.restart is None or self._strengths[self._set] < _LEAST:
                self._strengths[:] = 0.0
            self.restart()
            return
        # Whatever the allowance, boards without mismatches were among those tried, if no other job has a part of them.
        self.exhausted = self.slips > 0 and (self._plan.job[1] == 1 or len(self._walk.beginnings) == 0)
        again = self._plan.restart is not None and not self._demanded and self.slips <= self._instance.joints
        if self.board is None and again:
            self.slips += max(1, self.slips // 4)
            self.restart()
        else:
            self.done = True

    def _schedule(self) -> None:
        """What is allowed below the last board, and the quota."""
        cells, total = self._instance.cells, max(0, self.slips - 1 - self.mismatches)
        allowed = _allowed(cells, self._plan, self.opening, total)
        self._allowed = allowed[self._offset :]
        if self._chosen is not None:
            quota = self._chosen.asked(self._instance)
        else:
            strength = self._strengths[self._set] * self._share
            quota = exhaustion_curve(self._instance, self._sets[self._set], cells, strength)
        self._quota = quota[self._offset :] - self._walk.sides


def _walks(instance: Instance, plan: Plan) -> list[Walk]:
    """The fastest that can do what is planned, for each order."""
    if plan.layered and not plan.apart:
        tables = layer_tables(instance, plan.order)
        if tables is not None and not tables.whole:
            one = SlipWalk(SlipTables(instance, plan.order, plan.loose), plan.apart)
            return [StagedWalk(one, LayerWalk(tables), tables, plan.patience if plan.restart else 0)]
        if tables is not None:
            others = (layer_tables(instance, order) for order in plan.others)
            return [LayerWalk(tables), *(LayerWalk(other) for other in others if other is not None and other.whole)]
    return [SlipWalk(SlipTables(instance, plan.order, plan.loose), plan.apart)]


def _allowed(cells: int, plan: Plan, opening: float, total: int) -> NDArray[np.int64]:
    """Mismatches that may have been made once a cell is filled."""
    if plan.schedule is None:
        return allowance(cells, total, opening)
    opened = np.searchsorted(np.sort(plan.schedule), np.arange(1, cells + 2) / cells, side="right")
    return np.minimum(opened, total).astype(np.int64)


def _parts(walks: list[Walk], plan: Plan) -> list[tuple[int, int | None]]:
    """Starts that try all that a quota allows: number of a walk, and the piece in the first cell."""
    if plan.restart != 0 or not walks[0].beginnings:
        return [(0, None)]
    return [(k, first) for k, walk in enumerate(walks) for first in walk.beginnings]
