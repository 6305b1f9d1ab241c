"""Lights Out as a domain: component i of a state is light i."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b

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
    """Presses of a board; move i is a press of cell (or button) i.

    Presses commute, and k equal presses cancel if lights have k states, so a shortest plan makes each press fewer than
    k times. With two states, a press is its own inverse. With more states, undoing a press takes several presses, which
    rules out searches from the goal.

    Parameters
    ----------
    instance
        Board that defines the size and the presses.
    start, goal
        State of each light at the start and at the goal.
    """

    def __init__(self, instance: Instance, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> None:
        self._instance = instance
        cells = instance.cells
        self.start: NDArray[np.uint8] = np.array(start, dtype=np.uint8)
        self.goal: NDArray[np.uint8] = np.array(goal, dtype=np.uint8)
        self.name: str = f"lights-out {instance.rows}x{instance.columns} {_rules(instance)}"
        self.fingerprint: str = self.name
        width = (instance.states - 1).bit_length()
        self.packing: Packing = Packing((width,) * cells)
        self.goal_mask: NDArray[np.bool_] = np.ones(cells, dtype=np.bool_)
        self.moves: int = instance.presses
        self.branching: int = self.moves
        self.reversible: bool = instance.states == 2
        self._layout = [self.packing.words, instance.states, width, 64 // width]
        self.expander: Kernel | None = self._by_states() if instance.states > 2 else self._by_masks()

    def _by_masks(self) -> Kernel:
        one = self._instance
        rows = np.zeros((one.presses, one.cells), dtype=np.uint8)
        for press, reached in enumerate(one.reach):
            rows[press, list(reached)] = 1
        masks = np.ascontiguousarray(self.packing.pack(rows))
        numbers = np.array([one.presses, self.packing.words], dtype=np.int64)
        return Kernel(lights_out_kernels.expand, numbers, (masks,))

    def _by_states(self) -> Kernel:
        effects = self._instance.effects
        pairs = np.array([pair for effect in effects for pair in effect], dtype=np.int64).reshape(-1, 2)
        begins = np.cumsum([0, *map(len, effects)], dtype=np.int64)
        numbers = np.array([len(effects), *self._layout], dtype=np.int64)
        return Kernel(lights_out_kernels.expand_states, numbers, (pairs, begins))

    def between(self, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> LightsOutDomain:
        """The same board with other endpoints."""
        return LightsOutDomain(self._instance, start, goal)

    def renaming(self, before: NDArray[np.uint8], after: NDArray[np.uint8]) -> View:
        """A shift of the states: the effect of presses, and so the distance, depends only on differences of lights."""
        cells, states = before.size, self._instance.states
        place, shown = np.full((cells, 256), -1, dtype=np.int64), np.zeros((cells, 256), dtype=np.uint8)
        place[:, :states] = np.arange(cells)[:, None]
        moved = after.astype(np.int64) - before
        shown[:, :states] = (moved[:, None] + np.arange(states)) % states
        return View(self.fingerprint, after, place, shown)

    def heuristics(self) -> Mapping[str, Callable[[], Heuristic]]:
        """The heuristic `lights`."""
        return {"lights": self.lights}

    def lights(self) -> Heuristic:
        """Total amount to be added to the lights, divided by the most that a press adds, rounded up."""
        one = self._instance
        if one.states > 2:
            fields = [one.cells, *self._layout, one.largest, *self.goal.tolist()]
            kernel = Kernel(lights_out_kernels.lights_of_states, np.array(fields, dtype=np.int64))
        else:
            goal = self.packing.pack(self.goal[None])[0].view(np.int64)
            numbers = np.array([self.packing.words, one.largest, *goal.tolist()], dtype=np.int64)
            kernel = Kernel(lights_out_kernels.lights, numbers)
        return Heuristic("lights", True, True, kernel)


def _rules(instance: Instance) -> str:
    """Text with everything but the size that the moves depend on; boards with the same text have the same moves."""
    words = [instance.pattern]
    if instance.buttons is not None:
        words = [f"buttons {blake2b(repr(instance.effects).encode(), digest_size=12).hexdigest()}"]
    elif instance.edges != "plain":
        words.append(instance.edges)
    return " ".join(words + [f"{instance.states} states"] * (instance.states > 2))


def lights_out_domain(problem: LightsOut) -> LightsOutDomain:
    """The domain of a board."""
    one = problem.instance
    return LightsOutDomain(one, np.array(one.lights, dtype=np.uint8), np.array(one.goal, dtype=np.uint8))
