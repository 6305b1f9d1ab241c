"""Which puzzles move pieces over vertices, for the model `matheur.models.planning`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.registry import Entry, Registry
from matheur.errors import ConfigurationError

__all__ = ["Regions", "cubical_regions", "regions", "regions_of", "tile_regions"]

regions: Registry = Registry(
    "moving-piece puzzle",
    "matheur.regions",
    [
        Entry("cubical", "matheur.problems.plans.relocations:cubical_regions", "k-faces of the hypercube"),
        Entry("sliding-tile", "matheur.problems.plans.relocations:tile_regions", "pairs of neighbouring cells"),
    ],
)


@dataclass(frozen=True)
class Regions:
    """How pieces move: from a vertex to any other one of the same region, which must hold no other piece.

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
        """The vertex of each piece in a state of the domain: its components, one by one."""
        return tuple(int(vertex) for vertex in state)

    def state(self, places: tuple[int, ...]) -> NDArray[np.uint8]:
        """The inverse of `places`."""
        return np.array(places, dtype=np.uint8)


class _Tiles(Regions):
    """Piece i is tile i + 1; component c of a state is the tile in cell c."""

    def places(self, state: NDArray[np.uint8]) -> tuple[int, ...]:
        """The cell of each tile."""
        return tuple(int(cell) for cell in np.argsort(state)[1:])

    def state(self, places: tuple[int, ...]) -> NDArray[np.uint8]:
        """The inverse of `places`."""
        tiles = np.zeros(self.vertices, dtype=np.uint8)
        tiles[list(places)] = np.arange(1, self.vertices)
        return tiles


def regions_of(problem: Any) -> Regions:
    """The regions of a problem: its own method `regions()`, or the function registered under its name.

    Raises
    ------
    ConfigurationError
        If the puzzle is not of this kind.
    """
    own = getattr(problem, "regions", None)
    if callable(own):
        return own()
    if problem.name not in regions.names():
        raise ConfigurationError(f"'{problem.name}' does not move pieces over vertices: no MILP of its plans is known")
    return regions.get(problem.name)(problem)


def cubical_regions(problem: Any) -> Regions:
    """Vertices and k-faces of the hypercube."""
    d, k = problem.instance.dimension, problem.instance.k
    faces = []
    for free in combinations(range(d), k):
        span = sum(1 << i for i in free)
        for corner in range(1 << d):
            if corner & span == 0:
                faces.append(tuple(vertex for vertex in range(1 << d) if vertex & ~span == corner))
    return Regions(1 << d, tuple(faces))


def tile_regions(problem: Any) -> Regions:
    """Cells of a board, and pairs of neighbouring ones."""
    rows, columns = problem.instance.rows, problem.instance.columns
    across = [(cell, cell + 1) for cell in range(rows * columns) if (cell + 1) % columns]
    down = [(cell, cell + columns) for cell in range((rows - 1) * columns)]
    return _Tiles(rows * columns, tuple(across + down))
