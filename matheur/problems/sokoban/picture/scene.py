"""Content of a picture: the level along a plan, and text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.plan_pictures import titled
from matheur.problems.sokoban.instance import MOVES, Instance
from matheur.problems.sokoban.problem import Sokoban

__all__ = ["Frame", "Scene", "scene_of"]


@dataclass(frozen=True)
class Frame:
    """The level after a move.

    Attributes
    ----------
    player
        Cell.
    boxes
        Cells, ascending.
    push
        Whether the move was a push.
    caption
        Number and letter of the move.
    """

    player: int
    boxes: tuple[int, ...]
    push: bool
    caption: str


@dataclass(frozen=True)
class Scene:
    """A level to draw.

    Attributes
    ----------
    instance
        Walls, goals and size.
    frames
        The start, and the level after each move; impossible moves change nothing.
    letters
        The plan.
    title, state
        Two lines of text for users.
    """

    instance: Instance
    frames: tuple[Frame, ...]
    letters: str
    title: str
    state: str

    @property
    def pushes(self) -> tuple[Frame, ...]:
        """The start, the level after each push, and the end."""
        kept = [frame for i, frame in enumerate(self.frames) if i == 0 or frame.push]
        return tuple(kept if kept[-1] is self.frames[-1] else [*kept, self.frames[-1]])


def scene_of(problem: Sokoban, plan: NDArray[np.int32] | None) -> Scene:
    """The scene of a level, or of a plan."""
    one = problem.instance
    inside = set(one.region)
    player, boxes = one.player, set(one.boxes)
    frames = [Frame(player, one.boxes, False, "start")]
    moves = [] if plan is None else np.asarray(plan).ravel().tolist()
    for step, move in enumerate(moves, start=1):
        there = one.beside(player, move) if 0 <= move < len(MOVES) else None
        push = there in boxes
        beyond = None if there is None else one.beside(there, move)
        if there in inside and there is not None and (not push or (beyond in inside and beyond not in boxes)):
            if push and beyond is not None:
                boxes = (boxes - {there}) | {beyond}
            player = there
        else:
            push = False
        letter = MOVES[move] if 0 <= move < len(MOVES) else "?"
        frames.append(Frame(player, tuple(sorted(boxes)), push, f"{step} {letter if push else letter.lower()}"))
    state = f"{len(one.boxes)} boxes, {len(one.goals)} goals"
    if plan is not None:
        evaluation = problem.evaluate(plan)
        pushes = sum(frame.push for frame in frames)
        state = f"{len(moves)} moves, {pushes} pushes"
        state += "" if evaluation.feasible else f", wrong: {evaluation.violations[0]}"
    letters = "" if plan is None else problem.encode(plan)
    return Scene(one, tuple(frames), letters, titled("Sokoban", one.title), state)
