"""Lights Out as a domain: component i of a state is light i."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.domain import BaseDomain, Kernel, View
from matheur.methods.statespace.heuristics.base import Heuristic
from matheur.methods.statespace.packing import Packing
from matheur.problems.lights_out import domain_kernels as lights_out_kernels
from matheur.problems.lights_out.instance import Instance
from matheur.problems.lights_out.problem import LightsOut

__all__ = ["LightsOutDomain", "lights_out_domain"]


class LightsOutDomain(BaseDomain):
    """Presses of a board; move i is a press of cell i.

    Presses commute and two of the same cancel, so a shortest plan presses every cell at most once.

    Parameters
    ----------
    instance
        Size and pattern.
    start, goal
        The lights.
    """

    def __init__(self, instance: Instance, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> None:
        self._instance = instance
        cells = instance.cells
        self.start: NDArray[np.uint8] = np.array(start, dtype=np.uint8)
        self.goal: NDArray[np.uint8] = np.array(goal, dtype=np.uint8)
        self.name: str = f"lights-out {instance.rows}x{instance.columns} {instance.pattern}"
        self.fingerprint: str = self.name
        self.packing: Packing = Packing((1,) * cells)
        self.goal_mask: NDArray[np.bool_] = np.ones(cells, dtype=np.bool_)
        self.moves: int = cells
        self.branching: int = self.moves
        rows = np.zeros((cells, cells), dtype=np.uint8)
        for cell, reached in enumerate(instance.reach):
            rows[cell, list(reached)] = 1
        masks = np.ascontiguousarray(self.packing.pack(rows))
        self.expander: Kernel | None = Kernel(
            lights_out_kernels.expand, np.array([cells, self.packing.words], dtype=np.int64), (masks,)
        )
        self._largest = max(len(reached) for reached in instance.reach)

    def between(self, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> LightsOutDomain:
        """The same board with other endpoints."""
        return LightsOutDomain(self._instance, start, goal)

    def renaming(self, before: NDArray[np.uint8], after: NDArray[np.uint8]) -> View:
        """Lights that differ in one pattern differ in the other: presses do not care which of two a light shows."""
        cells = before.size
        place, shown = np.full((cells, 256), -1, dtype=np.int64), np.zeros((cells, 256), dtype=np.uint8)
        place[:, :2] = np.arange(cells)[:, None]
        shown[:, :2] = (before ^ after)[:, None] ^ np.arange(2, dtype=np.uint8)
        return View(self.fingerprint, after, place, shown)

    def heuristics(self) -> Mapping[str, Callable[[], Heuristic]]:
        """`lights`."""
        return {"lights": self.lights}

    def lights(self) -> Heuristic:
        """Lights that differ from the goal, divided by the most that a press toggles, rounded up."""
        goal = self.packing.pack(self.goal[None])[0].view(np.int64)
        numbers = np.array([self.packing.words, self._largest, *goal.tolist()], dtype=np.int64)
        return Heuristic("lights", True, True, Kernel(lights_out_kernels.lights, numbers))


def lights_out_domain(problem: LightsOut) -> LightsOutDomain:
    """The domain of a board."""
    one = problem.instance
    return LightsOutDomain(one, np.array(one.lights, dtype=np.uint8), np.zeros(one.cells, dtype=np.uint8))
