"""Arguments that show, without a search, that a target cannot be reached.

A move along an edge (k = 1) slides one ring to an empty neighbour, as in pebble motion on a graph. With one empty
vertex, Wilson's theorem (Graph puzzles, homotopy, and the alternating group, 1974) characterises the reachable
placements: on a 2-connected bipartite graph that is not a polygon, such as the hypercube for d >= 3, they are exactly
those whose permutation has the parity of the empty vertex's path. On the square, which is a polygon, the cyclic order
of the rings never changes. With two or more empty vertices, every placement is reachable for d >= 3 (exchanging two
empty vertices corrects a wrong parity).
"""

from __future__ import annotations

from collections.abc import Sequence

from matheur.problems.cubical.instance import Instance
from matheur.problems.cubical.rules import legal_moves

__all__ = ["unsolvable_reason"]

_SQUARE = (0, 1, 3, 2)  # its vertices in cyclic order


def unsolvable_reason(instance: Instance) -> str | None:
    """A sentence if a simple argument shows that the target cannot be reached; None proves nothing."""
    one = instance
    if one.start == one.target:
        return None
    needed = (1 << one.k) - 1
    if one.empty < needed:
        if one.k == one.dimension:
            return f"no ring can ever move: the only face of dimension {one.k} is the cube, and it holds other rings"
        return (
            f"no ring can ever move: a move needs a face of dimension {one.k} with {needed} empty "
            f"{'vertex' if needed == 1 else 'vertices'}, and only {one.empty} are empty in all"
        )
    for what, places in (("start", one.start), ("target", one.target)):
        if not legal_moves(one.dimension, one.k, places):
            return f"no ring can move in the {what}: every face of dimension {one.k} at a ring holds another ring"
    if one.k == 1:
        return _along_edges(one)
    return _one_face(one) if one.empty == needed else None


def _along_edges(one: Instance) -> str | None:
    if one.dimension == 2:
        if _cyclic(one.start) != _cyclic(one.target):
            return "the cyclic order of the rings around the square never changes, and that of the target is another"
    elif one.empty == 1 and _parity(one):
        return (
            "with one empty vertex, the parity of the permutation of the rings follows from that vertex, "
            "and that of the target is the other"
        )
    return None


def _cyclic(places: Sequence[int]) -> tuple[int, ...]:
    """Rings in order around the square, beginning with ring 0."""
    order = [ring for vertex in _SQUARE for ring, place in enumerate(places) if place == vertex]
    first = order.index(0)
    return tuple(order[first:] + order[:first])


def _parity(one: Instance) -> int:
    """0 if the permutation of all vertices (with the empty one) has the parity of the empty vertex's path, else 1."""
    full = set(range(one.vertices))
    (hole,), (goal,) = full - set(one.start), full - set(one.target)
    image = dict(zip((*one.start, hole), (*one.target, goal), strict=True))
    odd, seen = 0, set()
    for begin in image:
        vertex, length = begin, 0
        while vertex not in seen:
            seen.add(vertex)
            vertex, length = image[vertex], length + 1
        odd ^= length > 0 and length % 2 == 0
    return odd ^ ((hole ^ goal).bit_count() & 1)


def _one_face(one: Instance) -> str | None:
    """Reason for k >= 2: all empty vertices lie in one face and stay there, so that only the ring in it can move."""
    moved = {ring for ring, _ in legal_moves(one.dimension, one.k, one.start)}
    for ring, name in enumerate(one.rings):
        if ring not in moved and one.start[ring] != one.target[ring]:
            return (
                f"ring '{name}' can never move: all {one.empty} empty vertices lie in one face of dimension {one.k} "
                "and stay there"
            )
    return None
