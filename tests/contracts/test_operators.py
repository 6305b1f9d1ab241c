"""What every registered construction and neighbourhood promises, see `matheur.engine.protocols`."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from contracts import cubical, edge_matching, grid_puzzles, max_clique, party, quadratic_assignment

from matheur.engine import Budget, Outcome, OutOfBudgetError, Status
from matheur.engine.operators import Kind, operator_class, operator_entries
from matheur.errors import ConfigurationError
from matheur.methods.clique import adapters
from matheur.problems import problem_types
from matheur.running.building import build_operator

HIGHS = {"name": "highs"}
PATIENCE = 10.0  # seconds, many times what a stop needs


@dataclass(frozen=True)
class Bench:
    """Instances of a problem for its operators.

    Names, how to make one, its best objective, an incumbent that is not optimal, work that shows something, and calls
    after which a neighbourhood that has claimed no local optimum counts as one that never does.
    """

    names: tuple[str, ...]
    make: Callable[[str], Any]
    optimum: Callable[[Any], int]
    incumbent: Callable[[Any], Any]
    work: int
    claims: int = 10


BENCHES = {
    "edge-matching": Bench(
        tuple(edge_matching.PUZZLES), edge_matching.puzzle, lambda _: 0, edge_matching.some_board, work=40
    ),
    "cubical": Bench(cubical.PUZZLES, cubical.puzzle, cubical.optimum, cubical.some_plan, work=2000),
    "sliding-tile": Bench(
        grid_puzzles.TILES, grid_puzzles.tiles, grid_puzzles.optimum, grid_puzzles.some_plan, work=2000
    ),
    "lights-out": Bench(
        grid_puzzles.LIGHTS, grid_puzzles.lights, grid_puzzles.optimum, grid_puzzles.some_plan, work=2000
    ),
    "sokoban": Bench(grid_puzzles.LEVELS, grid_puzzles.level, grid_puzzles.optimum, grid_puzzles.some_plan, work=2000),
    "rubik": Bench(grid_puzzles.CUBES, grid_puzzles.cube, grid_puzzles.optimum, grid_puzzles.some_plan, work=2000),
    "party": Bench(party.PUZZLES, party.puzzle, party.optimum, party.some_party, work=500),
    "quadratic-assignment": Bench(
        quadratic_assignment.NAMES,
        quadratic_assignment.problem,
        quadratic_assignment.optimum,
        quadratic_assignment.some_permutation,
        work=500,
    ),
    "max-clique": Bench(
        max_clique.NAMES, max_clique.problem, max_clique.optimum, max_clique.some_clique, work=500, claims=3
    ),
}


@dataclass(frozen=True)
class Operator:
    """A registered operator."""

    problem: str
    kind: Kind
    name: str

    def __str__(self) -> str:
        return f"{self.problem}-{self.kind}-{self.name}"

    def make(self, options: Mapping[str, Any] | None = None) -> Any:
        return build_operator(self.problem, self.kind, self.name, options or {}, HIGHS)

    def run(self, problem: Any, budget: Budget, seed: int = 1, incumbent: Any = None) -> Outcome[Any]:
        """A call; one that lets an `OutOfBudgetError` pass has found nothing, as for the engine."""
        rng = np.random.default_rng(seed)
        try:
            if self.kind == "construction":
                return self.make().build(problem, budget, rng)
            begin = BENCHES[self.problem].incumbent(problem) if incumbent is None else incumbent
            return self.make().explore(problem, begin, budget, rng)
        except OutOfBudgetError:
            return Outcome(Status.EXHAUSTED)


OPERATORS = [
    Operator(problem, kind, entry.name)
    for problem in problem_types.names()
    for kind in ("construction", "neighbourhood")
    for entry in operator_entries(problem, kind)
    if entry.name != "external" or any(program.available for program in adapters().values())
]
SLOW = {("milp-full", "4x5")}
RUNS = [
    pytest.param(
        operator, name, id=f"{operator}-{name}", marks=[pytest.mark.slow] if (operator.name, name) in SLOW else []
    )
    for operator in OPERATORS
    for name in BENCHES[operator.problem].names
]


def plain(problem: Any, outcome: Outcome[Any]) -> tuple[Any, ...]:
    """All of an outcome that must not depend on the clock."""
    solution = None if outcome.solution is None else problem.encode(outcome.solution)
    return outcome.status, solution, outcome.objective, outcome.bound, outcome.reason


def test_every_problem_has_operators() -> None:
    """The suite runs over something: each problem has a bench, a construction and a neighbourhood."""
    kinds = {(operator.problem, operator.kind) for operator in OPERATORS}
    assert kinds == {(problem, kind) for problem in BENCHES for kind in ("construction", "neighbourhood")}
    assert set(BENCHES) == set(problem_types.names())


@pytest.mark.parametrize(("operator", "name"), RUNS)
def test_the_answer_is_what_it_claims(operator: Operator, name: str) -> None:
    """Twice the same from seed and work; the incumbent is unchanged; claims, offers, bound and work are true."""
    bench = BENCHES[operator.problem]
    problem = bench.make(name)
    offered: list[tuple[int | float, int | float, bool]] = []

    def check(solution: Any, claimed: int | float) -> None:
        evaluation = problem.evaluate(solution)
        offered.append((claimed, evaluation.objective, evaluation.feasible))

    begin = bench.incumbent(problem)
    before = problem.digest(begin)
    budgets = [Budget(work=bench.work, on_incumbent=check) for _ in range(2)]
    first, second = (operator.run(problem, budget, incumbent=begin) for budget in budgets)
    assert plain(problem, first) == plain(problem, second)
    assert budgets[0].spent_work == budgets[1].spent_work
    assert problem.digest(begin) == before

    assert all(claimed == true and feasible for claimed, true, feasible in offered)
    assert first.bound is None or first.bound <= bench.optimum(problem)
    booked = budgets[0].spent_work
    if first.solution is None:
        assert first.status is not Status.IMPROVED
    else:
        evaluation = problem.evaluate(first.solution)
        assert evaluation.feasible, evaluation.violations
        assert first.objective in (None, evaluation.objective)
        if problem.digest(first.solution) != before:
            assert booked > 0
        if operator.kind == "neighbourhood" and first.status is Status.IMPROVED:
            assert evaluation.objective < problem.evaluate(begin).objective
    if operator.kind == "construction":
        assert first.solution is not None or offered or first.status is Status.EXHAUSTED
    assert booked > 0


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_stops_when_asked(operator: Operator) -> None:
    """A budget that is interrupted, now or soon, out of time or out of work ends the call, with a true answer."""
    bench = BENCHES[operator.problem]
    problem = bench.make(bench.names[0])
    operator.run(problem, Budget(work=1))  # compiles kernels

    asked = 0

    def soon() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    for budget in (Budget(interrupt=lambda: True), Budget(interrupt=soon), Budget(seconds=0.0), Budget(work=0)):
        begin = time.process_time()  # of this process alone: a busy machine makes nobody late
        outcome = operator.run(problem, budget)
        assert time.process_time() - begin < PATIENCE
        if outcome.solution is not None:
            evaluation = problem.evaluate(outcome.solution)
            assert evaluation.feasible
            assert outcome.objective in (None, evaluation.objective)


@pytest.mark.parametrize("operator", [one for one in OPERATORS if one.kind == "neighbourhood"], ids=str)
def test_a_proved_local_optimum_is_one(operator: Operator) -> None:
    """Where a neighbourhood claims a local optimum, it finds nothing better with any seed and without its memory."""
    bench = BENCHES[operator.problem]
    problem = bench.make(bench.names[0])
    current, budget, claimed = bench.incumbent(problem), Budget(), False
    for seed in range(bench.claims):
        outcome = operator.run(problem, budget, seed, current)
        if outcome.solution is not None and outcome.objective <= problem.evaluate(current).objective:  # type: ignore[operator]
            current = outcome.solution
        if outcome.status is Status.LOCAL_OPTIMUM:
            claimed = True
            break
    objective = problem.evaluate(current).objective
    if not claimed:
        pytest.skip("this neighbourhood makes no such claim here")
    for seed in range(100, 110):
        outcome = operator.run(problem, Budget(), seed, current)
        assert outcome.status is not Status.IMPROVED
        assert outcome.objective is None or outcome.objective >= objective


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_options_are_documented_and_checked(operator: Operator) -> None:
    """Every option stands in the docstring; an unknown one is an error that names the nearest."""
    cls = operator_class(operator.problem, operator.kind, operator.name)
    assert cls.__doc__
    assert dataclasses.is_dataclass(cls)
    names = [field.name for field in dataclasses.fields(cls) if field.init]
    assert [name for name in names if name not in cls.__doc__] == []
    with pytest.raises(ConfigurationError, match=r"unknown option .*zzz'\. Maybe"):
        operator.make({"zzz": 1})
    for name in names:
        with pytest.raises(ConfigurationError, match=rf"unknown option .*{name}y'\. Maybe"):
            operator.make({f"{name}y": 1})
        with pytest.raises(ConfigurationError, match=name):
            operator.make({name: {"no": {"such": "value"}}})
