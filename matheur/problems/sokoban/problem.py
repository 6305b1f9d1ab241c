"""Sokoban as a problem of the engine: solutions are plans of the player, the objective is moves or pushes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.array_problem import row_fault
from matheur.engine.outcome import Evaluation
from matheur.errors import InputError, shown
from matheur.problems.plan_problem import PlanProblem
from matheur.problems.sokoban.instance import MOVES, STEPS, Instance
from matheur.problems.sokoban.run_lengths import expanded
from matheur.problems.sokoban.solvability import unsolvable_reason

__all__ = ["Sokoban"]

_REPORTED = 10
_MOVES_MAX = 1 << 24
_NUMBERS = {letter: move for move, name in enumerate(MOVES) for letter in (name, name.lower())}


@dataclass(frozen=True, eq=False)
class Sokoban(PlanProblem):
    """Push all boxes onto goals with as few moves (or pushes) as possible.

    Solutions are int32 arrays of moves 0 to 3 (U D L R); as JSON they are strings of these letters in the usual
    notation: lower case for a step, upper case for a push.

    Attributes
    ----------
    instance
        The level.
    assumptions
        Assumptions of the reader, one phrase each.
    """

    instance: Instance
    assumptions: tuple[str, ...] = ()
    name = "sokoban"

    @property
    def content(self) -> tuple[Any, ...]:
        """Content from which the fingerprint of the level is computed."""
        one = self.instance
        return (one.rows, one.columns, one.walls, one.goals, one.boxes, one.player, one.cost)

    def _play(self, solution: NDArray[np.int32]) -> tuple[set[int], list[bool], list[str]]:
        """Final boxes, whether each move is a push, and the violations; impossible moves are skipped."""
        one = self.instance
        row, column = divmod(one.player, one.columns)
        boxes, pushes, wrong = set(one.boxes), [], []

        def free(r: int, c: int) -> bool:
            return 0 <= r < one.rows and 0 <= c < one.columns and not one.walls[r * one.columns + c]

        for step, move in enumerate(np.asarray(solution).ravel().tolist(), start=1):
            pushes.append(False)
            if not 0 <= move < len(MOVES):
                wrong.append(f"move {step}: there is no move number {move}")
                continue
            down, right = STEPS[move]
            there = row + down, column + right
            if not free(*there):
                wrong.append(f"move {step}: a wall is in the way to the {_WORDS[move]}")
                continue
            cell = there[0] * one.columns + there[1]
            if cell in boxes:
                beyond = there[0] + down, there[1] + right
                target = beyond[0] * one.columns + beyond[1]
                if not free(*beyond) or target in boxes:
                    wrong.append(f"move {step}: the box in {one.shown(cell)} cannot be pushed to the {_WORDS[move]}")
                    continue
                boxes.remove(cell)
                boxes.add(target)
                pushes[-1] = True
            row, column = there
        return boxes, pushes, wrong

    def evaluate(self, solution: NDArray[np.int32]) -> Evaluation:
        """Simulate the plan by definition."""
        fault = row_fault(solution, "a plan")
        if fault is not None:
            return Evaluation(0, False, (fault,))
        boxes, pushes, wrong = self._play(solution)
        violations = wrong[:_REPORTED] + ["and more"] * (len(wrong) > _REPORTED)
        left = sorted(boxes - set(self.instance.goals))
        if left:
            violations.append(f"at the end {len(left)} boxes are on no goal, one in {self.instance.shown(left[0])}")
        cost = sum(pushes) if self.instance.cost == "pushes" else len(pushes)
        return Evaluation(cost, not violations, tuple(violations))

    def report(self, solution: NDArray[np.int32]) -> dict[str, int]:
        """Both counts of a plan: all `moves` of the player, and the `pushes` among them."""
        _, pushes, _ = self._play(solution)
        return {"moves": len(pushes), "pushes": sum(pushes)}

    def remark(self, solution: NDArray[np.int32]) -> str:
        """The same in words."""
        moves, pushes = self.report(solution).values()
        return f"{moves} move{'s' * (moves != 1)}, {pushes} push{'es' * (pushes != 1)}"

    @property
    def trivial_bound(self) -> int:
        """Number of boxes that are not on a goal."""
        return len(set(self.instance.boxes) - set(self.instance.goals))

    def infeasible_reason(self) -> str | None:
        """A sentence if a simple argument shows that the level cannot be solved, else None."""
        return unsolvable_reason(self.instance)

    def encode(self, solution: NDArray[np.int32]) -> str:
        """The moves in letters, capitals for pushes."""
        _, pushes, _ = self._play(solution)
        letters = [MOVES[int(move)] if 0 <= move < len(MOVES) else "?" for move in np.asarray(solution).ravel()]
        return "".join(one if push else one.lower() for one, push in zip(letters, pushes, strict=True))

    def decode(self, data: Any) -> NDArray[np.int32]:
        """Moves of a string over `udlrUDLR`; upper case is not required, since pushes follow from the level.

        A number repeats the letter or the group after it, as in `3r2(uL)`; a `*` (the current position of a saved game)
        is ignored.

        Raises
        ------
        InputError
            If it is not such a string.
        """
        if not isinstance(data, str):
            raise InputError(f"a plan is a text of the letters u d l r U D L R, not {type(data).__name__}")
        letters = expanded(data.replace("*", ""), _MOVES_MAX, f"a plan has at most {_MOVES_MAX:,} moves")
        for step, letter in enumerate(letters, start=1):
            if letter not in _NUMBERS:
                hint = ". Maybe a plan that is played forwards?" if letter in "[]{}" else ""
                raise InputError(f"move {step} must be one of u d l r U D L R ({shown(letter)}){hint}")
        return np.array([_NUMBERS[letter] for letter in letters], dtype=np.int32)


_WORDS = ("top", "bottom", "left", "right")
