"""What the workbench can do with Lights Out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from matheur.problems.lights_out.formats import write_board
from matheur.problems.lights_out.generator import generate
from matheur.problems.lights_out.problem import LightsOut
from matheur.problems.workbench import Cell, Position, Workbench, cells_editor

__all__ = ["WORKBENCH"]


class _LightsOutWorkbench(Workbench):
    plays = True
    scrambled_by = "presses"

    def text(self, problem: Any) -> str:
        return write_board(problem.instance)

    def scramble(self, problem: Any, length: int | None, seed: int) -> str:
        one = problem.instance
        return write_board(generate(one.rows, one.columns, seed=seed, pattern=one.pattern, presses=length)[0])

    def editor(self, problem: Any) -> dict[str, Any]:
        one = problem.instance
        head = "" if one.pattern == "plus" else f"# pattern: {one.pattern}\n"
        cells = ["01"[on] for on in one.lights]
        return cells_editor(one, cells, [["1", "on", "on"], ["0", "off", "off"]], "paint", head, "")

    def position(self, problem: Any, moves: Sequence[str]) -> Position:
        """A board whose cells are buttons."""
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
        text = self.text(LightsOut(replace(one, lights=tuple(lights))))
        return Position(problem.encode(plan), words, columns=one.columns, cells=cells, text=text or "")


WORKBENCH = _LightsOutWorkbench()
