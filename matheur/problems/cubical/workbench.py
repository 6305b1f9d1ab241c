"""Cubical sliding puzzles in the workbench."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from matheur.problems.cubical.formats import write_toml
from matheur.problems.cubical.generator import generate
from matheur.problems.cubical.picture import picture
from matheur.problems.cubical.problem import Cubical
from matheur.problems.cubical.rules import legal_moves
from matheur.problems.workbench import Choice, Position, Workbench

__all__ = ["WORKBENCH"]


class _CubicalWorkbench(Workbench):
    plays = True
    scrambled_by = "moves"

    def text(self, problem: Any) -> str:
        return write_toml(problem.instance)

    def scramble(self, problem: Any, length: int | None, seed: int) -> str:
        one = problem.instance
        return write_toml(generate(one.dimension, one.k, len(one.rings), seed=seed, moves=length)[0])

    def position(self, problem: Any, moves: Sequence[str]) -> Position:
        """The cube, and every ring with the vertices that it can move to."""
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
        return Position(problem.encode(plan), words, svg=svg, choices=choices, text=self.text(now) or "")


WORKBENCH = _CubicalWorkbench()
