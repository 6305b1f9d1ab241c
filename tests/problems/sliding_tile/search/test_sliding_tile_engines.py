"""Pattern databases of tiles and the deepening on them, against breadth-first search."""

from __future__ import annotations

import csv
from collections import deque
from itertools import permutations
from math import comb, perm
from pathlib import Path

import numpy as np
import pytest

from matheur.engine import Budget, Status
from matheur.engine.announcing import listening
from matheur.engine.cache import stored_tables
from matheur.errors import ConfigurationError
from matheur.methods.statespace import astar, bfs, heuristic_by_name
from matheur.problems.plans.exact import IdaStar
from matheur.problems.sliding_tile import GOALS, Instance, SlidingTile, uniform
from matheur.problems.sliding_tile import domain as domains
from matheur.problems.sliding_tile.domain import sliding_tile_domain
from matheur.problems.sliding_tile.search import deepening
from matheur.problems.sliding_tile.search.automaton import automaton, forbidden_sequences
from matheur.problems.sliding_tile.search.database_kernels import UNSEEN, rank_of
from matheur.problems.sliding_tile.search.databases import build_database, bytes_needed, database
from matheur.problems.sliding_tile.search.deepening import Estimator, ida_star_tiles
from matheur.problems.sliding_tile.search.geometry import Geometry, geometry
from matheur.problems.sliding_tile.search.partitions import NAMED, largest_size, partition, table_bytes
from matheur.problems.sliding_tile.search.placements import placements
from matheur.problems.sliding_tile.search.splitting import Shared, search_subtrees


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
    with pytest.raises(ConfigurationError, match="at most 9"):
        database(board, range(1, 11))
    assert build_database(board, (1, 2, 3), budget=Budget(interrupt=lambda: True)) is None
    stored = stored_tables("sliding-tile")
    assert {one.bytes for one in stored} <= {perm(16, 5) // 2}


def test_threads_build_the_same_table() -> None:
    """One or three threads, and what is told on the way; values that no placement has are the largest."""
    board, told = geometry(4, 4, "blank-first"), []
    one = build_database(board, (2, 3, 6, 7, 15), progress=lambda name, share: told.append((name, share)))
    three = build_database(board, (2, 3, 6, 7, 15), threads=3)
    assert one is not None
    assert three is not None
    assert (one.packed == three.packed).all()
    assert {name for name, _ in told} == {"tables of the board: pattern 2-3-6-7-15 (about 1 s, kept)"}
    assert told[-1][1] == 1
    assert sorted(told) == told
    whole = build_database(geometry(2, 2, "blank-last"), (1, 2, 3))
    assert whole is not None
    halves = np.stack([whole.packed & 15, whole.packed >> 4], axis=1).ravel()
    assert (halves == UNSEEN).sum() == 12


@pytest.mark.parametrize(
    ("rows", "columns", "tiles"), [(3, 3, 4), (2, 4, 3), (4, 3, 2), (1, 4, 2), (8, 8, 1), (8, 8, 2)]
)
def test_rows_and_slides_of_placements(rows: int, columns: int, tiles: int) -> None:
    """Every set has one row for each region; slides are those of the puzzle; maps are what the slides do to orders."""
    board = geometry(rows, columns, "blank-last")
    one = placements(board, tiles)
    assert len(one.sets) == comb(board.cells, tiles)
    assert (one.sets[1:] > one.sets[:-1]).all()
    everything = (1 << board.cells) - 1
    sets = np.repeat(one.sets, np.diff(one.bounds))
    for number, occupied in enumerate(one.sets.tolist()):
        regions = one.regions[one.bounds[number] : one.bounds[number + 1]].tolist()
        assert sum(regions) == everything & ~occupied
    orders = [tuple(order) for order in one.orders.tolist()]
    assert orders == sorted(permutations(range(tiles)))
    many = 0
    for row, occupied in enumerate(sets.tolist()):
        sources = zip(
            one.sources[one.begins[row] : one.begins[row + 1]].tolist(),
            one.rotated[one.begins[row] : one.begins[row + 1]].tolist(), strict=True,
        )  # fmt: skip
        for source, rotated in sources:
            many += 1
            before = int(sets[source])
            here, there = before & ~occupied, occupied & ~before
            assert here.bit_count() == there.bit_count() == 1
            assert here & int(one.regions[row])
            assert there & int(one.regions[source])
            assert int(board.touching[here.bit_length() - 1]) & there
            cells = [[cell for cell in range(board.cells) if one_set >> cell & 1] for one_set in (before, occupied)]
            for number, order in enumerate(orders):
                moved = dict(zip(order, cells[0], strict=True))
                moved = {tile: there.bit_length() - 1 if 1 << cell == here else cell for tile, cell in moved.items()}
                expected = orders.index(tuple(sorted(moved, key=moved.__getitem__)))
                which = int(one.map_of[rotated])
                assert (number if which < 0 else int(one.maps[which, number])) == expected
    assert many == len(one.sources)


def test_memory_needed() -> None:
    """Eight tiles of a 15-puzzle take less than 2 GB while they are built, six of a 24-puzzle less than 1 GB."""
    assert 0.8e9 < bytes_needed(16, 8) < 2e9
    assert 0.2e9 < bytes_needed(25, 6) < 1e9
    board = geometry(4, 4, "blank-last")
    assert table_bytes(board, "6-6-3") == 5_765_760 + 1_680
    assert table_bytes(board, "7-8") < 300e6


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


def test_split_iterations_find_the_same_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """By subtrees with one thread, by three, and unsplit: plan, and (split) number of slides looked at."""
    board = geometry(3, 4, "blank-last")
    tables = [database(board, pattern) for pattern in partition(board, "4")]
    estimator = Estimator.of(board, [one for one in tables if one is not None])
    rng = np.random.default_rng(3)
    for _ in range(4):
        tiles = uniform(3, 4, rng).tiles
        plain = ida_star_tiles(estimator, tiles)
        with monkeypatch.context() as patch:
            patch.setattr(deepening, "_SPLIT", 500)
            patch.setattr(deepening, "_SLICE", 1000)
            found = [ida_star_tiles(estimator, tiles, threads=threads) for threads in (1, 3)]
            assert [one.proved for one in found] == [True, True]
            assert [one.plan.tolist() for one in found] == [plain.plan.tolist()] * 2
            assert found[0].generated == found[1].generated


def test_split_iterations_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop in the midst of an iteration shared by threads leaves its bound and no plan."""
    board = geometry(4, 4, "blank-last")
    tables = [database(board, pattern) for pattern in partition(board, "3")]
    estimator = Estimator.of(board, [one for one in tables if one is not None])
    problem = SlidingTile(uniform(4, 4, np.random.default_rng(8)))
    monkeypatch.setattr(deepening, "_SPLIT", 100)
    bounds: list[int] = []
    budget = Budget(interrupt=lambda: len(bounds) > 4)
    stopped = ida_star_tiles(estimator, problem.instance.tiles, threads=2, budget=budget, on_bound=bounds.append)
    assert (stopped.limit, stopped.plan, stopped.bound) == ("interrupt", None, bounds[-1])
    assert len(bounds) == 5
    assert budget.spent_work > 0


def test_the_operator_takes_threads() -> None:
    """The plan is the same with one and two; nonsense is an error."""
    problem = SlidingTile(uniform(3, 3, np.random.default_rng(2)))
    rng = np.random.default_rng(0)
    plans = [IdaStar(threads=threads).build(problem, Budget(), rng).solution for threads in (1, 2)]
    assert plans[0] is not None
    assert plans[0].tolist() == plans[1].tolist()
    with pytest.raises(ConfigurationError, match=r"'IdaStar\.threads' must be from 1 to 64"):
        IdaStar(threads=0)


def test_subtrees_are_searched_as_far_as_needed() -> None:
    """The first subtree with a plan wins, though a later one is found before; errors come through."""

    def search(number: int, shared: Shared) -> bool:
        shared.nodes[number], shared.finished[number] = 10, True
        return number in (3, 5)

    for threads in (1, 4):
        first, nodes, limit = search_subtrees(8, threads, Budget(), search)
        assert (first, limit) == (3, None)
        assert nodes[:4] == [10] * 4
    assert search_subtrees(3, 2, Budget(), search)[0] is None

    def failing(number: int, _shared: Shared) -> bool:
        raise RuntimeError(f"subtree {number}")

    with pytest.raises(RuntimeError, match="subtree"):
        search_subtrees(3, 2, Budget(), failing)


def test_tables_are_announced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Who listens hears how far the tables are; a spent budget ends the search before it begins."""
    monkeypatch.setenv("MATHEUR_CACHE", str(tmp_path))
    monkeypatch.setattr(domains, "_estimators", {})
    monkeypatch.setattr(domains, "_TABLES", 3000)
    domain = sliding_tile_domain(SlidingTile(uniform(3, 4, np.random.default_rng(1), "blank-first")))
    stopped = domain.ida_star("auto", budget=Budget(interrupt=lambda: True), memory=1 << 30)
    assert stopped is not None
    assert stopped.limit == "interrupt"
    told: list[tuple[str, float]] = []
    with listening(lambda name, share: told.append((name, share))):
        answer = domain.ida_star("additive", budget=Budget(work=10), memory=1 << 30)
    assert answer is not None
    assert answer.limit == "work"
    assert len({name for name, _ in told}) == 4
    before = len(told)
    assert domain.ida_star("additive", budget=Budget(work=10), memory=1 << 30) is not None
    assert len(told) == before
    assert domain.ida_star("additive", budget=Budget(work=10), memory=10) is None


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


def test_deepening_ends_on_a_tiny_unsolvable_board() -> None:
    """Once an iteration cuts nothing off, there is no plan, and no further threshold."""
    problem = SlidingTile(Instance(2, 2, (2, 1, 0, 3)))
    assert problem.infeasible_reason() is not None
    outcome = IdaStar().build(problem, Budget(), np.random.default_rng(0))
    assert outcome.status is Status.INFEASIBLE
    lines = Estimator.taxicab(geometry(1, 4, "blank-last"))
    answer = ida_star_tiles(lines, (2, 1, 3, 0))
    assert (answer.plan, answer.unreachable) == (None, True)
