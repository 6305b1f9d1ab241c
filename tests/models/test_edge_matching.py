"""The edge-matching models against exhaustive search, the paper's table and each other.

The oracles stand in this file: a helper module in a folder called `models` would hide the package's own.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pyomo.environ as pyo
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from matheur.errors import ConfigurationError
from matheur.models.edge_matching import border, full, region
from matheur.models.edge_matching.blocks import FORMULATIONS, BuiltModel, exclude
from matheur.problems.edge_matching.instance import EMPTY, Board, Hint, Instance
from matheur.solvers import MilpSolution, MilpStatus, SolveRequest, get_backend

REQUEST = SolveRequest(absolute_gap=0.999)
FEW = settings(max_examples=10, suppress_health_check=list(HealthCheck))


# Oracles that share nothing with the models.


def side(instance: Instance, placement: int, position: int) -> int:
    """The colour at a side, straight from the definition."""
    piece, rotation = divmod(int(placement), 4)
    return int(instance.pieces[piece, (position - rotation) % 4])


def mismatches(instance: Instance, board: Board) -> int:
    """Joints between two filled cells whose colours differ."""
    grid = np.asarray(board).reshape(instance.rows, instance.columns)
    count = 0
    for r in range(instance.rows):
        for c in range(instance.columns):
            if grid[r, c] == EMPTY:
                continue
            if c + 1 < instance.columns and grid[r, c + 1] != EMPTY:
                count += side(instance, grid[r, c], 1) != side(instance, grid[r, c + 1], 3)
            if r + 1 < instance.rows and grid[r + 1, c] != EMPTY:
                count += side(instance, grid[r, c], 2) != side(instance, grid[r + 1, c], 0)
    return count


def frame_is_right(instance: Instance, board: Board) -> bool:
    """With a frame, colour 0 shows exactly on the edge of the board (empty cells are ignored)."""
    if not (instance.pieces == 0).any():
        return True
    for cell, placement in enumerate(np.asarray(board).tolist()):
        row, column = divmod(cell, instance.columns)
        edge = (row == 0, column == instance.columns - 1, row == instance.rows - 1, column == 0)
        if placement != EMPTY and any((side(instance, placement, s) == 0) != edge[s] for s in range(4)):
            return False
    return True


def fillings(instance: Instance, board: Board, cells: list[int], pieces: list[int]) -> list[Board]:
    """Every way to fill the cells from the pieces, frame respected."""
    found = []
    for chosen in permutations(pieces, len(cells)):
        for turns in product(range(4), repeat=len(cells)):
            filled = np.array(board)
            filled[cells] = [4 * piece + turn for piece, turn in zip(chosen, turns, strict=True)]
            if frame_is_right(instance, filled):
                found.append(filled)
    return found


def random_instance(seed: int, rows: int, columns: int, colours: int, *, framed: bool, solvable: bool) -> Instance:
    """A puzzle cut from a random board (`solvable`) or with every inner side drawn by itself."""
    rng = np.random.default_rng(seed)
    across = rng.integers(1, colours + 1, size=(rows, columns + 1))
    down = rng.integers(1, colours + 1, size=(rows + 1, columns))
    if framed:
        across[:, [0, -1]] = 0
        down[[0, -1], :] = 0
    pieces = [[down[r, c], across[r, c + 1], down[r + 1, c], across[r, c]] for r in range(rows) for c in range(columns)]
    made = np.array(pieces)
    if not solvable:
        made = np.where(made == 0, 0, rng.integers(1, colours + 1, size=made.shape))
    turned = [np.roll(piece, rng.integers(4)) for piece in made]
    return Instance(rows, columns, np.array(turned)[rng.permutation(rows * columns)])


def random_board(instance: Instance, seed: int) -> Board:
    """A full board that respects the frame, otherwise random: pieces of each kind on cells of that kind."""
    rng = np.random.default_rng(seed)
    board = np.full(instance.cells, EMPTY, dtype=np.int32)
    fits = instance.fits
    pieces = rng.permutation(instance.cells).tolist()
    for cell in range(instance.cells):
        for piece in pieces:
            turns = np.flatnonzero(fits[4 * piece : 4 * piece + 4, cell])
            if turns.size:
                board[cell] = 4 * piece + rng.choice(turns)
                pieces.remove(piece)
                break
    return board


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Puzzles of up to nine pieces."""
    return random_instance(
        draw(st.integers(0, 10**6)),
        draw(st.integers(2, 3)),
        draw(st.integers(2, 3)),
        draw(st.integers(1, 4)),
        framed=draw(st.booleans()),
        solvable=draw(st.booleans()),
    )


def solve(built: BuiltModel, backend: str = "highs", request: SolveRequest = REQUEST) -> MilpSolution:
    return get_backend(backend).solve(built.model, request)


def check_board(instance: Instance, board: Board) -> None:
    """Complete, every piece once, frame right."""
    assert sorted((board // 4).tolist()) == list(range(instance.cells))
    assert frame_is_right(instance, board)


@pytest.mark.parametrize(
    ("size", "variables", "constraints"),
    [(3, 336, 126), (4, 1048, 288), (5, 2540, 630), (6, 5244, 1056), (7, 9688, 1638), (8, 16496, 2624)],
)
def test_unfiltered_model_has_the_papers_sizes(data: Path, size: int, variables: int, constraints: int) -> None:
    """Table 1 of Salassa et al. 2017, on the contest instances that it was made with."""
    text = (data / "edge_matching/brendan_set2_meta2010" / f"pieces_{size:02d}x{size:02d}.txt").read_text()
    pieces = np.array([[int(word) for word in line.split()] for line in text.splitlines()[1:] if line.strip()])
    model = full.build(Instance(size, size, pieces), "gap", frame_filter=False).model
    assert len(list(model.component_data_objects(pyo.Var))) == variables
    assert len(list(model.component_data_objects(pyo.Constraint))) == constraints


@pytest.mark.parametrize("backend", ["highs", "scip"])
@FEW
@given(instance=instances())
def test_formulations_agree_on_the_whole_board(backend: str, instance: Instance) -> None:
    """`gap` and `match` have the same optimum, which is the board's; `exact` has a solution if and only if it is 0."""
    optima = {}
    for formulation in ("gap", "match"):
        built = full.build(instance, formulation)
        answer = solve(built, backend)
        assert answer.status is MilpStatus.OPTIMAL
        board = built.read(answer.values)
        check_board(instance, board)
        assert round(answer.objective or 0) + built.constant == mismatches(instance, board)
        optima[formulation] = mismatches(instance, board)
    assert optima["gap"] == optima["match"]
    built = full.build(instance, "exact")
    answer = solve(built, backend)
    if optima["gap"] == 0:
        board = built.read(answer.values)
        check_board(instance, board)
        assert mismatches(instance, board) == 0
    else:
        assert answer.status is MilpStatus.INFEASIBLE


@pytest.mark.parametrize("backend", ["highs", "scip"])
@FEW
@given(instance=instances(), seed=st.integers(0, 10**6), size=st.integers(1, 3), holes=st.integers(0, 2))
def test_region_is_filled_as_well_as_exhaustive_search_fills_it(
    backend: str, instance: Instance, seed: int, size: int, holes: int
) -> None:
    """Any set of cells, empty cells outside, spare pieces: all formulations find the true optimum."""
    rng = np.random.default_rng(seed)
    board = random_board(instance, seed)
    order = rng.permutation(instance.cells)
    cells, empty = sorted(order[:size].tolist()), order[size : size + holes]
    spare = (board[empty] // 4).tolist()
    board[empty] = EMPTY
    pieces = (board[cells] // 4).tolist() + spare
    best = min(mismatches(instance, filled) for filled in fillings(instance, board, cells, pieces))
    before = board.copy()
    for formulation in FORMULATIONS:
        built = region.build(instance, board, cells, spare, formulation)
        answer = solve(built, backend)
        if formulation == "exact" and best > built.constant:
            assert answer.status is MilpStatus.INFEASIBLE
            continue
        assert answer.status is MilpStatus.OPTIMAL
        filled = built.read(answer.values)
        assert frame_is_right(instance, filled)
        assert set((filled[cells] // 4).tolist()) <= set(pieces)
        assert len(set((filled[cells] // 4).tolist())) == size
        assert (np.delete(filled, cells) == np.delete(board, cells)).all()
        assert mismatches(instance, filled) == best == round(answer.objective or 0) + built.constant
    assert (board == before).all()


def test_unfiltered_model_has_the_same_optimum() -> None:
    """The frame constraints say what the filter says."""
    instance = random_instance(5, 3, 3, 3, framed=True, solvable=False)
    optima = set()
    for frame_filter in (True, False):
        for formulation in ("gap", "match"):
            built = full.build(instance, formulation, frame_filter=frame_filter)
            answer = solve(built)
            board = built.read(answer.values)
            check_board(instance, board)
            optima.add(mismatches(instance, board))
    assert len(optima) == 1


def test_joints_are_counted() -> None:
    """The model sees joints between free cells and with placed neighbours, not with empty cells."""
    instance = random_instance(1, 3, 3, 2, framed=False, solvable=True)
    board = random_board(instance, 2)
    assert full.build(instance).joints == instance.joints == 12
    assert region.build(instance, board, [4]).joints == 4
    board[1] = EMPTY
    assert region.build(instance, board, [4, 5]).joints == 5


def test_hinted_cell_keeps_its_piece() -> None:
    """A hint holds in the whole model, filtered or not, and in a region over it."""
    plain = random_instance(3, 3, 3, 4, framed=True, solvable=True)
    board = random_board(plain, 4)
    piece, rotation = divmod(int(board[4]), 4)
    for hint in (Hint(4, piece, rotation), Hint(4, piece)):
        instance = replace(plain, hints=(hint,))
        for built in (
            full.build(instance, "match"),
            full.build(instance, "gap", frame_filter=False),
            region.build(instance, board, [1, 4, 5]),
        ):
            filled = built.read(solve(built).values)
            assert filled[4] // 4 == piece
            assert hint.rotation is None or filled[4] % 4 == rotation


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_exclusion_cuts_enumerate_all_fillings(formulation: str) -> None:
    """Solving and excluding in turn lists each perfect filling exactly once (constraint (17))."""
    instance = random_instance(11, 2, 2, 6, framed=False, solvable=True)
    empty = np.full(4, EMPTY, dtype=np.int32)
    perfect = {tuple(b) for b in fillings(instance, empty, [0, 1, 2, 3], [0, 1, 2, 3]) if not mismatches(instance, b)}
    built = full.build(instance, formulation)
    found = set()
    for _ in range(len(perfect) + 1):
        answer = solve(built)
        if answer.objective is None or answer.objective > 0.5:
            break
        board = built.read(answer.values)
        assert tuple(board) not in found
        found.add(tuple(board))
        exclude(built, board)
    assert found == perfect
    assert len(perfect) >= 4


def test_excluding_what_the_model_cannot_place_changes_nothing() -> None:
    """A board that `exact` has ruled out already needs no cut."""
    instance = random_instance(3, 3, 3, 4, framed=True, solvable=True)
    board = random_board(instance, 1)
    assert mismatches(instance, board) > 0
    built = region.build(instance, board, range(9), (), "exact")
    before = len(list(built.model.component_data_objects(pyo.Constraint)))
    exclude(built, np.full(9, EMPTY, dtype=np.int32))
    assert len(list(built.model.component_data_objects(pyo.Constraint))) == before


@pytest.mark.parametrize("backend", ["highs", "scip"])
@pytest.mark.parametrize("formulation", ["gap", "match"])
def test_start_is_the_first_incumbent(backend: str, formulation: str) -> None:
    """A board written into the model is where the solver starts."""
    instance = random_instance(8, 4, 4, 4, framed=True, solvable=True)
    board = random_board(instance, 9)
    built = region.build(instance, board, range(16), (), formulation)
    assert built.start(board)
    answer = solve(built, backend, replace(REQUEST, warm_start=True, nodes=1))
    assert round(answer.trace[0].objective) <= mismatches(instance, board)
    assert answer.objective is not None


def test_partial_start_leaves_variables_without_value() -> None:
    """Empty cells and placements that are no candidates are left open."""
    instance = random_instance(8, 3, 3, 4, framed=True, solvable=True)
    board = random_board(instance, 9)
    built = region.build(instance, board, range(9), (), "match")
    assert built.start(board)
    holed = board.copy()
    holed[4] = EMPTY
    assert not built.start(holed)
    open_cells = {int(c) for v, c in zip(built.variables, built.cell, strict=True) if v.value is None}
    assert open_cells == {4}


def test_border_is_laid_again_around_a_fixed_inside() -> None:
    """Only the outer ring changes, and it gets no worse (border optimisation)."""
    instance = random_instance(21, 4, 4, 2, framed=True, solvable=True)
    board = random_board(instance, 3)
    assert border.ring(instance).tolist() == [0, 1, 2, 3, 4, 7, 8, 11, 12, 13, 14, 15]
    built = border.build(instance, board)
    answer = solve(built)
    filled = built.read(answer.values)
    check_board(instance, filled)
    inside = [5, 6, 9, 10]
    assert (filled[inside] == board[inside]).all()
    assert mismatches(instance, filled) == round(answer.objective or 0) + built.constant
    assert mismatches(instance, filled) < mismatches(instance, board)


def test_costs_choose_among_equals() -> None:
    """With costs on placements, `exact` returns the cheapest perfect filling."""
    instance = random_instance(11, 2, 2, 2, framed=False, solvable=True)
    empty = np.full(4, EMPTY, dtype=np.int32)
    perfect = [b for b in fillings(instance, empty, [0, 1, 2, 3], [0, 1, 2, 3]) if not mismatches(instance, b)]
    for seed in range(3):
        costs = np.random.default_rng(seed).random(16)
        cheapest = min(costs[b].sum() for b in perfect)
        for formulation, table in (("exact", costs), ("exact", np.tile(costs[:, None], (1, 4)))):
            answer = solve(full.build(instance, formulation, costs=table), request=SolveRequest())
            assert answer.objective == pytest.approx(cheapest)
        small_costs = full.build(instance, "match", costs=costs / 100)
        answer = solve(small_costs, request=SolveRequest())
        assert answer.objective == pytest.approx(cheapest / 100)


def test_unfillable_regions_are_infeasible_in_every_formulation() -> None:
    """Too few pieces, or none of the right kind, is a proof and not a crash."""
    instance = random_instance(3, 3, 3, 4, framed=True, solvable=True)
    board = np.full(9, EMPTY, dtype=np.int32)
    corner = int(np.flatnonzero(instance.piece_class == 2)[0])
    for formulation in FORMULATIONS:
        for spare in ((), (corner,)):
            for backend in ("highs", "scip"):
                built = region.build(instance, board, [4, 5], spare, formulation)
                assert solve(built, backend).status is MilpStatus.INFEASIBLE


def test_wrong_calls_name_the_value() -> None:
    """Bad formulations, cells and spare pieces are refused where they are given."""
    instance = random_instance(3, 3, 3, 4, framed=True, solvable=True)
    board = random_board(instance, 1)
    with pytest.raises(ConfigurationError, match="Maybe 'match'"):
        full.build(instance, "macth")
    with pytest.raises(ValueError, match=r"\[9\]"):
        region.build(instance, board, [9])
    with pytest.raises(ValueError, match="needs cells"):
        region.build(instance, board, [])
    with pytest.raises(ValueError, match="lies on the board"):
        region.build(instance, board, [4], [int(board[0]) // 4])


def test_variables_carry_readable_names() -> None:
    """Tile from 1, row and column from 0, rotation."""
    instance = random_instance(3, 2, 2, 2, framed=False, solvable=True)
    built = full.build(instance, "match")
    first = built.variables[0]
    assert first.name == "x[1,0,0,0]"
    assert (built.placement[0], built.cell[0]) == (0, 0)


def test_plain_import_of_the_folder_is_refused() -> None:
    """The folder is installed as `matheur.models`; a second copy under another name would be a trap."""
    source = (Path(full.__file__).parents[1] / "__init__.py").read_text()
    with pytest.raises(ImportError, match=r"matheur\.models"):
        exec(compile(source, "models/__init__.py", "exec"), {"__name__": "models"})
