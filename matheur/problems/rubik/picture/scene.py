"""Content of a picture: the stickers along a plan, and text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.plan_pictures import titled
from matheur.problems.rubik.problem import Rubik
from matheur.problems.rubik.stickers import FACES, MOVES, turn

__all__ = ["COLOURS", "NET", "Frame", "Scene", "scene_of"]


COLOURS = {"U": "#f7f7f7", "R": "#c62828", "F": "#2e7d32", "D": "#fdd835", "L": "#ef6c00", "B": "#1565c0"}
"""Standard colours of the faces."""

_CORNERS = {"U": (0, 3), "L": (3, 0), "F": (3, 3), "R": (3, 6), "B": (3, 9), "D": (6, 3)}
NET = tuple(
    (_CORNERS[face][0] + row, _CORNERS[face][1] + column) for face in FACES for row in range(3) for column in range(3)
)
"""Row and column of each sticker on the net: U above F, D below F, and L, F, R and B side by side."""


@dataclass(frozen=True)
class Frame:
    """The cube after a move.

    Attributes
    ----------
    facelets
        54 letters, see `Instance`.
    caption
        Number and name of the move.
    face
        The face that was turned; empty at the start.
    """

    facelets: str
    caption: str
    face: str


@dataclass(frozen=True)
class Scene:
    """A cube to draw.

    Attributes
    ----------
    frames
        The start, and the cube after each move; unknown moves do not change it.
    names
        Names of the moves.
    title, state
        Two lines of text.
    """

    frames: tuple[Frame, ...]
    names: tuple[str, ...]
    title: str
    state: str


def scene_of(problem: Rubik, plan: NDArray[np.int32] | None) -> Scene:
    """The scene of a cube or of a plan."""
    one = problem.instance
    facelets = one.facelets
    frames, names = [Frame(facelets, "start", "")], []
    for step, move in enumerate([] if plan is None else np.asarray(plan).ravel().tolist(), start=1):
        known = 0 <= move < len(MOVES)
        facelets = turn(facelets, move) if known else facelets
        names.append(MOVES[move] if known else "?")
        frames.append(Frame(facelets, f"{step} {names[-1]}", names[-1][0] if known else ""))
    state = f"{one.metric} turns"
    if plan is not None:
        evaluation = problem.evaluate(plan)
        state = f"{len(names)} {one.metric} turns"
        state += "" if evaluation.feasible else f", wrong: {evaluation.violations[0]}"
    return Scene(tuple(frames), tuple(names), titled("Rubik's cube", one.title), state)
