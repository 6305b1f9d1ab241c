"""Walking distance against known values and true distances."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from matheur.methods.statespace import astar, bfs, heuristic_by_name
from matheur.problems.sliding_tile import GOALS, SlidingTile, uniform
from matheur.problems.sliding_tile.domain import SlidingTileDomain, sliding_tile_domain
from matheur.problems.sliding_tile.search.walking import groups_of, tables_of, walking_table


def distances(domain: SlidingTileDomain, at_most: int) -> dict[tuple[int, ...], int]:
    """True distances of states near the goal, by an independent search."""
    found = {tuple(domain.goal.tolist()): 0}
    waiting = deque(found)
    while waiting and len(found) < at_most:
        state = waiting.popleft()
        key = domain.packing.pack(np.array([state], dtype=np.uint8))
        for row in domain.packing.unpack(domain.expand(key).keys).tolist():
            if tuple(row) not in found:
                found[tuple(row)] = found[state] + 1
                waiting.append(tuple(row))
    return found


def test_known_sizes() -> None:
    """24,964 arrangements of four rows, at most 35 slides; 105 arrangements of three rows."""
    four = walking_table((4, 4, 4, 3), 4, 3, 0, 4)
    assert (four.arrangements, four.largest) == (24_964, 35)
    assert walking_table((3, 3, 2), 3, 2, 0, 3).arrangements == 105


def test_groups_cover_all_lines_once() -> None:
    """Whatever the size; small boards have a single group."""
    for lines in range(1, 9):
        for length in range(2, 9):
            groups = groups_of([length] * (lines - 1) + [length - 1], length)
            assert [line for first, kinds in groups for line in range(first, first + kinds)] == list(range(lines))
    assert groups_of([4, 4, 4, 3], 4) == [(0, 4)]
    assert len(tables_of([6, 6, 6, 6, 6, 5], 6, 5)) == 3


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (2, 4), (5, 2), (3, 4)])
def test_it_is_between_taxicab_and_true_distances(rows: int, columns: int, goal: str) -> None:
    """Admissible, of the right parity, consistent, and never less than the taxicab distance."""
    domain = sliding_tile_domain(SlidingTile(uniform(rows, columns, np.random.default_rng(1), goal)))  # type: ignore[arg-type]
    known = distances(domain, 3_000)
    keys = domain.packing.pack(np.array(list(known), dtype=np.uint8))
    truth = np.array(list(known.values()))
    values = {name: domain.heuristics()[name]().estimate(keys) for name in ("walking-distance", "manhattan")}
    walking = values["walking-distance"]
    assert (walking <= truth).all()
    assert ((truth - walking) % 2 == 0).all()
    assert (walking >= values["manhattan"]).all()
    assert (walking > values["manhattan"]).any()
    place = {state: number for number, state in enumerate(known)}
    for state, number in list(place.items())[:200]:
        key = domain.packing.pack(np.array([state], dtype=np.uint8))
        for row in domain.packing.unpack(domain.expand(key).keys).tolist():
            if tuple(row) in place:
                assert abs(int(walking[place[tuple(row)]]) - int(walking[number])) <= 1


def test_searches_with_it_are_optimal() -> None:
    """A* agrees with breadth-first search, and looks at fewer states than with taxicab distances."""
    rng = np.random.default_rng(9)
    work = {"walking-distance": 0, "manhattan": 0}
    for _ in range(4):
        domain = sliding_tile_domain(SlidingTile(uniform(3, 3, rng)))
        true = bfs(domain).cost
        for name in work:
            answer = astar(domain, heuristic_by_name(domain, name))
            assert (answer.cost, answer.proved) == (true, True)
            work[name] += answer.expanded
    assert work["walking-distance"] < work["manhattan"]


def test_groups_of_lines_are_admissible() -> None:
    """Tables of two and of one goal line, added, bound the full table of three from below."""
    for totals, blank in (((3, 3, 2), 2), ((2, 3, 3), 0)):
        whole = walking_table(totals, 3, blank, 0, 3)
        parts = [walking_table(totals, 3, blank, *group) for group in ((0, 2), (2, 1))]
        assert sum(part.largest for part in parts) >= max(part.largest for part in parts)
        assert whole.largest >= max(part.largest for part in parts)
