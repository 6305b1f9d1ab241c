"""Construction `rule-based`: a plan for any board at once, line by line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.problems.plans.searching import Plan
from matheur.problems.sliding_tile.instance import GOALS, Instance
from matheur.problems.sliding_tile.operators.rule_kernels import COLUMNS, RINGS, ROWS, solve

__all__ = ["RuleBased", "solve_by_rules"]

Order = Literal["rows", "columns", "rings", "shortest"]

_CODES = {"rows": (ROWS,), "columns": (COLUMNS,), "rings": (RINGS,), "shortest": (ROWS, COLUMNS, RINGS)}
_SLIDES = 8  # upper limit per tile and line


@dataclass(frozen=True, slots=True)
class RuleBased:
    """Put rows and columns in order one after the other; solves every solvable board. Work: slides.

    Attributes
    ----------
    order
        Order of the lines: `rows` from the top, `columns` from the left, `rings` (a row and a column in turn), or the
        `shortest` of the three plans.
    """

    order: Order = option("shortest", choices=get_args(Order))

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Follow the rules."""
        del rng
        reason = problem.infeasible_reason()
        if reason is not None:
            certificate = {"backend": "parity"}
            return Outcome(Status.INFEASIBLE, reason=reason, certificate=certificate)
        plan = solve_by_rules(problem.instance, self.order)
        budget.spend(work=len(plan))
        return Outcome(Status.IMPROVED, plan, len(plan))


def solve_by_rules(instance: Instance, order: Order = "shortest") -> NDArray[np.int32]:
    """A plan, int32[n] of moves, for a solvable board.

    Raises
    ------
    ValueError
        If it cannot be solved.
    """
    if instance.goal not in GOALS:
        before, back = _blank_last(instance.canonical)
        return np.concatenate([solve_by_rules(before, order), back])
    rows, columns, cells = instance.rows, instance.columns, instance.cells
    turned = instance.goal == "blank-first"
    tiles = np.array(instance.tiles, dtype=np.int64)
    if turned:  # after rotating the board by 180 degrees, the blank belongs in the last cell
        tiles = np.where(tiles == 0, 0, cells - tiles)[::-1].copy()
    if min(rows, columns) == 1:
        plan = _along_a_line(tiles, rows > 1)
    else:
        room = np.empty(_SLIDES * cells * (rows + columns), dtype=np.int32)
        plans = []
        for code in _CODES[order]:
            length = int(solve(tiles, rows, columns, code, room))
            if length < 0:
                raise ValueError(f"the board cannot be solved: {instance.tiles}")
            plans.append(room[:length].copy())
        plan = min(plans, key=len)
    return plan ^ 1 if turned else plan


def _blank_last(instance: Instance) -> tuple[Instance, NDArray[np.int32]]:
    """The board with the blank last at the goal, and the slides that then move the blank home."""
    goal, blank, slides = list(instance.target), instance.target.index(0), []
    while blank < instance.cells - 1:
        right = (blank + 1) % instance.columns > 0
        cell = blank + (1 if right else instance.columns)
        goal[blank], goal[cell] = goal[cell], 0
        slides.append(3 if right else 1)  # R and D reverse the blank's moves here
        blank = cell
    tiles = " ".join(map(str, goal))
    return replace(instance, goal=tiles).canonical, np.array(slides[::-1], dtype=np.int32)


def _along_a_line(tiles: NDArray[np.int64], upright: bool) -> NDArray[np.int32]:
    """A plan on a single line: the blank moves to the end."""
    blank = int(np.argmin(tiles))
    rest = np.delete(tiles, blank)
    if not (np.diff(rest) > 0).all():
        raise ValueError(f"the board cannot be solved: {tiles.tolist()}")
    return np.full(tiles.size - 1 - blank, 0 if upright else 2, dtype=np.int32)
