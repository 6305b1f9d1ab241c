"""Constructions without a tree: walks and dives."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from contracts import milp

import matheur
from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError, FailedSolveError, SolverError
from matheur.linear.lp_reader import read_lp
from matheur.methods.milp import SolverOptions
from matheur.problems.milp import Milp
from matheur.problems.milp.operators import core, other_solver
from matheur.problems.milp.operators import turns as turns_module
from matheur.problems.milp.operators import whole as whole_module
from matheur.problems.milp.operators.core import Core, CoreSearch
from matheur.problems.milp.operators.dive import Dive
from matheur.problems.milp.operators.feasibility_pump import FeasibilityPump
from matheur.problems.milp.operators.fix_and_propagate import FixAndPropagate
from matheur.problems.milp.operators.jump import Jump, JumpSearch
from matheur.problems.milp.operators.local_mip import LocalMip
from matheur.problems.milp.operators.other_solver import OtherSolver
from matheur.problems.milp.operators.portfolio import Portfolio
from matheur.problems.milp.operators.relax_and_fix import RelaxAndFix
from matheur.problems.milp.operators.relaxation import relaxation_of
from matheur.problems.milp.operators.rens import Rens
from matheur.problems.milp.operators.walk import Walk
from matheur.problems.milp.operators.whole import Whole
from matheur.problems.milp.operators.without_objective import WithoutObjective
from matheur.solvers import MilpStatus
from matheur.solvers.linear import LinearAnswer
from matheur.solvers.linear_task import Restriction

# Equations between binary columns, of which few choices are solutions, and a continuous column.
ASSIGN = [f" worker{i}: {' + '.join(f'x{i}{j}' for j in range(4))} = 1" for i in range(4)]
JOBS = [f" job{j}: {' + '.join(f'x{i}{j}' for i in range(4))} = 1" for j in range(4)]
COST = " + ".join(f"{(3 * i + 5 * j * i) % 7} x{i}{j}" for i in range(4) for j in range(4))
NAMES = " ".join(f"x{i}{j}" for i in range(4) for j in range(4))
MATCHING = "\n".join(
    [
        "min",
        f" o: {COST} + late",
        "st",
        *ASSIGN,
        *JOBS,
        " wait: late - 2.5 x00 - 1.5 x12 >= 0.5",
        "binary",
        NAMES,
        "end",
    ]
)


MAKERS = [
    "jump",
    "fix-and-propagate",
    "feasibility-pump",
    "dive",
    "without-objective",
    *(["local-mip"] if find_spec("localmip_py") else []),
]


@pytest.mark.parametrize("construction", MAKERS)
def test_equations_and_continuous_columns(construction: str) -> None:
    """A solution is found whose continuous columns are the best for its integers; the same work finds the same."""
    problem = Milp(read_lp(MATCHING))
    first, second = (
        matheur.solve(problem, construction=construction, neighbourhoods=[], work=40, seed=3) for _ in range(2)
    )
    assert first.status == "feasible"
    assert np.array_equal(first.solution, second.solution)
    assert first.work == second.work
    index = problem.model.column_index
    late = 0.5 + 2.5 * first.solution[index["x00"]] + 1.5 * first.solution[index["x12"]]
    assert first.solution[index["late"]] == pytest.approx(late)


@pytest.mark.parametrize("construction", ["jump", "feasibility-pump"])
def test_a_row_that_cannot_hold_is_named(construction: str) -> None:
    """Without a search, and confirmed by a solver."""
    text = "min\n o: x\nst\n a: x + y <= 1\n b: x - z >= 1\n c: y + z >= 1\nbinary\n x y z\nend\n"
    result = matheur.solve(Milp(read_lp(text)), construction=construction, neighbourhoods=[], work=10, certify=True)
    assert result.status == "infeasible"
    assert result.reason is not None
    assert "row " in result.reason
    assert result.certificate is not None
    assert result.certificate["method"] == "bound propagation"
    assert "second" in result.certificate


def test_local_mip_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its package, the construction says in one line which extra to install."""
    monkeypatch.setattr("matheur.solvers.local_mip.find_spec", lambda _name: None)
    with pytest.raises(ConfigurationError, match=r"^construction 'local-mip' needs Local-MIP.*'matheur\[localmip\]'"):
        matheur.solve(Milp(read_lp(MATCHING)), construction="local-mip", neighbourhoods=[], work=10)


@pytest.mark.skipif(not find_spec("localmip_py"), reason="the extra 'localmip' is not installed")
def test_local_mip_takes_a_start_and_rows_that_say_nothing() -> None:
    """An empty row and one without limits are left out, and a hint is where it begins."""
    text = MATCHING.replace(" wait:", " free: x00 + x11 >= -infinity\n none: 0 x00 <= 3\n wait:")
    problem = Milp(read_lp(text))
    start = np.zeros(problem.model.width)
    for number in range(4):
        start[problem.model.column_index[f"x{number}{number}"]] = 1
    result = matheur.solve(problem, construction="local-mip", neighbourhoods=[], work=10, start=start)
    assert result.status == "feasible"


def finds_nothing(whole: Whole, *_: object, **__: object) -> Outcome[Any]:
    """A solver that ends with nothing."""
    whole.begun = True
    return Outcome(Status.EXHAUSTED)


def searches_find_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """All searches without a tree end with nothing, from now on."""
    for one in (FixAndPropagate, Dive, FeasibilityPump, WithoutObjective):
        monkeypatch.setattr(one, "build", lambda *_: Outcome(Status.EXHAUSTED))
    for search in (CoreSearch, JumpSearch):
        monkeypatch.setattr(search, "run", lambda *_, **__: Outcome(Status.EXHAUSTED))
    monkeypatch.setattr(Rens, "explore", lambda *_: Outcome(Status.NO_IMPROVEMENT))


def test_the_portfolio_asks_the_relaxation_where_there_is_no_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dives with linear programs come before the solver, if searches without them find nothing; else they do not."""
    problem = Milp(read_lp(MATCHING))
    asked: list[str] = []

    def spied(kind: type, finds: bool) -> None:
        build = kind.build

        def build_or_not(self: object, *given: object) -> Outcome[np.ndarray]:
            asked.append(kind.__name__)
            return build(self, *given) if finds else Outcome(Status.EXHAUSTED)

        monkeypatch.setattr(kind, "build", build_or_not)

    for kind, finds in ((FixAndPropagate, True), (Jump, True), (Dive, True), (FeasibilityPump, True)):
        spied(kind, finds)
    Portfolio().build(problem, Budget(work=400), np.random.default_rng(1))
    assert asked == ["FixAndPropagate", "Jump"]
    asked.clear()
    for kind in (FixAndPropagate, Jump):
        spied(kind, False)
    Portfolio().build(problem, Budget(work=400), np.random.default_rng(1))
    assert asked == ["FixAndPropagate", "Jump", "Dive"]


def test_a_relaxation_is_tried_again_with_more_time() -> None:
    """One that was not solved within its seconds is solved when there are at least twice as many."""
    problem = Milp(read_lp(MATCHING))
    assert relaxation_of(problem.model, SolverOptions(), Budget(seconds=1e-9)) is None
    assert relaxation_of(problem.model, SolverOptions(), Budget(seconds=60)) is not None


def test_another_solver_is_asked_for_its_first_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    """It claims no bound, the same work finds the same, and where there is no other solver nothing is found."""
    problem = Milp(read_lp(MATCHING))
    asked: dict[str, Any] = {"construction": "other-solver", "neighbourhoods": [], "seed": 3}
    first, second = (matheur.solve(problem, work=40, **asked) for _ in range(2))
    assert (first.status, first.bound) == ("feasible", problem.trivial_bound)
    assert np.array_equal(first.solution, second.solution)
    assert matheur.solve(problem, seconds=5, solver="scip", **asked).status == "feasible"

    def none(first: str) -> None:
        raise SolverError(f"no other solver than {first}")

    monkeypatch.setattr(other_solver, "other_backend", none)
    assert matheur.solve(problem, work=40, **asked).status == "unknown"


def test_the_portfolio_asks_another_solver_where_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a solution, and with limits of work, it does not; `rens` is asked where that is far from the bound."""
    problem = Milp(read_lp(MATCHING))
    empty: Outcome[Any] = Outcome(Status.EXHAUSTED)
    searches_find_nothing(monkeypatch)
    monkeypatch.setattr(Whole, "run", finds_nothing)
    rng = np.random.default_rng(0)
    found = Portfolio().build(problem, Budget(seconds=20), rng)
    assert found.solution is not None
    assert Portfolio().build(problem, Budget(work=20), rng).solution is None
    poor = Outcome(Status.EXHAUSTED, found.solution, found.objective, bound=found.objective - 1e3)
    asked: list[str] = []
    monkeypatch.setattr(Rens, "explore", lambda *_: asked.append("rens") or Outcome(Status.NO_IMPROVEMENT))
    monkeypatch.setattr(OtherSolver, "build", lambda *_: asked.append("other") or empty)
    for outcome in (poor, Outcome(Status.EXHAUSTED, found.solution, found.objective, bound=0.95 * found.objective)):
        monkeypatch.setattr(JumpSearch, "run", lambda *_, outcome=outcome, **__: outcome)
        Portfolio().build(problem, Budget(seconds=20), rng)
    assert asked == ["rens"]


def test_the_solver_without_the_objective_waits_and_goes_on() -> None:
    """Called again it goes on with its tree; a proof that there is no solution holds for the model."""
    rng = np.random.default_rng(0)
    split, _ = milp.market_split(5, 40)
    hard = replace(split, upper=np.where(split.cost != 0, 0.0, split.upper))  # no row may be missed
    costly = Milp(replace(hard, cost=rng.integers(1, 9, hard.width).astype(float)))
    budget = Budget(seconds=60)
    for _ in range(2):
        assert WithoutObjective().build(costly, budget.child(seconds=1.0), rng).status is Status.EXHAUSTED
    [kept] = budget.kept.values()
    assert kept.solve.waits
    budget.close()
    text = "min\n o: x + y\nst\n a: 2 x + 2 y = 3\ngeneral\n x y\nbounds\n x <= 9\n y <= 9\nend\n"
    none = WithoutObjective().build(Milp(read_lp(text)), Budget(seconds=60), rng)
    assert none.status is Status.INFEASIBLE


@pytest.mark.parametrize("close", [False, True])
def test_without_a_solution_what_waits_has_turns(monkeypatch: pytest.MonkeyPatch, close: bool) -> None:
    """In each turn of the others, and in the first one of the solver; others wait until their parts have doubled.

    A local search that violates only a few rows has a second turn in the first round.
    """
    asked: list[str] = []
    searches_find_nothing(monkeypatch)
    monkeypatch.setattr(OtherSolver, "build", lambda *_: Outcome(Status.EXHAUSTED))

    def slow(whole: Whole, *_: object, seconds: float, **__: object) -> Outcome[Any]:
        asked.append("solver")
        time.sleep(min(0.05, seconds))
        return finds_nothing(whole)

    def noted(name: str, finds: bool = False) -> Any:
        def build(*_: object) -> Outcome[Any]:
            asked.append(name)
            over = finds and asked.count(name) == 3
            return Outcome(Status.IMPROVED, np.zeros(2), 0, bound=0) if over else Outcome(Status.EXHAUSTED)

        return build

    monkeypatch.setattr(Whole, "run", slow)
    monkeypatch.setattr(Whole, "unfinished", property(lambda _: True))
    monkeypatch.setattr(Dive, "build", noted("dive"))
    monkeypatch.setattr(WithoutObjective, "build", noted("without", finds=True))
    monkeypatch.setattr(JumpSearch, "close", property(lambda _: close))
    monkeypatch.setattr(JumpSearch, "run", lambda *_, **__: asked.append("jump") or Outcome(Status.EXHAUSTED))
    problem = Milp(read_lp("max\n o: x\nst\n c: x + y <= 10\nbounds\n x <= 9\n y <= 5\ngeneral\n x y\nend\n"))
    Portfolio(cp_sat=0.0).build(problem, Budget(seconds=20), np.random.default_rng(0))
    second = ["jump"] if close else []
    goes_on = ["solver", "jump", "without"]
    assert asked == ["solver", "jump", "solver", "jump", "dive", *second, "without", *goes_on, *goes_on]


@pytest.mark.parametrize(
    ("seconds", "bound", "found", "turn"),
    [
        (3.0, None, False, [1.5]),
        (20.0, None, False, [0.5, "jump", 1.5]),
        (20.0, None, True, [0.5, "jump", 1.5]),
        (20.0, -9, False, [1.5, "jump", 0.5]),
        (20.0, -9, True, [1.5, 0.5]),
    ],
)
def test_the_local_search_has_a_look_into_a_first_turn_that_is_not_short(
    monkeypatch: pytest.MonkeyPatch, seconds: float, bound: int | None, found: bool, turn: list[Any]
) -> None:
    """Later where the solver has a bound, as it may be done soon, and not if it has a solution as well."""
    asked: list[Any] = []
    passed = [0.0]
    searches_find_nothing(monkeypatch)

    def solve(whole: Whole, *_: object, seconds: float, pause: Callable[[], bool]) -> Outcome[Any]:
        began, whole.bound = passed[0], bound
        while passed[0] - began < seconds - 0.01 and not pause():
            passed[0] += 0.02
        asked.append(round(passed[0] - began, 1))
        if len(asked) == len(turn):
            return Outcome(Status.IMPROVED, np.zeros(2), 0, bound=0)
        return Outcome(Status.EXHAUSTED, np.zeros(2), 0, bound=bound) if found else finds_nothing(whole)

    monkeypatch.setattr(Whole, "run", solve)
    monkeypatch.setattr(Whole, "seconds", property(lambda _: passed[0]))
    monkeypatch.setattr(Whole, "unfinished", property(lambda _: True))
    monkeypatch.setattr(JumpSearch, "run", lambda *_, **__: asked.append("jump") or Outcome(Status.EXHAUSTED))
    problem = Milp(read_lp("max\n o: x\nst\n c: x + y <= 10\nbounds\n x <= 9\n y <= 5\ngeneral\n x y\nend\n"))
    Portfolio().build(problem, Budget(seconds=seconds), np.random.default_rng(0))
    assert asked == turn


def set_cover(columns: int, rows: int) -> Milp:
    """Every row wants one of its columns, which have costs."""
    rng = np.random.default_rng(8)
    costs = " + ".join(f"{cost} x{column}" for column, cost in enumerate(rng.integers(20, 60, columns)))
    chosen = [rng.choice(columns, 12, replace=False) for _ in range(rows)]
    text = "\n".join(f" r{row}: {' + '.join(f'x{one}' for one in ones)} >= 1" for row, ones in enumerate(chosen))
    return Milp(
        read_lp(f"min\n o: {costs}\nst\n{text}\nbinary\n {' '.join(f'x{one}' for one in range(columns))}\nend\n")
    )


def cores_noted(monkeypatch: pytest.MonkeyPatch) -> list[Restriction]:
    """The restrictions of all core problems that are solved from now on."""
    noted: list[Restriction] = []
    begin = core.begin_arrays

    def spied(*args: Any, restriction: Restriction, **named: Any) -> Any:
        noted.append(restriction)
        return begin(*args, restriction=restriction, **named)

    monkeypatch.setattr(core, "begin_arrays", spied)
    return noted


def test_core_problems_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until two fifths of the integer columns are free; nothing is proved of the model."""
    problem, noted = set_cover(400, 60), cores_noted(monkeypatch)
    search = CoreSearch(Core(columns=1.0), problem, time.monotonic)
    found = search.run(Budget(work=100_000), np.random.default_rng(1))
    free = [int((np.asarray(one.lower) < one.upper).sum()) for one in noted]
    assert len(free) > 2
    assert free == sorted(free)
    assert free[-1] == 160
    assert search.over
    assert found.bound is None
    whole = matheur.solve(problem, construction="solver", neighbourhoods=[], seconds=60)
    assert (whole.status, whole.objective) == ("optimal", found.objective)


def test_a_core_problem_holds_the_best_known_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the solver can begin with it; where it is far away from the relaxation it is left out."""
    problem, noted = set_cover(400, 60), cores_noted(monkeypatch)
    greedy = np.zeros(400)
    for row in range(60):
        own = problem.model.columns[problem.model.starts[row] : problem.model.starts[row + 1]]
        if not greedy[own].any():
            greedy[own[-1]] = 1.0
    for known in (greedy, np.ones(400)):
        objective = problem.evaluate(known).objective
        best = Outcome(Status.EXHAUSTED, known, objective)
        monkeypatch.setattr(core, "best_known", lambda _, best=best: best)
        found = CoreSearch(Core(columns=2.0), problem, time.monotonic).run(
            Budget(work=100_000), np.random.default_rng(1)
        )
        assert found.objective is not None
        assert found.objective < objective
    first, *_, last = noted
    assert ((first.lower <= greedy) & (greedy <= first.upper)).all()
    assert not (np.ones(400) <= last.upper).all()


def test_a_core_problem_waits_and_goes_on() -> None:
    """In a timed run; a model without integer columns has none, nor has one of which most would belong to it."""
    budget, rng = Budget(seconds=60), np.random.default_rng(0)
    hard = Milp(milp.market_split(5, 40)[0])
    Core().build(hard, budget.child(seconds=0.5), rng)
    [kept] = budget.kept.values()
    assert isinstance(kept, CoreSearch)
    before = kept.seconds
    Core().build(hard, budget.child(seconds=0.5), rng)
    assert list(budget.kept.values()) == [kept]
    assert kept.over or kept.seconds > before
    budget.close()
    linear = Milp(read_lp("max\n o: x\nst\n c: x + y <= 10\nend\n"))
    for none in (linear, Milp(read_lp(MATCHING))):  # of the second one the first core would have nearly all columns
        assert Core().build(none, Budget(seconds=60), rng).solution is None


@pytest.mark.parametrize(("columns", "near"), [(1200, 0.8), (1200, 0.95), (400, 0.8)])
def test_core_problems_have_turns_in_large_models(monkeypatch: pytest.MonkeyPatch, columns: int, near: float) -> None:
    """In the first turn where the gap is large, else after the second turn of the solver; what they find is kept."""
    problem, asked = set_cover(columns, 60), list[str]()
    known = Outcome(Status.EXHAUSTED, np.ones(columns), problem.evaluate(np.ones(columns)).objective)
    known = replace(known, bound=near * known.objective)
    better = replace(known, objective=known.objective - 1, bound=None)

    def solve(whole: Whole, *_: object, **__: object) -> Outcome[Any]:
        asked.append("solver")
        whole.begun = True
        return known

    def search(*_: object, **__: object) -> Outcome[Any]:
        asked.append("core")
        return better

    searches_find_nothing(monkeypatch)
    monkeypatch.setattr(Walk, "explore", lambda *_: Outcome(Status.NO_IMPROVEMENT))
    monkeypatch.setattr(Whole, "run", solve)
    monkeypatch.setattr(Whole, "unfinished", property(lambda _: asked.count("solver") < 4))
    monkeypatch.setattr(CoreSearch, "run", search)
    found = Portfolio().build(problem, Budget(seconds=60), np.random.default_rng(0))
    large = columns == 1200
    first_turn = ["solver", "solver"]
    assert asked[:3] == [*first_turn, "core" if large and near == 0.8 else "solver"]
    assert ("core" in asked) == large
    assert found.objective == (better if large else known).objective


def test_a_local_search_is_paused_where_it_gains_nothing_and_goes_on_where_it_was() -> None:
    """In turns it does what it does in one piece; with nothing better for some seconds it ends its turn."""
    problem = set_cover(300, 150)
    whole = JumpSearch(Jump(), problem, Budget(work=60), np.random.default_rng(2))
    at_once = whole.run(Budget(work=60))
    search = JumpSearch(Jump(), problem, Budget(work=60), np.random.default_rng(2))
    values = [search.run(Budget(work=10)).objective for _ in range(6)]
    assert values[-1] == at_once.objective
    assert values == sorted(values, reverse=True)
    before = search.seconds
    search.run(Budget(seconds=60.0), patience=0.0)
    assert before < search.seconds < before + 30.0
    assert not search.over


def test_a_local_search_knows_whether_it_came_close() -> None:
    """To a point that violates few rows, even if it has restarted since; with a solution there is none to come."""
    split, _ = milp.market_split(5, 40)
    hard = Milp(replace(split, upper=np.where(split.cost != 0, 0.0, split.upper)))  # no row may be missed
    search = JumpSearch(Jump(restart=1), hard, Budget(work=60), np.random.default_rng(0))
    assert not search.close
    assert search.run(Budget(work=60)).solution is None
    assert search.close
    easy = JumpSearch(Jump(), set_cover(60, 30), Budget(work=60), np.random.default_rng(0))
    assert easy.run(Budget(work=20)).solution is not None
    assert not easy.close


def test_the_portfolio_walks_on_as_long_as_it_gains(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the best solution so far; a call that gains next to nothing is the last one."""
    problem = Milp(read_lp("max\n o: x\nst\n c: x + y <= 1000\nbounds\n x <= 900\n y <= 5\ngeneral\n x y\nend\n"))
    begun: list[float] = []

    def build(*_: Any) -> Outcome[Any]:
        return Outcome(Status.IMPROVED, np.array([100.0, 0.0]), -100)

    def explore(_: Walk, __: Milp, incumbent: Any, *___: Any) -> Outcome[Any]:
        begun.append(incumbent[0])
        value = incumbent[0] + (50 if len(begun) < 3 else 1)
        return Outcome(Status.IMPROVED, np.array([value, 0.0]), -int(value))

    searches_find_nothing(monkeypatch)
    monkeypatch.setattr(OtherSolver, "build", lambda *_: Outcome(Status.EXHAUSTED))
    monkeypatch.setattr(JumpSearch, "run", lambda *_, **__: build())
    monkeypatch.setattr(Whole, "run", finds_nothing)
    monkeypatch.setattr(Walk, "explore", explore)
    found = Portfolio().build(problem, Budget(seconds=20), np.random.default_rng(0))
    assert begun == [100, 150, 200]
    assert found.objective == -201


def test_a_solver_that_fails_loses_nothing_that_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The portfolio keeps the solution of the others; without one the failure is an error."""
    problem = Milp(read_lp(MATCHING))

    def fail(whole: Whole, *_: object, **__: object) -> None:
        whole.begun = True
        raise FailedSolveError("'highs' died without an answer")

    monkeypatch.setattr(Whole, "run", fail)
    found = Portfolio().build(problem, Budget(seconds=5), np.random.default_rng(1))
    assert found.solution is not None
    searches_find_nothing(monkeypatch)
    monkeypatch.setattr(OtherSolver, "build", lambda *_: Outcome(Status.EXHAUSTED))
    with pytest.raises(FailedSolveError, match="died"):
        Portfolio().build(problem, Budget(seconds=5), np.random.default_rng(1))


@pytest.mark.parametrize("construction", ["jump", "fix-and-propagate", "portfolio"])
def test_large_bounds_of_integers_are_kept(construction: str) -> None:
    """A solution beyond them would be better than the bound of the objective that follows from them."""
    text = "max\n o: x + y - 9999990 z\nst\n c: x - y <= 1e7\n d: x + y >= 3\nbounds\n x <= 5000000\n y <= 5000000\n"
    problem = Milp(read_lp(text + " z = 1\ngeneral\n x y\nend\n"))
    found = matheur.solve(problem, construction=construction, neighbourhoods=["jump"], work=100)
    assert (found.status, found.objective) == ("optimal", 10)


@pytest.mark.parametrize(
    ("status", "bound", "limits"),
    [
        (MilpStatus.OPTIMAL, 2.0, {"work": 50}), (MilpStatus.FEASIBLE, 1.9, {"work": 50}),
        (MilpStatus.INFEASIBLE, None, {"work": 50}), (MilpStatus.FEASIBLE, 1.9, {"seconds": 3.0}),
    ],
)  # fmt: skip
def test_a_solver_does_not_refute_the_solutions_of_others(
    monkeypatch: pytest.MonkeyPatch, status: MilpStatus, bound: float | None, limits: dict[str, Any]
) -> None:
    """Its bound or its proof of infeasibility does not count if a search has found a solution that it excludes."""
    problem = Milp(read_lp("min\n o: x + y\nst\n c: x + y >= 1.5\nbounds\n x <= 9\n y <= 9\ngeneral\n x\nend\n"))
    values = None if status is MilpStatus.INFEASIBLE else np.ones(2)
    claim = LinearAnswer(status, values, None if values is None else 2.0, bound, 1, 0.0, "liar", "1")
    searches_find_nothing(monkeypatch)
    monkeypatch.setattr(FixAndPropagate, "build", lambda *_: Outcome(Status.IMPROVED, np.array([0.0, 1.5]), 1.5))
    monkeypatch.setattr(Walk, "explore", lambda *_: Outcome(Status.NO_IMPROVEMENT))
    monkeypatch.setattr(whole_module, "run_arrays", lambda *_, **__: claim)
    found = Portfolio().build(problem, Budget(**limits), np.random.default_rng(0))
    assert (found.status, found.objective, found.bound) == (Status.EXHAUSTED, 1.5, None)


def test_a_walk_without_a_gain_ends_where_the_objective_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """No gain is no gain, whatever the size of the objective."""
    problem = Milp(read_lp("max\n o: x\nst\n c: x + y <= 1000\nbounds\n x <= 900\n y <= 5\ngeneral\n x y\nend\n"))
    walks: list[int] = []
    searches_find_nothing(monkeypatch)
    monkeypatch.setattr(OtherSolver, "build", lambda *_: Outcome(Status.EXHAUSTED))
    monkeypatch.setattr(JumpSearch, "run", lambda *_, **__: Outcome(Status.IMPROVED, np.zeros(2), 0))
    monkeypatch.setattr(Whole, "run", finds_nothing)
    monkeypatch.setattr(Walk, "explore", lambda *_: walks.append(0) or Outcome(Status.NO_IMPROVEMENT))
    assert Portfolio().build(problem, Budget(seconds=20), np.random.default_rng(0)).objective == 0
    assert len(walks) == 1


def test_the_solver_goes_on_with_its_tree_and_the_solutions_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """In turns that become longer, until it stalls; when the portfolio is called again it goes on alone."""
    model, _ = milp.market_split(4, 32)
    problem, turns, given = Milp(model), [], []
    run, give = Whole.run, Whole.give

    def watched(whole: Whole, *args: Any, **named: Any) -> Any:
        outcome = run(whole, *args, **named)
        turns.append((whole, whole.unfinished))
        return outcome

    def noted(whole: Whole, values: Any, objective: int | float) -> None:
        given.append(objective)
        give(whole, values, objective)

    monkeypatch.setattr(Whole, "run", watched)
    monkeypatch.setattr(Whole, "give", noted)
    budget = Budget(seconds=9.0)
    found = Portfolio(cp_sat=0.0).build(problem, budget.child(seconds=5.0), np.random.default_rng(0))
    assert found.solution is not None
    assert len(turns) >= 2
    assert len({id(whole) for whole, _ in turns}) == 1
    assert all(unfinished for _, unfinished in turns)
    assert given == sorted(given, reverse=True)
    before = len(turns)
    budget.elites.add("best", found.solution, found.objective)
    monkeypatch.setattr(JumpSearch, "run", lambda *_, **__: pytest.fail("others are not asked again"))
    Portfolio().build(problem, budget.child(seconds=1.0), np.random.default_rng(0))
    assert len(turns) == before + 1
    assert turns[-1][0] is turns[0][0]
    budget.close()
    assert not turns[0][0].unfinished


def test_the_local_search_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """In later turns, until it has had three without a gain; also where the solver has the better solution."""
    problem = set_cover(60, 30)
    poor = Outcome(Status.EXHAUSTED, np.ones(60), problem.evaluate(np.ones(60)).objective, bound=100)
    jumps: list[tuple[JumpSearch, int | float | None]] = []
    run = JumpSearch.run

    def pauses(whole: Whole, *_: Any, **__: Any) -> Outcome[Any]:
        time.sleep(0.2)
        return poor

    def noted(search: JumpSearch, *given: Any, **named: Any) -> Outcome[Any]:
        outcome = run(search, *given, **named)
        jumps.append((search, outcome.objective))
        return outcome

    monkeypatch.setattr(Whole, "run", pauses)
    monkeypatch.setattr(Whole, "unfinished", property(lambda _: True))
    monkeypatch.setattr(Rens, "explore", lambda *_: Outcome(Status.NO_IMPROVEMENT))
    monkeypatch.setattr(JumpSearch, "run", noted)
    found = Portfolio(cp_sat=0.0, other=0.0, trial=0.01).build(problem, Budget(seconds=6), np.random.default_rng(0))
    assert found.objective == jumps[-1][1] < poor.objective
    assert 4 <= len(jumps) <= 5
    assert len({id(search) for search, _ in jumps}) == 1


needs_cp_sat = pytest.mark.skipif(find_spec("ortools") is None, reason="CP-SAT is not installed (extra `cp`)")


def asked_solvers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The solvers that have turns with the whole model, from now on."""
    names: list[str] = []
    whole_of = turns_module.whole_of

    def noted(problem: Milp, solver: SolverOptions, *more: Any) -> Whole:
        names.append(solver.name)
        return whole_of(problem, solver, *more)

    monkeypatch.setattr(turns_module, "whole_of", noted)
    return names


@needs_cp_sat
def test_cp_sat_has_turns_where_all_columns_are_integer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the solver is not done at once; its bound is not taken for that of the solver."""
    model, _ = milp.market_split(4, 32, integral=True)
    names = asked_solvers(monkeypatch)
    budget = Budget(seconds=6.0)
    found = Portfolio().build(Milp(model), budget.child(seconds=4.0), np.random.default_rng(0))
    assert found.solution is not None
    assert {"highs", "cp-sat"} == set(names)
    assert (found.certificate or {}).get("backend") != "cp-sat" or found.optimal
    solves = [one for one in budget.kept.values() if isinstance(one, Whole)]
    budget.close()
    assert len(solves) == 2
    assert not any(one.unfinished for one in solves)


@needs_cp_sat
@pytest.mark.parametrize(
    ("solver", "text"),
    [
        ("highs", MATCHING),
        ("cp-sat", MATCHING.replace(" + late", "").replace(" wait: late - 2.5 x00 - 1.5 x12 >= 0.5", "")),
    ],
)
def test_cp_sat_is_not_asked_where_it_would_not_help(monkeypatch: pytest.MonkeyPatch, solver: str, text: str) -> None:
    """Models with continuous columns, and runs in which it is the solver."""
    names = asked_solvers(monkeypatch)
    monkeypatch.setattr(Whole, "run", finds_nothing)
    Portfolio(solver=SolverOptions(solver)).build(Milp(read_lp(text)), Budget(seconds=3), np.random.default_rng(0))
    assert set(names) == {solver}


@needs_cp_sat
def test_cp_sat_is_not_asked_again_where_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the others found is kept."""
    model, _ = milp.market_split(4, 32, integral=True)
    names = asked_solvers(monkeypatch)
    run = Whole.run

    def fails(whole: Whole, *given: Any, **named: Any) -> Any:
        if names[-1] == "cp-sat":
            raise SolverError("a coefficient is too large")
        return run(whole, *given, **named)

    monkeypatch.setattr(Whole, "run", fails)
    budget = Budget(seconds=4.0)
    found = Portfolio(trial=0.1).build(Milp(model), budget, np.random.default_rng(0))
    budget.close()
    assert found.solution is not None
    assert names.count("cp-sat") == 1
    assert names.count("highs") > 1


def test_an_integer_model_needs_no_cp_sat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the extra is not installed the others have the time."""
    monkeypatch.setattr(turns_module, "check_backend", missing)
    model, _ = milp.market_split(4, 32, integral=True)
    names = asked_solvers(monkeypatch)
    budget = Budget(seconds=2.0)
    found = Portfolio().build(Milp(model), budget, np.random.default_rng(0))
    budget.close()
    assert found.solution is not None
    assert set(names) == {"highs"}


def missing(name: str) -> None:
    """No solver is installed."""
    raise SolverError(f"the solver {name!r} is not installed here")


PLAIN = "max\n o: x + 2 y\nst\n c: x + y <= 4\n d: x - y <= 3\nend\n"


@pytest.mark.parametrize("text", [PLAIN, "min\n o: 3\nst\nend\n"], ids=["linear", "empty"])
@pytest.mark.parametrize(
    "search",
    [Portfolio(), Dive(), FeasibilityPump(), FixAndPropagate(), Jump(), LocalMip(), OtherSolver(), RelaxAndFix()],
)
def test_models_without_integers_are_taken(search: Any, text: str) -> None:
    """Also one without any column."""
    if isinstance(search, LocalMip) and find_spec("localmip_py") is None:
        pytest.skip("localmip is not installed")
    problem = Milp(read_lp(text))
    found = search.build(problem, Budget(work=20), np.random.default_rng(0))
    assert found.solution is not None
    assert problem.evaluate(found.solution).feasible


def test_a_linear_program_without_a_best_value_ends_the_local_search() -> None:
    """It is never stuck, and steps are counted when it is."""
    pytest.importorskip("localmip_py")
    problem = Milp(read_lp("max\n o: x\nst\n c: x - y <= 3\nend\n"))
    found = LocalMip().build(problem, Budget(work=20), np.random.default_rng(0))
    assert found.status is Status.EXHAUSTED


@pytest.mark.parametrize("kind", [Dive, RelaxAndFix])
def test_constructions_with_a_solver_without_limits_of_nodes(kind: type[Dive] | type[RelaxAndFix]) -> None:
    """In a timed run it is limited by seconds; otherwise it is refused by name."""
    if not shutil.which("glpsol"):
        pytest.skip("GLPK is not here")
    problem, construction = milp.problem("knapsack"), kind(solver=SolverOptions("pyomo:glpk"))
    found = construction.build(problem, Budget(seconds=30), np.random.default_rng(1))
    assert found.solution is not None
    with pytest.raises(SolverError, match="no node limit"):
        construction.build(problem, Budget(), np.random.default_rng(1))
