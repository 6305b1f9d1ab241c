"""Playing puzzles whose solutions are plans: the position after the moves so far, and the moves that are possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from matheur.web.puzzles.position import Cell, Choice, Position
from matheur.web.puzzles.texts import text_of

__all__ = ["cubical", "lights_out", "rubik", "sliding_tile", "sokoban"]

_ARROWS = {"U": ("↑ up", "ArrowUp"), "D": ("↓ down", "ArrowDown"), "L": ("← left", "ArrowLeft"),
           "R": ("→ right", "ArrowRight")}  # fmt: skip
_STEPS = {"U": (1, 0), "D": (-1, 0), "L": (0, 1), "R": (0, -1)}  # where the sliding tile lies, seen from the blank


def sliding_tile(problem: Any, moves: Sequence[str]) -> Position:
    """A board whose tiles beside the blank are buttons."""
    from matheur.problems.sliding_tile.picture.scene import scene_of
    from matheur.problems.sliding_tile.problem import SlidingTile

    plan = problem.decode("".join(moves))
    one, scene = problem.instance, scene_of(problem, plan)
    tiles = scene.frames[-1].tiles
    row, column = divmod(tiles.index(0), one.columns)
    possible = {}
    for letter, (down, right) in _STEPS.items():
        r, c = row + down, column + right
        if 0 <= r < one.rows and 0 <= c < one.columns:
            possible[r * one.columns + c] = letter
    cells = tuple(
        Cell("", "blank", label="blank")
        if tile == 0
        else Cell(str(tile), "home" if scene.home(cell, tile) else "tile", possible.get(cell, ""), f"tile {tile}")
        for cell, tile in enumerate(tiles)
    )
    choices = tuple(Choice(letter, *_ARROWS[letter], open=letter in possible.values()) for letter in _ARROWS)
    words = "Press a tile beside the blank, or the arrow keys: the direction in which a tile slides."
    text = text_of(SlidingTile(replace(one, tiles=tuple(tiles))))
    return Position(problem.encode(plan), words, columns=one.columns, cells=cells, choices=choices, text=text or "")


def lights_out(problem: Any, moves: Sequence[str]) -> Position:
    """A board whose cells are buttons."""
    from matheur.problems.lights_out.problem import LightsOut

    presses = [int(move) for move in moves if move.isdigit()]
    plan, one = problem.decode(presses), problem.instance
    lights = list(one.lights)
    for press in presses:
        for cell in one.reach[press]:
            lights[cell] = not lights[cell]
    cells = tuple(
        Cell("", "on" if on else "off", str(cell), f"row {cell // one.columns}, column {cell % one.columns}, "
             + ("on" if on else "off"))
        for cell, on in enumerate(lights)
    )  # fmt: skip
    words = f"Press a cell: it and its neighbours change. {sum(lights)} lights are on."
    text = text_of(LightsOut(replace(one, lights=tuple(lights))))
    return Position(problem.encode(plan), words, columns=one.columns, cells=cells, text=text or "")


def sokoban(problem: Any, moves: Sequence[str]) -> Position:
    """The level, and the directions in which the player can go."""
    from matheur.problems.sokoban.picture import picture
    from matheur.problems.sokoban.picture.scene import scene_of
    from matheur.problems.sokoban.problem import Sokoban

    plan = problem.decode("".join(moves))
    frame = scene_of(problem, plan).frames[-1]
    one = replace(problem.instance, boxes=frame.boxes, player=frame.player)
    now = Sokoban(one)
    choices = []
    for letter, (label, key) in _ARROWS.items():
        wrong = now.evaluate(now.decode(letter)).violations
        can = not any(sentence.startswith("move 1") for sentence in wrong)
        choices.append(Choice(letter, label, key, can))
    words = "Walk with the arrow keys; a box that stands in the way is pushed."
    svg = picture(now, None, "svg").decode()
    return Position(problem.encode(plan), words, svg=svg, choices=tuple(choices), text=text_of(now) or "")


def rubik(problem: Any, moves: Sequence[str]) -> Position:
    """The net, and the turns: the small letter of a face, or the capital for the other way round."""
    from matheur.problems.rubik.instance import Instance
    from matheur.problems.rubik.picture import picture
    from matheur.problems.rubik.picture.scene import scene_of
    from matheur.problems.rubik.problem import Rubik

    plan, one = problem.decode(list(moves)), problem.instance
    now = Rubik(Instance(scene_of(problem, plan).frames[-1].facelets, one.metric))
    keys = {name: name.lower() if len(name) == 1 else name[0] for name in one.moves if not name.endswith("2")}
    choices = tuple(Choice(name, name, keys.get(name, "")) for name in one.moves)
    words = "Turn a face: keys u d l r f b clockwise as seen from outside, the capitals against it."
    svg = picture(now, None, "svg").decode()
    return Position(problem.encode(plan), words, svg=svg, choices=choices, text=text_of(now) or "")


def cubical(problem: Any, moves: Sequence[str]) -> Position:
    """The cube, and every ring with the vertices that it can go to."""
    from matheur.problems.cubical.picture import picture
    from matheur.problems.cubical.problem import Cubical
    from matheur.problems.cubical.rules import legal_moves

    plan, one = problem.decode(list(moves)), problem.instance
    places = list(one.start)
    for move in plan.tolist():
        ring, vertex = divmod(int(move), one.vertices)
        places[ring] = vertex
    now = Cubical(replace(one, start=tuple(places)))
    choices = tuple(
        Choice(f"{one.rings[ring]}:{there}", f"{one.rings[ring]} {places[ring]} → {there}")
        for ring, there in legal_moves(one.dimension, one.k, places)
    )
    words = "Choose a ring and the vertex that it goes to; squares in its colour are the targets."
    svg = picture(now, None, "svg").decode()
    return Position(problem.encode(plan), words, svg=svg, choices=choices, text=text_of(now) or "")
