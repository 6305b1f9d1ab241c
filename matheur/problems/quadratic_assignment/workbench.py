"""Workbench functions for quadratic assignment problems."""

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
        """Locations with their facilities; pressing two exchanges their facilities."""
        n, facilities = problem.locations, problem.facilities
        first = problem.places(np.arange(problem.instance.n, dtype=np.int32))
        at = np.full(n, -1)  # facility by location, -1 for none
        at[first] = np.arange(facilities)
        pairs, waiting = pressed_pairs(moves, n)
        for a, b in pairs:
            at[a], at[b] = at[b], at[a]
        places = np.empty(facilities, dtype=np.int32)
        places[at[at >= 0]] = np.flatnonzero(at >= 0)
        cells = tuple(
            Cell(f"{facility + 1}" if facility >= 0 else "", "chosen" if location == waiting else "tile", str(location),
                 f"location {location + 1}: " + (f"facility {facility + 1}" if facility >= 0 else "empty"))
            for location, facility in enumerate(at.tolist())
        )  # fmt: skip
        columns = min(10, max(1, round(n**0.5)))
        words = "Cells are locations 1, 2, ...; press two to exchange their facilities."
        return Position((places + 1).tolist(), words, columns=columns, cells=cells)


WORKBENCH = _QuadraticAssignmentWorkbench()
