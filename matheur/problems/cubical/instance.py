"""A cubical sliding puzzle: a hypercube, labelled rings on its vertices, and their targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matheur.errors import InputError

__all__ = ["DIMENSION_MAX", "NAME_MAX", "Instance", "check_cube", "check_rings", "misplaced"]

DIMENSION_MAX = 7
NAME_MAX = 40


@dataclass(frozen=True)
class Instance:
    """A (d, k, l) puzzle (Merleau, O'Malley, Roldán, Mukherjee 2024, section 2).

    Vertices of the d-dimensional hypercube are numbers 0 .. 2**d - 1; bit i is coordinate i. A move puts one ring on
    another vertex of a k-dimensional face that holds no other ring.

    Attributes
    ----------
    dimension
        Dimension d of the cube, 1 to 7.
    k
        Dimension of the faces, 1 to d. With k = d the only face is the cube, so that only a single ring can move.
    rings
        Names of the rings: 1 to 2**d distinct printable strings of 1 to 40 characters.
    start, target
        The vertex of each ring, in the order of `rings`.
    title
        Title for display; not part of the content.

    Raises
    ------
    InputError
        If a number or name is invalid, or two rings share a vertex.
    """

    dimension: int
    k: int
    rings: tuple[str, ...]
    start: tuple[int, ...]
    target: tuple[int, ...]
    title: str = ""

    def __post_init__(self) -> None:
        check_cube(self.dimension, self.k)
        check_rings(self.rings, self.dimension)
        for what, places in (("start", self.start), ("target", self.target)):
            if len(places) != len(self.rings):
                raise InputError(f"the {what} places {len(places)} rings, there are {len(self.rings)}")
            wrong = misplaced(self.rings, places, self.vertices)
            if wrong is not None:
                raise InputError(f"{what}: {wrong[1]}")
        # Convert to plain integers, so that equal puzzles have equal fingerprints.
        object.__setattr__(self, "start", tuple(int(vertex) for vertex in self.start))
        object.__setattr__(self, "target", tuple(int(vertex) for vertex in self.target))

    @property
    def vertices(self) -> int:
        """Number of vertices, 2**d."""
        return int(1 << self.dimension)

    @property
    def empty(self) -> int:
        """Number of vertices without a ring (l in the paper)."""
        return self.vertices - len(self.rings)


def check_cube(d: int, k: int) -> None:
    """Raise `InputError` unless these are valid dimensions of a cube and its faces."""
    if not 1 <= d <= DIMENSION_MAX:
        raise InputError(f"the dimension must be 1 to {DIMENSION_MAX} ({d})")
    if not 1 <= k <= d:
        raise InputError(f"k must be {'1' if d == 1 else f'1 to {d}'} in dimension {d} ({k})")


def check_rings(rings: Sequence[str], d: int) -> None:
    """Raise `InputError` unless these can be the names of the rings on a d-cube."""
    if not 1 <= len(rings) <= 1 << d:
        raise InputError(f"a cube of dimension {d} holds 1 to {1 << d} rings ({len(rings)})")
    for name in rings:
        if not (1 <= len(name) <= NAME_MAX and name.isprintable()):
            raise InputError(f"a ring's name has 1 to {NAME_MAX} printable characters ({name[:NAME_MAX]!r})")
    if len(set(rings)) < len(rings):
        twice = next(name for name in rings if rings.count(name) > 1)
        raise InputError(f"two rings have the same name ('{twice}')")


def misplaced(rings: Sequence[str], places: Sequence[int], vertices: int) -> tuple[str, str] | None:
    """The first ring that is outside the cube or on another ring, and a sentence about it; None if there is none."""
    taken: dict[int, str] = {}
    for name, vertex in zip(rings, places, strict=True):
        if not 0 <= vertex < vertices or vertex != int(vertex):
            return name, f"ring '{name}' is on no vertex ({vertex}); they are 0 to {vertices - 1}"
        if vertex in taken:
            return name, f"rings '{taken[vertex]}' and '{name}' share vertex {vertex}"
        taken[vertex] = name
    return None
