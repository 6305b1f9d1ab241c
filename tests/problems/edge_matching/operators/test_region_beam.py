"""Greedy and beam repair of regions, against the exact search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.edge_matching.operators.boards import check, framed, problems, random_board

from matheur.engine import Budget, ElitePool, Status
from matheur.errors import ConfigurationError
from matheur.problems.edge_matching import EMPTY, EdgeMatching, generate
from matheur.problems.edge_matching.operators.board_tools import unused_pieces
from matheur.problems.edge_matching.operators.exact_region import region_cost, solve_region
from matheur.problems.edge_matching.operators.merge import Merge
from matheur.problems.edge_matching.operators.region import Region
from matheur.problems.edge_matching.operators.region_beam import BEAM_MAX, beam_fill
from matheur.problems.edge_matching.operators.region_methods import _modelled_cost


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(problems(), st.integers(0, 99), st.sampled_from([0.0, 0.2]), st.integers(1, 6), st.sampled_from([1, 3, 5000]))
@settings(max_examples=80)
def test_a_wide_beam_is_exact(problem: EdgeMatching, seed: int, empty: float, size: int, width: int) -> None:
    """On a few cells nothing is dropped: the optimum. Narrow ones are within the limit, and keep frame and hints."""
    instance = problem.instance
    board = random_board(problem, seed, empty)
    free = np.flatnonzero(~instance.fixed)
    if not free.size:
        return
    cells = rng(seed).permutation(free)[:size]
    present = region_cost(instance, board, cells)
    filled = beam_fill(instance, board, cells, width, _modelled_cost(instance, board, cells), Budget(), rng(seed))
    if width == 5000 and unused_pieces(instance, board).size < 6:
        exact = solve_region(instance, board, cells, spare=unused_pieces(instance, board))
        assert filled is not None
        assert region_cost(instance, filled, cells) == exact.cost
    if filled is not None:
        assert problem.evaluate(filled).feasible
        outside = np.setdiff1d(np.arange(instance.cells), cells)
        assert np.array_equal(filled[outside], board[outside])
        assert (filled == EMPTY).sum() <= (board == EMPTY).sum()
        assert region_cost(instance, filled, cells) <= present


def test_wider_beams_are_better() -> None:
    """Summed over many regions of 16 cells: greedy, then wider; the widest come near the optimum."""
    problem = EdgeMatching(generate(8, 8, seed=2)[0])
    instance, cost = problem.instance, dict.fromkeys([1, 16, 1024], 0)
    best = 0
    for seed in range(12):
        board = random_board(problem, seed)
        cells = rng(seed).permutation(instance.cells)[:3]
        cells = np.unique(np.append(cells, np.arange(18, 31)))
        for width in cost:
            filled = beam_fill(instance, board, cells, width, 1000, Budget(), rng(seed))
            assert filled is not None
            cost[width] += region_cost(instance, filled, cells)
        best += solve_region(instance, board, cells, node_limit=300_000).cost
    assert cost[1] > cost[16] > cost[1024]
    assert cost[1024] <= best + 4


@pytest.mark.parametrize("width", [1, 7, 100])
@pytest.mark.parametrize("empty", [0.0, 0.4])
def test_no_more_than_the_width_is_kept(width: int, empty: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exactly as many as there may be, where there are enough; no filling twice, though empty places are alike."""
    from matheur.problems.edge_matching.operators import region_beam_kernels

    problem, kept = framed(5, 5, seed=1), list[tuple[int, int]]()
    kernel = region_beam_kernels.lengthen

    def listening(*arguments: Any) -> tuple[int, int]:
        rows, looked = kernel(*arguments)
        kept.append((rows, looked))
        lying, pieces = arguments[-3][:rows, : arguments[0] + 1], arguments[7]
        fillings = np.where(lying >> 2 < pieces, lying, EMPTY)
        assert np.unique(fillings, axis=0).shape[0] == rows
        return rows, looked

    monkeypatch.setattr(region_beam_kernels, "lengthen", listening)
    board = random_board(problem, empty=empty)
    filled = beam_fill(problem.instance, board, np.arange(25), width, 1000, Budget(), rng())
    assert filled is not None
    assert problem.evaluate(filled).feasible
    assert (filled == EMPTY).sum() <= (board == EMPTY).sum()
    assert max(rows for rows, _ in kept) == width
    assert all(rows == min(width, looked) for rows, looked in kept)


@pytest.mark.parametrize("beam", [1, 256])
@pytest.mark.parametrize("options", [{"rows": 3, "columns": 4}, {"grow": 12, "around": 2}])
def test_region_by_beam(options: dict[str, int], beam: int) -> None:
    """Windows and grown regions of a random board gain something; what is claimed is so, and nothing is proved."""
    problem = EdgeMatching(generate(7, 6, seed=3)[0])
    board = random_board(problem, 4)
    budget = Budget()
    outcome = Region(method="beam", beam=beam, iterations=30, **options).explore(problem, board, budget, rng())  # type: ignore[arg-type]
    assert check(problem, outcome) < problem.evaluate(board).objective
    assert outcome.status is Status.IMPROVED
    assert len(budget.proofs) == 0
    again = Region(method="beam", beam=beam, iterations=30, **options).explore(problem, board, Budget(), rng())  # type: ignore[arg-type]
    assert np.array_equal(again.solution, outcome.solution)


def test_merge_by_beam() -> None:
    """What a board and a perfect one do not agree on is filled anew."""
    instance, solution = generate(6, 6, seed=9)
    problem = EdgeMatching(instance)
    board = solution.astype(np.int32)
    inner = np.array([7, 8, 13, 14, 20])
    board[inner] = np.roll(board[inner], 2) ^ 1
    pool = ElitePool(4)
    pool.add(problem.orbit(solution), solution.astype(np.int32), 0)
    other = board.copy()
    other[inner] = np.roll(other[inner], 1)
    pool.add(problem.orbit(other), other, int(problem.evaluate(other).objective))
    outcome = Merge(method="beam", beam=2000, iterations=20).explore(problem, board, Budget(elites=pool), rng())
    assert check(problem, outcome) == 0


def test_work_and_the_end_of_the_budget() -> None:
    """Placements tried are work; a region that is not filled when the budget ends is left as it is."""
    problem = framed(6, 6)
    board = random_board(problem)
    budget = Budget(work=2)
    outcome = Region(method="beam", beam=4000, rows=4, columns=4).explore(problem, board, budget, rng())
    assert outcome.status is Status.EXHAUSTED
    assert outcome.solution is None
    assert budget.spent_work >= 2


@pytest.mark.parametrize("beam", [0, BEAM_MAX + 1])
@pytest.mark.parametrize("operator", [Region, Merge])
def test_the_width_is_checked(operator: type, beam: int) -> None:
    """The option and what it may be are named."""
    with pytest.raises(ConfigurationError, match=rf"beam' must be from 1 to {BEAM_MAX:,}"):
        operator(method="beam", beam=beam)
