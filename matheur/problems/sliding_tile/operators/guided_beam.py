"""Construction `guided-beam`: near-optimal plans of large boards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, check_order, option
from matheur.engine.outcome import Outcome
from matheur.methods.statespace.answer import SearchAnswer
from matheur.problems.plans.searching import AUTO, THREADS_MAX, Plan, outcome_of
from matheur.problems.sliding_tile.instance import Instance
from matheur.problems.sliding_tile.operators.guiding import guide_for, tabled, values_for
from matheur.problems.sliding_tile.operators.proving import prove
from matheur.problems.sliding_tile.operators.rule_based import RuleBased
from matheur.problems.sliding_tile.pair_values import PairModel
from matheur.problems.sliding_tile.search.beam import anytime_beam_tiles
from matheur.problems.sliding_tile.search.deepening import Estimator, ida_star_tiles
from matheur.problems.sliding_tile.search.geometry import Geometry, geometry

__all__ = ["GuidedBeam"]

_SOON, _THREES = 16, 25  # cells of boards that are proved quickly, and of boards with tables of three tiles
_AT_ONCE, _AT_ONCE_SHARE = 0.5, 0.15  # seconds, and share of the time, for a first plan with small tables
_NEAR = 30  # largest taxicab distance of boards near the goal
_NEAR_NODES = 300_000  # slides examined for such boards: a few hundredths of a second
_EXACT_SHARE = 0.25  # largest share of the time for iterative deepening


@dataclass(frozen=True, slots=True)
class GuidedBeam:
    """The plan of `rule-based`, then beams guided by the mean of additive pattern databases. Work: slides examined.

    The tables are built first, once, in seconds to a few minutes, and kept in the user's cache. In a timed run, boards
    of more than 16 cells first get a plan from beams guided by tables of two or three tiles, which are built in a
    moment.

    Attributes
    ----------
    patterns
        Partitions of the tiles, named as for the heuristics and joined by `+`; or `auto`.
    values
        File of learnt values of pairs of tiles; `auto`: the file supplied with matheur for this size, if there is one;
        `none`: no learnt values.
    width, width_max
        Boards per layer of the first and of the widest beam (about 400 bytes each, plus four bytes for each layer).
        With a deadline, beams are as wide as the remaining time allows.
    excess
        Weight of the excess over the taxicab distance, in percent; learnt values have their own weight.
    nodes, seconds
        Limits of iterative deepening before the beams: slides examined, with small tables and with large ones, and
        seconds in a timed run (at most a quarter of the time). It proves plans of small boards, and of easy larger
        ones. On up to 16 cells, large tables may take two thirds of the time. 0 nodes skip it.
    share
        Share of the remaining time for the beams; the rest is left for the neighbourhoods.
    threads
        Threads that share the layers of wide beams.
    """

    patterns: str = AUTO
    values: str = AUTO
    width: int = option(1 << 10, minimum=1)
    width_max: int = option(1 << 21, maximum=1 << 29)
    excess: int = option(150, minimum=0, maximum=1_000)
    nodes: int = option(0, minimum=0)
    seconds: float | None = option(None, above=0)
    share: float = option(1.0, above=0, maximum=1)
    threads: int = option(1, minimum=1, maximum=THREADS_MAX)

    def __post_init__(self) -> None:
        check_options(self)
        check_order(self, "width", "width_max")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Make a plan by rules, then run one beam after the other."""
        first = RuleBased().build(problem, budget, rng)
        one = problem.instance.canonical
        if first.solution is None or not len(first.solution) or min(one.rows, one.columns) == 1:
            return first
        board, exactly = tabled(one), geometry(one.rows, one.columns, one.goal)
        values = values_for(board, self.values)
        plan, length = first.solution, len(first.solution)
        budget.offer(plan, length)
        exact = SearchAnswer()
        if self.nodes and budget.work_left is None and not budget.exhausted and not budget.reached(length):
            exact = _near(exactly, one.tiles, budget)
        if exact.plan is None and budget.timed and not budget.exhausted and not budget.reached(length):
            quick = self._at_once(board, one, values, length, budget)
            plan, length = (plan, length) if quick is None else (quick, len(quick))
        if self.nodes and exact.plan is None and not budget.exhausted and not budget.reached(length):
            exact = self._deepen(problem, exactly, budget)
        if exact.plan is not None or budget.exhausted or budget.reached(length):
            return outcome_of(_with(exact, plan), "ida-star")
        guide = guide_for(board, self.patterns, values, budget=budget)
        if guide is None:
            return outcome_of(_with(exact, plan), "ida-star")
        inner = budget.child(seconds=self.share * budget.seconds_left) if budget.timed else budget
        answer = anytime_beam_tiles(
            guide, one.tiles, one.target, width=self.width, width_max=self.width_max, most=length - 2,
            excess=(100, self.excess), budget=inner, on_plan=budget.offer, threads=self.threads,
        )  # fmt: skip
        answer = replace(_with(answer, plan), bound=max(answer.bound, exact.bound))
        return outcome_of(answer, "guided-beam")

    def _at_once(
        self, board: Geometry, one: Instance, values: PairModel | None, length: int, budget: Budget
    ) -> Plan | None:
        """A plan from beams with small tables; None if it is not shorter, or if the board is small."""
        if board.cells <= _SOON:
            return None
        inner = budget.child(seconds=min(_AT_ONCE, _AT_ONCE_SHARE * budget.seconds_left))
        guide = guide_for(board, "3" if board.cells <= _THREES else "2", values, budget=inner)
        if guide is None:
            return None
        return anytime_beam_tiles(
            guide, one.tiles, one.target, width=self.width, width_max=self.width_max, most=length - 2,
            excess=(100, self.excess), budget=inner, on_plan=budget.offer,
        ).plan  # fmt: skip

    def _deepen(self, problem: Any, board: Geometry, budget: Budget) -> SearchAnswer:
        """Iterative deepening within its limits."""
        seconds = min(_EXACT_SHARE * budget.seconds_left, self.seconds or math.inf)
        return prove(problem, board, budget, nodes=self.nodes, seconds=seconds, threads=self.threads)


def _near(board: Geometry, tiles: Sequence[int], budget: Budget) -> SearchAnswer:
    """An optimal plan for a board near the goal, from a short search without tables; otherwise no plan."""
    if sum(int(board.distance[tile, cell]) for cell, tile in enumerate(tiles)) > _NEAR:
        return SearchAnswer()
    return ida_star_tiles(Estimator.taxicab(board), tiles, budget=budget.child(work=_NEAR_NODES))


def _with(answer: SearchAnswer, plan: Plan) -> SearchAnswer:
    """The answer, with this plan if it has none."""
    if answer.plan is not None:
        return answer
    return replace(answer, plan=plan, cost=len(plan), bound=min(answer.bound, len(plan)))
