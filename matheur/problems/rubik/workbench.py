"""Rubik's cube in the workbench."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matheur.problems.rubik.formats import write_cube
from matheur.problems.rubik.generator import generate
from matheur.problems.rubik.instance import Instance
from matheur.problems.rubik.picture import picture
from matheur.problems.rubik.picture.scene import NET, scene_of
from matheur.problems.rubik.problem import Rubik
from matheur.problems.workbench import Choice, Position, Workbench

__all__ = ["WORKBENCH"]

_COLOURS = {"U": "white", "R": "red", "F": "green", "D": "yellow", "L": "orange", "B": "blue"}


class _RubikWorkbench(Workbench):
    plays = True
    scrambled_by = "turns"

    def text(self, problem: Any) -> str:
        return write_cube(problem.instance)

    def scramble(self, problem: Any, length: int | None, seed: int) -> str:
        moves = 100 if length is None else length
        return write_cube(generate(seed=seed, moves=moves, metric=problem.instance.metric)[0])

    def editor(self, problem: Any) -> dict[str, Any]:
        one = problem.instance
        cells: list[str | None] = [None] * 108
        order = [12 * row + column for row, column in NET]
        for cell, letter in zip(order, one.facelets, strict=True):
            cells[cell] = letter
        head = "" if one.metric == "quarter" else f"# metric: {one.metric}\n"
        palette = [[letter, f"{colour} ({letter})", f"face{letter}"] for letter, colour in _COLOURS.items()]
        return {
            "kind": "cells", "rows": 9, "columns": 12, "cells": cells, "palette": palette, "mode": "paint",
            "head": head, "between": "", "order": order,
        }  # fmt: skip

    def position(self, problem: Any, moves: Sequence[str]) -> Position:
        """The net and the turns; the key is the small letter of a face, or the capital for the other direction."""
        plan, one = problem.decode(list(moves)), problem.instance
        now = Rubik(Instance(scene_of(problem, plan).frames[-1].facelets, one.metric))
        keys = {name: name.lower() if len(name) == 1 else name[0] for name in one.moves if not name.endswith("2")}
        choices = tuple(Choice(name, name, keys.get(name, "")) for name in one.moves)
        words = "Turn a face: keys u d l r f b clockwise as seen from outside, capitals anticlockwise."
        svg = picture(now, None, "svg").decode()
        return Position(problem.encode(plan), words, svg=svg, choices=choices, text=self.text(now) or "")


WORKBENCH = _RubikWorkbench()
