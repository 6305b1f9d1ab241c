"""Neighbourhoods that let the MILP solver search a part of the solutions."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from contracts import milp
from numpy.random import Generator
from numpy.typing import NDArray

import matheur
from matheur.engine import Budget, LocalSearch, Named, Outcome, Status
from matheur.errors import FailedSolveError, SolverError
from matheur.linear.lp_reader import read_lp
from matheur.methods.milp import SolverOptions, solve_arrays
from matheur.problems.milp import Milp, starts
from matheur.problems.milp.operators import finder, neighbourhood, polish, relax_and_fix, relaxation
from matheur.problems.milp.operators.crossover import Crossover
from matheur.problems.milp.operators.graph import Graph
from matheur.problems.milp.operators.groups import Groups
from matheur.problems.milp.operators.kernel import Kernel
from matheur.problems.milp.operators.local_branching import LocalBranching
from matheur.problems.milp.operators.mutation import Mutation
from matheur.problems.milp.operators.neighbourhood import End, LargeNeighbourhood
from matheur.problems.milp.operators.objective import Objective
from matheur.problems.milp.operators.parts import for_parts
from matheur.problems.milp.operators.proximity import Proximity
from matheur.problems.milp.operators.reduced_cost import ReducedCost
from matheur.problems.milp.operators.rens import Rens
from matheur.problems.milp.operators.rins import Rins
from matheur.problems.milp.operators.state import State
from matheur.problems.milp.operators.walk import Walk
from matheur.solvers import get_backend
from matheur.solvers.linear_task import Restriction


@cache
def knapsacks() -> Milp:
    """Forty items and three sacks with room for some of them; taking nothing is a solution."""
    rng = np.random.default_rng(7)
    weights, worth = rng.integers(10, 100, size=(3, 40)), rng.integers(10, 100, size=40)

    def total(numbers: NDArray[np.int64]) -> str:
        return " + ".join(f"{number} x{item}" for item, number in enumerate(numbers))

    rows = "\n".join(f" sack{sack}: {total(row)} <= {row.sum() // 3}" for sack, row in enumerate(weights))
    names = " ".join(f"x{item}" for item in range(40))
    return Milp(read_lp(f"maximize\n obj: {total(worth)}\nsubject to\n{rows}\nbinary\n {names}\nend\n"))


def search(problem: Milp, *neighbourhoods: Any) -> LocalSearch[Any]:
    return LocalSearch(problem, None, [Named(f"n{index}", one) for index, one in enumerate(neighbourhoods)])


def test_sizes_follow_what_the_solver_can_do() -> None:
    """Quick proofs make the part larger, until all is free and the incumbent is proved optimal."""
    problem, budget = knapsacks(), Budget(iterations=60)
    operator = Mutation(size=5, nodes=100_000)
    result = search(problem, operator).run(budget, start=np.zeros(40))
    assert result.stopped == "optimal"
    assert result.objective == result.bound
    assert result.bound_source == "n0"
    assert budget.memory[repr(operator)] == 40
    hard = Budget(iterations=1)
    outcome = Mutation(size=40, nodes=1).explore(problem, result.solution, hard, np.random.default_rng(0))
    assert outcome.status in (Status.NO_IMPROVEMENT, Status.LOCAL_OPTIMUM)
    if outcome.status is Status.NO_IMPROVEMENT:
        assert hard.memory[repr(Mutation(size=40, nodes=1))] == 24


@dataclass(frozen=True, slots=True)
class Ends(LargeNeighbourhood):
    """Searches nothing: the parts end as they are told to, the last one of a call at the limit."""

    ends: list[End] = dataclasses.field(default_factory=list, repr=False)  # the run knows it by what is shown
    sizes: list[int] = dataclasses.field(default_factory=list, repr=False)

    def choose(self, state: State, rng: Generator) -> Restriction | None:
        self.sizes.append(state.size)
        return state.freed(state.first(np.zeros(len(state.whole)), rng))

    def _search(self, *_: Any) -> tuple[Outcome[Any], bool]:
        return Outcome(Status.NO_IMPROVEMENT), True

    def _end(self, *_: Any) -> End:
        return self.ends.pop(0)


def test_a_size_that_was_too_large_is_come_near_to_gently() -> None:
    """Until then parts are doubled; afterwards others of nearly the same size are drawn in the same call."""
    operator, budget, rng = Ends(size=10, ends=[End.EMPTY, End.EMPTY, End.LIMIT]), Budget(), np.random.default_rng(0)
    operator.explore(knapsacks(), np.zeros(40), budget, rng)
    assert operator.sizes == [10, 20, 40]
    again = Ends(size=10, ends=[End.EMPTY, End.QUICK, End.EMPTY, End.LIMIT])
    again.explore(knapsacks(), np.zeros(40), budget, rng)
    assert again.sizes == [24, 26, 29, 32]


def test_others_begin_smaller_where_a_part_was_too_large() -> None:
    """In proportion to their own sizes; where the last one became larger they begin with their own."""

    @dataclass(frozen=True, slots=True)
    class Noted(LargeNeighbourhood):
        ends: End = End.LIMIT
        sizes: list[int] = dataclasses.field(default_factory=list)

        def choose(self, state: State, rng: Generator) -> Restriction | None:
            self.sizes.append(state.size)
            return state.freed(state.first(np.zeros(len(state.whole)), rng))

        def _end(self, *_: Any) -> End:
            return self.ends

    problem, budget, rng = knapsacks(), Budget(), np.random.default_rng(0)

    def first_size(operator: Noted) -> int:
        operator.explore(problem, np.zeros(40), budget, rng)
        return operator.sizes[0]

    assert first_size(Noted(size=30)) == 30
    assert first_size(Noted(size=20, ends=End.SLOW)) == 12
    Proximity(size=100).explore(problem, np.zeros(40), budget, rng)
    assert first_size(Noted(size=10, ends=End.QUICK)) == 6
    larger = Noted(size=8, ends=End.GAIN)
    budget.memory[repr(larger)] = 32
    assert first_size(larger) == 32
    assert first_size(Noted(size=25, ends=End.GAIN)) == 25
    assert first_size(Noted(size=100, ends=End.GAIN)) == 40  # all that there is, which is no sign of anything
    assert first_size(Noted(size=24)) == 24


def test_a_resumed_run_goes_on_with_the_sizes_that_it_had() -> None:
    """Two halves are one whole, to the last bit."""
    problem = knapsacks()
    operators = [Mutation(size=5, nodes=20), Mutation(size=8, nodes=20)]
    whole = search(problem, *operators).run(Budget(iterations=5), start=np.zeros(40))
    half = search(problem, *operators).run(Budget(iterations=2), start=np.zeros(40))
    both = search(problem, *operators).run(Budget(iterations=5), state=half.state)
    assert both.state["memory"] == whole.state["memory"] != half.state["memory"]
    assert (both.objective, both.work, both.state["proofs"]) == (whole.objective, whole.work, whole.state["proofs"])


def test_a_neighbourhood_of_ones_own_is_one_method() -> None:
    """It says what is to be searched; a proof is remembered by what was free, whoever asks."""

    @dataclass(frozen=True, slots=True)
    class Halves(LargeNeighbourhood):
        asked: int = 0

        def choose(self, state: State, rng: Generator) -> Restriction | None:
            return None if self.asked else state.freed(state.whole[::2])

    problem, budget, rng = milp.problem("knapsack"), Budget(), np.random.default_rng(1)
    best = np.array([0.0, 1, 1, 1, 0])
    assert problem.evaluate(best).objective == milp.optimum(problem)
    assert Halves().explore(problem, best, budget, rng).status is Status.NO_IMPROVEMENT
    known = len(budget.proofs)
    assert known
    assert dataclasses.replace(Halves(), nodes=7).explore(problem, best, budget, rng).solution is None
    assert len(budget.proofs) == known
    assert Halves(asked=1).explore(problem, best, budget, rng).status is Status.NO_IMPROVEMENT


def state(problem: Milp, incumbent: NDArray[np.float64], size: int, budget: Budget | None = None) -> State:
    objective = problem.evaluate(incumbent).objective
    return State(problem, incumbent, objective, Budget() if budget is None else budget, SolverOptions(), size)


def free(problem: Milp, restriction: Restriction | None) -> list[int]:
    """Columns that a restriction leaves as they are in the model."""
    assert restriction is not None
    assert restriction.lower is not None
    assert restriction.upper is not None
    left = (restriction.lower == problem.model.lower) & (restriction.upper == problem.model.upper)
    return np.flatnonzero(left).tolist()


def test_crossover_frees_where_good_solutions_differ() -> None:
    """What all agree on is free only where the size leaves room; without other solutions nothing is searched."""
    problem, budget, rng = knapsacks(), Budget(), np.random.default_rng(3)
    assert Crossover().choose(state(problem, np.zeros(40), 5, budget), rng) is None
    other = np.zeros(40)
    other[[3, 8, 21]] = 1
    budget.elites.add(problem.digest(other), other, problem.evaluate(other).objective)
    assert free(problem, Crossover().choose(state(problem, np.zeros(40), 3, budget), rng)) == [3, 8, 21]
    assert {3, 8, 21} < set(free(problem, Crossover().choose(state(problem, np.zeros(40), 10, budget), rng)))
    assert len(free(problem, Crossover().choose(state(problem, np.zeros(40), 2, budget), rng))) == 2


def test_rins_frees_where_the_relaxation_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The relaxation is solved once for a model, at the same cost for whoever asks; the answer is a bound."""
    calls = []

    def counted(*args: Any, **named: Any) -> Any:
        calls.append(args)
        return solve_arrays(*args, **named)

    monkeypatch.setattr(relaxation, "solve_arrays", counted)
    problem, rng = Milp(dataclasses.replace(knapsacks().model)), np.random.default_rng(3)
    budgets = [Budget(), Budget()]
    root, again = (state(problem, np.zeros(40), 5, budget).relaxation for budget in budgets)
    assert root is again is not None
    assert len(calls) == 1
    assert [budget.spent_work for budget in budgets] == [1, 1]
    assert (
        root.objective
        >= search(problem, Mutation(size=40, nodes=10_000)).run(Budget(iterations=1), start=np.zeros(40)).objective * -1
    )
    differing = np.flatnonzero(root.values > 1e-6)
    some = Rins(variety=0).choose(state(problem, np.zeros(40), len(differing)), rng)
    assert free(problem, some) == differing.tolist()
    Rins(variety=1).choose(state(problem, np.zeros(40), 5), rng)
    assert len(calls) == 2


def test_reduced_costs_say_which_columns_are_free() -> None:
    """Those of columns between their bounds are 0; such columns are free first. Solvers that tell none are no error."""
    problem, rng = Milp(dataclasses.replace(knapsacks().model)), np.random.default_rng(3)
    begin = state(problem, np.zeros(40), 4)
    root = begin.relaxation
    assert root is not None
    assert root.reduced_costs is not None
    between = np.flatnonzero((root.values > 1e-6) & (root.values < 1 - 1e-6))
    assert len(between) in range(1, 4)
    assert np.abs(root.reduced_costs[between]).max() < 1e-9
    chosen = free(problem, ReducedCost().choose(begin, rng))
    assert set(between.tolist()) <= set(chosen)
    silent = dataclasses.replace(root, reduced_costs=None)
    relaxation._known[problem.model][repr(SolverOptions())] = silent, math.inf
    assert ReducedCost().choose(begin, rng) is None


def test_local_branching_counts_changes_of_binary_columns() -> None:
    """No more of them change than the size says; where all may change, the whole model is searched."""
    problem, rng = knapsacks(), np.random.default_rng(3)
    begin = np.zeros(40)
    begin[4] = 1
    found = LocalBranching(size=5, nodes=10_000).explore(problem, begin, Budget(), rng)
    assert found.solution is not None
    assert problem.difference(begin, found.solution) <= 10  # the size may have grown once
    rows = LocalBranching().choose(state(problem, begin, 5), rng).rows
    assert float((rows.matrix @ begin)[0]) == rows.upper[0] - 5
    assert LocalBranching().choose(state(problem, begin, 40), rng) == Restriction()


def test_proximity_asks_for_a_better_solution_that_is_near() -> None:
    """What it finds is better by the amount; the amount falls where there is no such solution."""
    problem, budget, rng = knapsacks(), Budget(), np.random.default_rng(3)
    operator = Proximity(size=1000, nodes=5)
    operator.explore(problem, np.zeros(40), budget, rng)
    assert budget.memory[repr(operator)] < 1000
    begin = state(problem, np.zeros(40), 100)
    restriction = operator.choose(begin, rng)
    wanted = begin.relaxation.objective / 10
    assert restriction.rows.lower[0] == pytest.approx(wanted)
    mixed = milp.problem("mixed")
    start, outcomes = milp.some_values(mixed), []
    for seed in range(3):
        outcome = Proximity(size=300).explore(mixed, start, Budget(), np.random.default_rng(seed))
        outcomes.append(outcome.objective)
        start = start if outcome.solution is None else outcome.solution
    assert any(objective is not None for objective in outcomes)


def test_graph_frees_columns_that_share_rows() -> None:
    """Columns of a chain of rows are taken from the middle to the ends; a row with nearly all columns says nothing."""
    names = [f"x{item}" for item in range(60)]
    links = "\n".join(f" l{item}: x{item} + x{item + 1} <= 1" for item in range(59))
    text = (
        f"minimize\n obj: x0\nsubject to\n{links}\n all: {' + '.join(names)} <= 50\nbinary\n {' '.join(names)}\nend\n"
    )
    problem = Milp(read_lp(text))
    for seed in range(5):
        found = free(problem, Graph().choose(state(problem, np.zeros(60), 7), np.random.default_rng(seed)))
        assert found == list(range(found[0], found[0] + 7))


def test_models_without_integer_or_binary_columns_are_taken() -> None:
    """A linear program is searched as a whole, or left alone."""
    plain = Milp(read_lp("maximize\n obj: x + y\nsubject to\n r: x + 2 y <= 4\nbounds\n x <= 3\nend\n"))
    for operator in (Mutation(), Rins(), ReducedCost(), Graph(), Crossover(), LocalBranching(), Proximity()):
        outcome = operator.explore(plain, np.zeros(2), Budget(), np.random.default_rng(1))
        assert outcome.objective == -3.5 or outcome.status is Status.NO_IMPROVEMENT


def test_runs_in_work_units_are_the_same_twice() -> None:
    """With all neighbourhoods, whatever was solved in between."""
    operators = [
        Mutation(size=5),
        Rins(size=5),
        ReducedCost(size=5),
        Crossover(size=5),
        Graph(size=5),
        LocalBranching(size=5),
        Proximity(),
    ]
    problems = [knapsacks(), Milp(dataclasses.replace(knapsacks().model))]
    one, two = (search(problem, *operators).run(Budget(work=60), start=np.zeros(40)) for problem in problems)
    assert (one.objective, one.work, one.iterations) == (two.objective, two.work, two.iterations)
    timed = ("seconds", "operators", "certificate")  # all that shows seconds
    first, second = ({key: shown for key, shown in one.items() if key not in timed} for one in (one.state, two.state))
    assert first == second


def test_the_whole_model_as_a_part_is_a_proof_of_optimality() -> None:
    """Also where no step of the objective is known; a bound comes from limits as well."""
    for name in milp.NAMES:
        problem = milp.problem(name)
        result = search(problem, Mutation()).run(Budget(iterations=9), start=milp.some_values(problem))
        assert (result.stopped, result.objective, result.bound) == ("optimal", milp.optimum(problem), result.objective)
    outcome = Mutation(size=40, nodes=1).explore(knapsacks(), np.zeros(40), Budget(), np.random.default_rng(0))
    assert outcome.bound is not None
    assert (
        outcome.bound <= search(knapsacks(), Mutation(size=40)).run(Budget(iterations=2), start=np.zeros(40)).objective
    )


def test_solvers_know_their_options_for_parts() -> None:
    """Each takes them, and those of the user count more."""
    problem = milp.problem("knapsack")
    for name in ("highs", "scip"):
        solver = SolverOptions(name)
        assert for_parts(solver).options
        outcome = Mutation(size=3, solver=solver).explore(problem, np.zeros(5), Budget(), np.random.default_rng(2))
        assert outcome.status is Status.IMPROVED
    own = SolverOptions("highs", options={"mip_detect_symmetry": True, "presolve": "off"})
    assert {**for_parts(own).options, **own.options} == for_parts(own).options


def test_a_proof_of_optimality_polishes_the_incumbent_first() -> None:
    """An incumbent that is worse by less than the gap of the solver is no optimum to the last digit."""
    text = "minimize\n obj: 1000 y + x\nsubject to\n r: x + y >= 1.5\nbounds\n x <= 10\nbinary\n y\nend\n"
    problem = Milp(read_lp(text))
    nearly = np.array([problem.model.column_names.index(name) for name in ("x", "y")])
    start = np.zeros(2)
    start[nearly] = (1.5 + 1e-9, 0)
    outcome = Mutation().explore(problem, start, Budget(), np.random.default_rng(1))
    assert (outcome.objective, outcome.bound) == (1.5, 1.5)


def test_solvers_without_limits_of_nodes_are_limited_by_seconds() -> None:
    """In a timed run; without seconds they are refused by name."""
    backend = get_backend("pyomo:glpk")
    if not backend.available():
        pytest.skip("GLPK is not here")
    problem, operator = milp.problem("knapsack"), Mutation(size=5, solver=SolverOptions("pyomo:glpk"))
    outcome = operator.explore(problem, np.zeros(5), Budget(seconds=30), np.random.default_rng(1))
    assert (outcome.objective, outcome.bound) == (19, 19)
    with pytest.raises(SolverError, match="no node limit"):
        operator.explore(problem, np.zeros(5), Budget(), np.random.default_rng(1))


def test_a_part_that_the_solver_fails_at_does_not_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, and the next part is smaller; what is wrong with the question is an error."""
    problem, rng, said = knapsacks(), np.random.default_rng(1), list[str]()

    def fails(*_: Any, **__: Any) -> Any:
        raise FailedSolveError("'highs' says that a solution was found, but it breaks the row r (7)")

    def note(text: str, *values: Any) -> None:
        said.append(text % values)

    with monkeypatch.context() as patch:
        patch.setattr(neighbourhood, "solve_arrays", fails)
        patch.setattr(relaxation, "solve_arrays", fails)
        patch.setattr(neighbourhood._log, "warning", note)
        patch.setattr(relaxation._log, "warning", note)
        budget = Budget()
        operator = Mutation(size=20)
        assert operator.explore(problem, np.zeros(40), budget, rng).status is Status.NO_IMPROVEMENT
        assert budget.memory[repr(operator)] == 12
        fresh = Milp(dataclasses.replace(problem.model))
        assert Rins().explore(fresh, np.zeros(40), Budget(), rng).status is Status.NO_IMPROVEMENT
    assert [text.partition(" was not solved")[0] for text in said] == ["a part of the model", "the linear relaxation"]
    wrong = Mutation(solver=SolverOptions(options={"no_such_option": 1}))
    with pytest.raises(SolverError, match="no_such_option"):
        wrong.explore(problem, np.zeros(40), Budget(), rng)


def test_failed_solves_do_not_end_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the continuous columns alone, of a window, of a start that lacks columns."""
    problem, rng = milp.problem("mixed"), np.random.default_rng(1)
    known = milp.some_values(problem)

    def fails(*_: Any, **__: Any) -> Any:
        raise FailedSolveError("SCIP failed: SCIP: error in LP solver!")

    for module in (neighbourhood, relax_and_fix, starts, finder):
        monkeypatch.setattr(module, "solve_arrays", fails)
    budget = Budget(work=100)
    assert polish.Polish().explore(problem, known, budget, rng).status is Status.NO_IMPROVEMENT
    found = relax_and_fix.RelaxAndFix().build(problem, budget, rng)  # by the solver
    assert found.objective == milp.optimum(problem)
    partial = np.where(problem.model.integral, known, np.nan)
    result = matheur.solve(problem, start=partial, construction="solver", neighbourhoods=[], work=100)
    assert result.status == "optimal"


def test_kernel_frees_what_is_used_and_a_bucket_of_the_cheapest_others() -> None:
    """With room for all used columns the rest is one bucket; with less, the bucket has its share of the size."""
    problem, rng = knapsacks(), np.random.default_rng(0)
    incumbent = np.zeros(40)
    incumbent[:2] = 1
    relaxed = relaxation.relaxation_of(problem.model, SolverOptions(), Budget())
    assert relaxed is not None
    used = set(np.flatnonzero(relaxed.values > 1e-6)) | {0, 1}
    for _ in range(4):
        chosen = free(problem, Kernel().choose(state(problem, incumbent, len(used) + 5), rng))
        assert set(chosen) >= used or len(used - set(chosen)) <= 0.3 * len(chosen)
        few = set(free(problem, Kernel(bucket=0.5).choose(state(problem, incumbent, 10), rng)))
        assert len(few) == 10
        assert len(few & used) == 5


def test_rens_keeps_what_is_whole_in_the_relaxation() -> None:
    """Fixed columns have its values, not those of the incumbent; columns that are not whole are free."""
    problem = knapsacks()
    relaxed = relaxation.relaxation_of(problem.model, SolverOptions(), Budget())
    assert relaxed is not None
    chosen = Rens(variety=0).choose(state(problem, np.zeros(40), 10), np.random.default_rng(0))
    left = set(free(problem, chosen))
    assert chosen is not None
    assert chosen.lower is not None
    assert len(left) == 10
    assert left >= set(np.flatnonzero(np.abs(relaxed.values - np.rint(relaxed.values)) > 1e-6))
    assert all(chosen.lower[column] == np.rint(relaxed.values[column]) for column in set(range(40)) - left)


def test_random_objectives_find_other_solutions_for_the_pool() -> None:
    """What is found may be worse than the incumbent by the slack; it goes to the pool and is no gain."""
    problem, budget = knapsacks(), Budget(work=10_000)
    best = Mutation(size=40, nodes=100_000).explore(problem, np.zeros(40), Budget(), np.random.default_rng(0)).solution
    assert best is not None
    known = problem.evaluate(best).objective
    for seed in range(3):
        Objective(size=30, slack=0.5).explore(problem, best, budget, np.random.default_rng(seed))
    found = budget.elites.entries()
    assert found
    assert all(elite.objective >= known and problem.evaluate(elite.solution).feasible for elite in found)


def test_the_walk_begins_at_the_incumbent_and_returns_gains_only() -> None:
    """From a poor solution it finds a better one, with the same work the same; from the best one nothing."""
    problem = knapsacks()
    runs = [Walk().explore(problem, np.zeros(40), Budget(work=50), np.random.default_rng(1)) for _ in range(2)]
    assert runs[0].status is Status.IMPROVED
    assert runs[0].objective == runs[1].objective
    best = Mutation(size=40, nodes=100_000).explore(problem, np.zeros(40), Budget(), np.random.default_rng(0)).solution
    assert best is not None
    assert Walk(passes=20).explore(problem, best, Budget(work=50), np.random.default_rng(1)).solution is None


@pytest.mark.parametrize("one", [Crossover(), Graph(), Groups(), Kernel(), Mutation(), Proximity(), Rens(), Rins()])
def test_a_model_without_integers_is_one_part(one: LargeNeighbourhood) -> None:
    """It is solved, and proved."""
    problem = Milp(read_lp("max\n o: x + 2 y\nst\n c: x + y <= 4\n d: x - y <= 3\nend\n"))
    budget = Budget(work=20)
    found = one.explore(problem, np.zeros(2), budget, np.random.default_rng(0))
    assert found.objective == -8
    assert found.bound == -8
