"""Figures that acceptance compares in place of the objective."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine import toy
from numpy.random import Generator

import matheur
from matheur.engine import Budget, Checkpointer, Guidance, Guiding, LocalSearch, Named, Outcome, Pause, Status
from matheur.engine.acceptance import Acceptance, Improving, LateAcceptance, NonWorsening, RecordToRecord
from matheur.errors import ConfigurationError


@dataclass(frozen=True)
class Guided(toy.SmallSum):
    """Also offers the largest digit, and how far the digits are apart."""

    guides = ("largest", "spread")

    def guide(self, name: str, solution: toy.Digits) -> int:
        return int(solution.max() if name == "largest" else np.ptp(solution))


@dataclass(frozen=True)
class Change:
    """Set a random digit. Work: one."""

    def explore(self, problem: Any, incumbent: toy.Digits, budget: Budget, rng: Generator) -> Outcome[toy.Digits]:
        changed = incumbent.copy()
        changed[rng.integers(problem.length)] = rng.integers(10)
        better = changed.sum() < incumbent.sum()
        status = Status.IMPROVED if better else Status.NO_IMPROVEMENT
        return Outcome(status, changed, int(changed.sum()))


def search(acceptance: Acceptance, guides: tuple[str, ...], calls: int = 1000, **more: Any) -> LocalSearch[toy.Digits]:
    return LocalSearch(
        Guided(), Named("nines", toy.Nines()), [Named("change", Change())], acceptance=acceptance, guides=guides,
        guide_calls=calls, **more,
    )  # fmt: skip


@dataclass(slots=True)
class Listening:
    """Takes what another criterion takes, and keeps what it was asked."""

    inner: Acceptance
    asked: list[tuple[float, float, float]]
    fresh: int = 0

    def accepts(self, candidate: float, current: float, best: float, progress: float, rng: Generator) -> bool:
        self.asked.append((candidate, current, best))
        return self.inner.accepts(candidate, current, best, progress, rng)

    def state(self) -> dict[str, Any]:
        return self.inner.state()

    def restore(self, state: dict[str, Any]) -> None:
        self.fresh += 1
        self.inner.restore(state)


def test_acceptance_sees_the_figure() -> None:
    """Not the objective: the spread of equal digits is 0, so a criterion that wants better ones takes nothing."""
    listening = Listening(Improving(), [])
    result = search(listening, ("spread",)).run(Budget(iterations=200), seed=1)
    assert {(current, best) for _, current, best in listening.asked} == {(0, 0)}
    assert all(0 <= candidate <= 9 for candidate, _, _ in listening.asked)
    assert result.state["current"] == 6 * [9]


def test_the_best_solution_is_that_of_the_objective() -> None:
    """What is observed is kept, though the guide refuses it."""
    problem = Guided()
    result = search(NonWorsening(), ("spread",)).run(Budget(iterations=300), seed=1)
    assert result.solution is not None
    assert result.objective == problem.evaluate(result.solution).objective < 54


def test_the_least_value_is_that_of_what_was_accepted() -> None:
    """A deviation from the record counts from the least value of the figure since it guides."""
    listening = Listening(RecordToRecord(deviation=3), [])
    search(listening, ("largest",)).run(Budget(iterations=400), seed=2)
    least = 9.0
    for candidate, current, best in listening.asked:
        least = min(least, current)
        assert best == least
        assert 0 <= candidate <= 9


def test_figures_take_turns_and_acceptance_begins_anew() -> None:
    """After so many calls the next one guides, without what the criterion remembers of the last."""
    listening = Listening(LateAcceptance(length=10), [])
    search(listening, ("largest", "objective"), calls=50).run(Budget(iterations=200), seed=3)
    assert listening.fresh == 3
    own = Listening(LateAcceptance(length=10), [])
    search(own, ()).run(Budget(iterations=200), seed=3)
    assert own.fresh == 0
    assert max(current for _, current, _ in own.asked) > 9


def test_the_objective_may_be_named() -> None:
    """Then all is as without guides."""
    plain = search(LateAcceptance(length=10), ()).run(Budget(iterations=100), seed=5)
    named = search(LateAcceptance(length=10), ("objective",)).run(Budget(iterations=100), seed=5)
    assert plain.state["current"] == named.state["current"]
    assert plain.objective == named.objective
    assert plain.state["acceptance"] == named.state["acceptance"]


def test_schedules_learn_from_the_figure() -> None:
    """Statistics count edges, or whatever the objective counts; the schedule hears of the figure's gains."""
    from matheur.engine.schedules import Call, Cycle

    heard: list[Call] = []

    class Hearing(Cycle):
        def record(self, call: Call) -> None:
            heard.append(call)

    result = search(NonWorsening(), ("largest",), schedule=Hearing()).run(Budget(iterations=300), seed=4)
    assert sum(call.gain for call in heard) <= 9
    assert result.operators["change"].gain > 9


def test_a_stop_and_a_resume_change_nothing(tmp_path: Path) -> None:
    """The figure and its least value are in the state."""

    def fresh() -> LocalSearch[toy.Digits]:
        return search(RecordToRecord(deviation=4), ("largest", "spread"), calls=30)

    whole = fresh().run(Budget(iterations=150), seed=7)
    state: dict[str, Any] | None = None
    for stop in range(7, 200, 7):
        keeper = Checkpointer(tmp_path / "state", {"search": "guided"})
        one = fresh()
        one.checkpointer = keeper
        result = one.run(Budget(iterations=150), seed=7, state=state, pause=Pause(iterations=stop))
        state = keeper.load()
        if result.stopped != "pause":
            break
    assert state is not None
    assert (result.objective, result.state["current"]) == (whole.objective, whole.state["current"])
    assert result.state["guidance"] == whole.state["guidance"]


def test_only_what_a_problem_offers() -> None:
    """A misspelt name, a problem without figures, no calls: said when the search is made."""
    assert isinstance(Guided(), Guiding)
    assert not isinstance(toy.SmallSum(), Guiding)
    with pytest.raises(ConfigurationError, match=r"no guide 'larges'.*largest"):
        Guidance(Guided(), ["larges"], 10)
    with pytest.raises(ConfigurationError, match="no guide 'largest'"):
        Guidance(toy.SmallSum(), ["largest"], 10)
    with pytest.raises(ConfigurationError, match="guide_calls"):
        Guidance(Guided(), [], 0)


def test_from_a_configuration() -> None:
    """Names in one string or a list; a wrong one is an error; the result says what was asked for."""
    way: dict[str, Any] = {
        "construction": "random", "neighbourhoods": ["assignment"], "iterations": 20, "seed": 1,
    }  # fmt: skip
    settings = ["guides=blocks-2, objective", "guide_calls=5", "neighbourhood.assignment.iterations=5"]
    result = matheur.solve("edge-matching/6x6", settings=settings, **way)
    assert result.configuration["guides"] == ("blocks-2", "objective")
    with pytest.raises(ConfigurationError, match="no guide 'blocks-4'"):
        matheur.solve("edge-matching/6x6", settings=["guides=blocks-4"], **way)
    with pytest.raises(ConfigurationError, match="guides"):
        matheur.solve("edge-matching/6x6", settings=["guides=3"], **way)
