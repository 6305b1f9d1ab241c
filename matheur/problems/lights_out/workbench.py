"""Lights Out in the workbench."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from matheur.errors import InputError
from matheur.problems.lights_out.formats import write_board, written_head
from matheur.problems.lights_out.generator import generate
from matheur.problems.lights_out.instance import Instance
from matheur.problems.lights_out.problem import LightsOut
from matheur.problems.workbench import Cell, Choice, Position, Workbench, cells_editor, pressed_cells

__all__ = ["WORKBENCH"]


class _LightsOutWorkbench(Workbench):
    plays = True
    scrambled_by = "presses"

    def text(self, problem: Any) -> str:
        return write_board(problem.instance)

    def scramble(self, problem: Any, length: int | None, seed: int) -> str:
        one = problem.instance
        if one.buttons is not None:
            raise InputError("a board with buttons of its own has no scrambles")
        made, _ = generate(
            one.rows, one.columns, seed=seed, pattern=one.pattern, presses=length, states=one.states, edges=one.edges,
            target=one.target,
        )  # fmt: skip
        return write_board(made)

    def editor(self, problem: Any) -> dict[str, Any] | None:
        one = problem.instance
        if one.buttons is not None:
            return None
        head = "".join(f"{line}\n" for line in written_head(one))
        cells = [str(int(state)) for state in one.lights]
        palette = [["1", "on", "on"], ["0", "off", "off"]]
        if one.states > 2:
            palette = [[str(state), f"state {state}", "on" if state else "off"] for state in range(one.states)]
        return cells_editor(one, cells, palette, "paint", head, "" if one.states <= 10 else " ")

    def position(self, problem: Any, moves: Sequence[str]) -> Position:
        """A board whose cells are buttons."""
        one = problem.instance
        presses = pressed_cells(moves, one.presses)
        plan = problem.decode(presses)
        lights = list(map(int, one.lights))
        for press in presses:
            for cell, amount in one.effects[press]:
                lights[cell] = (lights[cell] + amount) % one.states
        buttons = one.buttons is not None
        cells = tuple(
            Cell("" if one.states == 2 else str(state), "on" if state else "off", "" if buttons else str(cell),
                 f"row {cell // one.columns}, column {cell % one.columns}, {_named(state, one)}"
                 + (f", target {_named(one.goal[cell], one)}" if one.target else ""))
            for cell, state in enumerate(lights)
        )  # fmt: skip
        choices = tuple(Choice(str(press), f"button {press}") for press in range(one.presses)) if buttons else ()
        words = "Press a button: its lights change. " if buttons else "Press a cell: it and its neighbours change. "
        left = replace(one, lights=tuple(lights))
        wrong = left.lit.bit_count()
        words += f"{wrong} lights do not show the target." if one.target else f"{wrong} lights are on."
        text = self.text(LightsOut(left))
        return Position(problem.encode(plan), words, columns=one.columns, cells=cells, choices=choices, text=text or "")


def _named(state: int, one: Instance) -> str:
    return ("off", "on")[state] if one.states == 2 else f"state {state}"


WORKBENCH = _LightsOutWorkbench()
