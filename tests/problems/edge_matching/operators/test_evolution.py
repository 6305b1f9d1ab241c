"""Populations of boards that exchange regions."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.edge_matching.operators.boards import check, framed, problems, random_board, unframed

from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.problems.edge_matching import EdgeMatching, Hint, Instance, builtin, generate
from matheur.problems.edge_matching.operators.board_tools import Layout, count_mismatches, kernel_state
from matheur.problems.edge_matching.operators.evolution import BOARDS_PER_WORK, Around, Evolution
from matheur.problems.edge_matching.operators.evolution_kernels import _exchange_regions, _turn_region, breed, scatter
from matheur.problems.edge_matching.operators.random_board import RandomBoard

RNG = np.random.default_rng


class Tables:
    """What the kernels need to know of a puzzle, made without the operator."""

    def __init__(self, problem: EdgeMatching, seed: int = 0) -> None:
        self.begin = random_board(problem, seed)
        layout = Layout.of(problem.instance, self.begin)
        order = np.argsort(layout.groups, kind="stable")
        self.order = order[layout.groups[order] >= 0].astype(np.int32)
        groups = layout.groups[self.order]
        self.low = np.searchsorted(groups, layout.groups, "left").astype(np.int32)
        self.high = np.searchsorted(groups, layout.groups, "right").astype(np.int32)
        self.kinds, self.turns = layout.kinds, layout.turns
        self.shared = (
            self.order, self.low, self.high, layout.neighbours, layout.kinds, layout.turns, layout.sides,
            kernel_state(RNG(seed)),
        )  # fmt: skip
        self.state = self.shared[-1]

    def scattered(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        boards, objectives = np.empty((count, self.begin.size), dtype=np.int32), np.empty(count, dtype=np.int64)
        scatter(boards, self.begin, *self.shared, objectives)
        return boards, objectives

    def bred(
        self, boards: np.ndarray, columns: int, crossover: float, mutation: float, longest: int, fitted: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """A child of each board and the next one."""
        children, objectives = np.empty_like(boards), np.empty(len(boards), dtype=np.int64)
        first = np.arange(len(boards))
        breed(
            boards, first, (first + 1) % len(boards), crossover, mutation, longest, fitted, columns, *self.shared,
            children, objectives,
        )  # fmt: skip
        return children, objectives


@given(
    problem=problems(), seed=st.integers(0, 99), crossover=st.sampled_from([0.0, 0.5, 1.0]),
    mutation=st.sampled_from([0.0, 0.5, 0.9]), longest=st.integers(1, 7), fitted=st.booleans(),
)  # fmt: skip
@settings(max_examples=100)
def test_children_are_whole_boards(
    problem: EdgeMatching, seed: int, crossover: float, mutation: float, longest: int, fitted: bool
) -> None:
    """Over generations every piece lies once, frame and hints hold, and mismatches are those of the evaluator."""
    tables = Tables(problem, seed)
    boards, objectives = tables.scattered(6)
    for _ in range(3):
        for board, objective in zip(boards, objectives, strict=True):
            assert sorted(board >> 2) == list(range(problem.instance.cells))
            evaluation = problem.evaluate(board)
            assert evaluation.feasible, evaluation.violations
            assert evaluation.objective == objective
        boards, objectives = tables.bred(boards, problem.instance.columns, crossover, mutation, longest, fitted)


def _is_crossover(first: np.ndarray, second: np.ndarray, child: np.ndarray, box: tuple[slice, slice]) -> bool:
    """Whether a child has the second parent's rectangle and, where pieces do not lie twice, the first one's rest."""
    inside = np.zeros(first.shape, dtype=bool)
    inside[box] = True
    kept = ~inside & ~np.isin(first >> 2, second[inside] >> 2)
    return bool((child[inside] == second[inside]).all() and (child[kept] == first[kept]).all())


@pytest.mark.parametrize("problem", [framed(5, 4), framed(4, 5, hints=3), unframed(3, 6)])
def test_a_child_takes_a_rectangle_over(problem: EdgeMatching) -> None:
    """All but the pieces that would lie twice is of one parent or the other; some children differ from both."""
    rows, columns = problem.instance.rows, problem.instance.columns
    tables = Tables(problem)
    boards, _ = tables.scattered(100)
    children, _ = tables.bred(boards, columns, crossover=1.0, mutation=0.0, longest=9)
    boxes = [
        (slice(top, bottom), slice(left, right))
        for top, left in product(range(rows), range(columns))
        for bottom, right in product(range(top + 1, rows + 1), range(left + 1, columns + 1))
    ]
    mixed = 0
    for number, child in enumerate(children):
        first, second = boards[number], boards[(number + 1) % len(boards)]
        grids = [board.reshape(rows, columns) for board in (first, second, child)]
        assert any(_is_crossover(*grids, box) for box in boxes)
        mixed += bool((child != first).any() and (child != second).any())
    assert mixed > 50


def test_without_crossover_and_mutation_children_are_copies() -> None:
    """Nothing changes by itself."""
    problem = framed(4, 4)
    tables = Tables(problem)
    boards, _ = tables.scattered(10)
    children, _ = tables.bred(boards, 4, crossover=0.0, mutation=0.0, longest=4)
    assert np.array_equal(children, boards)


def _torn(instance: Instance, before: np.ndarray, after: np.ndarray) -> int:
    """Mismatched joints between cells whose pieces moved together (all that were turned, or by the same step)."""
    origin = np.empty(instance.cells, dtype=np.int64)
    origin[before >> 2] = np.arange(instance.cells)
    step = origin[after >> 2] - np.arange(instance.cells)
    turned = (before != after) & ((before & 3)[origin[after >> 2]] != after & 3)
    torn = 0
    for side, opposite in ((1, 3), (2, 0)):
        for cell in np.flatnonzero(before != after):
            other = instance.neighbours[cell, side]
            if other >= 0 and before[other] != after[other] and (turned[cell] or step[cell] == step[other]):
                torn += int(instance.sides[after[cell], side] != instance.sides[after[other], opposite])
    return torn


@pytest.mark.parametrize("move", ["turn", "exchange"])
@pytest.mark.parametrize("frame", [True, False])
def test_moved_regions_stay_matched_inside(move: str, frame: bool) -> None:
    """On a perfect board the joints inside a square that was turned, or rectangles that changed places, all match."""
    instance, board = generate(7, 8, seed=2)
    if not frame:
        shown = instance.sides[board]
        shown[shown == 0] = 9
        instance, board = Instance(7, 8, shown), 4 * np.arange(56)
    problem, board = EdgeMatching(instance), board.astype(np.int32)
    assert count_mismatches(instance, board) == 0
    tables = Tables(problem)
    sizes = set()
    for _ in range(200):
        changed = board.copy()
        if move == "turn":
            _turn_region(changed, 8, 4, tables.kinds, tables.turns, tables.state, np.empty(56, dtype=np.int64))
        else:
            _exchange_regions(changed, 8, 3, tables.kinds, tables.turns, tables.state)
        assert problem.evaluate(changed).feasible
        assert _torn(instance, board, changed) == 0
        sizes.add(int(np.count_nonzero(changed != board)))
    assert sizes - {0} == ({4, 9, 16} if move == "turn" else {2, 4, 6, 8, 12, 18} & sizes)
    assert len(sizes - {0}) > 2


def test_a_hint_without_a_rotation_is_turned() -> None:
    """Random boards have the hinted piece in every rotation that fits, and the others in every cell."""
    instance = Instance(2, 2, np.arange(1, 17).reshape(4, 4), (Hint(1, 2),))
    boards, _ = Tables(EdgeMatching(instance)).scattered(400)
    assert set(boards[:, 1].tolist()) == {8, 9, 10, 11}
    assert all(len(set(boards[:, cell].tolist())) == 12 for cell in (0, 2, 3))


def test_runs_are_reproducible() -> None:
    """The same seed and work give the same board, another seed another one."""
    problem = EdgeMatching(generate(8, 8, seed=5)[0])
    operator = Evolution(population=100)
    first, again, other = (operator.build(problem, Budget(work=20), RNG(seed)).solution for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_small_boards_are_solved() -> None:
    """A 3 x 3 puzzle is found perfect, and ends the call before its budget."""
    problem = EdgeMatching(generate(3, 3, seed=1)[0])
    budget = Budget(work=500)
    outcome = Evolution(population=100).build(problem, budget, RNG(1))
    assert check(problem, outcome) == 0
    assert budget.spent_work < 500


def test_it_is_better_than_chance() -> None:
    """Evolved boards have fewer mismatches than the best of as many random ones, and crossover is part of that."""
    problem = EdgeMatching(generate(8, 8, seed=3)[0])
    _, objectives = Tables(problem).scattered(60 * BOARDS_PER_WORK)

    def total(crossover: float) -> int:
        operator = Evolution(population=200, patience=None, crossover=crossover)
        return sum(check(problem, operator.build(problem, Budget(work=60), RNG(seed))) for seed in range(3))

    assert total(0.8) < total(0.0) < 3 * objectives.min()


def test_limits() -> None:
    """Work, generations and iterations are kept to the unit; the target ends the search; what is offered is true."""
    problem = EdgeMatching(generate(8, 8, seed=3)[0])
    offered: list[tuple[float, float]] = []

    def offer(board: np.ndarray, objective: float) -> None:
        offered.append((objective, problem.evaluate(board).objective))

    budget = Budget(work=7, on_incumbent=offer)
    outcome = Evolution(population=900).build(problem, budget, RNG(1))
    assert budget.spent_work == 7
    assert all(claimed == true for claimed, true in offered)
    assert [claimed for claimed, _ in offered] == sorted({claimed for claimed, _ in offered}, reverse=True)
    assert offered[-1][0] == check(problem, outcome)
    budget = Budget()
    three = Evolution(population=400, generations=3).build(problem, budget, RNG(1))
    assert budget.spent_work == 2  # four times 400 boards, and the first one
    assert check(problem, three) == Evolution(population=400).build(problem, Budget(iterations=3), RNG(1)).objective
    budget = Budget(work=1000, target=70)
    easy = Evolution().build(problem, budget, RNG(1))
    assert check(problem, easy) <= 70
    assert budget.spent_work < 100


def test_populations_follow_each_other() -> None:
    """A population that no longer gets better leaves its best board with the elites, and a larger one begins."""
    problem = EdgeMatching(generate(5, 5, seed=4)[0])
    budget = Budget(work=30)
    outcome = Evolution(population=10, patience=20).build(problem, budget, RNG(2))
    elites = budget.elites.entries()
    assert len(elites) > 2
    assert elites[0].objective >= check(problem, outcome)
    for elite in elites:
        assert problem.evaluate(elite.solution).objective == elite.objective


def test_an_impossible_puzzle_is_named() -> None:
    """Where no board exists the answer says so."""
    instance, solution = generate(4, 4, seed=1)
    wrong = replace(instance, hints=(Hint(5, int(solution[0]) // 4, 0),))
    outcome = Evolution().build(EdgeMatching(wrong), Budget(work=5), RNG(1))
    assert outcome.status is Status.INFEASIBLE
    assert "cannot lie in cell 5" in outcome.reason


@pytest.mark.parametrize("options", [
    {"population": 1}, {"growth": 0.5}, {"patience": 0}, {"tournament": 0}, {"crossover": 1.1}, {"mutation": 1.0},
    {"region": 0.0}, {"generations": 0},
])  # fmt: skip
def test_bad_options(options: dict[str, float]) -> None:
    """Each is named."""
    with pytest.raises(ConfigurationError, match=next(iter(options))):
        Evolution(**options)  # type: ignore[arg-type]


def test_the_neighbourhood_improves_a_board_with_the_elites() -> None:
    """Its population begins with the incumbent and complete elites; boards with empty cells are left alone."""
    problem = EdgeMatching(builtin("6x6"))
    rng = np.random.default_rng(1)
    budget = Budget(work=20)
    boards = [RandomBoard().build(problem, Budget(), rng).solution for _ in range(3)]
    for board in boards[1:]:
        budget.elites.add(problem.orbit(board), board, problem.evaluate(board).objective)
    empty = np.full(36, -1, dtype=np.int32)
    budget.elites.add(problem.orbit(empty), empty, 60)
    found = Around(population=40, generations=10).explore(problem, boards[0], budget, rng)
    assert found.objective == problem.evaluate(found.solution).objective < problem.evaluate(boards[0]).objective
    assert Around().explore(problem, empty, Budget(), rng).status is Status.NO_IMPROVEMENT
