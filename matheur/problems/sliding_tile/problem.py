"""The sliding-tile puzzle as a problem of the engine: solutions are plans, the objective is the number of slides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.array_problem import row_fault
from matheur.engine.outcome import Evaluation
from matheur.errors import InputError, shown
from matheur.problems.plan_problem import PlanProblem
from matheur.problems.sliding_tile.instance import MOVES, Instance
from matheur.problems.sliding_tile.solvability import unsolvable_reason

__all__ = ["SlidingTile"]

_REPORTED = 10
# Position of the sliding tile relative to the blank, as (rows down, columns right).
_FROM = ((1, 0), (-1, 0), (0, 1), (0, -1))
_WORDS = ("below", "above", "right of", "left of")


@dataclass(frozen=True, eq=False)
class SlidingTile(PlanProblem):
    """Put the tiles in order with as few slides as possible.

    Solutions are int32 arrays of moves 0 to 3 (U D L R: the direction in which a tile slides); as JSON they are strings
    of these letters.

    Attributes
    ----------
    instance
        The board.
    assumptions
        Assumptions of the reader, one phrase each.
    """

    instance: Instance
    assumptions: tuple[str, ...] = ()
    name = "sliding-tile"

    @property
    def content(self) -> tuple[Any, ...]:
        """Content from which the fingerprint of the board is computed."""
        one = self.instance
        return (one.rows, one.columns, one.tiles, one.goal)

    def evaluate(self, solution: NDArray[np.int32]) -> Evaluation:
        """Simulate the plan by definition; if its letters are moves of the blank, a violation says so."""
        fault = row_fault(solution, "a plan")
        if fault is not None:
            return Evaluation(0, False, (fault,))
        moves: list[int] = np.asarray(solution).ravel().tolist()
        violations = self._violations(moves)
        if violations and not self._violations([move ^ 1 for move in moves]):
            violations.append("it is a plan if the letters say where the blank goes. Here they say where tiles slide")
        return Evaluation(len(moves), not violations, tuple(violations))

    def _violations(self, moves: Sequence[int]) -> list[str]:
        """Violations of a plan."""
        one = self.instance
        board = [list(one.tiles[row * one.columns : (row + 1) * one.columns]) for row in range(one.rows)]
        row, column = divmod(one.blank, one.columns)
        violations: list[str] = []
        for step, move in enumerate(moves, start=1):
            if not 0 <= move < len(MOVES):
                violations.append(f"move {step}: there is no move number {move}")
            else:
                from_row, from_column = row + _FROM[move][0], column + _FROM[move][1]
                if 0 <= from_row < one.rows and 0 <= from_column < one.columns:
                    board[row][column], board[from_row][from_column] = board[from_row][from_column], 0
                    row, column = from_row, from_column
                else:
                    violations.append(f"move {step}: no tile lies {_WORDS[move]} the blank to slide {MOVES[move]}")
            if len(violations) > _REPORTED:
                return [*violations[:_REPORTED], "and more"]
        for cell, tile in enumerate(one.target):
            row, column = divmod(cell, one.columns)
            if board[row][column] != tile:
                violations.append(
                    f"at the end tile {board[row][column]} lies in row {row}, column {column}, not {tile}"
                )
                break
        return violations

    @property
    def trivial_bound(self) -> int:
        """Sum of the taxicab distances of the tiles to their goals."""
        one = self.instance
        goal = {tile: divmod(cell, one.columns) for cell, tile in enumerate(one.target)}
        places = ((tile, divmod(cell, one.columns)) for cell, tile in enumerate(one.tiles) if tile)
        return sum(abs(row - goal[tile][0]) + abs(column - goal[tile][1]) for tile, (row, column) in places)

    def infeasible_reason(self) -> str | None:
        """A sentence if the goal cannot be reached, else None."""
        return unsolvable_reason(self.instance)

    def encode(self, solution: NDArray[np.int32]) -> str:
        """The letters of the moves."""
        return "".join(MOVES[int(move)] for move in np.asarray(solution).ravel())

    def decode(self, data: Any) -> NDArray[np.int32]:
        """Moves of a string over `UDLR` in either case; `evaluate` checks whether they are possible.

        Raises
        ------
        InputError
            If it is not such a string.
        """
        if not isinstance(data, str):
            raise InputError(f"a plan is a text of the letters {MOVES}, not {type(data).__name__}")
        numbers = {letter: move for move, name in enumerate(MOVES) for letter in (name, name.lower())}
        for step, letter in enumerate(data, start=1):
            if letter not in numbers:
                raise InputError(f"move {step} must be one of {', '.join(MOVES)} ({shown(letter)})")
        return np.array([numbers[letter] for letter in data], dtype=np.int32)
