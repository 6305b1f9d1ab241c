"""Pattern databases: lower bounds, symmetric look-ups, and the tables on the disk."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from contracts.domains import Pancakes, slides
from methods.statespace.heuristics.spaces import Blocked, Sliding, check_bound, dijkstra, infinite

from matheur.engine import Budget
from matheur.errors import ConfigurationError
from matheur.methods.statespace.heuristics import (
    UNREACHED,
    Lookup,
    cached_tables,
    distance_table,
    largest_table_sum,
    partition,
    pattern_database,
    pattern_databases,
)
from matheur.methods.statespace.heuristics.patterns import walk_states
from matheur.methods.statespace.heuristics.sums import disjoint_families, symmetric_sums
from matheur.problems.cubical.domain import CubicalDomain

DOMAIN = CubicalDomain(3, 1, [6, 1, 4, 5], [4, 1, 5, 6])
PATTERNS = [
    None,
    [[0, 1, 2, 3]],
    [[0], [1], [2], [3]],
    [[3, 1], [0, 2]],
    [[2, 0, 1]],
    [[0, 1], [1, 2], [2, 3], [0, 3], [0, 2], [1, 3]],
    [[0, 1, 2], [1, 2, 3]],
]


def cubical_neighbours(domain: CubicalDomain):  # type: ignore[no-untyped-def]
    """Neighbours by the definition."""
    successors = slides(domain.d, domain.k)
    return lambda state: [(other, cost) for other, _, cost in successors(state)]


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("patterns", PATTERNS, ids=str)
@pytest.mark.parametrize("domain", [DOMAIN, CubicalDomain(3, 2, [4, 1, 5, 6], [4, 1, 5, 6])], ids=lambda one: one.name)
def test_estimates_are_consistent_lower_bounds(
    domain: CubicalDomain, patterns: list[list[int]] | None, symmetric: bool
) -> None:
    """Checked on every state and every edge of small spaces, for disjoint and overlapping patterns."""
    neighbours = cubical_neighbours(domain)
    distances = dijkstra(neighbours, [tuple(domain.goal.tolist())])
    heuristic = pattern_databases(domain, patterns, symmetric=symmetric, bits=6)
    assert heuristic.admissible
    assert heuristic.consistent
    check_bound(domain.packing, heuristic, neighbours, distances)


def test_default_of_a_small_domain_is_exact() -> None:
    """One pattern holds all components: the estimate is the distance."""
    distances = dijkstra(cubical_neighbours(DOMAIN), [tuple(DOMAIN.goal.tolist())])
    heuristic = pattern_databases(DOMAIN)
    states = sorted(distances)
    assert heuristic.estimate(DOMAIN.packing.pack(states)).tolist() == [distances[state] for state in states]
    assert heuristic.memory == 1 << 12


@pytest.mark.parametrize(
    "patterns",
    [[[1, 2, 3], [4, 5]], [[0, 1, 2], [3, 4, 5]], [[1, 2], [2, 3], [4, 5], [0]], [[0, 1, 2, 3, 4, 5]]],
    ids=str,
)
def test_sliding_tiles_with_free_moves(patterns: list[list[int]]) -> None:
    """Sums over projections in which the other tiles move for nothing are consistent lower bounds, exact if whole."""
    domain = Sliding([1, 0, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5])
    connected = dijkstra(domain.neighbours, [tuple(domain.start.tolist())])
    goals = [state for state in connected if state[1:] == (1, 2, 3, 4, 5)]
    distances = dijkstra(domain.neighbours, goals)
    assert len(distances) == 360
    heuristic = pattern_databases(domain, patterns)
    check_bound(domain.packing, heuristic, domain.neighbours, distances)
    if len(patterns) == 1:
        assert all(int(heuristic.estimate(domain.packing.pack([s]))[0]) == d for s, d in list(distances.items())[:50])


def test_a_state_that_cannot_reach_the_goal_is_a_dead_end() -> None:
    """One token on the wrong row makes the sum infinite; all others are exact here."""
    domain = Blocked([0, 5], [2, 7])
    heuristic = pattern_databases(domain, [[0], [1]])
    states = [(a, b) for a in range(8) for b in range(8)]
    values = heuristic.estimate(domain.packing.pack(states))
    wrong = np.array([a > 3 or b < 4 for a, b in states])
    assert (infinite(values) == wrong).all()
    assert [int(v) for v in values[~wrong]] == [abs(a - 2) + abs(b - 7) for a, b in np.array(states)[~wrong].tolist()]


def test_families_are_the_largest_disjoint_ones() -> None:
    """Of overlapping patterns every largest family of disjoint ones is a sum."""
    families = disjoint_families([(0, 1), (2, 3), (1, 2), (0,), (3,)])
    assert families == [[(0, 1), (2, 3)], [(0, 1), (3,)], [(1, 2), (0,), (3,)], [(2, 3), (0,)]]
    assert disjoint_families([(0,)]) == [[(0,)]]


@pytest.mark.parametrize(
    ("domain", "family"),
    [
        (CubicalDomain(4, 3, [4, 1, 5, 13, 7], [13, 7, 5, 4, 1]), [(0, 2, 4), (1, 3)]),
        (CubicalDomain(3, 2, [4, 1, 5, 6], [4, 1, 5, 6]), [(0,), (3, 1, 2)]),
    ],
    ids=["d4", "d3"],
)
def test_symmetric_look_ups_are_the_estimates_of_the_images(
    domain: CubicalDomain, family: list[tuple[int, ...]]
) -> None:
    """Each extra sum gives what the plain one gives for an image; together they are the maximum over all images."""
    tables = {pattern: pattern_database(domain, pattern).values for pattern in family}
    plain = [[Lookup(pattern, tables[pattern]) for pattern in family]]
    alone = largest_table_sum("plain", domain.packing, plain)
    images = symmetric_sums(domain, [family], tables)
    both = largest_table_sum("both", domain.packing, [*plain, *images])
    assert images
    keys = walk_states(domain, 100, np.random.default_rng(2))
    symmetries = domain.automorphisms()
    maxima = [
        int(alone.estimate(domain.packing.pack(symmetries.images(state))).max())
        for state in domain.packing.unpack(keys)
    ]
    assert both.estimate(keys).tolist() == maxima
    assert (both.estimate(keys) != alone.estimate(keys)).any()
    chosen = pattern_databases(domain, family)
    assert (chosen.estimate(keys) >= alone.estimate(keys)).all()
    assert (chosen.estimate(keys) <= both.estimate(keys)).all()
    assert (pattern_databases(domain, family, symmetric=False).estimate(keys) == alone.estimate(keys)).all()


@pytest.mark.parametrize("bits", [4, 9, 12, 17])
def test_partitions_hold_every_component_once(bits: int) -> None:
    """Patterns are disjoint, complete, no larger than allowed, and the same each time."""
    domain = CubicalDomain(4, 3, [4, 1, 5, 13, 7], [13, 7, 5, 4, 1])
    sample = walk_states(domain, 300, np.random.default_rng(0))
    patterns = partition(domain, bits, sample=sample)
    assert sorted(i for pattern in patterns for i in pattern) == list(range(5))
    assert max(map(len, patterns)) == bits // 4
    assert partition(domain, bits, sample=sample) == patterns


def test_partitions_of_many_components_need_no_measurement() -> None:
    """Where measuring all pairs would take long, components go together in their order."""
    domain = CubicalDomain(7, 3, list(range(0, 100, 5)), list(range(20, 120, 5)))
    sample = walk_states(domain, 50, np.random.default_rng(0))
    assert partition(domain, 14, sample=sample) == [(i, i + 1) for i in range(0, 20, 2)]


def test_walks_stay_in_the_space() -> None:
    """The sample holds reachable states at different distances, as many as asked for."""
    keys = walk_states(DOMAIN, 333, np.random.default_rng(0))
    assert keys.shape == (333, 1)
    values = distance_table(DOMAIN).values[keys[:, 0].astype(np.int64)]
    assert (values != UNREACHED).all()
    assert len(set(values.tolist())) > 5


def test_what_is_refused() -> None:
    """No projections, bad patterns, too much memory, one-way moves, components that are too wide."""
    with pytest.raises(ConfigurationError, match="no projections"):
        pattern_databases(Pancakes(6), [[0]])
    with pytest.raises(ConfigurationError, match="no projections"):
        pattern_databases(Pancakes(6), bits=3)
    for wrong in ([[0, 0]], [[4]], [[-1]], [[]], []):
        with pytest.raises(ConfigurationError, match="pattern"):
            pattern_databases(DOMAIN, wrong)
    with pytest.raises(ConfigurationError, match="1024 bytes, 1023 are allowed"):
        pattern_databases(DOMAIN, [[0, 1, 2], [1, 2, 3]], memory=1023)
    with pytest.raises(ConfigurationError, match="3 bits"):
        pattern_databases(DOMAIN, bits=2)


def test_a_domain_with_one_way_moves_has_none() -> None:
    """Tables are built by search from the goal over moves that can be taken back."""

    class OneWay(Blocked):
        reversible = False

        def project(self, components) -> OneWay:  # type: ignore[no-untyped-def]
            return OneWay([self.start[i] for i in components], [self.goal[i] for i in components])

    with pytest.raises(ConfigurationError, match="not reversible"):
        pattern_databases(OneWay([0, 5], [2, 7]), [[0], [1]])


def test_an_interrupted_build_gives_a_lower_bound_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without time the estimate is still consistent and admissible; such a table is not kept."""
    monkeypatch.setattr("matheur.methods.statespace.heuristics.databases._WORTH_KEEPING", 0)
    left = iter(range(5))
    neighbours = cubical_neighbours(DOMAIN)
    heuristic = pattern_databases(DOMAIN, budget=Budget(interrupt=lambda: next(left, None) is None))
    assert "cut off" in heuristic.name
    assert cached_tables() == []
    distances = dijkstra(neighbours, [tuple(DOMAIN.goal.tolist())])
    check_bound(DOMAIN.packing, heuristic, neighbours, distances)
    assert int(heuristic.estimate(DOMAIN.packing.pack(sorted(distances))).max()) == 6


# ---------------------------------------------------------------------------------------------------- on the disk


@pytest.fixture
def keeping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep small tables too."""
    monkeypatch.setattr("matheur.methods.statespace.heuristics.databases._WORTH_KEEPING", 0)


@pytest.mark.usefixtures("keeping")
def test_a_table_is_built_once() -> None:
    """The second time it comes from the disk, for every domain that has the same projection."""
    first = pattern_database(DOMAIN, (0, 2))
    again = pattern_database(DOMAIN, (0, 2))
    other = pattern_database(CubicalDomain(3, 1, [0, 1], [4, 5]), (0, 1))
    assert [first.cached, again.cached, other.cached] == [False, True, True]
    assert (first.values == again.values).all()
    assert (first.counts == again.counts).all()
    assert not again.values.flags.writeable
    (kept,) = cached_tables()
    assert (kept.name, kept.bytes) == ("cubical d=3 k=1 rings=2", 64)


@pytest.mark.usefixtures("keeping")
@pytest.mark.parametrize(("d", "k", "goal"), [(3, 2, [4, 5]), (3, 1, [5, 4]), (4, 1, [4, 5])])
def test_another_content_is_another_table(d: int, k: int, goal: list[int]) -> None:
    """Other moves, goals or widths share nothing."""
    pattern_database(CubicalDomain(3, 1, [0, 1], [4, 5]), (0, 1))
    assert not pattern_database(CubicalDomain(d, k, [0, 1], goal), (0, 1)).cached
    assert len(cached_tables()) == 2


@pytest.mark.usefixtures("keeping")
def test_an_open_goal_depends_on_the_start() -> None:
    """Where the goal leaves components open, the table holds what is connected with the start."""
    goal = [0, 1, 2, 3, 4, 5]
    one, two = Sliding([0, 1, 2, 3, 4, 5], goal), Sliding([0, 2, 1, 3, 4, 5], goal)
    pattern_database(one, (0, 1, 2, 3, 4, 5))
    assert pattern_database(one, (0, 1, 2, 3, 4, 5)).cached
    assert not pattern_database(two, (0, 1, 2, 3, 4, 5)).cached


@pytest.mark.usefixtures("keeping")
def test_domains_that_do_not_name_their_moves_are_not_kept() -> None:
    """Without a fingerprint nobody knows what the table is of."""
    pattern_database(Blocked([0, 5], [2, 7]), (0,))
    assert cached_tables() == []


def test_quick_tables_are_not_kept() -> None:
    """Milliseconds of work are not worth a file."""
    pattern_database(DOMAIN, (0, 1))
    assert cached_tables() == []


@pytest.mark.usefixtures("keeping")
@pytest.mark.parametrize("damage", ["truncated", "longer", "flipped", "empty", "text", "header"])
def test_a_damaged_table_is_built_anew_and_replaced(damage: str, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever happened to the file: a warning, the right answer, and a whole file afterwards."""
    right = pattern_database(DOMAIN, (0, 1))
    path = cached_tables()[0].path
    content = path.read_bytes()
    damaged = {
        "truncated": content[:-1],
        "longer": content + b"\0",
        "flipped": content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
        "empty": b"",
        "text": b"nothing of this kind\n" * 50,
        "header": content.replace(b'"shape": [64]', b'"shape": [63]'),
    }[damage]
    assert damaged != content
    path.write_bytes(damaged)
    with caplog.at_level(logging.WARNING):
        table = pattern_database(DOMAIN, (0, 1))
    assert "ignoring" in caplog.text
    assert not table.cached
    assert (table.values == right.values).all()
    assert pattern_database(DOMAIN, (0, 1)).cached


@pytest.mark.usefixtures("keeping")
def test_a_table_that_contradicts_the_moves_is_built_anew(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A whole file whose values are not distances, as another state of the code might have left it, is not believed."""
    right = pattern_database(DOMAIN, (0, 1, 2))
    lies: list[np.ndarray] = [right.values + np.uint8(1), np.zeros_like(right.values)]
    lies.append(np.full_like(right.values, UNREACHED))
    swapped = right.values.copy()
    swapped[right.values == 3] = 2
    lies.append(swapped)
    for values in lies:
        monkeypatch.setattr(
            "matheur.methods.statespace.heuristics.databases.load_table",
            lambda *_, values=values: (values.copy(), cached_tables()[0]),
        )
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            table = pattern_database(DOMAIN, (0, 1, 2))
        assert "contradicts" in caplog.text
        assert (table.values == right.values).all()
