"""The cubical sliding puzzle as a domain: component r of a state is the vertex of ring r."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, permutations
from math import perm
from typing import cast

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.domain import Automorphisms, BaseDomain, Kernel, LevelStep, View
from matheur.methods.statespace.heuristics.base import Heuristic, table_sum
from matheur.methods.statespace.packing import Packing
from matheur.methods.statespace.planners.goal_ball import BALL
from matheur.methods.statespace.ranking import PartialPermutationRanking
from matheur.problems.cubical import domain_kernels as cubical_kernels
from matheur.problems.cubical.domain_by_level import levels_of
from matheur.problems.cubical.problem import Cubical

__all__ = ["CubicalDomain", "cubical_domain", "face_masks"]

_BALL_LARGE = 100_000
"""P of the paper for d = 5 (section 3.2); the paper uses 1000 for d = 3 and 4."""


@lru_cache(maxsize=16)
def face_masks(d: int, k: int) -> NDArray[np.uint64]:
    """Vertex sets of the k-faces at each vertex of the d-cube: uint64[2**d, C(d, k), 2], low and high 64 vertices."""
    masks = []
    for vertex in range(1 << d):
        for free in combinations(range(d), k):
            span = sum(1 << i for i in free)
            face = sum(1 << other for other in range(1 << d) if (other ^ vertex) & ~span == 0)
            masks.append([face & (2**64 - 1), face >> 64])
    return np.array(masks, dtype=np.uint64).reshape(1 << d, -1, 2)


class CubicalDomain(BaseDomain):
    """Rings on the hypercube; moves are numbered `ring * 2**d + vertex`, as in the problem's plans.

    Parameters
    ----------
    d, k
        Dimensions of the cube and of the faces.
    start, goal
        The vertex of each ring.
    """

    def __init__(self, d: int, k: int, start: Sequence[int], goal: Sequence[int]) -> None:
        self.d: int = d
        self.k: int = k
        self.start: NDArray[np.uint8] = np.array(start, dtype=np.uint8)
        self.goal: NDArray[np.uint8] = np.array(goal, dtype=np.uint8)
        rings = self.start.size
        self.name: str = f"cubical d={d} k={k} rings={rings}"
        self.fingerprint: str = f"cubical d={d} k={k}"
        self.packing: Packing = Packing((d,) * rings)
        self.goal_mask: NDArray[np.bool_] = np.ones(rings, dtype=np.bool_)
        self.moves: int = rings << d
        self.ball: int = _BALL_LARGE if d >= 5 else BALL
        self.branching: int = max(1, min(rings * ((1 << d) - 1), self._successors_max(rings)))
        # 2**63 or more states cannot be numbered by signed 64-bit integers.
        numbered = d <= 6 and perm(1 << d, rings) < 1 << 63
        self.ranking: PartialPermutationRanking | None = PartialPermutationRanking(1 << d, rings) if numbered else None
        self.levels: LevelStep | None = levels_of(d, k, rings)
        masks = face_masks(d, k)
        self.expander: Kernel | None
        if d <= 6 and self.packing.words == 1:
            numbers = np.array([d, rings, masks.shape[1]], dtype=np.int64)
            self.expander = Kernel(cubical_kernels.expand_small, numbers, (np.ascontiguousarray(masks[:, :, 0]),))
        else:
            numbers = np.array([d, rings, masks.shape[1], self.packing.words, 64 // d], dtype=np.int64)
            self.expander = Kernel(cubical_kernels.expand_large, numbers, (masks,))

    def _successors_max(self, rings: int) -> int:
        """Bound on the successors: a ring reaches only empty vertices within Hamming distance k."""
        ball = sum(len(list(combinations(range(self.d), i))) for i in range(1, self.k + 1))
        return rings * min(ball, (1 << self.d) - rings)

    def between(self, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> CubicalDomain:
        """The same cube with other endpoints."""
        return CubicalDomain(self.d, self.k, np.asarray(start).tolist(), np.asarray(goal).tolist())

    def project(self, components: Sequence[int]) -> CubicalDomain:
        """The puzzle with these rings only: the others no longer block, and each move moves one ring."""
        return CubicalDomain(self.d, self.k, [self.start[i] for i in components], [self.goal[i] for i in components])

    def by_face(self) -> CubicalDomain:
        """The same puzzle, its moves listed face by face; see `CubicalByFace`."""
        from matheur.problems.cubical.domain_by_face import CubicalByFace

        return CubicalByFace(self.d, self.k, self.start.tolist(), self.goal.tolist())

    def heuristics(self) -> Mapping[str, Callable[[], Heuristic]]:
        """The heuristic `hamming` of the paper."""
        return {"hamming": self.hamming}

    def hamming(self) -> Heuristic:
        """Sum over the rings of ceil(Hamming distance to the target / k) (Definition 2 of the paper)."""
        groups = []
        for ring, target in enumerate(self.goal.tolist()):
            table = [-(-(vertex ^ target).bit_count() // self.k) for vertex in range(1 << self.d)]
            groups.append(([ring], np.array(table, dtype=np.uint8)))
        return table_sum("hamming", self.packing, groups)

    def automorphisms(self) -> Automorphisms:
        """Isometries of the cube that map the set of target vertices onto itself, with the rings renamed to match."""
        found = list(self._isometries(self.goal, self.goal))
        components, values = [rings for rings, _ in found], [image for _, image in found]
        table = np.array(values, dtype=np.uint8)
        identity = [i for i in range(len(table)) if (table[i] == np.arange(1 << self.d)).all()]
        first = [*identity, *(i for i in range(len(table)) if i not in identity)]
        return Automorphisms(np.array(components, dtype=np.int64)[first], table[first])

    def renaming(self, before: NDArray[np.uint8], after: NDArray[np.uint8]) -> View | None:
        """A renaming of the rings combined with an isometry of the cube."""
        if not np.array_equal(_distances(before), _distances(after)):
            return None  # no isometry maps the one set of vertices onto the other
        for rings, image in self._isometries(before, after):
            place = np.full((before.size, 256), -1, dtype=np.int64)
            shown = np.zeros((before.size, 256), dtype=np.uint8)
            place[:, : 1 << self.d], shown[:, : 1 << self.d] = np.array(rings)[:, None], image
            return View(self.fingerprint, after, place, shown)
        return None

    def _isometries(
        self, before: NDArray[np.uint8], after: NDArray[np.uint8]
    ) -> Iterator[tuple[list[int], NDArray[np.int64]]]:
        """Isometries that map one set of vertices onto another: the ring at the image of each, and all images."""
        vertices = np.arange(1 << self.d)
        places = {int(vertex): ring for ring, vertex in enumerate(after)}
        for order in permutations(range(self.d)):
            turned = np.zeros(1 << self.d, dtype=np.int64)
            for i, j in enumerate(order):
                turned |= ((vertices >> i) & 1) << j
            # The image of the first vertex must be in the set, which leaves few translations to try.
            for landing in places:
                image = turned ^ (turned[int(before[0])] ^ landing)
                ringed = [places.get(int(image[vertex])) for vertex in before.tolist()]
                if None not in ringed:
                    yield cast("list[int]", ringed), image


def _distances(vertices: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Pairwise distances of the vertices, in an order that is invariant under isometries."""
    return np.sort(np.bitwise_count(vertices[:, None] ^ vertices), axis=None)


def cubical_domain(problem: Cubical) -> CubicalDomain:
    """The domain of a problem."""
    one = problem.instance
    return CubicalDomain(one.dimension, one.k, one.start, one.target)
