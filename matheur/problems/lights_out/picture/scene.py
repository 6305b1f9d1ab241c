"""What is drawn: lights, presses and words."""

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
_SHOWN = 12  # presses of buttons that are named


@dataclass(frozen=True)
class Scene:
    """A board to draw.

    Attributes
    ----------
    rows, columns
        Size.
    lights, goal
        States row by row: what the lights show, and what they shall show.
    states
        Number of states.
    order
        For each cell the number of its last press, 0 if it is not pressed; none are with buttons of their own.
    times
        For each cell how often it is pressed.
    presses
        Cells (buttons) in the order of pressing; those that do not exist are left out.
    effects
        For each press the cells that it changes, and what it adds there.
    title, state
        Two lines for people.
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
        """Whether anything but darkness is the goal, which is then drawn, too."""
        return any(self.goal)

    def label(self, cell: int) -> str:
        """What is written on a cell: the number of its press, and how often if it is pressed more than once."""
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
    """The scene of a board, or of a solution of it."""
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
