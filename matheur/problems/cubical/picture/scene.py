"""Content of a picture, independent of the drawing: the start, and the placement after each move of a plan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.cubical.picture.palette import colours_of, marks_of
from matheur.problems.cubical.problem import Cubical
from matheur.problems.cubical.rules import free_span
from matheur.problems.pictures import readable

__all__ = ["Frame", "Scene", "scene_of"]


@dataclass(frozen=True, slots=True)
class Frame:
    """A placement and the move that led to it.

    Attributes
    ----------
    places
        The vertex of each ring.
    ring, origin
        Ring that moved, and its former vertex; None in the first frame and for moves without a valid ring.
    face
        Vertices of a free face that allowed the move; empty if there is no such face.
    caption
        The move in words.
    wrong
        Whether the move breaks the rules.
    """

    places: tuple[int, ...]
    ring: int | None = None
    origin: int | None = None
    face: tuple[int, ...] = ()
    caption: str = "start"
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is drawn.

    Attributes
    ----------
    title, state
        Two lines of text: the name of the puzzle, and a summary of the puzzle or the plan.
    dimension, k
        Dimensions of the cube and its faces.
    names, marks, colours
        Full names of the rings, their marks of one to three characters, and their colours as `#rrggbb`.
    start, target
        The vertex of each ring.
    frames
        The start, then one frame per move; only the start if there is no plan.
    planned
        Whether there is a plan.
    violations
        Violations of the plan that the evaluator reports.
    """

    title: str
    state: str
    dimension: int
    k: int
    names: tuple[str, ...]
    marks: tuple[str, ...]
    colours: tuple[str, ...]
    start: tuple[int, ...]
    target: tuple[int, ...]
    frames: tuple[Frame, ...]
    planned: bool
    violations: tuple[str, ...]


def scene_of(problem: Cubical, plan: NDArray[np.int32] | None) -> Scene:
    """The scene of a plan, including illegal moves, or of the start alone."""
    one = problem.instance
    cube = f"dimension {one.dimension}, faces of dimension {one.k}, {_counted(len(one.rings), 'ring')}"
    frames = [Frame(one.start)]
    violations: tuple[str, ...] = ()
    if plan is None:
        state = f"{_counted(one.empty, 'empty vertex', 'empty vertices')}, at least {_moves(problem.trivial_bound)}"
    else:
        violations = problem.evaluate(plan).violations
        for move in np.asarray(plan).ravel().tolist():
            frames.append(_after(problem, frames[-1], int(move)))
        verdict = "solves the puzzle" if not violations else f"not valid: {violations[0]}"
        state = f"{_moves(len(frames) - 1)}, {verdict}"
    return Scene(
        f"{readable(one.title) or problem.name}: {cube}",
        state,
        one.dimension,
        one.k,
        one.rings,
        marks_of(one.rings),
        colours_of(one.rings),
        one.start,
        one.target,
        tuple(frames),
        plan is not None,
        violations,
    )


def _after(problem: Cubical, before: Frame, move: int) -> Frame:
    one = problem.instance
    ring, vertex = divmod(move, one.vertices)
    if not 0 <= ring < len(one.rings):
        return Frame(before.places, caption=f"no ring number {ring}", wrong=True)
    origin = before.places[ring]
    span = free_span(one.dimension, one.k, before.places, ring, vertex)
    face = () if span is None else tuple(v for v in range(one.vertices) if (v ^ vertex) & ~span == 0)
    places = (*before.places[:ring], vertex, *before.places[ring + 1 :])
    name = one.rings[ring]
    shown = name if len(name) <= 16 else name[:15] + "…"
    return Frame(places, ring, origin, face, f"{shown} {origin} → {vertex}", span is None)


def _moves(number: int) -> str:
    return _counted(number, "move")


def _counted(number: int, what: str, many: str = "") -> str:
    return f"{number} {what}" if number == 1 else f"{number} {many or what + 's'}"
