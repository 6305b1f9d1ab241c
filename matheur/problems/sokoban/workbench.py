"""Workbench functions for Sokoban."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from matheur.problems.sokoban.formats import write_level
from matheur.problems.sokoban.generator import generate
from matheur.problems.sokoban.picture import picture
from matheur.problems.sokoban.picture.scene import scene_of
from matheur.problems.sokoban.problem import Sokoban
from matheur.problems.workbench import ARROWS, Choice, Position, Workbench, cells_editor

__all__ = ["WORKBENCH"]

_SIGNS = (("#", "wall"), (" ", "floor"), ("@", "player"), ("$", "box"), (".", "goal"), ("*", "box on goal"),
          ("+", "player on goal"))  # fmt: skip


class _SokobanWorkbench(Workbench):
    plays = True
    scrambled_by = "pulls"
    text_options = ("cost",)

    def text(self, problem: Any) -> str:
        return write_level(problem.instance)

    def scramble(self, problem: Any, length: int | None, seed: int) -> str:
        one = problem.instance
        boxes = len(one.boxes)
        return write_level(generate(one.rows, one.columns, seed=seed, boxes=boxes, pulls=length, cost=one.cost)[0])

    def editor(self, problem: Any) -> dict[str, Any]:
        one = problem.instance
        rows = [row for row in write_level(one).splitlines() if row.strip() and not row.startswith(";")]
        wide = max(len(row) for row in rows)
        cells = [sign for row in rows for sign in row.ljust(wide)]
        palette = [[sign, name, name.replace(" ", "-")] for sign, name in _SIGNS]
        editor = cells_editor(one, [" " if sign in "-_" else sign for sign in cells], palette, "paint", "", "")
        return {**editor, "rows": len(rows), "columns": wide}

    def position(self, problem: Any, moves: Sequence[str]) -> Position:
        """The level, and the directions in which the player can move."""
        plan = problem.decode("".join(moves))
        frame = scene_of(problem, plan).frames[-1]
        one = replace(problem.instance, boxes=frame.boxes, player=frame.player)
        now = Sokoban(one)
        choices = []
        for letter, (label, key) in ARROWS.items():
            wrong = now.evaluate(now.decode(letter)).violations
            can = not any(sentence.startswith("move 1") for sentence in wrong)
            choices.append(Choice(letter, label, key, can))
        words = "Walk with the arrow keys; a box that stands in the way is pushed."
        svg = picture(now, None, "svg").decode()
        return Position(problem.encode(plan), words, svg=svg, choices=tuple(choices), text=self.text(now) or "")


WORKBENCH = _SokobanWorkbench()
