"""The layered backtracker: the boards and placements of the slip backtracker, many partial boards at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from matheur.engine.budget import Budget
from matheur.problems.edge_matching import EdgeMatching, Hint, Instance, generate
from matheur.problems.edge_matching.backtracking import narrow_kernels, wide_kernels
from matheur.problems.edge_matching.backtracking.allowances import allowance
from matheur.problems.edge_matching.backtracking.layer_tables import LayerTables
from matheur.problems.edge_matching.backtracking.narrow_tables import NarrowTables
from matheur.problems.edge_matching.backtracking.operator import Backtracking
from matheur.problems.edge_matching.backtracking.plan import Plan
from matheur.problems.edge_matching.backtracking.quotas import exhaustion_curve, rare_colours
from matheur.problems.edge_matching.backtracking.search import planned_search
from matheur.problems.edge_matching.backtracking.slip_tables import SlipTables, fill_order, transposed_order
from matheur.problems.edge_matching.backtracking.tasks import End
from matheur.problems.edge_matching.backtracking.walk import Walk
from matheur.problems.edge_matching.backtracking.walks import layered
from matheur.problems.edge_matching.backtracking.walks import staged as staged_walk
from matheur.problems.edge_matching.backtracking.walks.layered import LayerWalk, layer_tables
from matheur.problems.edge_matching.backtracking.walks.single import SlipWalk
from matheur.problems.edge_matching.backtracking.walks.staged import StagedWalk
from matheur.problems.edge_matching.backtracking.wide_tables import WideTables

RNG = np.random.default_rng
NONE = np.zeros(0, dtype=np.int64)
NARROW, WIDE = NarrowTables, WideTables
KINDS = [
    *((order, NARROW) for order in ("rows", "columns", "comb", "deep comb", "comb of columns")),
    ("rows", WIDE),
    ("comb", WIDE),
]


def cells_of(rows: int, columns: int, order: str) -> np.ndarray:
    """An order: in the columns of a deep comb, and in the rows behind columns, the quota goes on."""
    if order == "comb of columns":
        return transposed_order(rows, columns, "comb", 2)
    return fill_order(rows, columns, "comb", rows // 2) if order == "deep comb" else fill_order(rows, columns, order)


def tables_of(
    instance: Instance, order: str = "rows", kind: type[LayerTables] = NarrowTables, look_ahead: bool = True
) -> LayerTables:
    return kind(instance, cells_of(instance.rows, instance.columns, order), look_ahead)


def staged(instance: Instance, tables: LayerTables, patience: int = 0) -> StagedWalk:
    cells = np.append(tables.first_cells, tables.order)
    return StagedWalk(SlipWalk(SlipTables(instance, cells, 0), False), LayerWalk(tables), tables, patience)


def schedule_of(instance: Instance, total: int, opening: float, strength: float) -> tuple[np.ndarray, np.ndarray]:
    """Allowances and quota of a search without fixed cells."""
    quota = exhaustion_curve(instance, rare_colours(instance), instance.cells, strength)
    return allowance(instance.cells, total, opening), quota


@cache
def objectives_of(rows: int, hints: tuple[Hint, ...], pieces: bytes) -> dict[tuple[int, ...], int]:
    """What the evaluator says of the boards of an instance, each of which several walks find."""
    return {}


def boards_of(
    instance: Instance,
    walk: Walk,
    schedule: tuple[np.ndarray, np.ndarray],
    colours: np.ndarray = NONE,
    room: int = 1 << 40,
) -> tuple[Counter[tuple[int, ...]], dict[tuple[int, ...], int]]:
    """All full boards of a walk with how often each comes, and their mismatches, held against the evaluator."""
    problem, boards, slips = EdgeMatching(instance), Counter[tuple[int, ...]](), dict[tuple[int, ...], int]()
    objectives = objectives_of(instance.rows, instance.hints, instance.pieces.tobytes())
    walk.begin(colours, RNG(1))
    while not walk.ended:
        walk.advance(walk.nodes + room, *schedule)
        for number in range(walk.found):
            found = walk.full(number)
            board = tuple(found.tolist())
            if board not in objectives:
                evaluation = problem.evaluate(found)
                assert evaluation.feasible, evaluation.violations
                objectives[board] = int(evaluation.objective)
            assert objectives[board] == walk.slips(number) <= schedule[0][-1]
            boards[board] += 1
            slips[board] = walk.slips(number)
    return boards, slips


@cache
def one_by_one(
    rows: int, columns: int, seed: int, total: int, opening: float, strength: float, order: str
) -> tuple[SlipWalk, Counter[tuple[int, ...]], dict[tuple[int, ...], int]]:
    """The slip backtracker after its search of a puzzle, its boards and their mismatches."""
    instance, _ = generate(rows, columns, seed=seed, inner_colours=5, frame_colours=3)
    walk = SlipWalk(SlipTables(instance, cells_of(rows, columns, order), 0), False)
    boards, slips = boards_of(instance, walk, schedule_of(instance, total, opening, strength), rare_colours(instance))
    return walk, boards, slips


@pytest.mark.parametrize(("order", "kind"), KINDS)
@pytest.mark.parametrize(
    ("rows", "columns", "seed", "total", "opening", "strength"),
    [(4, 5, 1, 3, 0.2, 0.0), (6, 4, 2, 2, 0.5, 0.0), (6, 5, 7, 3, 0.6, 0.4), (7, 5, 4, 2, 0.6, 0.5)],
)
def test_boards_and_placements_are_those_of_the_slip_backtracker(
    rows: int, columns: int, seed: int, total: int, opening: float, strength: float, order: str,
    kind: type[LayerTables],
) -> None:  # fmt: skip
    """With mismatches and a quota: the same placements, as many boards of each number of mismatches, and no others."""
    instance, _ = generate(rows, columns, seed=seed, inner_colours=5, frame_colours=3)
    schedule, colours = schedule_of(instance, total, opening, strength), rare_colours(instance)
    many = LayerWalk(tables_of(instance, order, kind, look_ahead=False))
    one, expected, slips = one_by_one(rows, columns, seed, total, opening, strength, order)
    boards, layered = boards_of(instance, many, schedule, colours)
    assert many.nodes == one.nodes == many.placed.sum()
    assert boards.total() == many.placed[-1]
    assert boards.total() == expected.total()
    assert set(boards) <= set(expected)
    # Where two rotations of a piece differ in which of two joints mismatches, one of the boards may come twice.
    assert len(boards) >= 0.9 * len(expected) > 0
    assert {board: slips[board] for board in boards} == layered


@pytest.mark.parametrize(("order", "kind"), KINDS)
@pytest.mark.parametrize(
    ("rows", "columns", "seed", "inner", "frame", "total", "opening", "strength"),
    [
        (6, 6, 3, 6, 3, 0, 0.9, 0.0),
        (6, 5, 7, 5, 3, 2, 0.75, 0.3),  # pieces that fit in several rotations
        (6, 6, 4, 12, 3, 4, 0.5, 0.0),  # many colours
        (6, 6, 4, 5, 13, 2, 0.7, 0.0),
        (4, 4, 6, 3, 2, 1, 0.6, 0.0),
    ],
)
def test_looking_ahead_loses_no_board(
    rows: int, columns: int, seed: int, inner: int, frame: int, total: int, opening: float, strength: float, order: str,
    kind: type[LayerTables],
) -> None:  # fmt: skip
    """The same boards, each as often, after fewer placements, whatever the slices."""
    instance, _ = generate(rows, columns, seed=seed, inner_colours=inner, frame_colours=frame, unique=False)
    schedule, colours = schedule_of(instance, total, opening, strength), rare_colours(instance)
    plain = LayerWalk(tables_of(instance, order, kind, look_ahead=False))
    ahead = LayerWalk(tables_of(instance, order, kind))
    expected = boards_of(instance, plain, schedule, colours)
    assert boards_of(instance, ahead, schedule, colours) == expected
    assert expected[0].total() > 0
    assert ahead.nodes < plain.nodes
    assert ahead.placed.sum() == ahead.nodes
    assert (ahead.placed <= plain.placed).all()
    assert ahead.placed[-1] == plain.placed[-1]
    assert boards_of(instance, ahead, schedule, colours, room=max(97, ahead.nodes // 300)) == expected


@pytest.mark.parametrize("kind", [NARROW, WIDE])
def test_looking_ahead_sees_half_of_what_fails(kind: type[LayerTables]) -> None:
    """Where the frame leaves little choice at the end of a line, every second placement is spared."""
    instance, _ = generate(8, 8, seed=3)
    schedule, nodes = schedule_of(instance, 0, 0.9, 0.7), []
    for look_ahead in (False, True):
        walk = LayerWalk(tables_of(instance, kind=kind, look_ahead=look_ahead))
        boards_of(instance, walk, schedule, rare_colours(instance))
        nodes.append(walk.nodes)
    assert nodes[1] < 0.6 * nodes[0]


@cache
def one_by_one_behind(
    seed: int, order: str
) -> tuple[Instance, SlipWalk, tuple[np.ndarray, np.ndarray], Counter[tuple[int, ...]], dict[tuple[int, ...], int]]:
    """A puzzle whose first cells are given, and the slip backtracker after its search, with schedule and boards."""
    instance, solution = generate(6, 6, seed=seed, inner_colours=5, frame_colours=3)
    cells = fill_order(6, 6, order)
    hints = tuple(Hint(cell, int(solution[cell]) // 4, int(solution[cell]) % 4) for cell in cells[:5].tolist())
    instance = replace(instance, hints=hints)
    (allowed, quota), colours = schedule_of(instance, 3, 0.7, 0.3), rare_colours(instance)
    allowed, quota = allowed[5:], quota[5:] - np.isin(instance.pieces[solution[cells[:5]] >> 2], colours).sum()
    walk = SlipWalk(SlipTables(instance, cells, 0), False)
    return instance, walk, (allowed, quota), *boards_of(instance, walk, (allowed, quota), colours)


STAGES = [(6, 100), (9, 30), (9, 1000), (12, 1000)]


@pytest.mark.parametrize(
    ("seed", "order", "kind", "inside", "stay"),
    [
        *((3, "columns", NARROW, *stage) for stage in STAGES),
        *((7, order, kind, *stage) for order, kind in KINDS if order in ("rows", "comb") for stage in STAGES),
        (8, "comb", NARROW, 6, 100),  # a puzzle with three times as many boards
        (8, "comb", WIDE, 9, 30),
        (8, "rows", NARROW, 9, 1000),
        (8, "rows", WIDE, 12, 1000),
    ],
)
def test_first_cells_may_be_laid_otherwise(
    seed: int, inside: int, stay: int, order: str, kind: type[LayerTables], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where words hold fewer pieces than the puzzle has: the same boards, in two stages."""
    instance, one, (allowed, quota), expected, slips = one_by_one_behind(seed, order)
    colours = rare_colours(instance)
    monkeypatch.setattr(kind, "INSIDE_MAX", inside)
    tables = kind(instance, fill_order(6, 6, order))
    assert not tables.whole
    monkeypatch.setattr(staged_walk, "_STAY", stay)
    many = staged(instance, tables)
    assert one.cells == many.cells == 31
    assert np.array_equal(one.fixed, many.fixed)
    boards, layered = boards_of(instance, many, (allowed, quota), colours)
    assert one.sides == many.sides > 0
    assert one.nodes <= many.nodes <= 1.5 * one.nodes  # what was placed before layers took over is placed again
    assert many.nodes > one.nodes
    assert boards.total() >= expected.total() > 0
    assert set(boards) <= set(expected)
    assert len(boards) >= 0.9 * len(expected)
    assert {board: slips[board] for board in boards} == layered
    assert boards_of(instance, many, (allowed, quota), colours, room=max(97, one.nodes // 300))[0] == boards


@pytest.mark.parametrize(("strength", "stuck"), [(0.6, False), (1.0, True)])
def test_a_search_for_beginnings_is_given_up(strength: float, stuck: bool) -> None:
    """After its patience, but not before a quarter as many placements as in the rest, in slices or not."""
    instance, _ = generate(12, 12, seed=3)
    tables = layer_tables(instance, fill_order(12, 12, "comb"))
    assert tables is not None
    schedule, most, patience = schedule_of(instance, 6, 0.9, strength), 20_000_000, 500_000
    ends = []
    for room in (most, 10_007):
        walk = staged(instance, tables, patience)
        walk.begin(rare_colours(instance), RNG(2))
        while not walk.stuck and walk.nodes < most:
            walk.advance(min(walk.nodes + room, most), *schedule)
        assert not walk.ended
        assert walk.stuck is stuck
        first = walk._one.nodes
        assert stuck is (first >= max(patience, (walk.nodes - first) // 4))
        board = walk.fullest()
        assert (board >= 0).sum() == walk.deepest
        ends.append((walk.nodes, board.tolist()) if stuck else None)
    assert ends[0] == ends[1]


@pytest.mark.parametrize("full", [1, 3, 64])
def test_neither_layers_nor_slices_change_what_is_found(full: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers of one row or of many, in one call or many: the same boards after the same placements in all."""
    instance, _ = generate(5, 5, seed=5, inner_colours=4, frame_colours=3)
    schedule = schedule_of(instance, 3, 0.7, 0.0)
    whole = LayerWalk(tables_of(instance))
    expected = boards_of(instance, whole, schedule)
    monkeypatch.setattr(layered, "_FULL", full)
    for room in (1 << 40, 97):
        walk = LayerWalk(tables_of(instance))
        assert boards_of(instance, walk, schedule, room=room) == expected
        assert walk.nodes == whole.nodes


@pytest.mark.parametrize("kind", [NARROW, WIDE])
def test_a_schedule_may_become_stricter_on_the_way(kind: type[LayerTables]) -> None:
    """Rows that only a mismatch could continue are left out; no board within the stricter schedule is lost."""
    instance, _ = generate(5, 5, seed=2, inner_colours=4, frame_colours=3)
    loose, strict = schedule_of(instance, 3, 0.3, 0.0), schedule_of(instance, 2, 0.8, 0.0)
    expected, _ = boards_of(instance, LayerWalk(tables_of(instance, kind=kind)), strict)
    assert expected
    walk = LayerWalk(tables_of(instance, kind=kind))
    walk.begin(NONE, RNG(1))
    found, problem = set(), EdgeMatching(instance)
    for number in range(10**6):
        if walk.ended:
            break
        walk.advance(walk.nodes + 5_000, *(loose if number < 40 else strict))
        found |= {tuple(walk.full(place).tolist()) for place in range(walk.found)}
    assert walk.ended
    assert set(expected) <= found
    assert all(problem.evaluate(np.array(board, dtype=np.int32)).objective <= 3 for board in found)


def test_numbers_of_rows_have_room() -> None:
    """In the last word of a row: where one of 16 x 16 cells begins, and its number where a line begins."""
    for kernels, bits in ((narrow_kernels, 64 - narrow_kernels.NUMBER_AT), (wide_kernels, 32 - wide_kernels.NUMBER_AT)):
        layer = layered._FULL + kernels.ROOM
        rows = (256 + 1) * layered._COPIES * layer + layer
        assert layer < 1 << bits
        assert rows * kernels.WORDS <= kernels.ORIGIN_SCALE << kernels.ORIGIN_BITS


def test_many_mismatches_are_counted_right() -> None:
    """Boards of more than 16 mismatches are what they claim to be."""
    problem = EdgeMatching(generate(8, 8, seed=2, inner_colours=6, frame_colours=2)[0])
    walk = LayerWalk(tables_of(problem.instance))
    walk.begin(NONE, RNG(1))
    allowed, none, most = np.full(65, 60), np.zeros(65, dtype=np.int64), 0
    for _ in range(200):
        walk.advance(walk.nodes + 20_000, allowed, none)
        for number in range(min(walk.found, 3)):
            assert problem.evaluate(walk.full(number)).objective == walk.slips(number)
            most = max(most, walk.slips(number))
    assert most > 16


def test_parts_are_all_boards() -> None:
    """Beginnings with each piece in the first cell have together what one without a choice has."""
    instance, _ = generate(5, 5, seed=2, inner_colours=4, frame_colours=3)
    allowed, quota = schedule_of(instance, 2, 0.6, 0.0)
    walk = LayerWalk(tables_of(instance))
    expected, _ = boards_of(instance, walk, (allowed, quota))
    assert boards_of(instance, walk, (allowed, quota - 5))[0] == expected  # hints may have spent more than is asked for
    nodes, found = walk.nodes, 0
    assert len(walk.beginnings) == 4
    for first in walk.beginnings:
        walk.begin(NONE, RNG(3), first)
        while not walk.ended:
            walk.advance(1 << 40, allowed, quota)
            for number in range(walk.found):
                board = walk.full(number)
                assert board[0] >> 2 == first
                assert tuple(board.tolist()) in expected
            found += walk.found
        nodes -= walk.nodes
    assert (nodes, found) == (0, expected.total())


def test_the_fullest_board_is_kept() -> None:
    """It has as many pieces as were ever laid, in the first cells of the order, all matching without mismatches."""
    instance, solution = generate(8, 8, seed=4)
    hinted = replace(instance, hints=tuple(Hint(k, int(solution[k]) // 4, int(solution[k]) % 4) for k in range(3)))
    for order in ("rows", "columns"):
        tables = layer_tables(hinted, fill_order(8, 8, order))
        assert (tables is None) is (order == "columns")
    walk = LayerWalk(tables_of(hinted))
    walk.begin(NONE, RNG(1))
    none = np.zeros(62, dtype=np.int64)
    while walk.deepest < 30:
        walk.advance(walk.nodes + 1, none, none)
    board = walk.fullest()
    filled = walk.deepest + 3
    assert np.array_equal(board[:3], solution[:3])
    assert (board[:filled] >= 0).all()
    assert (board[filled:] < 0).all()
    assert len(set((board[:filled] >> 2).tolist())) == filled
    for cell in range(filled):
        for side in (0, 3):
            other = instance.neighbours[cell, side]
            if other >= 0:
                assert instance.sides[board[cell], side] == instance.sides[board[other], (side + 2) % 4]


def test_puzzles_that_fit() -> None:
    """Which tables take which puzzles: lines, colours, combs, hints, and what none takes."""
    instance, solution = generate(6, 6, seed=5)
    rows = np.arange(36)
    assert layer_tables(instance, rows) is not None
    bare = instance.sides[solution].copy()
    bare[bare == 0] = 99
    late = Hint(14, int(solution[14]) // 4, int(solution[14]) % 4)
    first = [Hint(cell, int(solution[cell]) // 4, int(solution[cell]) % 4) for cell in (0, 1)]
    wrong = generate(6, 6, seed=5)[0].pieces.copy()
    frame = np.flatnonzero((wrong == 0).sum(axis=1) == 1)
    side = (int(np.flatnonzero(wrong[frame[0]] == 0)[0]) + 1) % 4
    wrong[frame[0], side] = 98
    none: list[tuple[Instance, np.ndarray]] = [
        (Instance(6, 6, bare), rows),
        (generate(4, 17, seed=1)[0], np.arange(68)),
        (generate(9, 9, seed=1, inner_colours=20, unique=False)[0], np.arange(81)),
        (generate(12, 12, seed=1)[0], fill_order(12, 12, "comb", 5)),
        (generate(14, 14, seed=1)[0], fill_order(14, 14, "columns")),
        (generate(14, 14, seed=1)[0], transposed_order(14, 14, "comb")),
        (Instance(6, 6, wrong), rows),
        (instance, rows[::-1]),
    ]
    for other, order in none:
        assert layer_tables(other, order) is None
    wide: list[tuple[Instance, np.ndarray]] = [
        (generate(5, 13, seed=1)[0], np.arange(65)),
        (generate(8, 8, seed=1, inner_colours=16, unique=False)[0], np.arange(64)),
        (generate(12, 12, seed=1)[0], fill_order(12, 12, "comb", 4)),
        (generate(16, 16, seed=1)[0], fill_order(16, 16, "comb")),
        (replace(instance, hints=(late,)), rows),
    ]
    for other, order in wide:
        assert isinstance(layer_tables(other, order), WideTables)
    narrow: list[tuple[Instance, np.ndarray]] = [
        (instance, rows),
        (replace(instance, hints=tuple(first)), rows),
        (generate(12, 12, seed=1)[0], np.arange(144)),
        (generate(12, 12, seed=1)[0], fill_order(12, 12, "comb")),
        (generate(5, 13, seed=1)[0], fill_order(5, 13, "columns")),
        (instance, fill_order(6, 6, "comb", 3)),
        (instance, transposed_order(6, 6, "comb", 3)),
        (generate(9, 9, seed=1)[0], fill_order(9, 9, "comb")),
        (generate(10, 10, seed=1)[0], transposed_order(10, 10, "comb")),
    ]
    for other, order in narrow:
        assert isinstance(layer_tables(other, order), NarrowTables)


def test_sides_that_cannot_be_counted() -> None:
    """Behind lines of 10 there is room for 255 of them; more than three colours have are refused."""
    instance, _ = generate(10, 10, seed=1)
    colours = np.unique(instance.pieces)[1:]
    tables_of(instance).exhaust(colours)
    comb = tables_of(instance, "comb")
    comb.exhaust(colours[:3])
    with pytest.raises(ValueError, match="too many to count"):
        comb.exhaust(colours)


@pytest.mark.parametrize("order", ["rows", "comb"])
@pytest.mark.parametrize(("cell", "stay"), [(14, 30), (15, 1000), (21, 100)])
def test_hints_beyond_the_first_cells(cell: int, stay: int, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are laid in their turn, what comes before fits them, and a quota counts them no more than elsewhere."""
    instance, solution = generate(6, 6, seed=7, inner_colours=5, frame_colours=3)
    cells = fill_order(6, 6, order)
    places = [*cells[:5].tolist(), cell]
    hints = tuple(Hint(place, int(solution[place]) // 4, int(solution[place]) % 4) for place in places)
    instance = replace(instance, hints=hints)
    (allowed, quota), colours = schedule_of(instance, 3, 0.7, 0.3), rare_colours(instance)
    monkeypatch.setattr(WideTables, "INSIDE_MAX", 9)
    monkeypatch.setattr(staged_walk, "_STAY", stay)
    tables = WideTables(instance, cells)
    assert (cell in tables.order) is (cell == 21)
    allowed, quota = allowed[6:], quota[6:] - np.isin(instance.pieces[solution[places] >> 2], colours).sum()
    one, many = SlipWalk(SlipTables(instance, cells, 0), False), staged(instance, tables)
    assert one.cells == many.cells == 30
    expected, slips = boards_of(instance, one, (allowed, quota), colours)
    boards, layered = boards_of(instance, many, (allowed, quota), colours)
    assert one.sides == many.sides
    assert set(boards) <= set(expected)
    assert len(boards) >= 0.9 * len(expected) > 0
    assert {board: slips[board] for board in boards} == layered
    assert many.nodes >= one.nodes
    monkeypatch.undo()
    alone = LayerWalk(WideTables(instance, cells))  # which lays the hinted piece in its turn
    assert alone.cells == 31
    schedule, place = (allowed, quota), int(np.flatnonzero(cells == cell)[0]) - 5
    longer = tuple(np.insert(numbers, place, numbers[place]) for numbers in schedule)
    assert set(boards_of(instance, alone, longer, colours)[0]) == set(boards)


def test_parts_need_tables_for_all_cells() -> None:
    """On 6 x 16 rows leave too many pieces of the frame for one word: then rows and columns are not mixed."""
    instance, _ = generate(6, 16, seed=1)
    assert not Backtracking()._in_parts(instance)
    columns = fill_order(6, 16, "columns")
    search = planned_search(instance, Plan(np.arange(96), 6, 0.9, restart=0, others=(columns,), layered=True), RNG(1))
    assert [type(walk) for walk in search.walks] == [StagedWalk]
    tables = layer_tables(instance, columns)
    assert tables is not None
    assert tables.whole


@pytest.mark.parametrize(
    ("size", "layers", "kind"),
    [
        (8, None, SlipWalk),
        (8, True, LayerWalk),
        (9, None, LayerWalk),
        (9, False, SlipWalk),
        (12, None, StagedWalk),
        (16, None, StagedWalk),
        (16, False, SlipWalk),
        (17, None, SlipWalk),
        (17, True, SlipWalk),
    ],
)
def test_backtracking_takes_layers_by_the_size(size: int, layers: bool | None, kind: type[Walk]) -> None:
    """Or as the plan says."""
    instance, _ = generate(size, size, seed=1)
    plan = Backtracking().plan(instance, "comb" if size > 10 else "rows", Budget(work=1))
    if layers is not None:
        plan = replace(plan, layered=layers)
    assert isinstance(planned_search(instance, plan, RNG(1)).walk, kind)


def test_a_large_board_with_a_hint_in_its_midst() -> None:
    """Backtracking by layers fills 16 x 16 boards, and what it says of them is true."""
    instance, solution = generate(16, 16, seed=4)
    hint = Hint(135, int(solution[135]) // 4, int(solution[135]) % 4)
    problem = EdgeMatching(replace(instance, hints=(hint,)))
    outcome = Backtracking(nodes=20_000_000).build(problem, Budget(work=10**9), RNG(2))
    evaluation = problem.evaluate(outcome.solution)
    assert evaluation.feasible, evaluation.violations
    assert evaluation.objective == outcome.objective <= 40
    assert outcome.solution[135] == solution[135]


def test_many_pieces_that_fit_in_several_rotations() -> None:
    """Pieces that share a key share the keys of their further rotations, so that these do not run out."""
    instance, _ = generate(10, 10, seed=1, inner_colours=14, frame_colours=4)
    pieces = instance.pieces.copy()
    inside = np.flatnonzero((pieces != 0).all(axis=1))
    colours = np.unique(pieces[inside])
    pieces[inside, :3] = colours[0]
    pieces[inside, 3] = np.resize(colours[1:], inside.size)
    tables = tables_of(Instance(10, 10, pieces))
    assert tables.copied.sum() == np.count_nonzero(tables.more) > 0


def plan_of(instance: Instance, **options: Any) -> Plan:
    rows, columns = (fill_order(instance.rows, instance.columns, order) for order in ("rows", "columns"))
    given = {"total": 6, "opening": 0.75, "restart": 0, "strength": 0.8, "patience": 40_000} | options
    return Plan(rows, others=(columns,), layered=True, **given)


@pytest.mark.parametrize("restart", [0, 100_000])
def test_searches_fill_better_and_better_boards(restart: int) -> None:
    """Each board keeps the frame and has as many mismatches as were counted, fewer than the one before."""
    instance, _ = generate(8, 8, seed=3, inner_colours=8, frame_colours=4)
    problem = EdgeMatching(instance)
    search = planned_search(instance, plan_of(instance, restart=restart), RNG(1))
    before, found = 1 << 30, 0
    while search.nodes < 20_000_000 and not search.done:
        if search.advance(100_000):
            evaluation = problem.evaluate(search.board)
            assert evaluation.feasible, evaluation.violations
            assert evaluation.objective == search.slips < before
            before, found = search.slips, found + 1
        else:
            partial = search.partial()
            assert (partial >= 0).sum() == search.deepest
    assert found > 0


def test_a_quota_is_lowered_after_all_parts() -> None:
    """Rows and columns with each corner piece: eight starts of one quota, then one that asks for 1 % less."""
    instance, _ = generate(8, 8, seed=2, inner_colours=6, frame_colours=3)
    search = planned_search(instance, plan_of(instance), RNG(5))
    assert sorted(search.source.parts) == [(walk, piece) for walk in (0, 1) for piece in search.walk.beginnings]
    asked = []
    for _ in range(24):
        asked.append(search.source.strengths[0])
        search._end(End.TRIED)
    assert [asked.count(strength) for strength in sorted(set(asked), reverse=True)] == [8, 8, 8]
    assert min(asked) == pytest.approx(0.8 * 0.99**2)


@pytest.mark.parametrize("jobs", [2, 3, 8, 11])
def test_jobs_divide_the_parts(jobs: int) -> None:
    """Each part is some job's, and of two jobs none have one in common; what a job has tried proves nothing alone."""
    instance, _ = generate(6, 6, seed=2, inner_colours=6, frame_colours=3)
    searches = [planned_search(instance, plan_of(instance, job=(number, jobs)), RNG(number)) for number in range(jobs)]
    parts = [part for search in searches[:8] for part in search.source.parts]
    assert len(parts) == len(set(parts)) == 8
    search = searches[0]
    search.source.strengths[:], search.source.left = 0.0, []
    search.demand(1)
    search._end(End.TRIED)
    assert not search.exhausted


def test_a_search_alone_proves_that_no_board_is_perfect() -> None:
    """All parts of one order are all boards."""
    instance, _ = generate(4, 4, seed=2)
    pieces = instance.pieces.copy()
    inside = np.flatnonzero((pieces != 0).all(axis=1))[0]
    pieces[inside, 0], pieces[inside, 1] = 77, 77
    search = planned_search(Instance(4, 4, pieces), plan_of(instance, total=0, strength=0.0), RNG(1))
    for _ in range(1_000):
        search.advance(1_000_000)
    assert search.exhausted
    assert search.slips > 0
