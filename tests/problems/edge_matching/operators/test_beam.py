"""Beams over boards that are filled in a fixed order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from problems.edge_matching.brute_force import perfect_boards

from matheur.engine import Budget
from matheur.errors import ConfigurationError
from matheur.problems.edge_matching import EMPTY, EdgeMatching, Hint, Instance, generate
from matheur.problems.edge_matching.backtracking.operator import Backtracking
from matheur.problems.edge_matching.backtracking.slip_tables import fill_order
from matheur.problems.edge_matching.operators.beam import Beam
from matheur.problems.edge_matching.operators.beam_search import STEP, BeamSearch, bytes_of
from matheur.problems.edge_matching.operators.board_tools import count_mismatches

RNG = np.random.default_rng


def unframed(rows: int, columns: int, seed: int) -> Instance:
    """A solvable puzzle whose frame has a colour like the others."""
    instance, solution = generate(rows, columns, seed=seed)
    shown = instance.sides[solution]
    shown[shown == 0] = 9
    return Instance(rows, columns, shown)


@pytest.mark.parametrize("order", ["rows", "columns", "comb"])
@pytest.mark.parametrize("kind", ["3x4", "4x3", "unframed"])
def test_a_beam_wide_enough_finds_a_perfect_board(kind: str, order: str) -> None:
    """No child is lost where all fit in: what exists is found, and the boards are whole and true."""
    instance = unframed(2, 3, 1) if kind == "unframed" else generate(*map(int, kind.split("x")), seed=4)[0]
    assert perfect_boards(instance) > 0
    search = BeamSearch(instance, fill_order(instance.rows, instance.columns, order, 2))
    boards, _ = search.run(60_000, RNG(1))
    assert count_mismatches(instance, boards[0]) == 0
    problem = EdgeMatching(instance)
    assert all(problem.evaluate(board).feasible for board in boards)
    found = {tuple(board) for board in boards if count_mismatches(instance, board) == 0}
    assert len(found) == min(100, perfect_boards(instance))


@pytest.mark.parametrize("exhaustion", [0, 3])
def test_keys_are_mismatches(exhaustion: int) -> None:
    """The first board of a layer has the fewest mismatches; worths of colours that have all been laid are alike."""
    instance, _ = generate(6, 6, seed=2)
    search = BeamSearch(instance, fill_order(6, 6, "rows"), exhaustion=exhaustion)
    boards, states = search.run(500, RNG(3))
    counts = [count_mismatches(instance, board) for board in boards if (board != EMPTY).all()]
    assert counts == sorted(counts)
    assert 500 <= states <= 36 * 500
    assert counts[0] * STEP < 10 * STEP


def test_runs_are_reproducible() -> None:
    """The same seed gives the same boards, another one others."""
    instance, _ = generate(8, 8, seed=5)
    search = BeamSearch(instance, fill_order(8, 8, "rows"), exhaustion=3, until=0.6)
    first, again, other = (search.run(300, RNG(seed))[0][0] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_hints_are_kept() -> None:
    """Hinted pieces lie in their places and nowhere else, with and without a rotation, from any corner."""
    instance, solution = generate(6, 6, seed=8)
    cells = (0, 14, 21, 35)
    hints = tuple(Hint(cell, int(solution[cell]) // 4, int(solution[cell]) % 4) for cell in cells)
    problem = EdgeMatching(replace(instance, hints=(*hints[:-1], replace(hints[-1], rotation=None))))
    for corner in ("nearest", "top-left", "top-right", "bottom-left", "bottom-right"):
        outcome = Beam(width=200, beams=1, corner=corner).build(problem, Budget(), RNG(1))
        assert outcome.solution is not None
        assert problem.evaluate(outcome.solution).feasible
        assert all(outcome.solution[cell] >> 2 == solution[cell] >> 2 for cell in cells)


def test_wider_is_better() -> None:
    """On a board of 10 x 10 a beam of 2,000 leaves fewer mismatches than one of 20, over three seeds."""
    instance, _ = generate(10, 10, seed=1)
    search = BeamSearch(instance, fill_order(10, 10, "rows"), exhaustion=3, until=0.6)

    def total(width: int) -> int:
        return sum(count_mismatches(instance, search.run(width, RNG(seed))[0][0]) for seed in range(3))

    assert total(2000) < total(20)


def test_more_colours_than_a_byte_holds() -> None:
    """A board whose joints all have colours of their own is put together at once."""
    instance, _ = generate(12, 12, frame_colours=44, inner_colours=220, seed=1)
    assert instance.colours == 265
    boards, _ = BeamSearch(instance, fill_order(12, 12, "rows")).run(64, RNG(1))
    assert count_mismatches(instance, boards[0]) == 0


def test_limits() -> None:
    """Work ends a beam within a layer; the target ends the search; memory bounds the width."""
    problem = EdgeMatching(generate(8, 8, seed=3)[0])
    budget = Budget(work=20)
    outcome = Beam(width=1000).build(problem, budget, RNG(1))
    assert budget.spent_work <= 30
    assert problem.evaluate(outcome.solution).feasible
    easy = Beam(width=1000).build(problem, Budget(target=40), RNG(1))
    assert easy.objective is not None
    assert easy.objective <= 40
    assert bytes_of(problem.instance, 1000) == 1000 * bytes_of(problem.instance, 1)
    budget = Budget()
    Beam(width=1 << 20, width_max=1 << 20, memory=1, beams=1).build(problem, budget, RNG(1))
    assert budget.spent_work < 64 * (1 << 20) // bytes_of(problem.instance, 1)


@pytest.mark.parametrize("options", [
    {"width": 0}, {"width": 9, "width_max": 8}, {"growth": 0}, {"beams": 0}, {"exhaustion": -1}, {"until": 1.5},
    {"order": "spiral"}, {"corner": "middle"}, {"memory": 0}, {"comb": 0},
])  # fmt: skip
def test_bad_options(options: dict[str, object]) -> None:
    """Each is named."""
    with pytest.raises(ConfigurationError, match=next(iter(options))):
        Beam(**options)  # type: ignore[arg-type]


def late_hints(size: int, *cells: int) -> EdgeMatching:
    """A puzzle with hints in the second half of the scan, from whatever corner it begins."""
    instance, solution = generate(size, size, seed=3)
    hints = tuple(Hint(cell, int(solution[cell]) // 4, int(solution[cell]) % 4) for cell in cells)
    return EdgeMatching(replace(instance, hints=hints))


def test_beams_before_backtracking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where hints lie late, backtracking begins with beams, which come to better boards than it does alone."""
    problem, found = late_hints(12, 40, 90, 103), []
    for _ in range(2):
        outcome = Backtracking().build(problem, Budget(work=3000), RNG(1))
        assert problem.evaluate(outcome.solution).feasible
        assert outcome.objective is not None
        found.append(outcome.objective)
        monkeypatch.setattr(Backtracking, "_with_beams", lambda *_: False)
    assert found[0] < found[1]


def test_a_limited_call_makes_few_beams() -> None:
    """With `nodes` a call ends after three beams and so many placements, however much time there is."""
    problem = late_hints(9, 29, 50, 59)
    budget = Budget(seconds=1000.0, clock=lambda: 0.0)  # time stands still
    outcome = Backtracking(nodes=1_000).build(problem, budget, RNG(1))
    assert problem.evaluate(outcome.solution).feasible
