"""Neighbourhood `guided-window`: long segments of the plan again, by beams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, check_order, option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.crew import run_tasks
from matheur.problems.plans.searching import AUTO, THREADS_MAX, Plan
from matheur.problems.sliding_tile.operators.guiding import guide_for, tabled, values_for
from matheur.problems.sliding_tile.search.beam import beam_tiles
from matheur.problems.sliding_tile.search.geometry import boards_along
from matheur.problems.sliding_tile.search.guide import Guide

__all__ = ["GuidedWindow", "with_shorter"]

_WIDEST = 32
_Window = tuple[int, int, int]  # first board, last board, seed


@dataclass(frozen=True, slots=True)
class GuidedWindow:
    """Replace segments of the plan by shorter ones that beams find, guided as in `guided-beam`. Work: slides examined.

    Exact windows prove local optimality but are limited to about 40 slides on large boards; a beam can replan a hundred
    and more. Windows are placed at random, as many at a time as there are threads.

    Attributes
    ----------
    patterns
        Partitions of the tiles, named as for the heuristics and joined by `+`; or `auto`.
    values
        File of learnt values of pairs of tiles; `auto`: the file supplied with matheur for this size, if there is one;
        `none`: no learnt values.
    excess
        Weight of the excess over the taxicab distance, in percent; learnt values have their own weight.
    length, longest
        Slides in the shortest and in the longest window; lengths are drawn between them.
    width
        Boards per layer.
    patience
        Successive windows of a call without improvement after which the width of its beams doubles (up to 32 times the
        initial width).
    iterations
        Windows per call.
    threads
        Threads that plan windows in parallel; one with a work limit. The same number and seed give the same plan.
    """

    patterns: str = AUTO
    values: str = AUTO
    excess: int = option(150, minimum=0, maximum=1_000)
    length: int = option(40, minimum=1)
    longest: int = 120
    width: int = option(6_000, minimum=1)
    patience: int = option(40, minimum=1)
    iterations: int = option(100, minimum=1)
    threads: int = option(1, minimum=1, maximum=THREADS_MAX)

    def __post_init__(self) -> None:
        check_options(self)
        check_order(self, "length", "longest")

    def explore(self, problem: Any, incumbent: Plan, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Replan window after window and keep every improvement."""
        one = problem.instance.canonical
        plan = np.asarray(incumbent, dtype=np.int32)
        board = tabled(one)
        guide = None
        if min(one.rows, one.columns) > 1 and len(plan) > 2:
            guide = guide_for(board, self.patterns, values_for(board, self.values), budget=budget)
        threads = 1 if budget.work_left is not None else self.threads
        done, failed, width = 0, 0, self.width
        while guide is not None and done < self.iterations and not budget.exhausted and not budget.reached(len(plan)):
            windows = self._draw(len(plan), min(threads, self.iterations - done), rng)
            answers = self._plan_again(guide, boards_along(board, one.tiles, plan), windows, width, budget)
            done, failed = done + len(windows), failed + len(windows)
            if failed >= self.patience:
                failed, width = 0, min(2 * width, _WIDEST * self.width)
            shorter = [
                (begin, end, answer.plan)
                for (begin, end, _), answer in zip(windows, answers, strict=True)
                if answer.plan is not None
            ]
            if shorter:
                failed = 0
                plan = with_shorter(plan, shorter)
                budget.offer(plan, len(plan))
        improved = len(plan) < len(incumbent)
        return Outcome(
            Status.IMPROVED if improved else Status.EXHAUSTED, plan if improved else None,
            len(plan) if improved else None,
        )  # fmt: skip

    def _draw(self, length: int, count: int, rng: Generator) -> list[_Window]:
        """Windows of one length, so that their beams end at about the same time."""
        inside = int(rng.integers(min(self.length, length), min(self.longest, length) + 1))
        begins = [int(rng.integers(0, length - inside + 1)) for _ in range(count)]
        return [(begin, begin + inside, int(rng.integers(1 << 16))) for begin in begins]

    def _plan_again(
        self, guide: Guide, boards: NDArray[np.int64], windows: list[_Window], width: int, budget: Budget
    ) -> list[SearchAnswer]:
        """A beam for each window, from its first board to its last."""
        answers = [SearchAnswer() for _ in windows]

        def search(number: int, inner: Budget) -> None:
            begin, end, seed = windows[number]
            toward, labels = guide.toward(boards[end].tolist())
            answers[number] = beam_tiles(
                toward, labels[boards[begin]].tolist(), width=width, most=end - begin - 2, excess=(100, self.excess),
                seed=seed, budget=inner,
            )  # fmt: skip

        def call(_thread: int, number: int, stopped: Callable[[], bool]) -> None:
            search(number, Budget(interrupt=stopped))

        if len(windows) == 1:
            search(0, budget)
        else:
            run_tasks(len(windows), len(windows), call, lambda: budget.exhausted)
            budget.spend(work=sum(answer.generated for answer in answers))
        return answers


def with_shorter(plan: NDArray[np.int32], shorter: list[tuple[int, int, NDArray[np.int32]]]) -> NDArray[np.int32]:
    """The plan with the shorter segments inserted; of overlapping segments, the first one is used."""
    chosen: list[tuple[int, int, NDArray[np.int32]]] = []
    for one in shorter:
        if all(one[0] >= other[1] or one[1] <= other[0] for other in chosen):
            chosen.append(one)
    for begin, end, segment in sorted(chosen, key=lambda one: one[0], reverse=True):
        plan = np.concatenate([plan[:begin], segment, plan[end:]])
    return plan
