"""A cubical sliding puzzle: a hypercube, labelled rings on its vertices, and where they have to go."""

from __future__ import annotations

from dataclasses import dataclass

from matheur.errors import InputError

__all__ = ["DIMENSION_MAX", "Instance"]

DIMENSION_MAX = 7


@dataclass(frozen=True)
class Instance:
    """A (d, k, l) puzzle (Merleau, O'Malley, Roldán, Mukherjee 2024, section 2).

    Vertices of the d-dimensional hypercube are numbers 0 .. 2**d - 1; bit i is coordinate i. A move puts one ring on
    any other vertex of a k-dimensional face that holds no other ring.

    Attributes
    ----------
    dimension
        d, 2 to 7.
    k
        Dimension of the faces, 1 to d - 1.
    rings
        Their names, 1 to 2**d.
    start, target
        The vertex of each ring, in the order of `rings`.
    title
        For people; not part of the content.
    """

    dimension: int
    k: int
    rings: tuple[str, ...]
    start: tuple[int, ...]
    target: tuple[int, ...]
    title: str = ""

    def __post_init__(self) -> None:
        d, k = self.dimension, self.k
        if not 2 <= d <= DIMENSION_MAX:
            raise InputError(f"the dimension must be 2 to {DIMENSION_MAX} ({d})")
        if not 1 <= k < d:
            raise InputError(f"k must be 1 to {d - 1} in dimension {d} ({k})")
        if not 1 <= len(self.rings) <= self.vertices:
            raise InputError(f"a cube of dimension {d} holds 1 to {self.vertices} rings ({len(self.rings)})")
        for name in self.rings:
            if self.rings.count(name) > 1:
                raise InputError(f"two rings have the same name ('{name}')")
        for what, places in (("start", self.start), ("target", self.target)):
            if len(places) != len(self.rings):
                raise InputError(f"the {what} places {len(places)} rings, there are {len(self.rings)}")
            taken: dict[int, str] = {}
            for name, vertex in zip(self.rings, places, strict=True):
                if not 0 <= vertex < self.vertices:
                    raise InputError(f"ring '{name}' of the {what}: vertices are 0 to {self.vertices - 1} ({vertex})")
                if vertex in taken:
                    raise InputError(f"rings '{taken[vertex]}' and '{name}' of the {what} share vertex {vertex}")
                taken[vertex] = name

    @property
    def vertices(self) -> int:
        """Number of vertices, 2**d."""
        return int(1 << self.dimension)

    @property
    def empty(self) -> int:
        """l, the number of vertices without a ring."""
        return self.vertices - len(self.rings)
