"""Content of a picture: lights, presses and text."""

from __future__ import annotations

from collections import Counter
from colorsys import hsv_to_rgb
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.lights_out.instance import Effect
from matheur.problems.lights_out.problem import LightsOut
from matheur.problems.plan_pictures import titled

__all__ = ["Scene", "colour_of", "scene_of"]

_OFF, _ON = "#37474f", "#ffd54a"
_SHOWN = 12  # largest number of button presses that are listed


@dataclass(frozen=True)
class Scene:
    """A board to draw.

    Attributes
    ----------
    rows, columns
        Size of the board.
    lights, goal
        Current and target states of the lights, row by row.
    states
        Number of states of a light.
    order
        Number of the last press of each cell, 0 if it is not pressed; all 0 on boards with buttons.
    times
        Number of presses of each cell.
    presses
        Cells (or buttons) in the order of pressing, without those that do not exist.
    effects
        For each press, the cells that it changes and the amount that it adds there.
    title, state
        Two lines of text.
    """

    rows: int
    columns: int
    lights: tuple[int, ...]
    goal: tuple[int, ...]
    states: int
    order: tuple[int, ...]
    times: tuple[int, ...]
    presses: tuple[int, ...]
    effects: tuple[Effect, ...]
    title: str
    state: str

    @property
    def aims(self) -> bool:
        """Whether the goal is other than all lights off; it is then drawn, too."""
        return any(self.goal)

    def label(self, cell: int) -> str:
        """Label of a cell: the number of its press; with more than two states, `×` and the count if it repeats."""
        number, times = self.order[cell], self.times[cell]
        return "" if not number else f"{number}" if times == 1 or self.states == 2 else f"×{times}"


def colour_of(state: int, states: int) -> str:
    """Dark for 0, yellow for 1, and other hues for further states."""
    if state < 2:
        return _ON if state else _OFF
    red, green, blue = (
        round(255 * part) for part in hsv_to_rgb((0.13 + (state - 1) / (states - 1) * 0.85) % 1, 0.7, 1)
    )
    return f"#{red:02x}{green:02x}{blue:02x}"


def scene_of(problem: LightsOut, presses: NDArray[np.int32] | None) -> Scene:
    """The scene of a board or of one of its solutions."""
    one = problem.instance
    order, times = [0] * one.cells, [0] * one.cells
    pressed: tuple[int, ...] = ()
    state = f"{sum(map(bool, one.lights))} of {one.cells} lights are on"
    if one.target:
        state = f"{one.lit.bit_count()} of {one.cells} lights do not show the target"
    if presses is not None:
        pressed = tuple(press for press in np.asarray(presses).ravel().tolist() if 0 <= press < one.presses)
        evaluation = problem.evaluate(presses)
        state += f"; {len(presses)} presses" + ("" if evaluation.feasible else f", wrong: {evaluation.violations[0]}")
        if one.buttons is None:
            for number, cell in enumerate(pressed, start=1):
                order[cell] = number
            times = [Counter(pressed)[cell] for cell in range(one.cells)]
        elif pressed:
            named = ", ".join(map(str, pressed[:_SHOWN])) + (", ..." if len(pressed) > _SHOWN else "")
            state += f": buttons {named}"
    rules = [f"pattern {one.pattern}"] if one.pattern != "plus" else []
    rules += [one.edges] if one.edges != "plain" else []
    rules = [f"{one.presses} buttons"] if one.buttons is not None else rules
    rules += [f"{one.states} states"] if one.states > 2 else []
    title = titled(", ".join([f"Lights Out {one.rows} × {one.columns}", *rules]), one.title)
    lights = tuple(map(int, one.lights))
    return Scene(
        one.rows, one.columns, lights, tuple(map(int, one.goal)), one.states, tuple(order), tuple(times), pressed,
        one.effects, title, state,
    )  # fmt: skip
