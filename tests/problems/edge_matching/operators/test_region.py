"""Region optimisation by its three methods, border optimisation, and the windows they work on."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest

from matheur.engine import Budget, ProofMemory, Status
from matheur.engine.budget import OutOfBudgetError
from matheur.errors import ConfigurationError
from matheur.methods.milp import SolverOptions
from matheur.problems.edge_matching import EMPTY, Board, EdgeMatching
from matheur.problems.edge_matching.builtin import builtin, builtin_solution
from matheur.problems.edge_matching.operators.border import Border
from matheur.problems.edge_matching.operators.exact_region import region_cost
from matheur.problems.edge_matching.operators.proof_windows import window_cells, window_costs, window_key
from matheur.problems.edge_matching.operators.random_board import RandomBoard
from matheur.problems.edge_matching.operators.region import Region
from matheur.problems.edge_matching.operators.region_methods import CliqueOptions

METHODS = [
    Region(method="exact", rows=3, columns=3),
    Region(method="milp", rows=3, columns=3),
    Region(method="milp", rows=2, columns=3, solver=SolverOptions("scip")),
    Region(method="clique", rows=4, columns=4),
]


def rng(seed: int = 5) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture
def problem() -> EdgeMatching:
    return EdgeMatching(builtin("6x6"))


@pytest.fixture
def board(problem: EdgeMatching) -> Board:
    found = RandomBoard().build(problem, Budget(), rng()).solution
    assert found is not None
    return found


def small() -> tuple[EdgeMatching, Board]:
    """A puzzle whose windows are all proved in a short time, and a random board."""
    problem = EdgeMatching(builtin("4x4"))
    found = RandomBoard().build(problem, Budget(), rng()).solution
    assert found is not None
    return problem, found


@pytest.mark.parametrize("operator", METHODS, ids=lambda one: f"{one.method}-{one.solver.name}")
def test_every_method_improves_a_random_board(problem: EdgeMatching, board: Board, operator: Region) -> None:
    """Four windows of a random board gain something, and the claim is what the evaluator says."""
    outcome = replace(operator, iterations=4).explore(problem, board, Budget(), rng())
    evaluation = problem.evaluate(outcome.solution)
    assert evaluation.feasible
    assert evaluation.objective == outcome.objective
    assert outcome.objective < problem.evaluate(board).objective


def test_many_unused_pieces_may_fill_a_window() -> None:
    """The exact method draws as many of them as it can handle, and then proves nothing."""
    problem, budget = EdgeMatching(builtin("10x10")), Budget(proofs=ProofMemory())
    empty = np.full(100, EMPTY, dtype=np.int32)
    outcome = Region(nodes=2_000, iterations=3).explore(problem, empty, budget, rng())
    evaluation = problem.evaluate(outcome.solution)
    assert evaluation.feasible
    assert evaluation.objective == outcome.objective
    assert outcome.objective < problem.score_max
    assert not len(budget.proofs)


def test_more_holes_than_an_exact_search_can_check() -> None:
    """After a clique of one vertex, nearly the whole board is a hole, which a solver fills."""
    problem = EdgeMatching(builtin("9x9"))
    board = RandomBoard().build(problem, Budget(), rng()).solution
    assert board is not None
    clique = CliqueOptions(selections=1, tries=1)
    region = Region(method="clique", rows=9, columns=9, iterations=1, nodes=0, clique=clique)
    outcome = region.explore(problem, board, Budget(), rng())
    assert outcome.solution is None or problem.evaluate(outcome.solution).feasible


def scrambled(cells: list[int]) -> Board:
    """The hidden perfect board with some inner pieces moved on by one cell and turned."""
    board = builtin_solution("6x6").copy()
    board[cells] = np.roll(board[cells], 1) ^ 1
    return board


@pytest.mark.parametrize("operator", METHODS, ids=lambda one: f"{one.method}-{one.solver.name}")
def test_every_method_repairs_a_scrambled_window(problem: EdgeMatching, operator: Region) -> None:
    """A perfect board with three neighbouring pieces out of place is made perfect again."""
    outcome = replace(operator, iterations=20).explore(problem, scrambled([14, 15, 20]), Budget(), rng())
    assert outcome.objective == 0


@pytest.mark.parametrize("method", ["exact", "milp"])
def test_proofs_are_remembered_until_something_changes(method: str) -> None:
    """When all windows are proved optimal, a second call does no work, and on another board it works again."""
    problem, board = small()
    operator = Region(method=method, rows=2, columns=2, iterations=1000, sideways=False)  # type: ignore[arg-type]
    proofs = ProofMemory()
    first = operator.explore(problem, board, Budget(proofs=proofs), rng())
    assert first.status is Status.LOCAL_OPTIMUM
    assert len(proofs) > 0
    best = first.solution
    idle, busy = Budget(proofs=proofs), Budget(proofs=proofs)
    again = operator.explore(problem, best, idle, rng(6))
    assert again.status is Status.LOCAL_OPTIMUM
    assert idle.spent_work == 0
    operator.explore(problem, board, busy, rng(7))
    assert busy.spent_work > 0


def test_exact_and_milp_prove_the_same_windows() -> None:
    """A board that one exact method leaves without a better window is a local optimum of the other too."""
    problem, board = small()
    exact = Region(method="exact", rows=2, columns=3, iterations=1000, sideways=False)
    found = exact.explore(problem, board, Budget(), rng()).solution
    milp = Region(method="milp", rows=2, columns=3, iterations=1000)
    outcome = milp.explore(problem, found, Budget(proofs=ProofMemory()), rng())
    assert outcome.status is Status.LOCAL_OPTIMUM
    assert outcome.solution is None


@pytest.mark.parametrize(("seconds", "given"), [(0, 0), (3.0, 3.0), (None, 100), (1000.0, 100)])
def test_the_time_limit_of_a_region_applies_to_its_clique(
    seconds: float | None, given: float, problem: EdgeMatching, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if it is 0, which is no time at all."""
    asked: list[float] = []

    def search(*_: object, seconds: float, **more: object) -> object:
        asked.append(seconds)
        raise OutOfBudgetError

    monkeypatch.setattr("matheur.problems.edge_matching.operators.region_methods.search", search)
    board = RandomBoard().build(problem, Budget(), rng()).solution
    assert board is not None
    operator = Region(method="clique", rows=3, columns=3, iterations=1, seconds=seconds)
    operator.explore(problem, board, Budget(seconds=100), rng())
    assert asked == [pytest.approx(given, abs=50)] if given == 100 else asked == [given]


@pytest.mark.skipif(shutil.which("cliquer") is None, reason="the external solver cliquer is not installed")
def test_any_command_can_be_the_clique_solver(problem: EdgeMatching) -> None:
    """A region's clique may come from an external program."""
    options = CliqueOptions(command="cliquer -qq {file}")
    operator = Region(method="clique", rows=3, columns=3, clique=options, iterations=20)
    assert operator.explore(problem, scrambled([14, 15, 20]), Budget(), rng()).objective == 0


@pytest.mark.parametrize("solver", ["highs", "scip"])
def test_border_is_laid_optimally(problem: EdgeMatching, solver: str) -> None:
    """A shuffled border around a perfect inside becomes perfect, and the proof is remembered."""
    solution = builtin_solution("6x6")
    shuffled = RandomBoard().build(problem, Budget(), rng()).solution
    assert shuffled is not None
    ring = problem.instance.outside.any(axis=1)
    board = np.where(ring, shuffled, solution).astype(np.int32)
    operator, proofs = Border(solver=SolverOptions(solver)), ProofMemory()
    outcome = operator.explore(problem, board, Budget(proofs=proofs), rng())
    assert outcome.objective == 0
    assert outcome.status is Status.LOCAL_OPTIMUM
    budget = Budget(proofs=proofs)
    again = operator.explore(problem, outcome.solution, budget, rng())
    assert again.status is Status.LOCAL_OPTIMUM
    assert budget.spent_work == 0


def test_window_costs_agree_with_a_plain_count(problem: EdgeMatching, board: Board) -> None:
    """The vectorised mismatches by window are those of `region_cost`."""
    windows = window_cells(problem.instance, 3, 2)
    assert len(windows) == 4 * 5
    costs = window_costs(problem.instance, board, windows)
    assert costs.tolist() == [region_cost(problem.instance, board, cells) for cells in windows]


def test_window_key_depends_on_pieces_and_surroundings_only(problem: EdgeMatching, board: Board) -> None:
    """A change of a neighbouring colour makes another key, a change far away does not."""
    cells = window_cells(problem.instance, 2, 2)[0]
    key = window_key(problem.instance, board, cells)
    far, near = board.copy(), board.copy()
    far[[28, 27]] = far[[27, 28]]
    near[14], near[8] = near[8], near[14]
    assert window_key(problem.instance, far, cells) == key
    assert window_key(problem.instance, near, cells) != key


def test_bad_options_are_refused() -> None:
    """A window without cells, or one too large for branch and bound, is a configuration error."""
    with pytest.raises(ConfigurationError, match="at least 1"):
        Region(rows=0)
    with pytest.raises(ConfigurationError, match="too large"):
        Region(method="exact", rows=8, columns=8)


@pytest.mark.parametrize("method", ["exact", "milp"])
def test_grown_regions_improve_a_random_board(problem: EdgeMatching, board: Board, method: str) -> None:
    """Regions of any shape gain, and change no more cells than they have."""
    operator = Region(method=method, grow=9, around=2, iterations=1, nodes=20_000)  # type: ignore[arg-type]
    gains = 0
    for seed in range(8):
        outcome = operator.explore(problem, board, Budget(), rng(seed))
        if outcome.solution is not None:
            assert problem.evaluate(outcome.solution).objective == outcome.objective
            assert np.count_nonzero(outcome.solution != board) <= 9
            gains += outcome.status is Status.IMPROVED
    assert gains > 0


def test_distant_faults_exchange_pieces_in_one_region(problem: EdgeMatching) -> None:
    """Two pieces that lie in each other's far place: no window of the size, but one region around both."""
    spoilt = builtin_solution("6x6").copy()
    spoilt[[7, 28]] = spoilt[[28, 7]]
    faults = problem.evaluate(spoilt).objective
    windows = Region(rows=3, columns=3, iterations=100, sideways=False).explore(problem, spoilt, Budget(), rng())
    assert windows.objective != 0
    both = Region(grow=12, around=int(faults), iterations=50).explore(problem, spoilt, Budget(), rng())
    assert (both.objective, both.status) == (0, Status.LOCAL_OPTIMUM)


def test_proofs_of_grown_regions_are_remembered(problem: EdgeMatching, board: Board) -> None:
    """A region that was proved is not drawn again, and nothing is claimed of all of them."""
    budget = Budget()
    operator = Region(grow=2, iterations=400, sideways=False)
    first = operator.explore(problem, board, budget, rng())
    assert len(budget.proofs) > 10
    best = board if first.solution is None else first.solution
    assert operator.explore(problem, best, budget, rng(1)).status is not Status.LOCAL_OPTIMUM


@pytest.mark.parametrize("options", [{"grow": -1}, {"around": 0}, {"grow": 49}])
def test_impossible_grown_regions_are_refused(options: dict[str, int]) -> None:
    """The message names the value."""
    with pytest.raises(ConfigurationError, match=str(next(iter(options.values())))):
        Region(**options)  # type: ignore[arg-type]
