"""The engine's loop: budgets, trust, proofs, events, and stopping and resuming."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine import toy

from matheur.engine import (
    Budget,
    Checkpointer,
    LocalSearch,
    Named,
    Outcome,
    Pause,
    Status,
    Trace,
    acceptance_criteria,
    schedules,
)
from matheur.engine.acceptance import RecordToRecord
from matheur.engine.patience import CONSTRUCTION_SECONDS, CONSTRUCTION_SECONDS_IN_ALL
from matheur.engine.schedules import Call, Cycle
from matheur.errors import ConfigurationError, InputError, OperatorError

PROBLEM = toy.SmallSum(6)


def lie(status: Status = Status.IMPROVED, **claims: Any) -> toy.Scripted:
    """An operator that returns these claims about a solution of its own (all ones below the incumbent, 6 less)."""

    def act(problem: toy.SmallSum, incumbent: Any, budget: Budget) -> Outcome[toy.Digits]:
        begin = np.full(problem.length, 9) if incumbent is None else incumbent
        better = begin - 1
        return Outcome(status, **{"solution": better, "objective": int(better.sum()), **claims})

    return toy.Scripted(act)


# Limits


def test_work_and_iterations_end_a_run() -> None:
    """A run in work units or iterations ends with the budget, and books what was spent."""
    result = toy.search(PROBLEM, toy.Lower()).run(Budget(work=16))
    assert (result.stopped, result.work, result.iterations, result.objective) == ("budget", 16, 10, 54 - 10)
    result = toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=4))
    assert (result.stopped, result.work, result.iterations) == ("budget", 10, 4)
    assert result.operators["lower0"].calls == 4
    assert result.operators["lower0"].gain == 54 - result.objective  # type: ignore[operator]


def test_operators_that_book_nothing_still_end() -> None:
    """Every call costs at least one unit of work, so that a budget in work units always ends."""
    idle = toy.Scripted(lambda *_: Outcome(Status.NO_IMPROVEMENT))
    result = toy.search(PROBLEM, idle).run(Budget(work=50))
    assert (result.stopped, result.iterations) == ("budget", 44)


def test_seconds_end_a_run() -> None:
    """A run ends at its deadline; the clock is the budget's."""
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 0.25
        return now

    result = toy.search(PROBLEM, toy.Redraw()).run(Budget(seconds=20, clock=clock))
    assert result.stopped == "budget"
    assert result.iterations > 3
    assert result.seconds >= 20


def test_target_and_bound_end_a_run() -> None:
    """A run ends at the target, and at a bound that it meets."""
    result = toy.search(PROBLEM, toy.Lower()).run(Budget(target=40))
    assert (result.stopped, result.objective) == ("target", 40)
    result = toy.search(toy.SmallSum(3, trivial_bound=20), toy.Lower()).run(Budget())
    assert (result.stopped, result.objective, result.bound, result.bound_source) == ("optimal", 20, 20, "trivial")


def test_an_interrupt_ends_a_run_with_the_best() -> None:
    """After an interrupt the best so far is returned."""
    interrupt, count = toy.stop_after(5)
    result = toy.search(PROBLEM, toy.Lower(), observers=[count]).run(Budget(interrupt=interrupt))
    assert result.stopped == "interrupt"
    assert result.objective == 54 - 4
    assert result.solution is not None


def test_a_plainly_infeasible_instance_has_a_reason() -> None:
    """The instance's own check comes before any operator."""
    result = toy.search(toy.SmallSum(3, contradiction="two and two are five"), toy.Lower()).run(Budget())
    assert (result.stopped, result.infeasible, result.objective) == ("infeasible", "two and two are five", None)
    assert result.certificate is not None
    assert result.operators == {}


def test_a_construction_may_prove_infeasibility() -> None:
    """The proof's reason and certificate are kept; with a solution in hand such a proof is refused."""
    proof = lie(Status.INFEASIBLE, solution=None, objective=None, reason="none", certificate={"backend": "x"})
    result = toy.search(PROBLEM, construction=proof).run(Budget())
    assert (result.stopped, result.infeasible) == ("infeasible", "none")
    assert result.certificate == {"method": "nines", "backend": "x"}
    with pytest.raises(OperatorError, match="'nines' claims that there is no solution"):
        toy.search(PROBLEM, construction=lie(Status.INFEASIBLE)).run(Budget())


def test_a_start_takes_the_place_of_the_construction() -> None:
    """A feasible start is used; an infeasible one is an input error."""
    never = toy.Scripted(lambda *_: pytest.fail("the construction was called"))
    result = toy.search(PROBLEM, toy.Lower(), construction=never).run(Budget(iterations=1), start=np.full(6, 2))
    assert result.objective == 11
    with pytest.raises(InputError, match="the start is not a solution: place 0 holds 12"):
        toy.search(PROBLEM, toy.Lower()).run(Budget(), start=np.full(6, 12))


@pytest.mark.parametrize("digit", [1, 3])
def test_a_construction_may_go_on_from_a_start(digit: int) -> None:
    """It is called once, if it says so and the limits allow it; the neighbourhoods go on from the better solution."""
    build = toy.Scripted(lambda *_: Outcome(Status.IMPROVED, np.full(6, digit), 6 * digit, bound=0))
    build.continues = True
    search = toy.search(PROBLEM, toy.Lower(), construction=build)
    result = search.run(Budget(iterations=1), start=np.full(6, 2))
    assert (result.objective, result.bound) == (6 * min(digit, 2) - 1, 0)
    assert result.operators["nines"].calls == 1
    result = search.run(Budget(iterations=0), start=np.full(6, 2))
    assert (result.objective, result.bound) == (12, None)


def test_no_neighbourhoods_is_construction_only() -> None:
    """Without neighbourhoods a run ends after the construction; without a solution it has none."""
    result = toy.search(PROBLEM).run(Budget())
    assert (result.stopped, result.objective, result.found_by) == ("finished", 54, "nines")
    empty = toy.search(PROBLEM, toy.Lower(), construction=toy.Scripted(lambda *_: Outcome(Status.EXHAUSTED)))
    result = empty.run(Budget())
    assert (result.stopped, result.solution) == ("finished", None)


@pytest.mark.parametrize(("digit", "objective", "operator"), [(2, 12, "start"), (9, 6, "nines")])
def test_a_start_does_not_stand_in_for_the_construction_without_neighbourhoods(
    digit: int, objective: int, operator: str
) -> None:
    """With a start and no neighbourhoods the construction runs once, and the better solution wins."""
    made = np.full(6, 3 if operator == "start" else 1)
    build = toy.Scripted(lambda *_: Outcome(Status.IMPROVED, made, int(made.sum())))
    result = toy.search(PROBLEM, construction=build).run(Budget(), start=np.full(6, digit))
    assert (result.stopped, result.objective, result.found_by) == ("finished", objective, operator)
    assert result.operators["nines"].calls == 1
    again = toy.search(PROBLEM, construction=build).run(Budget(), state=result.state)
    assert (again.objective, again.operators["nines"].calls) == (objective, 1)


def test_no_construction_for_a_start_without_a_budget() -> None:
    """No operator is called with no calls left: the start is the answer."""
    never = toy.Scripted(lambda *_: pytest.fail("the construction was called"))
    result = toy.search(PROBLEM, construction=never).run(Budget(iterations=0), start=np.full(6, 2))
    assert (result.stopped, result.objective) == ("budget", 12)


def test_an_instance_that_is_solved_as_it_stands_needs_no_operator() -> None:
    """Its own solution comes before any construction, also next to a worse start; others are constructed."""
    never = toy.Scripted(lambda *_: pytest.fail("the construction was called"))
    solved = toy.Solved(6)
    for start in (None, np.full(6, 2)):
        result = toy.search(solved, construction=never).run(Budget(), start=start)
        assert (result.stopped, result.objective, result.found_by) == ("optimal", 0, "instance")
    assert toy.search(toy.Solved(6, solved=False)).run(Budget()).found_by == "nines"


def test_a_build_that_ran_out_of_time_is_an_operator_that_found_nothing() -> None:
    """Construction and neighbourhood end with the budget; what was handed out before is kept."""
    now = [0.0]

    def slow(problem: toy.SmallSum, incumbent: Any, budget: Budget) -> Outcome[toy.Digits]:
        if incumbent is None:
            budget.offer(np.full(6, 4), 24)
        while True:
            budget.check()
            now[0] += 0.1

    result = toy.search(PROBLEM, construction=toy.Scripted(slow)).run(Budget(seconds=1, clock=lambda: now[0]))
    assert (result.stopped, result.objective) == ("budget", 24)
    result = toy.search(PROBLEM, toy.Scripted(slow)).run(Budget(seconds=1, clock=lambda: now[0]))
    assert (result.stopped, result.objective, result.iterations) == ("budget", 54, 1)


# Trust


@pytest.mark.parametrize(
    ("operator", "message"),
    [
        (lie(objective=1), r"operator 'scripted0' claims objective 1, the evaluator says 48"),
        (lie(objective=float("nan")), r"operator 'scripted0' claims objective nan"),
        (lie(Status.NO_IMPROVEMENT, objective=55), r"operator 'scripted0' claims objective 55"),
        (lie(solution=np.full(6, 99), objective=None), r"'scripted0' returned a solution that violates: place 0"),
        (lie(solution=None), r"operator 'scripted0' claims an improvement but returns no solution"),
        (lie(solution=np.full(6, 9), objective=54), r"operator 'scripted0' claims an improvement but returns the inc"),
        (lie(solution=np.array([9, 8, 9, 9, 9, 9]), objective=54), r"'scripted0' claims objective 54"),
        (lie(bound=49), r"'scripted0' claims the bound 49, but a solution of objective 48 exists"),
    ],
)
def test_wrong_claims_name_the_operator(operator: toy.Scripted, message: str) -> None:
    """A wrong objective, an infeasible solution, an empty claim and a false bound are errors that name the operator."""
    with pytest.raises(OperatorError, match=message):
        toy.search(PROBLEM, operator).run(Budget(iterations=3))


def test_improvements_must_improve() -> None:
    """A worse or equal solution is no improvement."""
    worse = np.array([5, 0, 0, 0, 0, 0])
    with pytest.raises(OperatorError, match="claims an improvement, but 5 is no better than 5"):
        toy.search(PROBLEM, lie(solution=worse, objective=5)).run(Budget(), start=np.array([0, 5, 0, 0, 0, 0]))


def test_a_false_bound_is_found_out_later() -> None:
    """A bound above what another operator finds names who claimed it."""
    bound = toy.Scripted(lambda *_: Outcome(Status.NO_IMPROVEMENT, bound=50))
    with pytest.raises(OperatorError, match=r"'scripted0' claims the bound 50, but 'scripted1' found .* 48"):
        toy.search(PROBLEM, bound, lie()).run(Budget(work=100))


def test_a_changed_incumbent_names_the_operator(tmp_path: Path) -> None:
    """An operator that writes into its incumbent is found out, and the state on disk is not spoilt."""

    def cheat(problem: toy.SmallSum, incumbent: Any, budget: Budget) -> Outcome[toy.Digits]:
        incumbent[:] = 0
        return Outcome(Status.NO_IMPROVEMENT)

    keeper = Checkpointer(tmp_path, {})
    search = toy.search(PROBLEM, toy.Lower(), toy.Scripted(cheat), checkpointer=keeper)
    with pytest.raises(OperatorError, match="'scripted1' changed the incumbent"):
        search.run(Budget())
    state = keeper.load()
    assert state is not None
    assert sum(state["best"]) == sum(state["current"]) == 53


def test_solutions_are_copied() -> None:
    """What an operator does to a solution after returning it or handing it out changes nothing."""
    mine = np.full(6, 4)

    def reuse(problem: toy.SmallSum, incumbent: Any, budget: Budget) -> Outcome[toy.Digits]:
        mine[:] = incumbent - 1
        budget.offer(mine, int(mine.sum()))
        mine[0] -= 1
        return Outcome(Status.IMPROVED, mine, int(mine.sum()))

    found: list[int] = []
    search = toy.search(PROBLEM, toy.Scripted(reuse), on_best=lambda s, o: found.append(int(s.sum()) - int(o)))
    result = search.run(Budget(iterations=3))
    mine[:] = 0
    assert result.solution is not None
    assert result.solution.sum() == result.objective == 54 - 21
    assert found == [0] * 7


def test_offers_are_checked_too() -> None:
    """A wrong objective of an improvement that is handed out names the operator."""

    def boast(problem: toy.SmallSum, incumbent: Any, budget: Budget) -> Outcome[toy.Digits]:
        budget.offer(incumbent, 1)
        return Outcome(Status.NO_IMPROVEMENT)

    with pytest.raises(OperatorError, match="'scripted0' claims objective 1, the evaluator says 54"):
        toy.search(PROBLEM, toy.Scripted(boast)).run(Budget())


# Long operators


def _ever_better(problem: toy.SmallSum, incumbent: Any, budget: Budget) -> Outcome[toy.Digits]:
    """Hands out better and better solutions until it is told to stop, and returns none."""
    begin = np.full(problem.length, 9) if incumbent is None else incumbent
    better = begin.copy()
    while not budget.exhausted and not budget.reached(int(better.sum())):
        better[int(better.argmax())] -= 1
        budget.spend(work=1)
        budget.offer(better, int(better.sum()))
    return Outcome(Status.EXHAUSTED)


def test_the_target_reaches_a_running_operator() -> None:
    """What a running operator hands out counts at once for target, bound and interrupt, and becomes the current one."""
    for kind in ("construction", "neighbourhood"):
        operator = toy.Scripted(_ever_better)
        chosen = {"construction": operator} if kind == "construction" else {}
        operators = [operator] if kind == "neighbourhood" else []
        result = toy.search(PROBLEM, *operators, **chosen).run(Budget(target=30))
        assert (result.stopped, result.objective) == ("target", 30)
        result = toy.search(toy.SmallSum(6, trivial_bound=25), *operators, **chosen).run(Budget())
        assert (result.stopped, result.objective) == ("optimal", 25)
        seen: list[float] = []
        search = toy.search(PROBLEM, *operators, **chosen, on_best=lambda _, o, seen=seen: seen.append(o))
        result = search.run(Budget(interrupt=lambda seen=seen: len(seen) > 5))
        assert result.stopped == "interrupt"
        assert result.objective == seen[-1] == 54 - (6 if kind == "construction" else 5)


class Told(Cycle):
    """A schedule that keeps the costs that it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.costs: list[float] = []

    def record(self, call: Call) -> None:
        super().record(call)
        self.costs.append(call.cost)


def test_the_engine_measures_what_a_call_costs() -> None:
    """A schedule is told the work booked, at least one unit, or the seconds that passed where time is limited."""
    clock = Clock()

    def act(problem: toy.SmallSum, incumbent: Any, budget: Budget) -> Outcome[toy.Digits]:
        clock.now += 2.0
        budget.child(work=5).spend(work=incumbent.max() - 7)
        better = incumbent - 1
        return Outcome(Status.IMPROVED, better, int(better.sum()))

    for limits, costs in (({"work": 10}, [2, 1, 1]), ({"seconds": 6}, [2.0, 2.0, 2.0])):
        told = Told()
        search = toy.search(PROBLEM, toy.Scripted(act), schedule=told)
        result = search.run(Budget(iterations=3, clock=clock, **limits))  # type: ignore[arg-type]
        assert told.costs == costs
        assert result.operators["scripted0"].seconds == 6.0
        assert result.operators["scripted0"].work == 4


def test_a_share_limits_a_call() -> None:
    """A call gets its own share of the work, not the whole budget."""
    named = Named("long", toy.Scripted(_ever_better), work=3)
    search = LocalSearch(PROBLEM, Named("nines", toy.Nines()), [named])
    result = search.run(Budget(iterations=4))
    assert result.work == 6 + 4 * 3
    assert result.objective == 54 - 12


# Proofs


def test_all_proved_is_a_local_optimum() -> None:
    """When every neighbourhood is proved for the current solution, the run ends; a change reopens them."""
    search = toy.search(toy.SmallSum(4), toy.Half(0), toy.Half(1))
    events = toy.Events()
    search.observers.append(events)
    result = search.run(Budget())
    assert (result.stopped, result.objective) == ("local-optimum", 0)
    assert result.operators["half0"].proofs >= 1
    assert len(events.of("proof")) == 2
    assert {event["operator"] for event in events.of("proof")} == {"half0", "half1"}


def test_a_proof_of_a_refused_solution_does_not_close() -> None:
    """A proof speaks of the returned solution; if acceptance refuses that, the neighbourhood stays open."""

    def worse(problem: toy.SmallSum, incumbent: Any, budget: Budget) -> Outcome[toy.Digits]:
        other = np.full(problem.length, 9)
        return Outcome(Status.LOCAL_OPTIMUM, other, int(other.sum()))

    result = toy.search(PROBLEM, toy.Scripted(worse)).run(Budget(iterations=5), start=np.full(6, 3))
    assert (result.stopped, result.objective) == ("budget", 18)


def test_proofs_survive_a_resume() -> None:
    """What was proved before a stop is not proved again."""
    first = toy.search(toy.SmallSum(4), toy.Half(0), toy.Half(1), toy.Redraw()).run(Budget(iterations=150))
    assert first.state["proofs"]
    budget, events = Budget(iterations=150), toy.Events()
    again = toy.search(toy.SmallSum(4), toy.Half(0), toy.Half(1), toy.Redraw(), observers=[events])
    again.run(budget, state=first.state)
    assert budget.proofs.keys() == first.state["proofs"]
    assert events.of("proof") == []


# Events


def test_events_tell_the_story(tmp_path: Path) -> None:
    """Every event has event, seconds and work; an incumbent has objective, score and operator; so has the file."""
    path, events = tmp_path / "trace.jsonl", toy.Events()
    with Trace(path) as trace:
        keeper = Checkpointer(tmp_path, {}, every=0.0)
        search = toy.search(PROBLEM, toy.Lower(), toy.Redraw(), observers=[events, trace], checkpointer=keeper)
        result = search.run(Budget(work=200), seed=4)
    assert [event["event"] for event in events[:2]] == ["start", "incumbent"]
    assert events[-1]["event"] == "end"
    assert events[-1]["objective"] == result.objective
    assert {event["event"] for event in events} == {"start", "incumbent", "operator", "checkpoint", "end"}
    assert all({"event", "seconds", "work"} <= event.keys() for event in events)
    for key in ("seconds", "work"):
        values = [event[key] for event in events]
        assert values == sorted(values)
    incumbents = events.of("incumbent")
    assert all({"objective", "score", "operator"} <= event.keys() for event in incumbents)
    objectives = [event["objective"] for event in incumbents]
    assert objectives == sorted(set(objectives), reverse=True)
    assert objectives[-1] == result.objective
    assert all(event["score"] == 54 - event["objective"] for event in incumbents)
    assert len(events.of("operator")) == result.iterations + 1
    assert [json.loads(line) for line in toy.lines(path)] == events


def test_bounds_are_events() -> None:
    """A better bound is an event with its source, a weaker one is nothing."""
    weak = toy.Scripted(lambda *_: Outcome(Status.NO_IMPROVEMENT, bound=3))
    strong = toy.Scripted(lambda *_: Outcome(Status.NO_IMPROVEMENT, bound=7, certificate={"backend": "b"}))
    events = toy.Events()
    result = toy.search(PROBLEM, strong, weak, observers=[events]).run(Budget(iterations=4))
    assert [(event["bound"], event["operator"]) for event in events.of("bound")] == [(7, "scripted0")]
    assert (result.bound, result.bound_source) == (7, "scripted0")
    assert result.certificate == {"method": "scripted0", "backend": "b"}


# Reproducibility, stop and resume

WAYS = [(schedule, accept) for schedule in schedules.names() for accept in acceptance_criteria.names()]


def _searching(way: tuple[str, str], **options: Any) -> LocalSearch[toy.Digits]:
    schedule, accept = way
    return toy.search(
        PROBLEM,
        toy.Lower(),
        toy.Half(1),
        toy.Redraw(),
        schedule=schedules.get(schedule)(),
        acceptance=acceptance_criteria.get(accept)(),
        **options,
    )


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_same_seed_and_work_give_the_same_run(way: tuple[str, str]) -> None:
    """With work units a run is reproducible from its seed, and another seed gives another run."""
    first, second = (toy.figures(_searching(way).run(Budget(work=150), seed=11)) for _ in range(2))
    assert first == second
    other = toy.figures(_searching(way).run(Budget(work=150), seed=12))
    assert other["state"]["current"] != first["state"]["current"] or other["operators"] != first["operators"]


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_stop_and_resume_change_nothing(way: tuple[str, str]) -> None:
    """Stopped after any call, written, read and resumed, a run ends exactly as if it had not been stopped."""
    whole = toy.figures(_searching(way).run(Budget(work=100), seed=7))
    assert whole["iterations"] > 30
    for calls in range(1, whole["iterations"] + 1, 5):
        interrupt, count = toy.stop_after(calls)
        stopped = _searching(way, observers=[count]).run(Budget(work=100, interrupt=interrupt), seed=7)
        assert stopped.stopped == "interrupt"
        state = json.loads(json.dumps(stopped.state))
        resumed = _searching(way).run(Budget(work=100), seed=999, state=state)
        assert toy.figures(resumed) == whole


@pytest.mark.parametrize("way", WAYS[::3], ids="-".join)
def test_every_checkpoint_leads_to_the_same_end(way: tuple[str, str], tmp_path: Path) -> None:
    """A run that is killed at any moment continues from its newest checkpoint to the same end."""
    keeper, states = Checkpointer(tmp_path, {}, every=0.0), []

    def copy_state(event: Any) -> None:
        if event["event"] == "checkpoint":
            states.append(keeper.load())

    whole = toy.figures(_searching(way, checkpointer=keeper, observers=[copy_state]).run(Budget(work=60), seed=5))
    assert len(states) > 20
    for state in states:
        assert toy.figures(_searching(way).run(Budget(work=60), state=state)) == whole


@pytest.mark.parametrize("way", WAYS[::3], ids="-".join)
def test_pauses_change_nothing(way: tuple[str, str]) -> None:
    """A run in pieces, each ended by a pause, is the same as one in one piece."""
    whole = toy.figures(_searching(way).run(Budget(work=100), seed=7))
    state, pieces, stopped = None, 0, "pause"
    while stopped == "pause":
        work = 0 if state is None else state["work"]
        result = _searching(way).run(Budget(work=100), seed=7, state=state, pause=Pause(work=work + 13))
        state, stopped, pieces = json.loads(json.dumps(result.state)), result.stopped, pieces + 1
    assert pieces > 4
    assert toy.figures(result) == whole


@pytest.mark.parametrize(
    "damage",
    [
        {"schedule": {"index": "x"}},
        {"schedule": 5},
        {"acceptance": {"history": 5}},
        {"proofs": None},
        {"seed": None},
        {"current": [1]},
    ],
)
def test_damaged_states_are_one_clear_error(damage: dict[str, Any]) -> None:
    """A state with wrong values is an input error."""
    way = ("cycle", "late-acceptance")
    state = _searching(way).run(Budget(work=100)).state
    with pytest.raises(InputError):
        _searching(way).run(Budget(work=200), state={**state, **damage})


def test_a_resumed_run_reports_its_best_at_once() -> None:
    """Whoever keeps a file of the best solution has it again right after a resume, and the best is never lost."""
    first = toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=10))
    heard: list[Callable[..., Any] | float] = []
    again = toy.search(PROBLEM, toy.Lower(), on_best=lambda _, objective: heard.append(objective))
    result = again.run(Budget(iterations=10), state=first.state)
    assert heard == [first.objective]
    assert result.objective == first.objective
    assert result.found_by == first.found_by


def test_a_better_start_counts_after_a_resume() -> None:
    """A start that is not better than what is known changes nothing; one that the state excludes is an error."""
    first = toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=10), start=np.full(6, 8))
    assert first.objective == 38
    again = toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=10), start=np.full(6, 2), state=first.state)
    assert (again.objective, again.found_by) == (12, "start")
    for start in (np.full(6, 8), np.full(6, 9)):
        same = toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=14), start=start, state=first.state)
        whole = toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=14), start=np.full(6, 8))
        assert toy.figures(same) == toy.figures(whole)
    with pytest.raises(InputError, match="the start is not a solution"):
        toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=10), start=np.full(6, 12), state=first.state)
    proved = {**first.state, "bound": 20, "bound_source": "nines"}
    with pytest.raises(OperatorError, match="'nines' claims the bound 20, but 'start' found"):
        toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=12), start=np.full(6, 2), state=proved)


def test_limits_count_from_the_beginning_of_the_first_run() -> None:
    """After a resume, seconds, work and iterations of the earlier run count."""
    first = toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=10))
    result = toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=15), state=first.state)
    assert (result.iterations, result.work) == (15, 21)
    result = toy.search(PROBLEM, toy.Lower()).run(Budget(work=18), state=first.state)
    assert (result.iterations, result.work) == (12, 18)
    result = toy.search(PROBLEM, toy.Lower()).run(Budget(seconds=5), state={**first.state, "seconds": 6.0})
    assert (result.iterations, result.stopped) == (10, "budget")


class Drawn:
    """A construction that keeps what it drew."""

    def __init__(self) -> None:
        self.objectives: list[int] = []

    def build(self, problem: toy.SmallSum, budget: Budget, rng: np.random.Generator) -> Outcome[toy.Digits]:
        digits = rng.integers(1, 10, problem.length).astype(np.int64)
        self.objectives.append(int(digits.sum()))
        return Outcome(Status.IMPROVED, digits, int(digits.sum()))


class Still:
    """A neighbourhood that finds nothing."""

    def explore(self, problem: Any, incumbent: Any, budget: Budget, rng: np.random.Generator) -> Outcome[toy.Digits]:
        return Outcome(Status.NO_IMPROVEMENT)


def test_a_stale_search_is_constructed_anew_and_keeps_the_best() -> None:
    """After so many calls without a gain the construction runs again, and the best solution of all stays."""
    drawn = Drawn()
    search = LocalSearch(toy.SmallSum(), Named("drawn", drawn), [Named("still", Still())], restart_after=3)
    found = search.run(Budget(iterations=10), 1)
    assert len(drawn.objectives) == 4
    assert len(set(drawn.objectives)) > 1
    assert found.objective == min(drawn.objectives)


@dataclass
class Rarely:
    """A construction that succeeds at first, and then only with luck; what it has drawn."""

    drawn: list[int] = field(default_factory=list)

    def build(self, problem: Any, budget: Budget, rng: np.random.Generator) -> Outcome[toy.Digits]:
        self.drawn.append(int(rng.integers(1 << 30)))
        assert len(self.drawn) < 100, "it never ends"
        if len(self.drawn) > 1:
            return Outcome(Status.EXHAUSTED)
        return Outcome(Status.IMPROVED, np.ones(problem.length, dtype=np.int64), problem.length)


@pytest.mark.parametrize("status", [Status.NO_IMPROVEMENT, Status.LOCAL_OPTIMUM])
def test_a_restart_without_a_solution_is_a_call(status: Status) -> None:
    """It has random numbers of its own, and a limit of calls ends the run, also where everything is a local optimum."""
    rarely, still = Rarely(), toy.Scripted(lambda *_: Outcome(status))
    search = LocalSearch(toy.SmallSum(), Named("rarely", rarely), [Named("still", still)], restart_after=3)
    found = search.run(Budget(iterations=20), 1)
    assert (found.stopped, found.iterations, found.objective) == ("budget", 20, 6)
    assert len(set(rarely.drawn)) == len(rarely.drawn) == 1 + (20 // 4 if status is Status.NO_IMPROVEMENT else 19)


class Worse:
    """A neighbourhood that adds one to the first digit that is not yet nine."""

    def explore(self, problem: Any, incumbent: Any, budget: Budget, rng: np.random.Generator) -> Outcome[toy.Digits]:
        digits = np.array(incumbent)
        digits[np.flatnonzero(digits < 9)[0]] += 1
        return Outcome(Status.NO_IMPROVEMENT, digits, int(digits.sum()))


def test_accepted_worse_solutions_are_gone_on_from() -> None:
    """What an acceptance criterion lets in stays the current solution: the search does not jump back to the best."""
    acceptance = RecordToRecord(deviation=1000.0)
    start = np.ones(toy.SmallSum().length, dtype=np.int64)
    search = LocalSearch(toy.SmallSum(), None, [Named("worse", Worse())], acceptance=acceptance)
    found = search.run(Budget(iterations=5), 1, start=start)
    assert found.objective == start.sum()
    assert sum(found.state["current"]) == start.sum() + 5


def test_an_exception_says_whose_it_is() -> None:
    """What an operator raises comes out as it is, with a note below."""

    def fail(*_: Any) -> Outcome[toy.Digits]:
        raise ZeroDivisionError("of its own")

    with pytest.raises(ZeroDivisionError, match="of its own") as caught:
        toy.search(PROBLEM, toy.Scripted(fail)).run(Budget(iterations=3))
    assert caught.value.__notes__ == ["raised by operator 'scripted0'"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, r"operator '\w+': the answer is not an Outcome, but NoneType\. Maybe 'return' is missing\?"),
        (np.zeros(6), r"operator '\w+': the answer is not an Outcome, but ndarray"),
        (Outcome("no-improvement"), r"operator '\w+': the status 'no-improvement' is not a Status\. Maybe Status\.NO"),  # type: ignore[arg-type]
        (Outcome(Status.NO_IMPROVEMENT, bound="3"), r"operator '\w+': the bound is not a number \('3'\)"),  # type: ignore[arg-type]
        (Outcome(Status.NO_IMPROVEMENT, reason=3), r"operator '\w+': the reason is not a text \(3\)"),  # type: ignore[arg-type]
        (Outcome(Status.INFEASIBLE, certificate=[1]), r"operator '\w+': the certificate is not a mapping"),  # type: ignore[arg-type]
    ],
)
@pytest.mark.parametrize("builds", [False, True])
def test_an_answer_of_another_form_names_the_operator(answer: Any, message: str, builds: bool) -> None:
    """Of a construction and of a neighbourhood."""
    wrong = toy.Scripted(lambda *_: answer)
    search = toy.search(PROBLEM, construction=wrong) if builds else toy.search(PROBLEM, wrong)
    with pytest.raises(OperatorError, match=message):
        search.run(Budget(iterations=3))


@pytest.mark.parametrize("choice", [1, -1, None, 0.0, "lower"])
def test_a_wrong_choice_names_the_schedule(choice: Any) -> None:
    """A schedule of a user that chooses none of the neighbourhoods."""

    class Own(Cycle):
        def choose(self, open_: Any, rng: Any) -> int:
            chosen: int = choice
            return chosen

    search = LocalSearch(PROBLEM, Named("nines", toy.Nines()), [Named("lower", toy.Lower())], schedule=Own())
    with pytest.raises(ConfigurationError, match=f"the schedule Own chose {choice!r}, not a number from 0 to 0"):
        search.run(Budget(iterations=3))


def test_wrong_work_names_the_operator() -> None:
    """Work that is no count is an error, and not a run that never ends."""

    def act(_problem: toy.SmallSum, _incumbent: Any, budget: Budget) -> Outcome[toy.Digits]:
        budget.spend(work=-5)
        return Outcome(Status.NO_IMPROVEMENT)

    with pytest.raises(OperatorError, match=r"operator 'scripted0': work is booked in whole numbers from 0 \(-5\)"):
        toy.search(PROBLEM, toy.Scripted(act)).run(Budget(work=30))


def test_a_problem_of_another_form_is_refused() -> None:
    """A method in the place of an attribute is named before the search."""

    class Wrong(toy.SmallSum):
        def score_max(self) -> int:  # type: ignore[override]
            return 9

    with pytest.raises(ConfigurationError, match="the problem Wrong cannot be used: 'score_max' is a method"):
        toy.search(Wrong())


# Shares of the time


class Clock:
    """Time that passes when an operator spends it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def endless(clock: Clock, first: float = 0.0, *, planned: bool = False) -> toy.Scripted:
    """A construction that has its first solution after some seconds and uses all the time that it is given.

    `planned`: it asks for its time at the beginning, as one does that starts a solver.
    """

    def act(problem: toy.SmallSum, _incumbent: Any, budget: Budget) -> Outcome[toy.Digits]:
        found, planned_end = None, clock.now + budget.seconds_left
        begun = clock.now
        while not (clock.now >= planned_end if planned else budget.exhausted):
            clock.now += 0.5
            if found is None and clock.now - begun >= first:
                found = np.full(problem.length, 9)
                budget.offer(found, 9 * problem.length)
        return Outcome(Status.EXHAUSTED, found, None if found is None else 9 * problem.length)

    return toy.Scripted(act)


def slow(clock: Clock) -> toy.Scripted:
    """A neighbourhood that takes a second and finds nothing."""

    def act(_problem: toy.SmallSum, _incumbent: Any, _budget: Budget) -> Outcome[toy.Digits]:
        clock.now += 1.0
        return Outcome(Status.NO_IMPROVEMENT)

    return toy.Scripted(act)


def shared(clock: Clock, construction: toy.Scripted, share: float, **limits: Any) -> dict[str, float]:
    """Calls of each operator within 30 seconds."""
    search = LocalSearch(PROBLEM, Named("build", construction, share=share, **limits), [Named("improve", slow(clock))])
    result = search.run(Budget(seconds=30, clock=clock))
    assert result.seconds == 30
    return {name: one.calls for name, one in result.operators.items()}


def test_a_construction_leaves_time_to_the_neighbourhoods() -> None:
    """With a share of two thirds, a third is left; with all, nothing; seconds of a call count where they are fewer."""
    for planned in (False, True):
        clock = Clock()
        assert shared(clock, endless(clock, planned=planned), 2 / 3) == {"build": 1, "improve": 10}
    clock = Clock()
    assert shared(clock, endless(clock), 1.0) == {"build": 1}
    clock = Clock()
    assert shared(clock, endless(clock), 2 / 3, seconds=5.0) == {"build": 1, "improve": 25}


def test_a_construction_without_a_solution_goes_on() -> None:
    """What has found nothing in its share goes on until it has something; what came back is asked again."""
    clock = Clock()
    assert shared(clock, endless(clock, first=25), 2 / 3) == {"build": 1, "improve": 5}
    clock = Clock()
    assert shared(clock, endless(clock, first=25, planned=True), 2 / 3) == {"build": 2}


def test_a_construction_that_ends_by_itself_is_not_asked_again() -> None:
    """One that has found nothing before its share ended has finished the run."""
    clock = Clock()

    def give_up(_problem: toy.SmallSum, _incumbent: Any, _budget: Budget) -> Outcome[toy.Digits]:
        clock.now += 3.0
        return Outcome(Status.EXHAUSTED)

    search = LocalSearch(PROBLEM, Named("build", toy.Scripted(give_up), share=0.6), [Named("improve", slow(clock))])
    result = search.run(Budget(seconds=30, clock=clock))
    assert (result.stopped, result.seconds, result.operators["build"].calls) == ("finished", 3.0, 1)


def test_shares_mean_nothing_without_a_clock() -> None:
    """A run in work units is the same whatever the share."""
    runs = []
    for share in (1.0, 0.5):
        search = LocalSearch(PROBLEM, Named("nines", toy.Nines(), share=share), [Named("lower", toy.Lower())])
        runs.append(toy.figures(search.run(Budget(work=20), 3)))
    assert runs[0] == runs[1]


class Slow(toy.SmallSum):
    """A problem whose trivial bound takes longer than anybody waits."""

    def __getattribute__(self, name: str) -> Any:
        while name == "trivial_bound":
            pass
        return super().__getattribute__(name)

    def __repr__(self) -> str:
        return "Slow()"


def test_a_trivial_bound_that_takes_too_long_is_left_out() -> None:
    """The run ends in time, without that bound, and still has a solution."""
    result = toy.search(Slow(6), toy.Lower()).run(Budget(interrupt=lambda: True))
    assert (result.stopped, result.bound, result.objective) == ("interrupt", None, 54)


# Constructions that only operator calls limit


def trying(clock: Clock, *, first: float = math.inf, ends: float = math.inf, build: float = 0) -> toy.Scripted:
    """A construction whose attempts take 10 ms each; it builds something, finds its first solution and ends by itself.

    Parameters
    ----------
    first, ends, build
        Seconds after which it has a solution and ends, and seconds in which it builds before it begins.
    """

    def act(problem: toy.SmallSum, _incumbent: Any, budget: Budget) -> Outcome[toy.Digits]:
        assert not budget.timed
        start, nines = clock.now, np.full(problem.length, 9)
        while clock.now < start + build:
            budget.check()
            clock.now += 0.01
        inner, start, found = budget.child(), clock.now, False
        while not inner.exhausted and clock.now < start + ends:
            clock.now += 0.01
            if clock.now >= start + first and not found:
                found = True
                inner.offer(nines, 54)
        return Outcome(Status.IMPROVED, nines, 54) if found else Outcome(Status.EXHAUSTED)

    return toy.Scripted(act)


def constructed(clock: Clock, construction: toy.Scripted, **limits: Any) -> tuple[Any, dict[str, Any]]:
    """The result of a short run, and the event of its construction."""
    events = toy.Events()
    search = toy.search(PROBLEM, toy.Lower(), construction=construction, observers=[events])
    return search.run(Budget(clock=clock, **limits)), events.of("operator")[0]


def test_a_construction_that_tries_until_its_budget_ends_comes_back() -> None:
    """With a limit of calls alone it has a minute for its first solution, and trace, result and state say so."""
    clock = Clock()
    result, event = constructed(clock, trying(clock), iterations=10)
    assert (result.solution, result.stopped, event["status"]) == (None, "finished", "exhausted")
    assert CONSTRUCTION_SECONDS <= clock.now < CONSTRUCTION_SECONDS + 1
    assert result.note == event["note"] == result.state["note"]
    assert "after 60 seconds" in event["note"]


def test_builders_that_try_until_their_budget_ends_come_back_too() -> None:
    """Who never looks at `exhausted` has as long as one that has a solution."""
    clock = Clock()
    result, event = constructed(clock, trying(clock, build=math.inf), iterations=10)
    assert (result.solution, event["status"]) == (None, "exhausted")
    assert CONSTRUCTION_SECONDS_IN_ALL <= clock.now < CONSTRUCTION_SECONDS_IN_ALL + 1


@pytest.mark.parametrize(
    "times", [{"first": 50, "ends": 500}, {"build": 500, "first": 50, "ends": 55}, {"ends": 55}], ids=str
)
def test_a_construction_that_ends_by_itself_is_left_alone(times: dict[str, float]) -> None:
    """It may go on for minutes once it has a solution, and build for minutes before it begins."""
    clock = Clock()
    result, event = constructed(clock, trying(clock, **times), iterations=10)
    assert (result.note, "note" in event) == (None, False)
    assert clock.now >= times["ends"]


def test_a_construction_that_polishes_until_its_budget_ends_keeps_its_solution() -> None:
    """What it found counts, and the search goes on with it."""
    clock = Clock()
    result, event = constructed(clock, trying(clock, first=30), iterations=10)
    assert CONSTRUCTION_SECONDS_IN_ALL <= clock.now < CONSTRUCTION_SECONDS_IN_ALL + 1
    assert (result.objective, result.iterations, result.note) == (44, 10, event["note"])


@pytest.mark.parametrize("limits", [{}, {"work": 10**9}, {"work": 10**9, "iterations": 10}], ids=str)
def test_only_runs_that_calls_alone_limit_are_concerned(limits: dict[str, Any]) -> None:
    """Without any limit the user waits for the answer; a limit of work is the operator's to keep."""
    clock = Clock()
    result, event = constructed(clock, trying(clock, ends=2000), **limits)
    assert (result.note, "note" in event) == (None, False)
    assert clock.now >= 2000


def test_the_note_of_a_construction_survives_a_resume() -> None:
    """A continued run still says that it does not depend on its seed alone."""
    clock = Clock()
    search = toy.search(PROBLEM, toy.Lower(), construction=trying(clock, first=30))
    stopped = search.run(Budget(clock=clock, iterations=10), pause=Pause(iterations=5))
    assert (stopped.stopped, stopped.iterations) == ("pause", 5)
    assert search.run(Budget(clock=clock, iterations=10), state=stopped.state).note == stopped.note is not None


def test_bounds_on_the_way_are_events_and_no_more() -> None:
    """Those who watch hear each better one, never above the best objective; the outcome alone proves."""

    def act(problem: toy.SmallSum, _: object, budget: Budget) -> Outcome[toy.Digits]:
        for bound in (2, 1, 5, 5, 10**6):
            budget.child().tell_bound(bound)
        budget.translated(lambda *_: None, lambda target: target).tell_bound(9)  # in other terms
        return Outcome(Status.NO_IMPROVEMENT, bound=3)

    events = toy.Events()
    result = toy.search(PROBLEM, toy.Scripted(act), observers=[events]).run(Budget(iterations=1))
    best = result.objective
    assert [event["bound"] for event in events.of("bound")] == [2, 5, best, 3]
    assert all(event["score"] == 54 - event["bound"] for event in events.of("bound"))
    assert (result.bound, result.stopped) == (3, "budget")


def test_a_construction_that_was_ended_goes_on_after_a_resume() -> None:
    """Where nothing else searches, a run that was stopped in it begins with it again; one that it ended has ended."""
    calls: list[int] = []

    def act(problem: toy.SmallSum, _: object, budget: Budget) -> Outcome[toy.Digits]:
        calls.append(len(calls))
        digits = np.full(problem.length, 9 - len(calls))
        budget.offer(digits, problem.evaluate(digits).objective)
        budget.spend(work=5)
        return Outcome(Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT)

    first = toy.search(PROBLEM, construction=toy.Scripted(act)).run(Budget(work=5))
    assert (first.stopped, len(calls)) == ("budget", 1)
    second = toy.search(PROBLEM, construction=toy.Scripted(act)).run(Budget(work=20), state=first.state)
    assert (second.stopped, len(calls)) == ("finished", 2)
    assert second.objective < first.objective
    third = toy.search(PROBLEM, construction=toy.Scripted(act)).run(Budget(work=20), state=second.state)
    assert (third.stopped, len(calls)) == ("finished", 2)
