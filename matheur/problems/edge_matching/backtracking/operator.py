"""Construction `backtracking`: a slip backtracker along a fixed order of the cells, restarted."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome
from matheur.problems.edge_matching.backtracking.plan import (
    LARGE,
    Plan,
    Sampling,
    default_layered,
    default_opening,
    default_restart,
    default_sampling,
    default_sets,
    default_spread,
    default_strength,
)
from matheur.problems.edge_matching.backtracking.search import Search, perfect_search, planned_search
from matheur.problems.edge_matching.backtracking.slip_tables import ORDERS, fill_order, last_line, transposed_order
from matheur.problems.edge_matching.backtracking.walks.layered import layer_tables
from matheur.problems.edge_matching.instance import Board, Instance
from matheur.problems.edge_matching.operators.beam import Beam
from matheur.problems.edge_matching.operators.best_board import BestBoard
from matheur.problems.edge_matching.operators.orientation import turned

__all__ = ["NODES_PER_WORK", "Backtracking"]

NODES_PER_WORK = 1_000

_CHUNK = 1_000_000  # placements between two checks of the budget: 15 to 30 milliseconds
_EFFORT = 200_000_000  # placements if neither an option nor the budget sets a limit
_SECOND = 100_000_000  # placements per second, approximately
_PROOF = "exhaustive backtracking: no perfect board"
_BEAMS, _PART = 3, 0.75  # number of beams before a search, if hints lie late, and their share of the budget
_WIDEST = 1 << 18  # states of these beams: 400 MiB on 16 x 16
_SMALL = 100  # largest number of cells for which rows or columns are better than a comb
_SHARE = 0.045  # share of the joints that the first board may leave unmatched


_QUOTAS = ("auto", "adaptive", "sampled", "none")
_IN_A_PLAN = "It is chosen by the size of the board now; Python code may change it in the plan (`Backtracking.plan`)."


@dataclass(frozen=True, slots=True)
class Backtracking:
    """Fills the board cell by cell, with few mismatches and those late: the strongest construction for a good score.

    Candidates of a cell come from tables by the colours above and on the left. A schedule allows mismatches only late;
    a quota spends pieces with rare colours first (Blackwood 2020). After each full board, one mismatch fewer than it
    has is allowed. A start that has lasted long enough is followed by another one, with the candidates in another
    order. When only a perfect board would be better, the search looks for perfect boards only, by quotas of many sets
    of colours, unless the board is too large or `order` or `restart` is set (decision 66). If a hint lies in the
    second half of the scan, beams (see `beam`) run first.
    Parameters that no option sets depend on the size of the board; see `Plan`.
    Work: placements / 1,000; 70 to 160 million placements a second on framed boards of 81 to 256 cells and up to 16
    columns, where many partial boards are continued at once; 30 to 60 million elsewhere.

    Attributes
    ----------
    nodes
        Placements per call; None for as many as the budget allows.
    order
        Order of the cells: `rows`, `columns`, or `comb` (rows, but the last quarter of them column by column). None
        for `comb`, with three exceptions: combs of rows and combs of columns in turn on boards of 81 to 100 cells
        where many partial boards are continued at once (decision 68); `rows` or `columns`, drawn at random, on other
        boards of at most 100 cells; `rows` if the search is never restarted.
    mismatches
        Mismatches allowed in the first board; None for one joint in 22, or for the target if that is more.
    quota
        Choice of the colours to spend first. `adaptive`: a set of rare colours (4 sets on 101 to 144 cells), with the
        strictest quota that most starts can meet. `sampled`: after some time, the colours for which samples of the
        search tree promise the most boards (decision 70). `auto`: `sampled` on boards of 81 to 144 cells if there is
        time for it, else `adaptive`; `none` if pieces may not be turned. `none`: no colours.
    restart
        Maximum number of placements of a start, after which the search restarts. A start is as long as all earlier
        ones together, but at least a tenth of this maximum. 0 chooses by the size of the board: 400 million, except
        that on boards of 81 to 100 cells with a quota, each start tries all that its quota allows and the next start
        has a weaker one (decision 55). None never restarts: the search is then exhaustive.
    better
        Whether to look only for boards better than all elites of the run, including those of other jobs: for jobs that
        share a pool and need only the best board. A call may then end without a full board of its own.
    """

    FORMER_OPTIONS: ClassVar[dict[str, str]] = {
        "exhaustion": f"Maybe 'quota'? {_IN_A_PLAN}",
        "sets": f"Maybe 'quota'? {_IN_A_PLAN}",
        "corner": "The search begins at the corner from which it meets the hints soonest.",
        "beams": "Beams come first where a hint lies late; the construction 'beam' makes beams alone.",
    } | dict.fromkeys(("comb", "opening", "schedule", "spread", "apart", "patience", "layers"), _IN_A_PLAN)

    nodes: int | None = option(None, minimum=1)
    order: str | None = option(None, choices=ORDERS)
    mismatches: int | None = option(None, minimum=0)
    quota: str = option("auto", choices=_QUOTAS)
    restart: int | None = option(0, minimum=0)
    better: bool = False

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Search until a perfect board, the limit, the target or the end of the budget."""
        best = BestBoard(problem, budget, "nearest", rng)
        if best.done:
            return best.outcome()
        own = turned(problem.instance, best.quarters)
        scan = self._scan(own, rng.spawn(1)[0])
        begun = self._with_beams(own, scan)
        if begun and not self._begin(own, best, budget, rng):
            return best.outcome()
        plan = self.plan(own, scan, budget, best.objective if begun else None)
        search = planned_search(own, plan, rng)
        limit, spent, deepest = self._limit(budget), 0, 0  # `spent`: placements of the previous search
        asked = search.mismatches > 0  # True if a search for perfect boards has begun, or would be pointless
        while not (search.done or best.done or (limit is not None and spent + search.nodes >= limit)):
            if self.better and (elites := budget.elites.entries()):
                search.demand(int(elites[0].objective))
            if search.only_perfect and not (search.done or asked):
                asked = True
                if (perfect := self._perfect(own, plan, budget, rng)) is not None:
                    spent, search = search.nodes, perfect
            before = search.nodes
            room = _CHUNK if limit is None else min(_CHUNK, limit - spent - before)
            if search.advance(room):
                best.look(search.board)
            elif search.board is None and search.deepest > deepest:
                deepest = search.deepest
                best.look(search.partial())
            if search.given_up is not None:
                best.keep(search.given_up)
                search.given_up = None
            budget.spend(work=max(1, (search.nodes - before) // NODES_PER_WORK))
        return best.outcome(1 if search.exhausted and search.slips > 0 else 0, _PROOF)

    def plan(self, instance: Instance, scan: str, budget: Budget, reached: int | None = None) -> Plan:
        """The plan of the search on a board that is turned to its first corner.

        Parameters
        ----------
        scan
            Order of the cells, one of `ORDERS`.
        reached
            Mismatches of a board to improve on; None for no such board.
        """
        rows, columns = instance.rows, instance.columns
        total = self.mismatches
        if total is None:
            total = round(_SHARE * instance.joints)
            if budget.target is not None:
                total = max(total, int(budget.target))
            if reached is not None:
                total = min(total, reached - 1)
        strength = 0.0 if self._without_quota(instance) else default_strength(instance.cells)
        return Plan(
            order=fill_order(rows, columns, scan),
            total=total,
            opening=default_opening(instance.cells, scan),
            settling=self.restart is not None,
            strength=strength,
            sets=default_sets(instance.cells),
            sampling=self._sampling(instance, budget),
            spread=default_spread(instance.cells),
            restart=default_restart(instance.cells, strength) if self.restart == 0 else self.restart,
            loose=last_line(rows, columns, scan),
            layered=self._in_layers(instance),
            others=(transposed_order(rows, columns, scan),) if self._in_parts(instance) else (),
            job=budget.job,
        )

    def _perfect(self, instance: Instance, plan: Plan, budget: Budget, rng: Generator) -> Search | None:
        """A search for perfect boards only; None if an option prevents it or the board is too large."""
        free = self.order is None and self.restart == 0 and not plan.apart
        return perfect_search(instance, rng, budget.job) if free else None

    def _scan(self, instance: Instance, rng: Generator) -> str:
        """The order of the cells, or the first of several."""
        if self.order is not None:
            return self.order
        if self.restart is None:
            return "rows"
        drawn = instance.cells <= _SMALL and not self._in_parts(instance)
        return ("rows", "columns")[rng.integers(2)] if drawn else "comb"

    def _in_layers(self, instance: Instance) -> bool:
        """Whether many partial boards are continued at once if the puzzle allows it."""
        return self.restart is not None and default_layered(instance.cells)

    def _in_parts(self, instance: Instance) -> bool:
        """Whether combs of rows and combs of columns are both tried, with many partial boards at once."""
        ending = default_restart(instance.cells, 1.0) == 0  # each start tries all that its quota allows
        if self.order is not None or not (ending and self._in_layers(instance)):
            return False
        scans = (scan(instance.rows, instance.columns, "comb") for scan in (fill_order, transposed_order))
        tables = (layer_tables(instance, scan) for scan in scans)
        return all(one is not None and one.whole for one in tables)

    def _with_beams(self, instance: Instance, scan: str) -> bool:
        """Whether beams run first, because backtracking alone hardly gets past a late hint."""
        order = fill_order(instance.rows, instance.columns, scan)
        return bool(np.isin(order[instance.cells // 2 :], [hint.cell for hint in instance.hints]).any())

    def _begin(self, instance: Instance, best: BestBoard, budget: Budget, rng: Generator) -> bool:
        """Run beams first; return whether the search should continue."""
        part = budget.child(
            seconds=_PART * budget.seconds_left if budget.timed else None,
            work=None if budget.work_left is None else int(_PART * budget.work_left),
        )
        endless = budget.timed and self.nodes is None
        beams = None if endless else _BEAMS
        Beam(beams=beams, width_max=_WIDEST, order=self.order or "comb").fill(instance, best, part, rng)
        return not best.done

    def _limit(self, budget: Budget) -> int | None:
        """Placements of this call; None for as many as time allows."""
        limit = budget.affordable(self.nodes, NODES_PER_WORK)
        return _EFFORT if limit is None and not budget.timed else limit

    def _without_quota(self, instance: Instance) -> bool:
        """Whether to use no quota: without turns, a colour fits in few places of the board, and a quota hinders."""
        return self.quota == "none" or (self.quota == "auto" and not instance.rules.rotation)

    def _sampling(self, instance: Instance, budget: Budget) -> Sampling | None:
        """How samples choose the quotas; None if they do not."""
        if self._without_quota(instance):
            return None
        if self.quota == "sampled":
            return default_sampling(instance.cells) or LARGE
        if self.quota != "auto":
            return None
        limit = self._limit(budget)
        left = inf if limit is None else limit / _SECOND
        return default_sampling(instance.cells, min(left, budget.seconds_left) if budget.timed else left)
