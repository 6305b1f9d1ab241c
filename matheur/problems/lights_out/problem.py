"""Lights Out as a problem of the engine: solutions are presses, the objective is their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.array_problem import row_fault
from matheur.engine.outcome import Evaluation
from matheur.errors import InputError
from matheur.problems.lights_out.algebra import eliminate
from matheur.problems.lights_out.instance import Instance
from matheur.problems.plan_problem import PlanProblem

__all__ = ["LightsOut"]

_REPORTED = 10


@dataclass(frozen=True, eq=False)
class LightsOut(PlanProblem):
    """Turn all lights off with as few presses as possible.

    Solutions are int32 arrays of pressed cells in the order of pressing, 0-based and row by row; as JSON they are
    lists of the same numbers.

    Attributes
    ----------
    instance
        The board.
    assumptions
        What the reader took for granted, a phrase each.
    """

    instance: Instance
    assumptions: tuple[str, ...] = ()
    name = "lights-out"

    @property
    def content(self) -> tuple[Any, ...]:
        """What the fingerprint of the board is made of."""
        one = self.instance
        return (one.rows, one.columns, one.pattern, one.lit)

    def evaluate(self, solution: NDArray[np.int32]) -> Evaluation:
        """Press cell after cell on the definition."""
        fault = row_fault(solution, "a list of presses")
        if fault is not None:
            return Evaluation(0, False, (fault,))
        one = self.instance
        lights = list(one.lights)
        violations = []
        for step, cell in enumerate(np.asarray(solution).ravel().tolist(), start=1):
            if not 0 <= cell < one.cells:
                violations.append(f"press {step}: there is no cell {cell}")
                if len(violations) >= _REPORTED:
                    return Evaluation(len(solution), False, (*violations, "and more"))
                continue
            row, column = divmod(cell, one.columns)
            for r in range(max(0, row - 1), min(one.rows, row + 2)):
                for c in range(max(0, column - 1), min(one.columns, column + 2)):
                    if one.pattern == "king" or r == row or c == column:
                        lights[r * one.columns + c] ^= True
        left = sum(lights)
        if left:
            first = divmod(lights.index(True), one.columns)
            violations.append(f"at the end {left} lights are on, the first in row {first[0]}, column {first[1]}")
        return Evaluation(len(solution), not violations, tuple(violations))

    @property
    def trivial_bound(self) -> int:
        """Lights that are on, divided by the most that a press toggles, rounded up."""
        largest = max(len(reached) for reached in self.instance.reach)
        return -(-self.instance.lit.bit_count() // largest)

    def infeasible_reason(self) -> str | None:
        """A sentence if no presses put the lights out."""
        elimination = eliminate(self.instance)
        witness = elimination.witness(self.instance.lit)
        if witness is None:
            return None
        cells = [cell for cell in range(self.instance.cells) if witness >> cell & 1]
        shown = ", ".join(map(str, cells[:_REPORTED])) + (", ..." if len(cells) > _REPORTED else "")
        return (
            f"every press toggles an even number of these {len(cells)} cells, but an odd number of them are on: {shown}"
        )

    def encode(self, solution: NDArray[np.int32]) -> list[int]:
        """The pressed cells."""
        return [int(cell) for cell in np.asarray(solution).ravel()]

    def decode(self, data: Any) -> NDArray[np.int32]:
        """Presses of a list of cells.

        Raises
        ------
        InputError
            If it is no list of cells of this board.
        """
        if not isinstance(data, Sequence) or isinstance(data, str | bytes):
            raise InputError(f"presses are a list of cells, not {type(data).__name__}")
        for step, cell in enumerate(data, start=1):
            if type(cell) is not int or not 0 <= cell < self.instance.cells:
                shown = cell if type(cell) is int and abs(cell) < 10**9 else type(cell).__name__
                raise InputError(f"press {step}: no such cell ({shown}); they are 0 to {self.instance.cells - 1}")
        return np.array(data, dtype=np.int32)
