"""Puzzles that move pieces over vertices, for the model `matheur.models.planning`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.problem_types import tool_of
from matheur.errors import ConfigurationError

__all__ = ["Regions", "regions_of"]


@dataclass(frozen=True)
class Regions:
    """Moves of pieces: from a vertex to any other vertex of the same region, which must hold no other piece.

    Attributes
    ----------
    vertices
        Number of vertices.
    regions
        The vertices of each region.
    """

    vertices: int
    regions: tuple[tuple[int, ...], ...]

    def places(self, state: NDArray[np.uint8]) -> tuple[int, ...]:
        """The vertex of each piece in a state of the domain, which is a component of the state."""
        return tuple(int(vertex) for vertex in state)

    def state(self, places: tuple[int, ...]) -> NDArray[np.uint8]:
        """The inverse of `places`."""
        return np.array(places, dtype=np.uint8)


def regions_of(problem: Any) -> Regions:
    """The regions of a problem, from its method `regions()` or the tool `relocations` of its registration.

    Raises
    ------
    ConfigurationError
        If the puzzle is not of this kind.
    """
    own = getattr(problem, "regions", None)
    if callable(own):
        return own()
    made = tool_of(problem.name, "relocations")
    if made is None:
        raise ConfigurationError(f"'{problem.name}' does not move pieces over vertices: no MILP of its plans is known")
    found: Regions = made(problem)
    return found
