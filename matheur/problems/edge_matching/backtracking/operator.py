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

_CHUNK = 1_000_000  # placements between two looks at the budget: 15 to 30 milliseconds
_EFFORT = 200_000_000  # placements where neither an option nor the budget sets a limit
_SECOND = 100_000_000  # placements, about
_PROOF = "exhaustive backtracking: no perfect board"
_BEAMS, _PART = 3, 0.75  # beams where hints lie late and not all time is for this, and the part of the budget for beams
_WIDEST = 1 << 18  # states of these beams: 400 MiB on 16 x 16
_SMALL = 100  # cells up to which rows or columns are better than a comb
_SHARE = 0.045  # of the joints that the first board may leave unmatched


_QUOTAS = ("auto", "adaptive", "sampled", "none")
_IN_A_PLAN = "It is chosen by the size of the board now; Python code may change it in the plan (`Backtracking.plan`)."


@dataclass(frozen=True, slots=True)
class Backtracking:
    """Fills the board cell by cell, with few mismatches and those late: the strongest construction for a good score.

    Candidates of a cell come from tables by the colours above and on the left. Mismatches are allowed late only, by a
    schedule; pieces with rare colours are spent first, by a quota (Blackwood 2020). After each full board one mismatch
    fewer is allowed than it has; a start that has lasted long enough is followed by another one, with the candidates in
    another order. Where only a perfect board would be better, the search looks for those alone, by quotas of many sets
    of colours, unless the board is too large or `order` or `restart` is set (decision 66). Where a hint lies in the
    second half of the scan, beams (see `beam`) come first.
    Whatever no option sets goes by the size of the board, see `Plan`.
    Work: placements / 1,000; 70 to 160 million placements a second on framed boards of 81 to 256 cells and up to 16
    columns, where many partial boards are continued at once; 30 to 60 million elsewhere.

    Attributes
    ----------
    nodes
        Placements of one call; None for all that the budget holds.
    order
        `rows`, `columns`, or `comb`: rows, but the last quarter of them column by column. None for `comb`, where many
        boards are continued at once on 81 to 100 cells with rows and columns exchanged in turn (decision 68), but on
        boards of at most 100 cells otherwise for rows or columns, drawn, and for `rows` where the search is never
        restarted.
    mismatches
        Mismatches that the first board may have; None for one joint in 22, or for what the target asks if that is more.
    quota
        How colours to be spent first are chosen. `adaptive`: a set of rare colours (4 sets on 101 to 144 cells), as
        strictly as most starts can meet. `sampled`: after some time those colours that samples of the search tree
        promise most boards for (decision 70). `auto`: the latter on boards of 81 to 144 cells, if there is time for it,
        and no colours where pieces may not be turned.
        `none`: no colours.
    restart
        Placements of the longest start, after which it begins again. A start is as long as all before it, but at least
        a tenth of this. 0 to choose by the size of the board: 400 million, but on boards of 81 to 100 cells each start
        tries all that its quota allows, if there is one, and the next asks for less (decision 55). None for never: then
        the search is exhaustive.
    better
        Look only for boards that are better than all elites of the run, also those of other jobs: for jobs that share a
        pool, where nothing but the best counts. A call may then end without a full board of its own.
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
        limit, spent, deepest = self._limit(budget), 0, 0  # `spent`: placements of the search before
        asked = search.mismatches > 0  # whether there is a search for perfect boards, or can be none
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
        """What the search is to do on a board that is turned to its first corner.

        Parameters
        ----------
        scan
            The order of the cells, one of `ORDERS`.
        reached
            Mismatches of a board that is to be bettered, None for none.
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
        """What looks for perfect boards alone, unless an option is against it or the board is too large."""
        free = self.order is None and self.restart == 0 and not plan.apart
        return perfect_search(instance, rng, budget.job) if free else None

    def _scan(self, instance: Instance, rng: Generator) -> str:
        """The order, or the first of them."""
        if self.order is not None:
            return self.order
        if self.restart is None:
            return "rows"
        drawn = instance.cells <= _SMALL and not self._in_parts(instance)
        return ("rows", "columns")[rng.integers(2)] if drawn else "comb"

    def _in_layers(self, instance: Instance) -> bool:
        """Whether many partial boards are continued at once, if they can be."""
        return self.restart is not None and default_layered(instance.cells)

    def _in_parts(self, instance: Instance) -> bool:
        """Whether combs of rows and of columns are both tried, many partial boards at once."""
        ending = default_restart(instance.cells, 1.0) == 0  # starts that try all that a quota allows
        if self.order is not None or not (ending and self._in_layers(instance)):
            return False
        scans = (scan(instance.rows, instance.columns, "comb") for scan in (fill_order, transposed_order))
        tables = (layer_tables(instance, scan) for scan in scans)
        return all(one is not None and one.whole for one in tables)

    def _with_beams(self, instance: Instance, scan: str) -> bool:
        """Whether beams come first: where backtracking alone hardly gets by a hint."""
        order = fill_order(instance.rows, instance.columns, scan)
        return bool(np.isin(order[instance.cells // 2 :], [hint.cell for hint in instance.hints]).any())

    def _begin(self, instance: Instance, best: BestBoard, budget: Budget, rng: Generator) -> bool:
        """Begin with beams; whether there is anything left to do."""
        part = budget.child(
            seconds=_PART * budget.seconds_left if budget.timed else None,
            work=None if budget.work_left is None else int(_PART * budget.work_left),
        )
        endless = budget.timed and self.nodes is None
        beams = None if endless else _BEAMS
        Beam(beams=beams, width_max=_WIDEST, order=self.order or "comb").fill(instance, best, part, rng)
        return not best.done

    def _limit(self, budget: Budget) -> int | None:
        """Placements of this call, None for as many as there is time for."""
        limit = budget.affordable(self.nodes, NODES_PER_WORK)
        return _EFFORT if limit is None and not budget.timed else limit

    def _without_quota(self, instance: Instance) -> bool:
        """Where pieces may not be turned, a colour lies on few places of the board, and a quota is in the way."""
        return self.quota == "none" or (self.quota == "auto" and not instance.rules.rotation)

    def _sampling(self, instance: Instance, budget: Budget) -> Sampling | None:
        """How quotas are chosen by samples, None for not at all."""
        if self._without_quota(instance):
            return None
        if self.quota == "sampled":
            return default_sampling(instance.cells) or LARGE
        if self.quota != "auto":
            return None
        limit = self._limit(budget)
        left = inf if limit is None else limit / _SECOND
        return default_sampling(instance.cells, min(left, budget.seconds_left) if budget.timed else left)
