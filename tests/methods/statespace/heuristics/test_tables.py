"""Distances of a whole domain in one table."""

from __future__ import annotations

import numpy as np
import pytest
from contracts.domains import slides
from hypothesis import given, settings
from hypothesis import strategies as st
from methods.statespace.heuristics.spaces import Graph, Sliding, State, boards, dijkstra

from matheur.engine import Budget
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics import UNREACHED, DistanceTable, distance_table
from matheur.methods.statespace.heuristics.tables import count_values
from matheur.problems.cubical.domain import CubicalDomain

FARTHEST = 254


def expected(domain: Domain, distances: dict[State, int]) -> np.ndarray:
    """The table that the distances give."""
    values = np.full(1 << domain.packing.bits, UNREACHED, dtype=np.int64)
    for state, distance in distances.items():
        values[int(domain.packing.pack([state])[0, 0])] = min(distance, FARTHEST)
    return values


def check_counts(table: DistanceTable) -> None:
    """Counts are those of the values."""
    assert (table.counts == np.bincount(table.values, minlength=256)).all()
    assert (table.counts == count_values(table.values)).all()
    assert table.reached == int((table.values != UNREACHED).sum())


@pytest.mark.parametrize(
    ("d", "k", "goal"), [(2, 1, [1, 0]), (3, 1, [4, 1, 5, 6]), (3, 2, [4, 1, 5, 6]), (3, 1, [0]), (4, 2, [13, 7, 4])]
)
def test_cubical_distances_are_those_of_a_plain_search(d: int, k: int, goal: list[int]) -> None:
    """All entries agree with breadth-first search by the definition, unreachable ones included."""
    domain = CubicalDomain(d, k, list(range(len(goal))), goal)
    successors = slides(d, k)
    distances = dijkstra(lambda state: [(other, cost) for other, _, cost in successors(state)], [tuple(goal)])
    table = distance_table(domain)
    assert (table.values == expected(domain, distances)).all()
    assert table.complete
    assert not table.values.flags.writeable
    check_counts(table)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_published_distance_distributions(data, k: int) -> None:  # type: ignore[no-untyped-def]
    """The distribution of d = 4 is the published one."""
    lines = (data / "state_space" / "cubic_distance_distribution.csv").read_text().splitlines()[1:]
    rows = [line.split(",") for line in lines if line.startswith(f"4,{k},")]
    goal = [int(vertex) for vertex in rows[0][3].split()]
    table = distance_table(CubicalDomain(4, k, goal, goal))
    assert [int(row[5]) for row in rows] == table.counts[: len(rows)].tolist()
    assert table.counts[len(rows) : UNREACHED].sum() == 0
    assert table.mean == pytest.approx(sum(int(r[4]) * int(r[5]) for r in rows) / table.reached)


edges = st.lists(
    st.tuples(st.integers(0, 127), st.integers(0, 127), st.sampled_from([0, 0, 1, 1, 2, 3, 7, 100])), max_size=300
)


@pytest.mark.parametrize("compiled", [True, False])
@given(edges=edges, goal=st.integers(0, 127))
@settings(max_examples=60)
def test_any_costs(compiled: bool, edges: list[tuple[int, int, int]], goal: int) -> None:
    """Costs of 0 and large ones give shortest distances, cut off at 254, compiled and in batches."""
    domain = Graph(edges, compiled=compiled, goal=goal)
    table = distance_table(domain)
    assert (table.values == expected(domain, dijkstra(domain.neighbours, [(goal & 7, goal >> 3)]))).all()
    check_counts(table)


@pytest.mark.parametrize("compiled", [True, False])
@given(edges=edges, goal=st.integers(0, 127))
@settings(max_examples=40)
def test_goals_that_leave_components_open(compiled: bool, edges: list[tuple[int, int, int]], goal: int) -> None:
    """The goals are the matching states that are connected with the start, and only its component is in the table."""
    domain = Graph(edges, compiled=compiled, goal=goal, mask=(False, True))
    connected = dijkstra(domain.neighbours, [(0, 0)])
    goals = [state for state in connected if state[1] == goal >> 3]
    table = distance_table(domain)
    assert (table.values == expected(domain, dijkstra(domain.neighbours, goals))).all()
    check_counts(table)


def test_many_free_moves_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """More entries improved behind the scan than the stack holds: none is forgotten."""
    monkeypatch.setattr("matheur.methods.statespace.heuristics.tables._STACK", 2)
    hub, rng = 127, np.random.default_rng(3)
    edges = [(0, hub, 1), *((hub, int(other), 0) for other in rng.permutation(127)[:90])]
    edges += [(int(a), int(b), int(c)) for a, b, c in rng.integers(0, [128, 128, 2], (60, 3))]
    domain = Graph(edges, compiled=True)
    table = distance_table(domain)
    assert (table.values == expected(domain, dijkstra(domain.neighbours, [(0, 0)]))).all()
    check_counts(table)


def test_slices_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build in slices of a few expansions and a short scan is the build at once, and reports its progress."""
    rng = np.random.default_rng(4)
    domain = Graph([(int(a), int(b), int(c)) for a, b, c in rng.integers(0, [128, 128, 3], (200, 3))], compiled=True)
    whole = distance_table(domain)
    monkeypatch.setattr("matheur.methods.statespace.heuristics.tables._SLICE", 3)
    monkeypatch.setattr("matheur.methods.statespace.heuristics.tables._SCAN", 5)
    reports: list[tuple[int, int]] = []
    sliced = distance_table(domain, progress=lambda distance, entries: reports.append((distance, entries)))
    assert (sliced.values == whole.values).all()
    assert len(reports) > 40
    assert reports == sorted(reports)
    assert reports[-1][1] == whole.reached


@pytest.mark.parametrize("kept", [[1, 2], [0, 1, 2], [3, 4, 5], [0], [0, 1, 2, 3, 4, 5]])
def test_free_moves_of_other_pieces(kept: list[int]) -> None:
    """Projections of a sliding-tile puzzle: what is left out moves for nothing, the blank's last cell is open."""
    domain = Sliding([3, 0, 1, 2, 4, 5], [0, 1, 2, 3, 4, 5]).project(kept)
    connected = dijkstra(domain.neighbours, [tuple(domain.start.tolist())])
    goals = [
        state for state in connected if all(cell == piece for piece, cell in zip(kept, state, strict=True) if piece)
    ]
    table = distance_table(domain)
    assert (table.values == expected(domain, dijkstra(domain.neighbours, goals))).all()
    assert len(connected) == table.reached <= len(boards())


def stop_after(polls: int) -> Budget:
    """A budget whose interrupt comes at a certain question."""
    left = iter(range(polls))
    return Budget(interrupt=lambda: next(left, None) is None)


@pytest.mark.parametrize("polls", range(15))
def test_an_interrupted_table_is_a_lower_bound(polls: int) -> None:
    """Values are the distances cut off at a number; unreachable entries are that number as well."""
    domain = CubicalDomain(3, 1, [0, 1, 2, 3], [4, 1, 5, 6])
    whole, table = distance_table(domain), distance_table(domain, budget=stop_after(polls))
    assert whole.counts[:UNREACHED].nonzero()[0].max() == 12
    if polls > 12:
        assert table.complete
        assert (table.values == whole.values).all()
    else:
        assert not table.complete
        assert (table.values == np.minimum(whole.values, polls + 1)).all()
    check_counts(table)


@pytest.mark.parametrize("compiled", [True, False])
def test_an_interrupted_table_with_free_moves(compiled: bool) -> None:
    """With other costs than 1 the bound is what is settled."""
    rng = np.random.default_rng(8)
    edges = [(int(a), int(b), int(c)) for a, b, c in rng.integers(0, [128, 128, 3], (120, 3))]
    domain = Graph(edges, compiled=compiled, mask=(True, False))
    whole = distance_table(domain)
    seen = set()
    for polls in range(60):
        table = distance_table(domain, budget=stop_after(polls))
        seen.add(table.complete)
        assert (table.values <= whole.values).all()
        assert not table.complete or (table.values == whole.values).all()
    assert seen == {True, False}


def test_a_build_spends_no_work_and_obeys_no_limit_of_it() -> None:
    """The same table comes from the disk at other times, so that it must not count."""
    budget = Budget(work=1)
    assert distance_table(CubicalDomain(3, 1, [0, 1], [4, 1]), budget=budget).complete
    assert budget.spent_work == 0


def test_impossible_tables() -> None:
    """One-way moves, too many bits and moves that leave the states are errors."""
    one_way = CubicalDomain(3, 1, [0, 1], [4, 1])
    one_way.reversible = False
    with pytest.raises(ValueError, match="not reversible"):
        distance_table(one_way)
    with pytest.raises(ValueError, match="too large"):
        distance_table(CubicalDomain(5, 1, list(range(8)), list(range(8))))
    with pytest.raises(ValueError, match="too large"):
        distance_table(CubicalDomain(7, 1, list(range(15)), list(range(15))))


@pytest.mark.parametrize("compiled", [True, False])
def test_moves_that_contradict_the_domain(compiled: bool) -> None:
    """A key beyond the table is an error, not a write somewhere."""
    domain = Graph([(0, 1, 1)], compiled=compiled)
    domain.packing = CubicalDomain(2, 1, [0], [1]).packing
    domain.goal = np.array([1], dtype=np.uint8)
    domain.goal_mask = domain.goal_mask[:1]
    wrong = Graph([(1, 90, 1), (0, 1, 1)], compiled=compiled)
    wrong.packing, wrong.goal, wrong.goal_mask = domain.packing, domain.goal, domain.goal_mask
    assert distance_table(domain).reached == 2
    with pytest.raises(ValueError, match="leaves its states"):
        distance_table(wrong)
