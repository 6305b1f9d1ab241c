"""Content of a picture: the boards along a plan, and text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.plan_pictures import titled
from matheur.problems.sliding_tile.instance import MOVES
from matheur.problems.sliding_tile.problem import SlidingTile

__all__ = ["Frame", "Scene", "scene_of"]

_GOAL_MAX = 40  # largest number of characters shown of a goal
_FROM = ((1, 0), (-1, 0), (0, 1), (0, -1))


@dataclass(frozen=True)
class Frame:
    """A board after a move.

    Attributes
    ----------
    tiles
        Tiles row by row.
    moved
        Current cell of the tile that was moved; None at the start and after an impossible move.
    caption
        Number and letter of the move, such as `3 U`.
    """

    tiles: tuple[int, ...]
    moved: int | None
    caption: str


@dataclass(frozen=True)
class Scene:
    """Boards to draw.

    Attributes
    ----------
    rows, columns
        Size.
    target
        Tiles of the goal.
    frames
        The start, and the board after each move.
    title, state
        Two lines of text for users.
    """

    rows: int
    columns: int
    target: tuple[int, ...]
    frames: tuple[Frame, ...]
    title: str
    state: str

    def home(self, cell: int, tile: int) -> bool:
        """Whether a tile is at its goal."""
        return self.target[cell] == tile


def scene_of(problem: SlidingTile, plan: NDArray[np.int32] | None) -> Scene:
    """The scene of a board, or of a plan; impossible moves leave the board as it is."""
    one = problem.instance
    tiles, blank = list(one.tiles), one.blank
    frames = [Frame(one.tiles, None, "start")]
    for step, move in enumerate([] if plan is None else np.asarray(plan).ravel().tolist(), start=1):
        moved = None
        if 0 <= move < len(MOVES):
            row, column = blank // one.columns + _FROM[move][0], blank % one.columns + _FROM[move][1]
            if 0 <= row < one.rows and 0 <= column < one.columns:
                cell = row * one.columns + column
                tiles[blank], tiles[cell] = tiles[cell], 0
                moved, blank = blank, cell
        letter = MOVES[move] if 0 <= move < len(MOVES) else "?"
        frames.append(Frame(tuple(tiles), moved, f"{step} {letter}" + ("" if moved is not None else " impossible")))
    goal = one.goal if len(one.goal) <= _GOAL_MAX else "as given"
    state = f"goal {goal}, at least {problem.trivial_bound} slides"
    if plan is not None:
        evaluation = problem.evaluate(plan)
        state = f"{len(plan)} slides" + ("" if evaluation.feasible else f", wrong: {evaluation.violations[0]}")
    name = titled(f"Sliding tiles {one.rows} × {one.columns}", one.title)
    return Scene(one.rows, one.columns, one.target, tuple(frames), name, state)
