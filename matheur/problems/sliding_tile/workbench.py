"""Workbench functions for sliding tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from matheur.problems.sliding_tile.formats import write_board
from matheur.problems.sliding_tile.generator import generate
from matheur.problems.sliding_tile.picture.scene import scene_of
from matheur.problems.sliding_tile.problem import SlidingTile
from matheur.problems.workbench import ARROWS, Cell, Choice, Position, Workbench, cells_editor

__all__ = ["WORKBENCH"]

_STEPS = {"U": (1, 0), "D": (-1, 0), "L": (0, 1), "R": (0, -1)}  # sliding tile relative to the blank


class _SlidingTileWorkbench(Workbench):
    plays = True
    scrambled_by = "moves"

    def text(self, problem: Any) -> str:
        return write_board(problem.instance)

    def scramble(self, problem: Any, length: int | None, seed: int) -> str:
        one = problem.instance
        return write_board(generate(one.rows, one.columns, seed=seed, goal=one.goal, moves=length)[0])

    def editor(self, problem: Any) -> dict[str, Any]:
        one = problem.instance
        cells = [str(tile) for tile in one.tiles]
        palette = [
            [tile, "blank" if tile == "0" else f"tile {tile}", "blank" if tile == "0" else "tile"] for tile in cells
        ]
        return cells_editor(one, cells, palette, "swap", f"# goal: {one.goal}\n", " ")

    def position(self, problem: Any, moves: Sequence[str]) -> Position:
        """A board whose tiles next to the blank are buttons."""
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
        choices = tuple(Choice(letter, *ARROWS[letter], open=letter in possible.values()) for letter in ARROWS)
        words = "Press a tile next to the blank, or the arrow keys: the direction in which a tile slides."
        text = self.text(SlidingTile(replace(one, tiles=tuple(tiles))))
        return Position(problem.encode(plan), words, columns=one.columns, cells=cells, choices=choices, text=text or "")


WORKBENCH = _SlidingTileWorkbench()
