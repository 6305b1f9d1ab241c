"""The structured clique search of boards and windows."""

from __future__ import annotations

import numpy as np
import pytest
from problems.edge_matching.brute_force import perfect_boards

from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.problems.edge_matching import EMPTY, EdgeMatching, Instance, generate
from matheur.problems.edge_matching.operators.board_tools import count_mismatches
from matheur.problems.edge_matching.operators.region import Region
from matheur.problems.edge_matching.operators.region_methods import CliqueOptions
from matheur.problems.edge_matching.operators.scanning import Scan
from matheur.problems.edge_matching.operators.structured_clique import StructuredClique

RNG = np.random.default_rng


def scan_of(instance: Instance, **options: object) -> Scan:
    every = np.arange(instance.cells)
    empty = np.full(instance.cells, EMPTY, dtype=np.int32)
    return Scan(instance, empty, every, every, RNG(1), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [(3, 3), (3, 4), (4, 3)])
def test_an_exhaustive_search_finds_every_perfect_board(size: tuple[int, int]) -> None:
    """Without slips and restarts, as many fillings are passed as there are perfect boards."""
    instance, _ = generate(*size, seed=3)
    scan = scan_of(instance, slips=0, restart=None)
    boards = set()
    while True:
        scan.done = False  # a perfect board is no reason to stop here
        scan.mismatches = 1 << 30
        if not scan.advance(10**6):
            break
        assert scan.best is not None
        assert count_mismatches(instance, scan.best) == 0
        boards.add(scan.best.tobytes())
    assert len(boards) == perfect_boards(instance)


@pytest.mark.parametrize("holes", [False, True])
def test_fillings_are_boards_and_get_better(holes: bool) -> None:
    """Each filling is a valid board with fewer mismatches than the one before; slips count what they should."""
    instance, _ = generate(6, 6, seed=5)
    problem = EdgeMatching(instance)
    scan = scan_of(instance, slips=4, holes=holes, opening=0.3, restart=200_000)
    before = 1 << 30
    found = 0
    for _ in range(40):
        if scan.advance(200_000):
            assert scan.best is not None
            evaluation = problem.evaluate(scan.best)
            assert evaluation.feasible
            assert evaluation.objective == scan.mismatches < before
            assert scan.slips <= 4
            assert holes or scan.slips == scan.mismatches
            before, found = scan.mismatches, found + 1
        if scan.done:
            break
    assert found > 0
    assert scan.mismatches <= 4


def test_slices_do_not_change_the_course() -> None:
    """One call or many: the same fillings after the same placements."""
    instance, _ = generate(5, 5, seed=2)
    runs = []
    for room in (50_000, 777):
        scan, seen = scan_of(instance, slips=3, restart=9_000, opening=0.4), []
        while scan.nodes < 50_000 and not scan.done:
            if scan.advance(min(room, 50_000 - scan.nodes)):
                seen.append((scan.nodes, scan.mismatches, scan.best.tobytes()))  # type: ignore[union-attr]
        runs.append(seen)
    assert runs[0] == runs[1]


def test_windows_keep_their_surroundings() -> None:
    """A window of a solved board is filled perfectly again from its own pieces; nothing else changes."""
    instance, solved = generate(7, 7, seed=4)
    cells = np.array([row * 7 + column for row in range(2, 6) for column in range(1, 5)])
    board = solved.copy()
    scan = Scan(instance, board, cells, board[cells] >> 2, RNG(1), slips=0, restart=None)
    assert scan.advance(10**7)
    assert scan.best is not None
    assert count_mismatches(instance, scan.best) == 0
    outside = np.setdiff1d(np.arange(49), cells)
    assert np.array_equal(scan.best[outside], solved[outside])
    assert not Scan(instance, board, cells[:0], cells[:0], RNG(1)).advance(10)


def test_unframed_boards_and_hints_are_searched_too() -> None:
    """Colour 0 may then be anywhere; hints keep their cells."""
    instance, solved = generate(4, 4, seed=6)
    torn = Instance(3, 3, np.array([[1, 2, 3, 0], [3, 1, 0, 2], [0, 1, 2, 2]] * 3, dtype=np.int16))
    scan = scan_of(torn, slips=12, opening=0.0, restart=None)
    scan.advance(10**6)
    assert scan.best is None or EdgeMatching(torn).evaluate(scan.best).objective == scan.mismatches
    problem = EdgeMatching(instance)
    outcome = StructuredClique().build(problem, Budget(work=50_000), RNG(1))
    assert (outcome.objective, outcome.bound) == (0, 0)
    assert problem.evaluate(outcome.solution).feasible
    assert count_mismatches(instance, solved) == 0


def test_the_construction_solves_a_6_by_6_board() -> None:
    """A perfect board within 50 million placements, by work and so reproducible."""
    problem = EdgeMatching(generate(6, 6, seed=1)[0])
    runs = [StructuredClique().build(problem, Budget(work=50_000), RNG(2)) for _ in range(2)]
    assert all(run.objective == 0 and run.status is Status.IMPROVED for run in runs)
    assert np.array_equal(runs[0].solution, runs[1].solution)
    for options in ({"nodes": 0}, {"slips": -1}, {"restart": 0}, {"opening": 1.5}):
        with pytest.raises(ConfigurationError):
            StructuredClique(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options", [{"method": "structured"}, {"method": "clique", "clique": CliqueOptions(search="partition", tries=1)}]
)
def test_windows_with_faults_are_mended(options: dict[str, object]) -> None:
    """As methods of `region`, both searches mend a solved board of which two pieces were exchanged, and say so."""
    instance, solved = generate(6, 6, seed=9)
    problem = EdgeMatching(instance)
    start = solved.copy()
    start[[14, 21]] = solved[[21, 14]]
    before = problem.evaluate(start).objective
    assert before > 0
    region = Region(rows=3, columns=3, iterations=4, seconds=None, nodes=200_000, **options)  # type: ignore[arg-type]
    outcome = region.explore(problem, start, Budget(work=100_000), RNG(1))
    assert outcome.status in (Status.IMPROVED, Status.LOCAL_OPTIMUM)
    assert problem.evaluate(outcome.solution).objective == outcome.objective < before
