"""Errors of operators: every claim of an `Outcome`, and what else a call could do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from matheur.engine import Budget, Outcome, Status
from matheur.engine.operators import _registry
from matheur.engine.registry import Entry

__all__ = ["CONSTRUCTIONS", "NEIGHBOURHOODS", "Lie", "plant"]

Change = Callable[[Any, Any, Budget], Outcome[Any]]


@dataclass(frozen=True)
class Lie:
    """What an operator claims, and the words of who sees it; `by` is `engine`, `verify`, or `harmless`."""

    name: str
    change: Change
    by: str
    words: str = ""
    start: str = "best"  # of a neighbourhood: the solution to which it adds the weak one, or `weak`


def _longer(_: Any, outcome: Any, __: Budget) -> Outcome[Any]:
    return replace(outcome, solution=np.concatenate([outcome.solution, outcome.solution[-1:]]))


def _floats(_: Any, outcome: Any, __: Budget) -> Outcome[Any]:
    return replace(outcome, solution=np.asarray(outcome.solution, dtype=np.float64) + 0.25)


def _shape(_: Any, outcome: Any, __: Budget) -> Outcome[Any]:
    solution = np.asarray(outcome.solution).reshape(1, -1)
    return replace(outcome, solution=solution, objective=None)


def _offered(problem: Any, outcome: Any, budget: Budget) -> Outcome[Any]:
    budget.offer(outcome.solution, problem.evaluate(outcome.solution).objective - 10**6)
    return outcome


def _claim(**claims: Any) -> Change:
    return lambda _problem, outcome, _budget: replace(outcome, **claims)


def _beyond(by: int) -> Change:
    """A bound at the objective of the solution, or beyond it."""
    return lambda _problem, outcome, _budget: replace(outcome, bound=outcome.objective + by)


COMMON = [
    Lie(
        "an objective better than its solution",
        lambda _problem, outcome, _budget: replace(outcome, objective=outcome.objective - 1),
        "engine",
        "claims objective",
    ),
    Lie("an improvement handed out that is none", _offered, "engine", "claims objective"),
    Lie("a solution that is too long", _longer, "engine", "returned a solution that violates|claims objective"),
    Lie("a solution of another shape", _shape, "engine", "returned a solution that violates"),
    Lie("a solution of fractions", _floats, "engine", "returned a solution that violates"),
    Lie("no solution at all, but an object", _claim(solution=object()), "engine", "returned"),
    Lie("a bound above its own solution", _beyond(1), "engine", "but a solution of objective"),
    Lie("a bound that is no number", _claim(bound=float("nan")), "engine", "claims the bound nan"),
]

CONSTRUCTIONS = [
    *COMMON,
    Lie("optimal, of a weak solution", _beyond(0), "verify", "claims the optimum"),
    Lie(
        "that there is no solution",
        _claim(status=Status.INFEASIBLE, solution=None, objective=None, bound=None, reason="so it says"),
        "verify",
        "claims that there is no solution",
    ),
]

NEIGHBOURHOODS = [
    *COMMON,
    Lie("optimal, of a weak solution", _beyond(0), "engine", "but a solution of objective"),
    Lie("an improvement without a solution", _claim(status=Status.IMPROVED, solution=None), "engine", "returns no"),
    Lie("an improvement that is worse", _claim(status=Status.IMPROVED), "engine", "is no better than"),
    Lie("an improvement that is none", _claim(status=Status.IMPROVED), "engine", "returns the incumbent", "weak"),
    Lie("a local optimum that is none", _claim(status=Status.LOCAL_OPTIMUM), "harmless", start="weak"),
    Lie(
        "that a subproblem has no solution",
        _claim(status=Status.INFEASIBLE, solution=None, objective=None),
        "harmless",
        start="weak",
    ),
    Lie("optimal, of the weak incumbent", _beyond(0), "verify", "claims the optimum", start="weak"),
]


@dataclass(frozen=True)
class Liar:
    """A construction and neighbourhood that returns a weak solution and lies about it."""

    def build(self, problem: Any, budget: Budget, rng: Any) -> Outcome[Any]:
        """Of a construction."""
        return self._answer(problem, budget)

    def explore(self, problem: Any, incumbent: Any, budget: Budget, rng: Any) -> Outcome[Any]:
        """Of a neighbourhood."""
        self._touch(incumbent)
        return self._answer(problem, budget)

    def _answer(self, problem: Any, budget: Budget) -> Outcome[Any]:
        raise NotImplementedError

    def _touch(self, incumbent: Any) -> None:
        """Write to the incumbent, or not."""


def plant(patch: Any, name: str, lie: Lie, weak: Any, *, writes: bool = False) -> None:
    """Register the operator `liar` of a problem, for a test."""

    class Planted(Liar):
        def _touch(self, incumbent: Any) -> None:
            if writes:
                incumbent[0] += 1

        def _answer(self, problem: Any, budget: Budget) -> Outcome[Any]:
            solution = np.array(weak)
            objective = problem.evaluate(solution).objective
            proof = {"backend": "liar"}
            return lie.change(problem, Outcome(Status.NO_IMPROVEMENT, solution, objective, certificate=proof), budget)

    for kind in ("construction", "neighbourhood"):
        full = f"{name}.{kind}.liar"
        patch.setitem(_registry._entries, full, Entry(full, Planted))
