"""The slip backtracker and the construction that calls it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from problems.edge_matching.brute_force import perfect_boards

from matheur.engine import Budget, Status
from matheur.engine.options import configure
from matheur.errors import ConfigurationError
from matheur.problems.edge_matching import EdgeMatching, Hint, Instance, generate, load
from matheur.problems.edge_matching.backtracking.allowances import allowance
from matheur.problems.edge_matching.backtracking.operator import Backtracking
from matheur.problems.edge_matching.backtracking.perfect_search import count_boards
from matheur.problems.edge_matching.backtracking.plan import Plan
from matheur.problems.edge_matching.backtracking.quotas import (
    BLACKWOOD,
    exhaustion_curve,
    quota_end,
    rare_colours,
    rare_sets,
)
from matheur.problems.edge_matching.backtracking.search import planned_search
from matheur.problems.edge_matching.backtracking.slip_tables import fill_order, last_line, transposed_order
from matheur.problems.edge_matching.backtracking.tasks import End, Outcome
from matheur.problems.edge_matching.operators.orientation import nearest_corner, turned, turned_board

RNG = np.random.default_rng


def unframed(rows: int, columns: int, seed: int) -> Instance:
    """A solvable puzzle without a frame: the frame's colour is one like the others."""
    instance, solution = generate(rows, columns, seed=seed)
    shown = instance.sides[solution]
    shown[shown == 0] = 9
    return Instance(rows, columns, shown)


def hinted(instance: Instance, solution: np.ndarray, cells: tuple[int, ...]) -> Instance:
    """With hints from a solution, the last of them without its rotation."""
    hints = [Hint(cell, int(solution[cell]) // 4, int(solution[cell]) % 4) for cell in cells]
    return replace(instance, hints=(*hints[:-1], replace(hints[-1], rotation=None)))


def wrongly_hinted(instance: Instance, solution: np.ndarray, cells: tuple[int, int]) -> Instance:
    """With the pieces of two cells side by side in each other's place, where they do not match."""
    one, other = (int(solution[cell]) for cell in cells)
    hints = (Hint(cells[1], one // 4, (one + 1) % 4), Hint(cells[0], other // 4, other % 4))
    return replace(instance, hints=hints)


@pytest.mark.parametrize("order", ["rows", "columns", "comb"])
@pytest.mark.parametrize("kind", ["3x4", "4x3", "hinted", "unframed"])
def test_all_perfect_boards_are_counted(kind: str, order: str) -> None:
    """Whatever the order, the frame and the hints, there are as many as trying all placements finds."""
    if kind == "unframed":
        instance = unframed(2, 4, seed=2)
    elif kind == "hinted":
        instance = hinted(*generate(4, 4, seed=5), (6, 9, 3))
    else:
        instance, _ = generate(int(kind[0]), int(kind[2]), seed=3)
    cells = fill_order(instance.rows, instance.columns, order, comb=2)
    boards, nodes = count_boards(instance, cells)
    assert boards == perfect_boards(instance) > 0
    assert nodes >= instance.cells - len(instance.hints)


@pytest.mark.parametrize(("size", "boards"), [(3, 8), (4, 48), (5, 4)])
def test_published_counts(data: Path, size: int, boards: int) -> None:
    """Solutions of Brendan Owen's set 2, four turns each."""
    path = data / "edge_matching" / "brendan_set2_meta2010" / f"pieces_{size:02d}x{size:02d}.txt"
    assert count_boards(load(path).instance)[0] == boards


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "boards", "nodes"), [("brendan_set2_meta2010", 160, 44_024_849), ("brendan_set1", 260, 69_284_103)]
)
def test_published_placements(data: Path, folder: str, boards: int, nodes: int) -> None:
    """Solutions and placements of a scan of 6 x 6 by rows: the definition of a node is the community's."""
    instance = load(data / "edge_matching" / folder / "pieces_06x06.txt").instance
    assert count_boards(instance, look_ahead=False) == (boards, nodes)
    found, placements = count_boards(instance)
    assert found == boards
    assert placements < 0.9 * nodes


def plan_of(instance: Instance, order: str = "rows", **options: Any) -> Plan:
    cells = fill_order(instance.rows, instance.columns, order, comb=3)
    return Plan(cells, **{"total": 6, "opening": 0.75, "loose": instance.columns, "restart": 100_000} | options)


@pytest.mark.parametrize("order", ["rows", "columns", "comb"])
@pytest.mark.parametrize("kind", ["7x7", "5x8", "hinted", "wrong hints", "unframed"])
def test_boards_are_valid_and_get_better(kind: str, order: str) -> None:
    """Each board keeps frame and hints and has as many mismatches as were counted, fewer than the one before."""
    if kind == "unframed":
        instance = unframed(5, 5, seed=2)
    elif kind == "hinted":
        instance = hinted(*generate(6, 6, seed=5), (8, 22, 35, 14))
    elif kind == "wrong hints":
        instance = wrongly_hinted(*generate(6, 6, seed=5), (8, 9))
    else:
        instance, _ = generate(int(kind[0]), int(kind[2]), seed=3)
    problem = EdgeMatching(instance)
    search = planned_search(instance, plan_of(instance, order), RNG(1))
    before, found = 1 << 30, 0
    while search.nodes < 1_500_000 and not search.done:
        if search.advance(100_000):
            evaluation = problem.evaluate(search.board)
            assert evaluation.feasible, evaluation.violations
            assert evaluation.objective == search.slips < before
            before, found = search.slips, found + 1
        else:
            partial = search.partial()
            assert (partial >= 0).sum() == search.deepest
            placed = partial[partial >= 0] >> 2
            assert np.unique(placed).size == placed.size
    assert found > 0


def test_the_schedule_and_the_rule_against_touching_slips_are_kept() -> None:
    """No mismatch before its share of the board, and with `apart` no piece has two."""
    instance, _ = generate(8, 8, seed=4)
    shares = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
    plan = plan_of(instance, total=8, schedule=shares, apart=True)
    search = planned_search(instance, plan, RNG(3))
    found = 0
    while search.nodes < 6_000_000 and found < 3:
        if not search.advance(100_000):
            continue
        found += 1
        board = search.board
        faults = [
            (cell, int(instance.neighbours[cell, side]))
            for cell in range(64)
            for side in (0, 3)
            if instance.neighbours[cell, side] >= 0
            and instance.sides[board[cell], side]
            != instance.sides[board[instance.neighbours[cell, side]], (side + 2) % 4]
        ]
        touched = [cell for pair in faults for cell in pair]
        assert len(touched) == len(set(touched))
        for number, (cell, _) in enumerate(sorted(faults)):
            assert (cell + 1) / 64 >= shares[number]
    assert found > 0


def test_slices_do_not_change_the_course() -> None:
    """One call or many: the same boards after the same placements."""
    instance, _ = generate(8, 8, seed=2)
    plan = plan_of(instance, strength=0.9, patience=20_000)
    runs = []
    for room in (2_000_000, 7_777):
        search, seen = planned_search(instance, plan, RNG(1)), []
        while search.nodes < 2_000_000 and not search.done:
            if search.advance(min(room, 2_000_000 - search.nodes)):
                seen.append((search.nodes, search.slips, search.board.tobytes()))  # type: ignore[union-attr]
        runs.append(seen)
    assert runs[0] == runs[1] != []


def test_a_quota_that_nobody_meets_is_lowered() -> None:
    """Boards are filled although all sides with rare colours were asked for too early."""
    instance, _ = generate(8, 8, seed=1)
    search = planned_search(instance, plan_of(instance, strength=1.0, restart=200_000, patience=50_000), RNG(1))
    while search.board is None and search.nodes < 4_000_000:
        search.advance(100_000)
    assert search.board is not None


def test_every_second_start_may_ask_for_less() -> None:
    """Quotas of the first, third, ... start are the strictest; the others differ, and none is far below."""
    instance, _ = generate(10, 10, seed=1)
    search = planned_search(instance, plan_of(instance, strength=0.9, spread=0.2), RNG(1))
    asked = [int(search._quota.max())]
    for _ in range(19):
        search.source.tell(Outcome(End.STUCK, search._share, True, 0))
        search._begin()
        asked.append(int(search._quota.max()))
    assert set(asked[::2]) == {max(asked)}
    assert len(set(asked[1::2])) > 3
    assert min(asked) >= 0.8 * max(asked) - 1


def full_boards(instance: Instance, total: int, parity: bool) -> tuple[set[tuple[int, ...]], int]:
    """All full boards of at most so many mismatches anywhere, and the placements that this took."""
    plan = Plan(
        np.arange(instance.cells), total, opening=0.0, schedule=(0.0,) * total, restart=None, loose=instance.cells
    )
    search = planned_search(instance, plan, RNG(1))
    if not parity:
        search.walk._tables.bit[:] = 0
        search.walk._by_depth["odd"][0] = 0
    boards = set()
    while search.advance(1 << 40):
        assert search.board is not None
        boards.add(tuple(search.board.tolist()))
        search.done, search.slips = False, total + 1
        search._allow()
    return boards, search.nodes


@pytest.mark.parametrize("kind", ["solvable", "odd", "hinted", "wrong hints", "unframed"])
def test_odd_colours_are_a_bound(kind: str) -> None:
    """No board is lost by counting colours with an odd number of sides left, and placements are saved."""
    instance, solution = generate(3, 4, seed=6, inner_colours=4)
    if kind == "odd":
        pieces = instance.pieces.copy()
        sides = np.argwhere(pieces > 0)
        pieces[tuple(sides[3])] = pieces[tuple(sides[11])]  # a colour with a side too many, and one with one too few
        instance = Instance(3, 4, pieces)
    elif kind == "hinted":
        instance = replace(instance, hints=hinted(instance, solution, (5, 6)).hints[:1])
    elif kind == "wrong hints":
        instance = wrongly_hinted(instance, solution, (5, 6))
        assert count_boards(instance)[0] == 0
    elif kind == "unframed":
        instance = unframed(2, 3, seed=2)
    total = 1 if kind == "unframed" else 3
    boards, fewer = full_boards(instance, total, parity=True)
    expected, nodes = full_boards(instance, total, parity=False)
    assert boards == expected
    assert boards or kind == "wrong hints"
    assert fewer == nodes if kind == "unframed" else fewer < nodes


def test_schedules_and_colours() -> None:
    """Allowances rise to their total; the quota asks for nothing at the ends; rare colours are few sides."""
    instance, _ = generate(12, 12, seed=1)
    allowed = allowance(144, 12, 0.88)
    assert allowed[100] == 0
    assert allowed[-1] == 12
    assert (np.diff(allowed) >= 0).all()
    colours = rare_colours(instance)
    quota = exhaustion_curve(instance, colours, 144, 0.9)
    sides = int(np.isin(instance.pieces, colours).sum())
    assert quota[0] == 0
    assert quota[-1] == 0
    assert sides * 0.8 < quota.max() <= sides * 0.9
    edge = (instance.pieces == 0).any(axis=1)
    assert sum(bool((instance.pieces[~edge] == colour).any()) for colour in colours) == len(colours) - 1 == 2


def test_the_quota_of_small_boards_comes_later() -> None:
    """Where all that a quota allows is tried: less at every depth until it ends, which is later."""
    instance, _ = generate(10, 10, seed=1)
    colours = rare_colours(instance)
    quota = exhaustion_curve(instance, colours, 100, 0.9)
    before = exhaustion_curve(instance, colours, 100, 0.9, BLACKWOOD)
    end = int(quota_end(100) * 100)
    assert (quota[:62] <= before[:62]).all()
    assert quota[25] < before[25]
    assert np.flatnonzero(before).max() + 1 == 62
    assert np.flatnonzero(quota).max() + 1 == end == 71
    larger = exhaustion_curve(instance, colours, 144, 0.9, BLACKWOOD)
    assert np.array_equal(exhaustion_curve(instance, colours, 144, 0.9), larger)


def test_sets_of_rare_colours() -> None:
    """Sets differ, the rarest first, each with one colour of the frame; boards of few colours have none."""
    instance, _ = generate(8, 8, seed=2, inner_colours=6, frame_colours=3)
    sets = rare_sets(instance, 10)
    carriers = [int(np.isin(instance.pieces, colours).any(axis=1).sum()) for colours in sets]
    every = [np.isin(instance.pieces, colours).any(axis=1).sum() for colours in rare_sets(instance, 1000)]
    inside = instance.pieces[(instance.pieces != 0).all(axis=1)]
    assert len(every) == 3 * 15
    assert carriers == sorted(every)[:10]
    assert len({tuple(sorted(colours.tolist())) for colours in sets}) == 10
    assert all(np.isin(colours, inside).sum() == 2 for colours in sets)
    assert sets[0].tolist() == rare_colours(instance).tolist()
    assert rare_sets(generate(3, 3, seed=1, inner_colours=2, unique=False)[0], 3) == []


def test_the_set_with_the_strictest_quota_is_spent() -> None:
    """Every start takes the set of the highest strength, and what is laid is counted in its colours."""
    instance, solution = generate(8, 8, seed=2, inner_colours=6, frame_colours=3)
    instance = hinted(instance, solution, (9, 30))
    search = planned_search(instance, plan_of(instance, sets=3, strength=1.0, patience=2_000), RNG(5))
    given = [hint.piece for hint in instance.hints if hint.rotation is not None]
    taken = set()
    for _ in range(40):
        colours = search.source.sets[search.source.set]
        counts = np.isin(instance.pieces, colours).sum(axis=1)
        tables = search.walk._tables
        placements = tables.placements(tables.entries[tables.entries != 0])
        sides = tables.entries[tables.entries != 0] >> 46
        assert np.array_equal(sides, counts[placements >> 2])
        assert tables.sides == counts[given].sum()
        taken.add(search.source.set)
        before = search.source.strengths.copy()
        search._end(End.STOPPED)
        assert search.source.set == search.source.strengths.argmax()
        assert (search.source.strengths != before).sum() <= 1
    assert taken == {0, 1, 2}


def test_starts_grow() -> None:
    """A start is as long as all before it, but not shorter than a tenth of the longest; patience in proportion."""
    instance, _ = generate(8, 8, seed=2, inner_colours=6, frame_colours=3)
    search = planned_search(instance, plan_of(instance, total=0, restart=100_000, patience=20_000), RNG(5))
    lengths, begun = [], 0
    while search.nodes < 600_000:
        if search.advance(1_000) or search._spent == begun:
            continue
        lengths.append(search._spent - begun)
        begun = search._spent
        assert search.task.limit in (10_000, 20_000, 40_000, 80_000, 100_000)
    assert lengths[:5] == [10_000, 10_000, 20_000, 40_000, 80_000]
    assert set(lengths[5:]) == {100_000}
    source = planned_search(instance, plan_of(instance, strength=0.5, restart=100_000, patience=20_000), RNG(5)).source
    for placements in (10_000, 15_000, 123_456):
        source.tell(Outcome(End.STOPPED, 1.0, True, placements))
        task = source.next()
        assert task.patience == pytest.approx(0.2 * task.limit, abs=1)


@pytest.mark.parametrize(
    ("size", "quota", "longest"), [(10, "auto", 0), (10, "none", 1), (8, "auto", 1), (12, "auto", 1)]
)
def test_starts_without_an_end_need_a_quota(size: int, quota: str, longest: int) -> None:
    """All is tried on boards of some sizes only, and nowhere without a quota: such a start would never end."""
    instance, _ = generate(size, size, seed=1)
    plan = Backtracking(quota=quota).plan(instance, "rows", Budget(work=1))
    assert plan.restart == 400_000_000 * longest


@pytest.mark.parametrize("share", [1.0, 0.9])
def test_a_quota_that_was_tried_is_a_ceiling(share: float) -> None:
    """After all that a quota allows, no later start asks for as much, however many come beyond theirs."""
    instance, _ = generate(8, 8, seed=2, inner_colours=6, frame_colours=3)
    search = planned_search(instance, plan_of(instance, strength=0.8), RNG(5))
    search._share = share
    search.walk._state[search.walk._kernels.DEPTH] = -1
    search.advance(1)
    tried = search.source.strengths[0]
    assert tried == pytest.approx(0.8 * share * 0.99)
    for _ in range(5):
        search.walk._state[search.walk._kernels.DEEPEST] = 64
        search._end(End.STOPPED)
    assert search.source.strengths[0] == tried


def test_all_that_a_quota_allows_is_tried() -> None:
    """Where starts are as long as they like, the boards of a quota are those of an exhaustive search with it."""
    instance, _ = generate(5, 6, seed=3, inner_colours=6, frame_colours=3)
    found: list[set[bytes]] = []
    for restart in (0, None):
        search = planned_search(
            instance, plan_of(instance, total=4, opening=0.6, strength=0.5, restart=restart), RNG(1)
        )
        search.demand(5)
        boards = set()
        first = search._quota.copy()
        while np.array_equal(search._quota, first):
            if search.advance(10_000) and np.array_equal(search._quota, first):
                assert search.board is not None
                boards.add(search.board.tobytes())
                search.slips, search.done = 5, False
                search._allow()
        found.append(boards)
        assert (search._quota <= first).all()
        assert search.source.strengths[0] == 0 if restart is None else 0.2 < search.source.strengths[0] < 0.5
    assert found[0] == found[1] != set()


@pytest.mark.parametrize("cells", [36, 100, 256, 400])
def test_more_mismatches_are_never_allowed_later(cells: int) -> None:
    """Where no board is filled more are allowed, and that has to help: the curve itself would close again."""
    allowed = [allowance(cells, total, 0.9) for total in (*range(20, 80), 200, 1000)]
    for fewer, more in pairwise(allowed):
        assert (more >= fewer).all()
    assert allowed[-1][round(0.95 * cells)] > 10 * allowed[0][round(0.95 * cells)]


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_turned_puzzles_have_turned_boards(quarters: int) -> None:
    """A turned solution solves the turned puzzle with its hints, and turning back gives it again."""
    instance, solution = generate(4, 6, seed=3)
    instance = hinted(instance, solution, (2, 9, 20))
    other = turned(instance, quarters)
    board = turned_board(solution, 4, 6, quarters)
    evaluation = EdgeMatching(other).evaluate(board)
    assert (evaluation.objective, evaluation.feasible) == (0, True)
    assert np.array_equal(turned_board(board, other.rows, other.columns, -quarters), solution)
    assert nearest_corner(turned(hinted(*generate(4, 6, seed=3), (23, 22)), 2)) == 0


@pytest.mark.parametrize("cell", [None, 5, 30])
def test_the_construction_solves_a_6_by_6_board(cell: int | None) -> None:
    """A perfect board, offered on the way, the same again from the same seed, whatever corner a hint lies in."""
    instance, solution = generate(6, 6, seed=1)
    if cell is not None:
        instance = replace(instance, hints=(Hint(cell, int(solution[cell]) // 4, int(solution[cell]) % 4),))
    problem = EdgeMatching(instance)
    offered: list[int | float] = []
    for _ in range(2):
        budget = Budget(work=60_000, on_incumbent=lambda _, objective: offered.append(objective))
        outcome = Backtracking().build(problem, budget, RNG(2))
        assert problem.evaluate(outcome.solution).objective == outcome.objective == 0
        assert outcome.status is Status.IMPROVED
    half = len(offered) // 2
    assert offered[:half] == offered[half:] == sorted(offered[:half], reverse=True)


@pytest.mark.parametrize(("rows", "upright"), [(4, 1), (6, 2), (8, 2), (10, 3), (16, 4), (17, 5)])
def test_a_comb_is_a_quarter_of_the_rows(rows: int, upright: int) -> None:
    """The upper rows come in order, then the rest column by column; the last column is short."""
    order = fill_order(rows, 5, "comb")
    above = 5 * (rows - upright)
    assert order[:above].tolist() == list(range(above))
    assert order[above:].tolist() == [5 * row + column for column in range(5) for row in range(rows - upright, rows)]
    assert last_line(rows, 5, "comb") == upright


@pytest.mark.parametrize(
    ("size", "default", "spelt_out"),
    [
        (11, {}, {"order": "comb"}),
        (11, {"restart": None}, {"order": "rows", "restart": None}),
        (10, {"restart": None}, {"order": "rows", "restart": None}),
    ],
)
def test_the_order_by_default(size: int, default: dict[str, Any], spelt_out: dict[str, Any]) -> None:
    """Combs, but rows where the search is exhaustive: the same board after the same placements."""
    problem = EdgeMatching(generate(size, size, seed=4)[0])
    boards = [
        Backtracking(nodes=400_000, **options).build(problem, Budget(work=10_000), RNG(3)).solution
        for options in (default, spelt_out)
    ]
    assert boards[0].tolist() == boards[1].tolist()


def test_boards_of_81_to_100_cells_are_scanned_as_combs_of_rows_and_of_columns() -> None:
    """Both in turn, unless one is asked for; where that cannot be, one board at a time; jobs divide the parts."""
    framed = generate(10, 10, seed=4)[0]
    tried = {}
    for order in (None, "columns"):
        operator = Backtracking(order=order)
        plan = operator.plan(framed, operator._scan(framed, RNG(1)), Budget(work=1, job=(1, 2)))
        assert (plan.layered, plan.job) == (True, (1, 2))
        tried[order] = [plan.order[1], *(other[1] for other in plan.others)]
        if order is None:
            combs = fill_order(10, 10, "comb", 3), transposed_order(10, 10, "comb", 3)
            assert [one.tolist() for one in (plan.order, *plan.others)] == [comb.tolist() for comb in combs]
    assert tried == {None: [1, 10], "columns": [10]}
    for other in (unframed(9, 9, 1), generate(8, 8, seed=1)[0], generate(11, 11, seed=1)[0]):
        assert not Backtracking()._in_parts(other)
    assert not Backtracking(restart=None)._in_parts(framed)


def test_small_boards_are_scanned_by_rows_or_columns() -> None:
    """Either is drawn; they try different boards."""
    problem, drawn = EdgeMatching(generate(8, 8, seed=4)[0]), set()
    for seed in (5, 6):
        boards = {
            order: Backtracking(nodes=100_000, order=order).build(problem, Budget(work=10_000), RNG(seed)).solution
            for order in ("rows", "columns", None)
        }
        same = [order for order in ("rows", "columns") if np.array_equal(boards[order], boards[None])]
        assert len(same) == 1
        drawn.add(same[0])
    assert drawn == {"rows", "columns"}


def test_an_exhaustive_search_proves_that_no_board_is_perfect() -> None:
    """Without restarts the whole tree is searched; a board is returned all the same."""
    instance, _ = generate(4, 4, seed=2)
    pieces = instance.pieces.copy()
    pieces[-1, 0] = 77  # a colour that no other piece has
    problem = EdgeMatching(Instance(4, 4, pieces))
    assert count_boards(problem.instance)[0] == 0
    outcome = Backtracking(restart=None, mismatches=0).build(problem, Budget(work=100_000), RNG(1))
    assert outcome.bound == 1
    assert problem.evaluate(outcome.solution).objective == outcome.objective >= 1


def test_only_boards_better_than_all_elites_are_looked_for() -> None:
    """With `better` a board of the pool sets the allowance, also one that arrives later; without it does not."""
    instance, solution = generate(8, 8, seed=4)
    problem = EdgeMatching(instance)
    swapped = solution.copy()
    swapped[[27, 28]] = swapped[[28, 27]]
    known = int(problem.evaluate(swapped).objective)
    assert 0 < known < 8

    def full(better: bool, late: bool) -> list[int]:
        offered: list[int] = []

        def note(_board: Any, objective: int | float) -> None:
            if objective <= 8:
                offered.append(int(objective))
                budget.elites.add(problem.orbit(swapped), swapped, known)

        budget = Budget(work=2_000, on_incumbent=note)
        if not late:
            budget.elites.add(problem.orbit(swapped), swapped, known)
        Backtracking(better=better, mismatches=8).build(problem, budget, np.random.default_rng(1))
        return offered

    plain, begun, late = full(False, False), full(True, False), full(True, True)
    assert sum(objective >= known for objective in plain) >= 2
    assert all(objective < known for objective in begun)
    assert late[0] >= known
    assert all(objective < known for objective in late[1:])


def test_a_demand_is_not_relaxed() -> None:
    """Starts that fill no board allow more mismatches, unless fewer were demanded."""
    instance = generate(10, 10, seed=100)[0]
    allowed = []
    for demanded in (None, 3):
        search = planned_search(instance, plan_of(instance, total=3, restart=2_000_000), np.random.default_rng(0))
        if demanded is not None:
            search.demand(demanded)
        search.advance(8_000_000)
        allowed.append(search.slips)
    assert allowed[0] > 4
    assert allowed[1] <= 3


def test_a_perfect_elite_ends_the_search() -> None:
    """Nothing is better than a board without mismatches, whoever has found it."""
    instance, solution = generate(8, 8, seed=4)
    problem, budget = EdgeMatching(instance), Budget(work=5_000)
    budget.elites.add(problem.orbit(solution), solution, 0)
    outcome = Backtracking(better=True).build(problem, budget, np.random.default_rng(1))
    assert outcome.solution is not None
    assert budget.work_left is not None
    assert budget.work_left > 4_000


def test_a_board_is_returned_however_short_the_search() -> None:
    """What the end of the budget leaves empty is filled; the target ends the search."""
    problem = EdgeMatching(generate(12, 12, seed=1)[0])
    short = Backtracking().build(problem, Budget(work=20), RNG(1))
    long = Backtracking(nodes=20_000_000).build(problem, Budget(), RNG(1))
    assert problem.evaluate(short.solution).feasible
    assert long.objective < short.objective
    budget = Budget(target=18, work=500_000)
    assert Backtracking().build(problem, budget, RNG(1)).objective <= 18
    assert budget.spent_work < 500_000


@pytest.mark.parametrize(
    "options",
    [
        {"nodes": 0}, {"order": "spiral"}, {"order": ""}, {"mismatches": -1}, {"restart": -1}, {"quota": "strict"},
    ],
)  # fmt: skip
def test_senseless_options_are_refused(options: dict[str, Any]) -> None:
    """Each names its option."""
    with pytest.raises(ConfigurationError, match=next(iter(options))):
        Backtracking(**options)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("exhaustion", "'quota'"), ("sets", "'quota'"), ("corner", "corner from which"), ("beams", "'beam'"),
        *((name, "plan") for name in ("comb", "opening", "schedule", "spread", "apart", "patience", "layers")),
    ],
)  # fmt: skip
def test_former_options_say_what_became_of_them(name: str, advice: str) -> None:
    """A file of an earlier version is refused with the option's name and what to do."""
    with pytest.raises(ConfigurationError, match=f"unknown option 'construction.{name}'. .*{advice}"):
        configure(Backtracking, {name: 1}, "construction")
