"""Pattern databases of tiles and the deepening on them, against breadth-first search."""

from __future__ import annotations

import csv
from collections import deque
from pathlib import Path

import numpy as np
import pytest

from matheur.engine import Budget
from matheur.errors import ConfigurationError
from matheur.problems.sliding_tile import GOALS, Instance, SlidingTile, uniform
from matheur.statespace import astar, bfs, heuristic_by_name
from matheur.statespace.domains.sliding_tile import sliding_tile_domain
from matheur.statespace.sliding_tile.automaton import automaton, forbidden_sequences
from matheur.statespace.sliding_tile.database_kernels import UNSEEN, rank_of
from matheur.statespace.sliding_tile.databases import build_database, database
from matheur.statespace.sliding_tile.deepening import Estimator, ida_star_tiles
from matheur.statespace.sliding_tile.geometry import Geometry, geometry
from matheur.statespace.sliding_tile.partitions import NAMED, largest_size, partition


def naive_distances(board: Geometry, pattern: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """Least slides of pattern tiles by the places of these tiles: a search over places and blank with costs 0 and 1."""
    start = (*(int(board.home[tile]) for tile in pattern), int(board.home[0]))
    cost, waiting = {start: 0}, deque([start])
    best: dict[tuple[int, ...], int] = {}
    while waiting:
        state = waiting.popleft()
        *places, blank = state
        best[tuple(places)] = min(best.get(tuple(places), 99), cost[state])
        for cell in board.adjacent[blank].tolist():
            if cell < 0:
                continue
            moved = [blank if place == cell else place for place in places]
            price = int(cell in places)
            other = (*moved, cell)
            if cost[state] + price < cost.get(other, 99):
                cost[other] = cost[state] + price
                (waiting.append if price else waiting.appendleft)(other)
    return best


@pytest.mark.parametrize(
    ("rows", "columns", "goal", "pattern"),
    [
        (3, 3, "blank-last", (1, 2, 4)),
        (3, 3, "blank-first", (5, 8)),
        (2, 4, "blank-last", (3, 6, 7)),
        (4, 3, "blank-first", (1, 11)),
    ],
)
def test_databases_hold_the_true_distances(rows: int, columns: int, goal: str, pattern: tuple[int, ...]) -> None:
    """Every entry, taxicab distance and excess together, equals a plain search."""
    board = geometry(rows, columns, goal)
    made = build_database(board, pattern)
    assert made is not None
    naive = naive_distances(board, pattern)
    assert len(naive) == np.prod([board.cells - i for i in range(len(pattern))])
    for places, expected in naive.items():
        rank = int(rank_of(np.array(places), board.cells))
        half = int(made.packed[rank // 2] >> 4 * (rank % 2)) & 15
        assert sum(board.distance[t, c] for t, c in zip(pattern, places, strict=True)) + 2 * half == expected


def test_databases_are_kept_and_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A table comes back from the cache as it was; senseless patterns are errors; a spent budget gives none."""
    monkeypatch.setenv("MATHEUR_CACHE", str(tmp_path))
    board = geometry(4, 4, "blank-last")
    first = database(board, (15, 14, 11, 10, 12))
    again = database(board, (15, 14, 11, 10, 12))
    assert first is not None
    assert again is not None
    assert (first.packed == again.packed).all()
    for wrong in ((), (0, 1), (1, 1), (16,)):
        with pytest.raises(ConfigurationError):
            database(board, wrong)
    assert build_database(board, (1, 2, 3), budget=Budget(interrupt=lambda: True)) is None
    assert UNSEEN == 255


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (2, 4), (2, 5)])
def test_deepening_agrees_with_breadth_first_search(rows: int, columns: int, goal: str) -> None:
    """Random boards: the same length, proved, and a plan that works; the estimate of the domain never lies."""
    board = geometry(rows, columns, goal)
    tables = [database(board, pattern) for pattern in partition(board, "4")]
    estimator = Estimator.of(board, [one for one in tables if one is not None])
    rng = np.random.default_rng(5)
    for _ in range(8):
        problem = SlidingTile(uniform(rows, columns, rng, goal))  # type: ignore[arg-type]
        domain = sliding_tile_domain(problem)
        true = bfs(domain).cost
        answer = ida_star_tiles(estimator, problem.instance.tiles)
        assert (answer.cost, answer.bound, answer.proved) == (true, true, True)
        assert problem.evaluate(answer.plan).feasible
        for name in domain.heuristics():
            found = astar(domain, heuristic_by_name(domain, name))
            assert (found.cost, found.proved) == (true, True), name


def test_heuristics_are_admissible_and_ordered() -> None:
    """Against true distances of the whole 3 x 3 board: manhattan <= linear conflict <= truth, additive <= truth."""
    problem = SlidingTile(Instance(3, 3, (8, 6, 7, 2, 5, 4, 3, 0, 1)))
    domain = sliding_tile_domain(problem)
    distance = {tuple(domain.goal.tolist()): 0}
    waiting = deque(distance)
    while waiting:
        state = waiting.popleft()
        key = domain.packing.pack(np.array([state], dtype=np.uint8))
        for row in domain.packing.unpack(domain.expand(key).keys).tolist():
            if tuple(row) not in distance:
                distance[tuple(row)] = distance[state] + 1
                waiting.append(tuple(row))
        if len(distance) > 20_000:
            break
    states = np.array(list(distance), dtype=np.uint8)
    truth = np.array(list(distance.values()))
    keys = domain.packing.pack(states)
    values = {name: make().estimate(keys) for name, make in domain.heuristics().items()}
    assert (values["manhattan"] <= values["linear-conflict"]).all()
    assert (values["manhattan"] < values["linear-conflict"]).any()
    for name, found in values.items():
        assert (found <= truth).all(), name
        assert ((truth - found) % 2 == 0).all(), name


def test_linear_conflicts_of_three_tiles_cost_four() -> None:
    """Three tiles in reverse order in their row: two have to leave it. Tiles in a foreign row do not count."""
    board = Instance(3, 3, (3, 2, 1, 4, 5, 6, 7, 8, 0))
    domain = sliding_tile_domain(SlidingTile(board))
    key = domain.packing.pack(domain.start[None])
    difference = [domain.heuristics()[name]().estimate(key)[0] for name in ("linear-conflict", "manhattan")]
    assert difference[0] - difference[1] == 4
    foreign = sliding_tile_domain(SlidingTile(Instance(3, 3, (6, 4, 5, 3, 1, 2, 7, 8, 0))))
    key = foreign.packing.pack(foreign.start[None])
    first, second = (foreign.heuristics()[name]().estimate(key)[0] for name in ("linear-conflict", "manhattan"))
    assert first == second


def test_the_automaton_forbids_only_what_is_replaceable() -> None:
    """Moves back and one way around a block; every forbidden sequence has an earlier one of the same effect."""
    words = {"".join("UDLR"[move] for move in word) for word in forbidden_sequences(6)}
    assert words == {"UD", "DU", "LR", "RL", "LURDLU", "LDRULD", "RULDRU", "RDLURD"}
    table = automaton(6)
    assert table.shape[1] == 4
    for word in words:
        state = 0
        for letter in word:
            assert state >= 0
            state = int(table[state, "UDLR".index(letter)])
        assert state == -1


def test_partitions() -> None:
    """Each covers all tiles once; the literature's are turned for the other goal; unknown names are errors."""
    for size, names in NAMED.items():
        for goal in GOALS:
            board = geometry(*size, goal)
            for name in (*names, "3", "5"):
                tiles = sorted(tile for pattern in partition(board, name) for tile in pattern)
                assert tiles == list(range(1, board.cells))
    with pytest.raises(ConfigurationError, match="6-6-3"):
        partition(geometry(4, 4, "blank-last"), "7-7-1")
    assert largest_size(geometry(4, 4, "blank-last"), 10**6) == 5


def test_limits_end_the_search() -> None:
    """Work limits are exact and reproducible, and leave a bound."""
    board = geometry(4, 4, "blank-last")
    tables = [database(board, pattern) for pattern in partition(board, "3")]
    estimator = Estimator.of(board, [one for one in tables if one is not None])
    problem = SlidingTile(uniform(4, 4, np.random.default_rng(8)))
    answers = [ida_star_tiles(estimator, problem.instance.tiles, budget=Budget(work=50_000)) for _ in range(2)]
    assert answers[0].limit == "work"
    assert answers[0].expanded == answers[1].expanded <= 50_000
    assert answers[0].bound == answers[1].bound >= problem.trivial_bound
    with pytest.raises(ValueError, match="every tile once"):
        Estimator.of(board, [one for one in tables[1:] if one is not None])


@pytest.mark.slow
def test_korfs_boards(data: Path) -> None:
    """The first 30 of Korf's 100 boards, in both goal conventions, proved with 6-6-3."""
    with (data / "state_space" / "korf15_100.csv").open() as file:
        rows = list(csv.DictReader(file))[:30]
    for goal, column in (("blank-last", "tiles_goal_blank_last"), ("blank-first", "tiles_goal_blank_first")):
        board = geometry(4, 4, goal)
        tables = [database(board, pattern) for pattern in partition(board, "6-6-3")]
        estimator = Estimator.of(board, [one for one in tables if one is not None])
        for row in rows:
            tiles = tuple(map(int, row[column].split()))
            answer = ida_star_tiles(estimator, tiles)
            assert (answer.cost, answer.proved) == (int(row["optimal_len"]), True)
            assert SlidingTile(Instance(4, 4, tiles, goal)).evaluate(answer.plan).feasible  # type: ignore[arg-type]
