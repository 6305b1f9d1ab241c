"""The moving part of a component: rings that never move are removed together with their vertices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from families import Family
from numpy.typing import NDArray

from matheur.methods.statespace.domain import BaseDomain, Kernel
from matheur.methods.statespace.packing import Packing
from matheur.methods.statespace.ranking import PartialPermutationRanking
from matheur.problems.cubical import domain_kernels as cubical_kernels
from matheur.problems.cubical.domain import CubicalDomain, face_masks

__all__ = ["MovingPart", "moving_part"]

Rows = NDArray[np.uint8]


class PartOfCube(BaseDomain):
    """Rings on some vertices of the cube; the other vertices are permanently blocked.

    Parameters
    ----------
    faces
        Vertex sets of the k-faces at each vertex, renumbered: uint64[vertices, faces]. A blocked face is replaced by
        its vertex alone.
    start
        Vertex of each ring.
    """

    def __init__(self, faces: NDArray[np.uint64], start: Rows) -> None:
        vertices, many = faces.shape
        self.start = self.goal = start
        bits = max(1, (vertices - 1).bit_length())
        self.name = f"part of a cube vertices={vertices} rings={start.size}"
        self.packing = Packing((bits,) * start.size)
        self.goal_mask = np.ones(start.size, dtype=np.bool_)
        self.moves = start.size << bits
        self.branching = max(1, start.size * (vertices - start.size))
        self.ranking = PartialPermutationRanking(vertices, start.size)
        numbers = [bits, start.size, many]
        if self.packing.words == 1:
            self.expander = Kernel(cubical_kernels.expand_small, np.array(numbers, dtype=np.int64), (faces,))
        else:
            numbers += [self.packing.words, 64 // bits]
            pairs = np.stack([faces, np.zeros_like(faces)], axis=2)
            self.expander = Kernel(cubical_kernels.expand_large, np.array(numbers, dtype=np.int64), (pairs,))


@dataclass(frozen=True, eq=False)
class MovingPart:
    """States of a component as states of a domain.

    Attributes
    ----------
    starts
        uint8[n, rings]: starts of the family.
    opposite
        Opposite vertex of each vertex, if the domain is that of a cube.
    least
        Minimum number of moves to the state with every ring on the opposite vertex.
    """

    domain: CubicalDomain | PartOfCube
    starts: Rows
    opposite: int | None
    least: int
    _whole: Rows
    _rings: NDArray[np.int64]
    _vertices: Rows

    def whole(self, states: Rows) -> Rows:
        """States [n, all rings] of the component."""
        rows = np.repeat(self._whole[None], len(states), axis=0)
        rows[:, self._rings] = self._vertices[states]
        return rows


def moving_part(d: int, k: int, family: Family) -> MovingPart:
    """Moving part of the components of a family."""
    whole = family.starts[0]
    rings = np.flatnonzero(family.moving)
    free = np.ones(1 << d, dtype=np.bool_)
    free[whole[~family.moving]] = False
    vertices = np.flatnonzero(free).astype(np.uint8)
    numbers = np.zeros(1 << d, dtype=np.uint8)
    numbers[vertices] = np.arange(len(vertices))
    starts = numbers[family.starts[:, rings]]
    # A part that is itself a cube keeps the order of its vertices, so that they are numbered as in any cube.
    dimension = int(np.bitwise_or.reduce(vertices ^ vertices[0])).bit_count()
    if len(vertices) == 1 << dimension and (k < dimension or dimension == d):
        places = starts[0].tolist()
        domain: CubicalDomain | PartOfCube = CubicalDomain(dimension, k, places, places)
        return MovingPart(domain, starts, len(vertices) - 1, len(rings) * -(-dimension // k), whole, rings, vertices)
    domain = PartOfCube(_faces(d, k, free, numbers), starts[0])
    return MovingPart(domain, starts, None, 0, whole, rings, vertices)


def _faces(d: int, k: int, free: NDArray[np.bool_], numbers: Rows) -> NDArray[np.uint64]:
    """Faces at the free vertices, as `PartOfCube` needs them."""
    blocked = sum(1 << int(vertex) for vertex in np.flatnonzero(~free))
    rows = []
    for vertex in np.flatnonzero(free):
        own = 1 << int(numbers[vertex])
        faces = [int(low) | int(high) << 64 for low, high in face_masks(d, k)[vertex]]
        rows.append([_renumbered(face, numbers) if face & blocked == 0 else own for face in faces])
    return np.array(rows, dtype=np.uint64)


def _renumbered(face: int, numbers: Rows) -> int:
    return sum(1 << int(number) for vertex, number in enumerate(numbers) if face >> vertex & 1)
