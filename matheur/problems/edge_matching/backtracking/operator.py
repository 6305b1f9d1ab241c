"""Construction `backtracking`: a slip backtracker along a fixed order of the cells, restarted."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome
from matheur.problems.edge_matching.backtracking.layer_walk import layer_tables
from matheur.problems.edge_matching.backtracking.perfect_rounds import PerfectRounds, perfect_rounds
from matheur.problems.edge_matching.backtracking.quota_choice import Search, default_search
from matheur.problems.edge_matching.backtracking.slip_schedule import (
    default_layered,
    default_opening,
    default_restart,
    default_sets,
    default_spread,
    default_strength,
)
from matheur.problems.edge_matching.backtracking.slip_search import SlipPlan, SlipSearch
from matheur.problems.edge_matching.backtracking.slip_tables import (
    BEGINNINGS,
    ORDERS,
    fill_order,
    last_line,
    transposed_order,
)
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


@dataclass(frozen=True, slots=True)
class Backtracking:
    """Fills the board cell by cell, with few mismatches and those late: the strongest construction for a good score.

    Candidates of a cell come from tables by the colours above and on the left. Mismatches are allowed late only, by a
    schedule; pieces with rare colours are spent first, by a quota (Blackwood 2020). After each full board one mismatch
    fewer is allowed than it has; after `restart` placements at most all begins again, the candidates in another order.
    Where only a perfect board would be better it looks for those alone, by quotas of many sets of colours, unless the
    board is too large or `order`, `restart`, `apart` or `layers` is set (decision 66).
    Work: placements / 1,000; 70 to 160 million placements a second with `layers`, 30 to 60 without.

    Attributes
    ----------
    nodes
        Placements of one call; None for all that the budget holds.
    order
        `rows`, `columns`, or `comb`: rows, but the last `comb` rows column by column. None for `comb`, where many
        boards are continued at once on 81 to 100 cells with rows and columns exchanged in turn (decision 68), but on
        boards of at most 100 cells otherwise, if there is no `comb`, for one of the others, drawn, and for `rows` where
        the search is never restarted.
    comb
        Rows that a comb fills column by column; None for a quarter of all.
    corner
        Where it begins: `top-left`, `top-right`, `bottom-left`, `bottom-right`, or `nearest`, from which the scan meets
        the hints soonest. Without hints all are the same.
    mismatches
        Of the first board, at most; None for one joint in 22, or for what the target asks if that is more.
    opening
        Share of the board from which mismatches begin to be allowed. None to choose by the order and the size of the
        board, and then to move it until mismatches take a fixed share of the time (decision 56).
    schedule
        Instead of `opening`: the shares of the board from which the first, second, ... mismatch is allowed.
    exhaustion
        Share of the sides with rare colours that the quota wants laid where it ends, to begin with: it adjusts itself.
        It ends at five eighths of the board, but at 72 % on boards of 81 to 100 cells (decision 60). 0 for no quota,
        None to choose by the size of the board.
    sets
        Sets of rare colours that are tried, those first that the fewest pieces carry; each start spends the colours of
        the set that allows the strictest quota so far. None: 4 on boards of 101 to 144 cells (decision 53), else 1.
        On boards of 81 to 144 cells quotas of many sets are soon chosen by samples instead, if there is time for that
        and neither this nor `exhaustion` is given (decision 70).
    spread
        Every second start asks for less than that, by a share that is drawn from 0 to this: the strictest quota fills
        most boards, but not those with the fewest mismatches. None to choose by the size of the board.
    apart
        Whether no piece may have two mismatches.
    restart
        Placements of the longest start, after which it begins again. A start is as long as all before it, but at least
        a tenth of this. 0 to choose by the size of the board: 400 million, but on boards of 81 to 100 cells each start
        tries all that its quota allows, if there is one, and the next asks for less (decision 55). None for never: then
        the search is exhaustive.
    patience
        Placements after which a start is given up that has not yet come beyond the quota, of the longest; of shorter
        ones in proportion; 0 for never.
    beams
        Beams (see `beam`) that come first, each four times as wide as the one before up to 262,144 boards, in at most
        three quarters of what the budget has left. What they reach is then to be bettered. None: where a hint lies in
        the second half of the scan, so that backtracking alone hardly gets by, as many as that time allows, or 3 if
        there is no deadline or `nodes` sets a limit; else none.
    layers
        Whether many partial boards are continued at once, where the puzzle fits in the words of `layer_tables` and
        `restart` and `apart` are not against it. None: on boards of 81 to 256 cells (decisions 57, 58).
    better
        Look for boards that are better than all elites of the run only, whoever has found them: for jobs that share a
        pool, where nothing but the best counts. A call may then end without a full board of its own.
    """

    nodes: int | None = option(None, minimum=1)
    order: str | None = option(None, choices=ORDERS)
    comb: int | None = option(None, minimum=1)
    corner: str = option("nearest", choices=BEGINNINGS)
    mismatches: int | None = option(None, minimum=0)
    opening: float | None = option(None, minimum=0, maximum=1)
    schedule: tuple[float, ...] | None = option(None, minimum=0, maximum=1)
    exhaustion: float | None = option(None, minimum=0, maximum=1)
    sets: int | None = option(None, minimum=1)
    spread: float | None = option(None, minimum=0, maximum=1)
    apart: bool = False
    restart: int | None = option(0, minimum=0)
    patience: int = option(20_000_000, minimum=0)
    beams: int | None = option(None, minimum=0)
    layers: bool | None = None
    better: bool = False

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Search until a perfect board, the limit, the target or the end of the budget."""
        best = BestBoard(problem, budget, self.corner, rng)
        if best.done:
            return best.outcome()
        own = turned(problem.instance, best.quarters)
        scan = self._scan(own, rng.spawn(1)[0])
        begun = self._with_beams(own, scan)
        if begun and not self._begin(own, best, budget, rng):
            return best.outcome()
        search: SlipSearch | PerfectRounds = SlipSearch(
            own, self._plan(own, scan, budget, best.objective if begun else None), rng
        )
        spent, asked = 0, False  # placements of the search before; whether there is one for perfect boards
        limit = self._limit(budget)
        deepest = 0
        while not (search.done or best.done or (limit is not None and spent + search.nodes >= limit)):
            if self.better and (elites := budget.elites.entries()):
                search.demand(int(elites[0].objective))
            if isinstance(search, SlipSearch) and search.only_perfect and not (search.done or asked):
                asked = True
                if (rounds := self._rounds(own, search, budget, rng)) is not None:
                    spent, search = search.nodes, rounds
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

    def _rounds(self, instance: Instance, search: SlipSearch, budget: Budget, rng: Generator) -> PerfectRounds | None:
        """What looks for perfect boards, unless an option is against it."""
        free = self.order is None and self.restart == 0 and self.layers is not False and not self.apart
        return perfect_rounds(instance, rng, budget.job) if free and not search.mismatches else None

    def _scan(self, instance: Instance, rng: Generator) -> str:
        """The order, or the first of them."""
        if self.order is not None:
            return self.order
        if self.restart is None:
            return "rows"
        drawn = instance.cells <= _SMALL and self.comb is None and not self._in_parts(instance)
        return ("rows", "columns")[rng.integers(2)] if drawn else "comb"

    def _in_layers(self, instance: Instance) -> bool:
        """Whether many partial boards are continued at once, if they can be."""
        if self.restart is None:
            return False
        return default_layered(instance.cells) if self.layers is None else self.layers

    def _in_parts(self, instance: Instance) -> bool:
        """Whether combs of rows and of columns are both tried, many partial boards at once."""
        ending = default_restart(instance.cells, 1.0) == 0  # starts that try all that a quota allows
        if self.order is not None or self.apart or not (ending and self._in_layers(instance)):
            return False
        scans = (scan(instance.rows, instance.columns, "comb", self.comb) for scan in (fill_order, transposed_order))
        tables = (layer_tables(instance, scan) for scan in scans)
        return all(one is not None and one.whole for one in tables)

    def _with_beams(self, instance: Instance, scan: str) -> bool:
        """Whether beams come first."""
        if self.beams is not None:
            return self.beams > 0
        order = fill_order(instance.rows, instance.columns, scan, self.comb)
        late = np.isin(order[instance.cells // 2 :], [hint.cell for hint in instance.hints]).any()
        return bool(late) and self.schedule is None

    def _begin(self, instance: Instance, best: BestBoard, budget: Budget, rng: Generator) -> bool:
        """Begin with beams; whether there is anything left to do."""
        part = budget.child(
            seconds=_PART * budget.seconds_left if budget.timed else None,
            work=None if budget.work_left is None else int(_PART * budget.work_left),
        )
        endless = budget.timed and self.nodes is None
        beams = _BEAMS if self.beams is None and not endless else self.beams
        order = "comb" if self.order is None else self.order
        Beam(beams=beams, width_max=_WIDEST, order=order, comb=self.comb).fill(instance, best, part, rng)
        return not best.done

    def _limit(self, budget: Budget) -> int | None:
        """Placements of this call, None for as many as there is time for."""
        limit = budget.affordable(self.nodes, NODES_PER_WORK)
        return _EFFORT if limit is None and not budget.timed else limit

    def _choosing(self, instance: Instance, budget: Budget) -> Search | None:
        """How quotas are chosen by samples, None if one is asked for."""
        if self.sets is not None or self.exhaustion is not None:
            return None
        limit = self._limit(budget)
        left = inf if limit is None else limit / _SECOND
        return default_search(instance.cells, min(left, budget.seconds_left) if budget.timed else left)

    def _plan(self, instance: Instance, scan: str, budget: Budget, reached: int | None) -> SlipPlan:
        rows, columns = instance.rows, instance.columns
        total = self.mismatches
        if total is None:
            total = round(_SHARE * instance.joints)
            if budget.target is not None:
                total = max(total, int(budget.target))
            if reached is not None:
                total = min(total, reached - 1)
        strength = default_strength(instance.cells) if self.exhaustion is None else self.exhaustion
        return SlipPlan(
            order=fill_order(rows, columns, scan, self.comb),
            total=total,
            opening=default_opening(instance.cells, scan) if self.opening is None else self.opening,
            settling=self.opening is None and self.schedule is None and self.restart is not None,
            schedule=self.schedule,
            strength=strength,
            sets=default_sets(instance.cells) if self.sets is None else self.sets,
            choosing=self._choosing(instance, budget),
            spread=default_spread(instance.cells) if self.spread is None else self.spread,
            apart=self.apart,
            restart=default_restart(instance.cells, strength) if self.restart == 0 else self.restart,
            patience=self.patience,
            loose=last_line(rows, columns, scan, self.comb),
            layered=self._in_layers(instance),
            others=(transposed_order(rows, columns, scan, self.comb),) if self._in_parts(instance) else (),
            job=budget.job,
        )
