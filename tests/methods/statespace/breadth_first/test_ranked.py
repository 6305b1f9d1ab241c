"""Numbers of states, and breadth-first levels on bit arrays."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.sokoban.naive_levels import counts_of, depths_of, moves_of

from matheur.engine.budget import Budget
from matheur.methods.statespace.breadth_first.ranked import Indexing, RankedLevels, bytes_of, ranked_levels
from matheur.methods.statespace.ranking import PartialPermutationRanking
from matheur.problems.cubical.domain import CubicalDomain
from matheur.problems.cubical.domain_by_level import levels_of
from matheur.problems.sliding_tile.domain import SlidingTileDomain


@pytest.mark.parametrize(("values", "positions"), [(1, 1), (5, 1), (5, 3), (6, 6)])
def test_ranks_number_all_partial_permutations_in_order(values: int, positions: int) -> None:
    """The number of a partial permutation is its place in lexicographic order, and leads back to it."""
    ranking = PartialPermutationRanking(values, positions)
    rows = np.array(list(permutations(range(values), positions)), dtype=np.uint8)
    assert ranking.states == len(rows)
    assert ranking.rank(rows).tolist() == list(range(len(rows)))
    assert (ranking.unrank(np.arange(len(rows))) == rows).all()


@given(values=st.integers(2, 64), seed=st.integers(0, 2**32))
@settings(max_examples=30)
def test_compiled_ranks_are_those_of_numpy(values: int, seed: int) -> None:
    """The compiled rank and its inverse agree with the plain ones, with keys of one word and more."""
    rng = np.random.default_rng(seed)
    positions = int(rng.integers(1, min(values, 10) + 1))
    domain = CubicalDomain(6, 1, range(positions), range(positions))
    ranking = PartialPermutationRanking(values, positions)
    states = np.array([rng.permutation(values)[:positions] for _ in range(20)], dtype=np.uint8)
    keys = domain.packing.pack(states)
    indexing = Indexing(domain.packing, ranking)
    assert indexing.size == ranking.states
    assert (indexing.indices(keys) == ranking.rank(states)).all()
    assert (indexing.keys(ranking.rank(states)) == keys).all()


@pytest.mark.parametrize(("values", "positions"), [(3, 4), (0, 0), (65, 2), (4, 0)])
def test_impossible_rankings_are_refused(values: int, positions: int) -> None:
    """More positions than values, none, or more than 64 values."""
    with pytest.raises(ValueError, match="positions must be"):
        PartialPermutationRanking(values, positions)


@given(
    d=st.integers(3, 5), k=st.integers(1, 4), rings=st.integers(2, 4), many=st.integers(1, 60), seed=st.integers(0, 99)
)
@settings(max_examples=40)
def test_a_level_by_words_contains_exactly_the_successors(d: int, k: int, rings: int, many: int, seed: int) -> None:
    """All chunks together give the successors of every state of the level, and at most these states besides."""
    k, rings = min(k, d - 1), rings if d * rings >= 12 else 4
    rings = 3 if d == 5 else rings
    step = levels_of(d, k, rings)
    assert step is not None
    rng = np.random.default_rng(seed)
    states = {tuple(rng.permutation(1 << d)[:rings].tolist()) for _ in range(many)}
    domain = CubicalDomain(d, k, range(rings), range(rings))
    frontier = np.zeros(max(1, (1 << domain.packing.bits) // 64), dtype=np.uint64)
    for key in domain.packing.pack(sorted(states))[:, 0].tolist():
        frontier[key >> 6] |= np.uint64(1 << (key & 63))
    following, before = np.zeros_like(frontier), frontier.copy()
    for chunk in range(step.chunks):
        step.run(chunk, frontier, following)
    bits = np.flatnonzero(np.unpackbits(following.view(np.uint8), bitorder="little"))
    found = {tuple(row) for row in domain.packing.unpack(bits.astype(np.uint64)[:, None]).tolist()}
    wanted = set().union(*(moves_of(d, k, state) for state in states))
    assert wanted <= found <= wanted | states
    assert (frontier == before).all()


def test_no_level_step_where_words_do_not_fit() -> None:
    """A square, a seven-dimensional cube, one ring and too many rings have none."""
    assert [levels_of(d, 1, rings) for d, rings in [(2, 4), (7, 2), (5, 1), (3, 2), (6, 11)]] == [None] * 5
    assert all(CubicalDomain(d, 1, [0], [0]).levels is None for d in (2, 3, 7))


@pytest.mark.parametrize("rings", [1, 3, 5])
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("how", ["rank", "key", "words"])
def test_every_representation_counts_the_same_levels(how: str, k: int, rings: int) -> None:
    """Bit arrays by rank and by key, and whole words, agree with plain breadth-first search, depths and paths too."""
    goal = tuple(range(rings))
    naive = depths_of(3, k, goal)
    domain = CubicalDomain(3, k, goal, goal)
    if how != "words":
        domain.levels = None
    key = domain.packing.pack([goal])[0]
    levels = RankedLevels(domain, Indexing(domain.packing, domain.ranking if how == "rank" else None), key, depths=True)
    while levels.counts[-1]:
        assert levels.advance(Budget()) is None
    assert levels.counts == [*counts_of(naive), 0]
    assert levels.stored == levels.expanded == len(naive)
    for state, depth in list(naive.items())[:: max(1, len(naive) // 50)]:
        row = domain.packing.pack([state])[0]
        assert levels.depth_code(row) == depth % 3 + 1
        path = [tuple(one) for one in domain.packing.unpack(np.array(levels.path(row, depth))).tolist()]
        assert path[0] == state
        assert path[-1] == goal
        assert all(after in moves_of(3, k, before) for before, after in pairwise(path))


def test_the_key_is_used_before_the_rank_and_neither_beyond_the_memory() -> None:
    """The smaller array by rank is chosen when the one by key does not fit; without room there is none."""
    domain = CubicalDomain(4, 3, range(6), range(6))
    key = domain.packing.pack([list(range(6))])[0]
    by_key, by_rank = bytes_of(1 << 24, depths=False), bytes_of(5765760, depths=False)
    assert by_rank < by_key
    chosen = [ranked_levels(domain, key, memory=memory) for memory in (by_key, by_key - 1, by_rank, by_rank - 1)]
    assert [None if one is None else one.representation for one in chosen] == [
        "bits by key", "bits by rank", "bits by rank", None,
    ]  # fmt: skip
    assert chosen[1] is not None
    assert chosen[1].nbytes == by_rank


@pytest.mark.parametrize(("columns", "how"), [(2, "bits by key"), (3, "bits by rank")])
def test_the_rank_is_used_where_keys_are_scattered(columns: int, how: str) -> None:
    """Of 2^36 keys of 3 x 3 boards 362,880 occur, each in a page of its own, even if all keys fit into the memory."""
    tiles = range(3 * columns)
    domain = SlidingTileDomain(3, columns, (*tiles[1:], 0), tuple(tiles))
    levels = ranked_levels(domain, domain.packing.pack([list(tiles)])[0], memory=1 << 40)
    assert levels is not None
    assert levels.representation == how


def test_a_thousand_million_states_take_less_than_four_gigabytes() -> None:
    """3 bits for a state, 4 with depths."""
    assert bytes_of(10**9, depths=False) < 0.4e9
    assert bytes_of(10**9, depths=True) < 0.6e9
