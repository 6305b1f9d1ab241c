"""Lights Out as a problem of the engine: solutions are presses, the objective is their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.array_problem import row_fault
from matheur.engine.outcome import Evaluation, plain_number
from matheur.errors import InputError
from matheur.problems.lights_out.algebra import eliminate
from matheur.problems.lights_out.instance import Instance
from matheur.problems.lights_out.modular import eliminate_modular
from matheur.problems.lights_out.press_pattern import offsets_of
from matheur.problems.plan_problem import PlanProblem

__all__ = ["LightsOut"]

_REPORTED = 10


@dataclass(frozen=True, eq=False)
class LightsOut(PlanProblem):
    """Bring all lights to their target states with as few presses as possible.

    Solutions are int32 arrays of pressed cells in the order of pressing, numbered row by row from 0; in JSON, they are
    lists of the same numbers. On boards with buttons, they are numbers of buttons from 0.

    Attributes
    ----------
    instance
        The board.
    assumptions
        Assumptions made by the reader, one phrase each.
    """

    instance: Instance
    assumptions: tuple[str, ...] = ()
    name = "lights-out"

    @property
    def content(self) -> tuple[Any, ...]:
        """The data from which the fingerprint of the board is computed."""
        one = self.instance
        if one.states == 2 and one.edges == "plain" and not one.target and one.buttons is None:
            return (one.rows, one.columns, one.pattern, one.lit)  # unchanged since before there were other rules
        presses = one.effects if one.buttons is not None else (one.pattern, one.edges)
        return (one.rows, one.columns, presses, one.states, tuple(map(int, one.lights)), tuple(map(int, one.goal)))

    def evaluate(self, solution: NDArray[np.int32]) -> Evaluation:
        """Apply the presses one by one, directly by the definition."""
        fault = row_fault(solution, "a list of presses")
        if fault is not None:
            return Evaluation(0, False, (fault,))
        one = self.instance
        lights = list(map(int, one.lights))
        violations = []
        for step, press in enumerate(np.asarray(solution).ravel().tolist(), start=1):
            if not 0 <= press < one.presses:
                violations.append(f"press {step}: there is no {one.press_word} {press}")
                if len(violations) >= _REPORTED:
                    return Evaluation(len(solution), False, (*violations, "and more"))
                continue
            for cell, amount in self._pressed(press).items():
                lights[cell] = (lights[cell] + amount) % one.states
        wrong = [cell for cell, (light, goal) in enumerate(zip(lights, one.goal, strict=True)) if light != goal]
        if wrong:
            row, column = divmod(wrong[0], one.columns)
            what = "are on" if one.states == 2 and not one.target else "do not show the target"
            violations.append(f"at the end {len(wrong)} lights {what}, the first in row {row}, column {column}")
        return Evaluation(len(solution), not violations, tuple(violations))

    def _pressed(self, press: int) -> dict[int, int]:
        """Effect of a press as a mapping of cells to amounts, directly by the definition."""
        one = self.instance
        if one.buttons is not None:
            return dict(one.buttons[press])
        row, column = divmod(press, one.columns)
        found: dict[int, int] = {}
        for down, right, amount in offsets_of(one.pattern, one.states):
            r = (row + down) % one.rows if one.edges == "torus" else row + down
            c = column + right if one.edges == "plain" else (column + right) % one.columns
            if 0 <= r < one.rows and 0 <= c < one.columns:
                found[r * one.columns + c] = max(found.get(r * one.columns + c, 0), amount)
        return found

    @property
    def trivial_bound(self) -> int:
        """Total amount to be added to the lights, divided by the most that a press adds, rounded up."""
        return -(-sum(self.instance.needed) // self.instance.largest)

    def infeasible_reason(self) -> str | None:
        """A sentence if no presses bring the lights to their target states."""
        one = self.instance
        if one.states > 2:
            return self._modular_reason()
        witness = eliminate(one).witness(one.lit)
        if witness is None:
            return None
        cells = [cell for cell in range(one.cells) if witness >> cell & 1]
        have = "have to change" if one.target else "are on"
        return (
            f"every press toggles an even number of these {len(cells)} cells, but an odd number of them {have}: "
            f"{_listed(cells)}"
        )

    def _modular_reason(self) -> str | None:
        needed = np.array(self.instance.needed, dtype=np.int64)
        found = eliminate_modular(self.instance).witness(needed)
        if found is None:
            return None
        weights, modulus = found
        terms = [f"{weight} x cell {cell}" for cell, weight in enumerate(weights.tolist()) if weight]
        return (
            f"every press changes this sum by a multiple of {modulus}, but {int(weights @ needed) % modulus} modulo "
            f"{modulus} is needed: {_listed(terms)}"
        )

    def encode(self, solution: NDArray[np.int32]) -> list[int]:
        """The pressed cells."""
        return [int(cell) for cell in np.asarray(solution).ravel()]

    def decode(self, data: Any) -> NDArray[np.int32]:
        """Convert a list of cells to presses.

        Raises
        ------
        InputError
            If `data` is not a list of cells of this board.
        """
        if not isinstance(data, Sequence) or isinstance(data, str | bytes):
            raise InputError(f"presses are a list of {self.instance.press_word}s, not {type(data).__name__}")
        data = list(map(plain_number, data))
        for step, cell in enumerate(data, start=1):
            if type(cell) is not int or not 0 <= cell < self.instance.presses:
                word = self.instance.press_word
                shown = cell if type(cell) is int and abs(cell) < 10**9 else type(cell).__name__
                raise InputError(f"press {step}: no such {word} ({shown}); they are 0 to {self.instance.presses - 1}")
        return np.array(data, dtype=np.int32)


def _listed(parts: Sequence[Any]) -> str:
    return ", ".join(map(str, parts[:_REPORTED])) + (", ..." if len(parts) > _REPORTED else "")
