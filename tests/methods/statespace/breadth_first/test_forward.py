"""Exact breadth-first search against a plain one, with its limits."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.sokoban.naive_levels import Doubling, counts_of, depths_of, moves_of, reached

from matheur.engine.budget import Budget
from matheur.methods.statespace.breadth_first import bfs, bidirectional, distance_distribution
from matheur.problems.cubical.domain import CubicalDomain

SMALL = 40_000
"""Bytes that leave only the hash table for the puzzles of this file."""


@st.composite
def puzzles(draw: st.DrawFn) -> CubicalDomain:
    """Random puzzles with at most a few thousand states."""
    d = draw(st.integers(2, 4))
    rings = draw(st.integers(1, {2: 4, 3: 5, 4: 3}[d]))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    start, goal = (rng.permutation(1 << d)[:rings].tolist() for _ in range(2))
    return CubicalDomain(d, draw(st.integers(1, d - 1)), start, goal)


@given(domain=puzzles(), memory=st.sampled_from([2 << 30, SMALL]), source=st.sampled_from(["goal", "start"]))
@settings(max_examples=60)
def test_distributions_are_those_of_a_plain_search(domain: CubicalDomain, memory: int, source: str) -> None:
    """Counts, eccentricity, size and farthest states agree in every representation that the memory leads to."""
    first = domain.goal if source == "goal" else domain.start
    depths = depths_of(domain.d, domain.k, tuple(first.tolist()))
    found = distance_distribution(domain, source=source, memory=max(memory, 16 * len(depths) + 8192))
    assert list(found.counts) == counts_of(depths)
    assert (found.eccentricity, found.size, found.complete) == (max(depths.values()), len(depths), True)
    assert found.expanded == found.classes == found.size
    assert found.antipodes.size
    assert all(depths[tuple(state)] == found.eccentricity for state in found.antipodes.tolist())


@given(domain=puzzles(), hashed=st.booleans())
@settings(max_examples=60)
def test_plans_are_optimal_and_impossibility_is_proved(domain: CubicalDomain, hashed: bool) -> None:
    """Both searches give valid plans of the true distance, or prove that there is none."""
    depths = depths_of(domain.d, domain.k, tuple(domain.start.tolist()))
    distance = depths.get(tuple(domain.goal.tolist()))
    if hashed:
        domain.expander, domain.expand = None, CubicalDomain.expand.__get__(domain.between(domain.start, domain.goal))
    for search in (bfs, bidirectional):
        answer = search(domain)
        assert answer.cost == distance
        assert answer.unreachable == (distance is None)
        assert answer.limit is None
        if distance is not None:
            assert answer.proved
            state = tuple(domain.start.tolist())
            for move in answer.plan.tolist():
                ring, vertex = divmod(move, 1 << domain.d)
                after = (*state[:ring], vertex, *state[ring + 1 :])
                assert after in moves_of(domain.d, domain.k, state)
                state = after
            assert state == tuple(domain.goal.tolist())


def test_a_goal_of_some_components_is_any_state_that_agrees_in_them() -> None:
    """With one ring free at the end, the plan is as short as the nearest of the goal states."""
    domain = CubicalDomain(3, 1, [0, 1, 3], [1, 7, 2])
    domain.goal_mask = np.array([True, False, True])
    depths = depths_of(3, 1, (0, 1, 3))
    answer = bfs(domain)
    assert answer.cost == answer.bound == min(depth for state, depth in depths.items() if state[::2] == (1, 2))
    assert domain.apply(domain.start, answer.plan)[-1][::2].tolist() == [1, 2]


@pytest.mark.parametrize("search", [bfs, bidirectional])
def test_start_equal_to_goal_needs_no_move(search) -> None:  # type: ignore[no-untyped-def]
    """The plan is empty and proved, without expanding anything."""
    answer = search(CubicalDomain(4, 1, [3, 5], [3, 5]))
    assert (answer.plan.tolist(), answer.cost, answer.bound, answer.expanded) == ([], 0, 0, 0)


def test_keys_of_several_words_are_searched() -> None:
    """Twenty rings on a 5-cube take two words: two of them in a corner that is free change places."""
    goal = list(range(8, 28))
    start = [9, 8, *goal[2:]]
    domain = CubicalDomain(5, 1, start, goal)
    assert domain.packing.words == 2
    one, other = bidirectional(domain), bidirectional(domain, quotient=True)
    assert one.cost == other.cost
    assert one.proved
    assert (domain.apply(domain.start, one.plan)[-1] == goal).all()


def test_moves_that_cannot_be_taken_back() -> None:
    """A plain NumPy domain with directed moves and many goal states is searched from the start, and only so."""
    n = 200
    domain = Doubling(n, 1, 187)
    depths = reached((1, 0), lambda one: [((one[0] + 1) % n, 1 - one[1]), (2 * one[0] % n, 1 - one[1])])
    answer = bfs(domain)
    assert answer.cost == min(depths[187, 0], depths[187, 1])
    assert domain.apply(domain.start, answer.plan)[-1][0] == 187
    assert list(distance_distribution(domain, source="start").counts) == counts_of(depths)
    with pytest.raises(ValueError, match="cannot be taken back"):
        distance_distribution(domain)
    with pytest.raises(ValueError, match="cannot be taken back"):
        bidirectional(domain)


def test_questions_without_an_answer_are_refused() -> None:
    """Moves of different costs, several goal states, an unknown source."""
    domain = CubicalDomain(3, 1, [0, 1], [1, 0])
    with pytest.raises(ValueError, match="'goal' or 'start'"):
        distance_distribution(domain, source="end")
    domain.goal_mask = np.array([True, False])
    for search in (bidirectional, distance_distribution):
        with pytest.raises(ValueError, match="more than one goal state"):
            search(domain)
    domain.unit_costs = False
    for search in (bfs, bidirectional, distance_distribution):
        with pytest.raises(ValueError, match="moves of cost 1"):
            search(domain)


@pytest.mark.parametrize("memory", [2 << 30, SMALL])
@pytest.mark.parametrize("work", [0, 1, 7, 100, 500, 1000])
def test_a_work_limit_is_met_exactly(work: int, memory: int) -> None:
    """No more states than allowed are expanded, the same ones each time, and the levels reported are right."""
    domain = CubicalDomain(3, 1, [6, 4, 5, 1], [4, 1, 5, 6])
    full = counts_of(depths_of(3, 1, (4, 1, 5, 6)))
    budget = Budget(work=work)
    found = distance_distribution(domain, budget=budget, memory=memory)
    assert budget.spent_work == found.expanded == work
    assert (found.limit, found.complete) == ("work", False)
    assert list(found.counts) == full[: len(found.counts)]
    assert sum(full[: found.eccentricity]) <= work < sum(full[: found.eccentricity + 1])
    exact = distance_distribution(domain, budget=Budget(work=sum(full)), memory=memory)
    assert exact.complete


@pytest.mark.parametrize("search", [bfs, bidirectional])
@pytest.mark.parametrize("work", [0, 1, 5, 30, 200])
def test_a_stopped_search_gives_a_valid_bound(work: int, search) -> None:  # type: ignore[no-untyped-def]
    """The bound never exceeds the optimum (10 moves), grows with the work, and the limit is named."""
    domain = CubicalDomain(3, 1, [5, 6, 4, 1], [4, 1, 5, 6])
    budget = Budget(work=work)
    answer = search(domain, budget=budget)
    assert budget.spent_work == answer.expanded <= work
    assert answer.bound <= 10
    assert answer.plan is not None or (answer.limit == "work" and answer.expanded == work and not answer.unreachable)
    assert answer.bound >= {0: 1, 1: 2, 5: 2, 30: 3, 200: 5}[work]


@pytest.mark.parametrize("search", [bfs, bidirectional, distance_distribution])
def test_interrupts_and_deadlines_stop_at_once(search) -> None:  # type: ignore[no-untyped-def]
    """A set interrupt or a past deadline ends the search before it expands anything."""
    domain = CubicalDomain(4, 1, [5, 4, 13, 7, 1], [13, 7, 5, 4, 1])
    assert search(domain, budget=Budget(interrupt=lambda: True)).limit == "interrupt"
    ticks = iter(range(1000))
    late = search(domain, budget=Budget(seconds=0.5, clock=lambda: float(next(ticks))))
    assert (late.limit, late.expanded) == ("time", 0)


def test_an_interrupt_inside_a_level_by_words_loses_no_complete_level() -> None:
    """Levels by words are left between two chunks, and what has been counted stays right."""
    domain = CubicalDomain(4, 2, [0, 1, 2, 3, 4], [13, 7, 5, 4, 1])
    calls = 0

    def interrupt() -> bool:
        nonlocal calls
        calls += 1
        return calls > 30

    found = distance_distribution(domain, budget=Budget(interrupt=interrupt))
    assert found.limit == "interrupt"
    assert found.counts == distance_distribution(domain).counts[: len(found.counts)]
    assert found.eccentricity > 2


@pytest.mark.parametrize("search", [bfs, bidirectional])
def test_memory_ends_a_search_with_its_bound(search) -> None:  # type: ignore[no-untyped-def]
    """The tables never take more bytes than allowed; the bound so far is returned."""
    domain = CubicalDomain(4, 1, [4, 1, 5, 13, 7], [13, 7, 5, 4, 1])
    for memory in (0, 100, 5000, 100_000):
        answer = search(domain, memory=memory)
        assert answer.limit == "memory"
        assert answer.memory <= memory
        assert 1 <= answer.bound <= 12
    counted = distance_distribution(domain, memory=100_000)
    assert (counted.limit, counted.complete) == ("memory", False)
    assert counted.memory <= 100_000


def test_published_instances_have_the_published_distances(data: Path) -> None:
    """All optima and distributions of the reference up to dimension 4."""
    with (data / "state_space" / "cubic_instances.csv").open() as file:
        instances = [row for row in csv.DictReader(file) if int(row["d"]) < 5]
    assert len(instances) > 20
    for row in instances:
        start, goal = ([int(vertex) for vertex in row[name].split()] for name in ("start", "target"))
        domain = CubicalDomain(int(row["d"]), int(row["k"]), start, goal)
        answers = bfs(domain), bidirectional(domain)
        expected = row["exact_optimal_len"]
        assert [answer.cost for answer in answers] == [None if expected == "unreachable" else int(expected)] * 2
    check_distributions(data, {3, 4})


@pytest.mark.slow
def test_the_largest_published_puzzle(data: Path) -> None:
    """Dimension 5: 87 million states counted level by level, and the plan of 13 moves by both searches."""
    check_distributions(data, {5})
    domain = CubicalDomain(5, 4, [30, 29, 0, 17, 4, 1], [17, 30, 0, 29, 4, 1])
    for search in (bfs, bidirectional):
        answer = search(domain)
        assert (answer.cost, answer.bound) == (13, 13)
        assert (domain.apply(domain.start, answer.plan)[-1] == domain.goal).all()


def check_distributions(data: Path, dimensions: set[int]) -> None:
    """Compare with the distributions of the reference."""
    tables = defaultdict(list)
    with (data / "state_space" / "cubic_distance_distribution.csv").open() as file:
        for row in csv.DictReader(file):
            tables[int(row["d"]), int(row["k"]), row["target"]].append(int(row["states"]))
    chosen = {key: counts for key, counts in tables.items() if key[0] in dimensions}
    assert len(chosen) >= len(dimensions)
    for (d, k, target), counts in chosen.items():
        goal = [int(vertex) for vertex in target.split()]
        assert list(distance_distribution(CubicalDomain(d, k, goal, goal)).counts) == counts
