"""What is drawn: lights, presses and words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.lights_out.problem import LightsOut
from matheur.problems.plan_pictures import titled

__all__ = ["Scene", "scene_of"]


@dataclass(frozen=True)
class Scene:
    """A board to draw.

    Attributes
    ----------
    rows, columns
        Size.
    lights
        Row by row.
    order
        For each cell the number of its last press, 0 if it is not pressed.
    presses
        Cells in the order of pressing; those that do not exist are left out.
    reach
        For each cell what a press toggles.
    title, state
        Two lines for people.
    """

    rows: int
    columns: int
    lights: tuple[bool, ...]
    order: tuple[int, ...]
    presses: tuple[int, ...]
    reach: tuple[tuple[int, ...], ...]
    title: str
    state: str


def scene_of(problem: LightsOut, presses: NDArray[np.int32] | None) -> Scene:
    """The scene of a board, or of a solution of it."""
    one = problem.instance
    order = [0] * one.cells
    cells: tuple[int, ...] = ()
    lit = sum(one.lights)
    state = f"{lit} of {one.cells} lights are on"
    if presses is not None:
        cells = tuple(cell for cell in np.asarray(presses).ravel().tolist() if 0 <= cell < one.cells)
        for number, cell in enumerate(cells, start=1):
            order[cell] = number
        evaluation = problem.evaluate(presses)
        state += f"; {len(presses)} presses" + ("" if evaluation.feasible else f", wrong: {evaluation.violations[0]}")
    pattern = "" if one.pattern == "plus" else f", pattern {one.pattern}"
    title = titled(f"Lights Out {one.rows} × {one.columns}{pattern}", one.title)
    return Scene(one.rows, one.columns, one.lights, tuple(order), cells, one.reach, title, state)
