"""What every backend promises, asked of every backend that is installed."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace

import pyomo.environ as pyo
import pytest
from solvers import small_models as small

from matheur.errors import SolverError
from matheur.solvers import Backend, MilpStatus, SolveRequest, get_backend, isolated

NAMES = ("highs", "scip", "cp-sat", "pyomo:cbc", "pyomo:glpk")
LONG = SolveRequest(seconds=60.0)


@pytest.fixture(params=NAMES)
def backend(request: pytest.FixtureRequest) -> Backend:
    try:
        return get_backend(request.param)
    except SolverError as error:
        pytest.skip(str(error))


def needs(backend: Backend, capability: str) -> None:
    if not getattr(backend.capabilities, capability):
        pytest.skip(f"{backend.name} declares no {capability}")


def needs_continuous(backend: Backend) -> None:
    if backend.capabilities.integers_only:
        pytest.skip(f"{backend.name} takes bounded integers only")


def soon(backend: Backend) -> float:
    """Seconds in which a backend has an incumbent of an easy model, also on a busy machine."""
    return 4.0 if backend.name == "cp-sat" else 0.6  # it starts an interpreter


def test_minimum_is_found_and_proved(backend: Backend) -> None:
    """An optimum comes with objective, bound, values and the name of who says so."""
    model = small.odd_cycle_cover()
    answer = backend.solve(model, SolveRequest())
    assert answer.status is MilpStatus.OPTIMAL
    assert answer.objective == pytest.approx(14)
    assert answer.bound == pytest.approx(14)
    assert answer.backend == backend.name
    assert answer.version == backend.version()
    chosen = [answer.values[model.x[i]] > 0.5 for i in range(7)]
    assert sum(chosen) == 4
    assert all(chosen[i] or chosen[(i + 1) % 7] for i in range(7))


def test_maximum_is_found_in_the_models_own_sense(backend: Backend) -> None:
    """Objective and bound of a maximisation are not negated."""
    answer = backend.solve(small.knapsack(), SolveRequest())
    assert (answer.status, answer.objective) == (MilpStatus.OPTIMAL, pytest.approx(9))
    assert answer.bound == pytest.approx(9)


def test_linear_programme_is_solved(backend: Backend) -> None:
    """Without integer variables the optimum is also its bound."""
    needs_continuous(backend)
    model = small.odd_cycle_cover()
    for variable in model.x.values():
        variable.domain = pyo.UnitInterval
    answer = backend.solve(model, SolveRequest(seconds=30.0))
    assert (answer.status, answer.objective) == (MilpStatus.OPTIMAL, pytest.approx(13.5))
    assert answer.bound == pytest.approx(13.5)


def test_infeasible_model_is_said_to_be_so(backend: Backend) -> None:
    """A proof of infeasibility has no solution and no bound."""
    answer = backend.solve(small.infeasible(), SolveRequest())
    assert answer.status is MilpStatus.INFEASIBLE
    assert (answer.objective, answer.bound, len(answer.values)) == (None, None, 0)
    assert not answer.has_solution


def test_unbounded_model_is_said_to_be_so(backend: Backend) -> None:
    """Unbounded is told from infeasible; GLPK does not say which, and then no claim is made."""
    needs_continuous(backend)
    answer = backend.solve(small.unbounded(), SolveRequest(seconds=30.0))
    assert answer.status is (MilpStatus.UNKNOWN if backend.name == "pyomo:glpk" else MilpStatus.UNBOUNDED)
    assert (answer.objective, answer.bound) == (None, None)


def test_limit_before_any_incumbent_gives_unknown(backend: Backend) -> None:
    """A time-out without a solution is neither infeasible nor an error."""
    answer = backend.solve(small.market_split(), SolveRequest(seconds=0.4))
    assert answer.status is MilpStatus.UNKNOWN
    assert not answer.has_solution
    assert len(answer.values) == 0


def test_limit_keeps_the_incumbent(backend: Backend) -> None:
    """A time-out returns the best solution so far, without a claim; its bound does not exceed it."""
    model = small.market_split(slack=True)
    answer = backend.solve(model, SolveRequest(seconds=soon(backend)))
    assert answer.status is MilpStatus.FEASIBLE
    assert answer.objective is not None
    assert sum(answer.values[v] for v in (*model.over.values(), *model.under.values())) == pytest.approx(
        answer.objective, abs=1e-4
    )
    assert answer.bound is None or answer.bound <= answer.objective + 1e-6


def test_values_of_the_model_are_left_alone(backend: Backend) -> None:
    """A solve reads the variables' values and never writes them."""
    model = small.odd_cycle_cover()
    model.x[0].value, model.x[1].value = 1, None
    model.x[2].fix(1)
    answer = backend.solve(model, SolveRequest())
    assert answer.status is MilpStatus.OPTIMAL
    assert answer.values[model.x[2]] == pytest.approx(1)
    assert [model.x[i].value for i in range(4)] == [1, None, 1, None]
    assert model.x[2].fixed


def test_trivial_rows_are_skipped_or_refute(backend: Backend) -> None:
    """A row without variables is either true, and ignored, or makes the model infeasible."""
    model = small.odd_cycle_cover()
    model.p = pyo.Param(initialize=1.0, mutable=True)
    model.fine = pyo.Constraint(expr=model.p <= 2)
    assert backend.solve(model, SolveRequest()).objective == pytest.approx(14)
    assert model.fine.active
    model.p = 3.0
    assert backend.solve(model, SolveRequest()).status is MilpStatus.INFEASIBLE


def test_unused_variables_get_a_value_within_their_bounds(backend: Backend) -> None:
    """`values` holds every variable of the model."""
    model = small.odd_cycle_cover()
    model.idle = pyo.Var(domain=pyo.Integers, bounds=(2.5, 9))
    answer = backend.solve(model, SolveRequest())
    assert answer.values[model.idle] == 3.0


def test_constant_objective_and_none_ask_for_feasibility(backend: Backend) -> None:
    """Models that only ask for a solution get one."""
    model = small.odd_cycle_cover()
    model.del_component("cost")
    assert backend.solve(model, SolveRequest()).status is MilpStatus.OPTIMAL
    model.cost = pyo.Objective(expr=3.0)
    answer = backend.solve(model, SolveRequest())
    assert (answer.status, answer.objective) == (MilpStatus.OPTIMAL, pytest.approx(3.0))


def test_empty_model_is_solved(backend: Backend) -> None:
    """A model without variables has its constant as optimum."""
    model = pyo.ConcreteModel()
    model.cost = pyo.Objective(expr=5.0)
    answer = backend.solve(model, SolveRequest())
    assert (answer.status, answer.objective) == (MilpStatus.OPTIMAL, pytest.approx(5.0))
    assert backend.solve(model, SolveRequest(cutoff=5.0)).status is MilpStatus.INFEASIBLE
    assert backend.solve(model, SolveRequest(cutoff=6.0)).status is MilpStatus.OPTIMAL


def test_two_objectives_are_refused(backend: Backend) -> None:
    """A backend takes one active objective."""
    model = small.odd_cycle_cover()
    model.other = pyo.Objective(expr=model.x[0])
    with pytest.raises(SolverError, match="2 active objectives"):
        backend.solve(model, SolveRequest())


@pytest.mark.parametrize(("cutoff", "status"), [(14, "infeasible"), (15, "optimal")])
def test_cutoff_asks_for_strictly_better(backend: Backend, cutoff: float, status: str) -> None:
    """At the optimum nothing is better; above it the optimum is found."""
    needs(backend, "cutoff")
    answer = backend.solve(small.odd_cycle_cover(), SolveRequest(cutoff=cutoff))
    assert answer.status.value == status
    assert answer.bound == pytest.approx(14)


@pytest.mark.parametrize(("cutoff", "status"), [(9, "infeasible"), (8, "optimal")])
def test_cutoff_of_a_maximisation(backend: Backend, cutoff: float, status: str) -> None:
    """Better means larger there."""
    needs(backend, "cutoff")
    assert backend.solve(small.knapsack(), SolveRequest(cutoff=cutoff)).status.value == status


@pytest.mark.parametrize("sense", [pyo.minimize, pyo.maximize])
@pytest.mark.parametrize("size", [500_000, 500_000_000])
def test_cutoff_of_a_whole_objective_is_exact(backend: Backend, sense: int, size: int) -> None:
    """A difference of one counts; where it drowns in a solver's relative tolerance, nothing is claimed."""
    needs(backend, "cutoff")
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3), domain=pyo.Binary)
    model.row = pyo.Constraint(expr=sum(model.x.values()) == 1)
    model.cost = pyo.Objective(expr=sum((size + i) * model.x[i] for i in range(3)), sense=sense)
    best = size if sense == pyo.minimize else size + 2
    answer = backend.solve(model, SolveRequest(cutoff=size + 1))
    assert (answer.status, answer.objective) == (MilpStatus.OPTIMAL, best)
    answer = backend.solve(model, SolveRequest(cutoff=best))
    assert answer.status is MilpStatus.INFEASIBLE or (size > 10**6 and answer.status is MilpStatus.UNKNOWN)
    if backend.capabilities.target:
        assert backend.solve(model, SolveRequest(target=best)).objective == best


def test_nothing_beyond_the_cutoff_is_returned(backend: Backend) -> None:
    """Solutions that are not better than the cutoff are no incumbents, even if a limit comes first."""
    needs(backend, "cutoff")
    answer = backend.solve(small.market_split(slack=True), SolveRequest(seconds=0.5, cutoff=3.0))
    assert answer.status in (MilpStatus.UNKNOWN, MilpStatus.FEASIBLE)
    shown = [point.objective for point in answer.trace] + ([] if answer.objective is None else [answer.objective])
    assert all(objective < 3.0 for objective in shown)
    assert answer.bound is None or answer.bound <= 3.0


def test_warm_start_is_accepted(backend: Backend) -> None:
    """From an optimal start the answer is optimal, and a backend that traces starts with it."""
    needs(backend, "warm_start")
    model = small.market_split(slack=True)
    first = backend.solve(model, SolveRequest(seconds=soon(backend)))
    for variable, shown in first.values.items():
        variable.value = round(shown)
    again = backend.solve(model, SolveRequest(seconds=1.0 + soon(backend), warm_start=True, seed=5))
    assert again.objective is not None
    assert first.objective is not None
    assert again.objective <= first.objective + 1e-4
    if backend.capabilities.trace:
        assert again.trace[0].objective == pytest.approx(first.objective, abs=1e-4)


def test_partial_warm_start_is_accepted(backend: Backend) -> None:
    """A start that leaves variables open is completed, or ignored."""
    needs(backend, "warm_start")
    model = small.odd_cycle_cover()
    model.x[0].value, model.x[2].value = 1, 1
    assert backend.solve(model, SolveRequest(warm_start=True)).objective == pytest.approx(14)


def test_target_stops_the_search(backend: Backend) -> None:
    """An incumbent as good as the target ends the solve before any proof."""
    needs(backend, "target")
    answer = backend.solve(small.market_split(slack=True), replace(LONG, target=400.0))
    assert answer.status is MilpStatus.FEASIBLE
    assert answer.objective is not None
    assert answer.objective <= 400.0 + 1e-3
    assert answer.seconds < 30


def test_node_limit_is_deterministic(backend: Backend) -> None:
    """With a node limit and no clock, equal seeds give equal answers."""
    needs(backend, "node_limit")
    request = SolveRequest(nodes=60, seed=3)
    first, second = (backend.solve(small.market_split(slack=True), request) for _ in range(2))
    assert first.status is MilpStatus.FEASIBLE
    assert (first.objective, first.bound, first.nodes) == (second.objective, second.bound, second.nodes)
    assert list(first.values.values()) == list(second.values.values())
    if backend.name in ("highs", "scip"):
        assert 0 < first.nodes <= 60


def test_node_limit_is_never_ignored() -> None:
    """A backend without node limits says so instead of running on."""
    try:
        backend = get_backend("pyomo:glpk")
    except SolverError as error:
        pytest.skip(str(error))
    with pytest.raises(SolverError, match="node limit"):
        backend.solve(small.knapsack(), SolveRequest(nodes=5))


def test_unknown_option_is_an_error(backend: Backend) -> None:
    """A misspelt option is never silently ignored."""
    needs(backend, "options")
    with pytest.raises(SolverError):
        backend.solve(small.odd_cycle_cover(), SolveRequest(options={"no_such_option": 1}))


def test_interrupt_stops_a_long_solve_with_its_incumbent(backend: Backend) -> None:
    """A solve that would take a minute ends soon after it is asked to, and keeps what it has if it traces."""
    needs(backend, "interrupt")
    polls, seen = iter(range(10**6)), []
    found = backend.capabilities.trace
    request = replace(
        LONG, interrupt=lambda: next(polls) > 40 and bool(seen or not found), on_incumbent=lambda *_: seen.append(1)
    )
    answer = backend.solve(small.market_split(slack=True), request)
    assert answer.seconds < 30
    assert answer.message == "interrupted"
    if backend.capabilities.trace:
        assert answer.status is MilpStatus.FEASIBLE
        assert answer.objective == pytest.approx(answer.trace[-1].objective)
        assert len(answer.values) == 50
    else:
        assert answer.status is MilpStatus.UNKNOWN


def test_signal_handler_runs_during_a_solve_and_leaves_nothing_behind(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a handler raises passes through at once; the solver's processes are gone."""
    killed: list[int] = []
    kill = isolated._kill
    monkeypatch.setattr(isolated, "_kill", lambda child: (killed.append(child), kill(child))[1])

    def handler(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            backend.solve(small.market_split(slack=True), LONG)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert killed
    for _ in range(200):  # a grandchild is collected by init, in its own time
        try:
            os.killpg(killed[0], 0)
        except ProcessLookupError:
            break
        time.sleep(0.02)
    else:
        pytest.fail("the solver's process group is still there")


def test_incumbents_are_handed_out_with_their_values(backend: Backend) -> None:
    """Each improvement arrives while the solve runs, better than the one before it."""
    needs(backend, "trace")
    model = small.market_split(slack=True)
    seen: list[tuple[float, float]] = []

    def take(point: object, values: object) -> None:
        misses = sum(values[v] for v in (*model.over.values(), *model.under.values()))  # type: ignore[index]
        seen.append((point.objective, misses))  # type: ignore[attr-defined]

    answer = backend.solve(model, SolveRequest(nodes=200, on_incumbent=take))
    assert seen
    assert [objective for objective, _ in seen] == [point.objective for point in answer.trace]
    assert all(objective == pytest.approx(misses, abs=1e-4) for objective, misses in seen)
    assert sorted({objective for objective, _ in seen}, reverse=True) == [objective for objective, _ in seen]
    assert answer.objective == pytest.approx(seen[-1][0])


def test_nothing_is_printed(backend: Backend, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither the solver nor its layers write to our output."""
    backend.solve(small.knapsack(), SolveRequest())
    backend.solve(small.infeasible(), SolveRequest())
    assert capfd.readouterr() == ("", "")


def test_callback_errors_reach_the_caller(backend: Backend) -> None:
    """An exception of a callback stops the solve and is not swallowed."""
    needs(backend, "trace")

    def refuse(_point: object, _values: object) -> None:
        raise ZeroDivisionError("as asked")

    with pytest.raises(ZeroDivisionError, match="as asked"):
        backend.solve(small.market_split(slack=True), replace(LONG, on_incumbent=refuse))


def test_threads_may_change_from_solve_to_solve(backend: Backend) -> None:
    """A second number of threads in one process is no trouble."""
    for threads in (2, 1, 2):
        answer = backend.solve(small.odd_cycle_cover(9), SolveRequest(threads=threads))
        assert answer.objective == pytest.approx(15)
