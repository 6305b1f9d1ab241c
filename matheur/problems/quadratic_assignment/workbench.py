"""What the workbench can do with a quadratic assignment problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from matheur.problems.quadratic_assignment.formats import write_dat
from matheur.problems.workbench import Cell, Position, Workbench, pressed_pairs

__all__ = ["WORKBENCH"]


class _QuadraticAssignmentWorkbench(Workbench):
    plays = True

    def text(self, problem: Any) -> str:
        return write_dat(problem.instance)

    def position(self, problem: Any, moves: Sequence[str]) -> Position:
        """Locations with their facilities: press two to exchange them."""
        one = problem.instance
        at = list(range(one.n))  # facility by location
        pairs, waiting = pressed_pairs(moves, one.n)
        for a, b in pairs:
            at[a], at[b] = at[b], at[a]
        places = np.empty(one.n, dtype=np.int32)
        places[at] = np.arange(one.n)
        cells = tuple(
            Cell(f"{facility + 1}", "chosen" if location == waiting else "tile", str(location),
                 f"location {location + 1}: facility {facility + 1}")
            for location, facility in enumerate(at)
        )  # fmt: skip
        columns = min(10, max(1, round(one.n**0.5)))
        words = "Cells are locations 1, 2, ...; press two to exchange their facilities."
        return Position(problem.encode(places), words, columns=columns, cells=cells)


WORKBENCH = _QuadraticAssignmentWorkbench()
