"""Arguments about reachability against exhaustive search."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest
from problems.cubical.reference import Placement, reachable

from matheur.problems.cubical import Instance
from matheur.problems.cubical.solvability import unsolvable_reason


def names(rings: int) -> tuple[str, ...]:
    return tuple(f"ring{i}" for i in range(rings))


def some_placements(d: int, rings: int, count: int) -> Iterator[Placement]:
    rng = np.random.default_rng(rings)
    for _ in range(count):
        yield tuple(rng.permutation(1 << d)[:rings].tolist())


@pytest.mark.parametrize("rings", [1, 2, 3, 4])
def test_the_square_is_decided(rings: int) -> None:
    """On the square a reason is given exactly for the targets that cannot be reached, for all pairs."""
    pairs = 0
    for start in permutations(range(4), rings):
        known = reachable(2, 1, start)
        for target in permutations(range(4), rings):
            reason = unsolvable_reason(Instance(2, 1, names(rings), start, target))
            assert (reason is None) == (target in known)
            pairs += reason is not None
    assert pairs > 0 or rings < 3


@pytest.mark.parametrize("rings", range(1, 9))
def test_sliding_along_edges_of_the_cube_is_decided(rings: int) -> None:
    """For d = 3 and k = 1 too, for all targets: a parity with one empty vertex, none with more."""
    start = next(some_placements(3, rings, 1))
    known = reachable(3, 1, start)
    refused = 0
    for target in permutations(range(8), rings):
        reason = unsolvable_reason(Instance(3, 1, names(rings), start, target))
        assert (reason is None) == (target in known)
        refused += reason is not None
    assert refused == {7: 20160, 8: 40319}.get(rings, 0)


@pytest.mark.parametrize("rings", range(1, 9))
def test_reasons_for_faces_of_the_cube_are_sound(rings: int) -> None:
    """For d = 3 and k = 2 no reachable target gets a reason; with three or fewer empty vertices all others do."""
    rng = np.random.default_rng(rings)
    for start in some_placements(3, rings, 3):
        known = reachable(3, 2, start)
        near = list(known)[:500]
        others = [tuple(rng.permutation(8)[:rings].tolist()) for _ in range(500)]
        for target in [*near, *others]:
            reason = unsolvable_reason(Instance(3, 2, names(rings), start, target))
            assert reason is None or target not in known
            if rings >= 5:
                assert (reason is None) == (target in known)


def test_one_free_face_moves_one_ring() -> None:
    """With exactly 2**k - 1 empty vertices only the ring in their face moves; the sentence names another."""
    start = (0, 4, 5, 6, 7)  # 1, 2 and 3 are empty
    can, cannot = ((3, 4, 5, 6, 7), (4, 0, 5, 6, 7))
    assert unsolvable_reason(Instance(3, 2, names(5), start, can)) is None
    reason = unsolvable_reason(Instance(3, 2, names(5), start, cannot))
    assert reason is not None
    assert "'ring1' can never move" in reason


@pytest.mark.parametrize(
    ("d", "k", "start", "target", "words"),
    [
        (1, 1, (0, 1), (1, 0), "no ring can ever move: the only face of dimension 1 is the cube"),
        (3, 3, (0, 1), (7, 1), "no ring can ever move: the only face of dimension 3 is the cube, and it holds other"),
        (2, 1, (0, 1, 2, 3), (1, 0, 2, 3), "no ring can ever move: .* 1 empty vertex, and only 0"),
        (3, 2, (0, 1, 2, 3, 4, 5), (1, 0, 2, 3, 4, 5), "needs a face of dimension 2 with 3 empty vertices, and only 2"),
        (3, 2, (0, 3, 5, 6), (0, 3, 5, 7), "no ring can move in the start"),
        (3, 2, (0, 3, 5, 7), (0, 3, 5, 6), "no ring can move in the target"),
        (2, 1, (0, 1, 2), (1, 0, 2), "cyclic order"),
        (3, 1, (0, 1, 2, 3, 4, 5, 6), (1, 0, 2, 3, 4, 5, 6), "parity"),
    ],
)
def test_each_reason(d: int, k: int, start: Placement, target: Placement, words: str) -> None:
    """Each argument gives its own sentence, which a search confirms."""
    instance = Instance(d, k, names(len(start)), start, target)
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(unsolvable_reason(instance))
    assert target not in reachable(d, k, start)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_a_single_ring_moves_over_the_whole_cube(d: int) -> None:
    """With faces of the dimension of the cube a single ring reaches every vertex in one move."""
    for target in range(1, 1 << d):
        assert unsolvable_reason(Instance(d, d, ("ring",), (0,), (target,))) is None
        assert reachable(d, d, (0,)) == {(vertex,): int(vertex > 0) for vertex in range(1 << d)}


def test_nothing_to_do_is_possible() -> None:
    """A start that is the target has a plan, even where no ring can move."""
    full = tuple(range(8))
    assert unsolvable_reason(Instance(3, 2, names(8), full, full)) is None
