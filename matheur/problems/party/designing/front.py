"""Pareto front of a party puzzle: price against synergy and sums, by an evolution or by epsilon constraints."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np

from matheur.engine.budget import Budget
from matheur.engine.interrupt import heeds_ctrl_c
from matheur.engine.options import within
from matheur.errors import ConfigurationError, nearest
from matheur.problems.party.operators.front import demanding, evolve_front, most, scale, worth
from matheur.problems.party.problem import Party
from matheur.running.configuration import assignments
from matheur.running.fronts import FrontPoint, ParetoFront, Sense
from matheur.running.loading import load_instance
from matheur.running.solving import instance_options, solve

__all__ = ["METHODS", "Method", "front"]

Method = Literal["evolution", "constraint"]

METHODS: tuple[Method, ...] = ("evolution", "constraint")
_PRICES = ("price", "cost")
_SECONDS = 30.0
_SHARES = 6  # a search first gets the remaining budget divided by this number: most end early, with a proof


@heeds_ctrl_c
def front(
    instance: Any,
    objectives: Sequence[str],
    *,
    method: str = "evolution",
    points: int = 24,
    name: str | None = None,
    seconds: float | None = None,
    work: int | None = None,
    solver: str | None = None,
    settings: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    interrupt: Callable[[], bool] | None = None,
) -> ParetoFront:
    """Compute a front of non-dominated parties.

    `evolution` evolves the whole front by non-dominated sorting (NSGA-II), without proofs. `constraint` (the
    epsilon-constraint method) searches for the cheapest party, then for the cheapest one with a higher value of the
    second objective, and so on; a point is proved if its search ends with a proof.

    Parameters
    ----------
    instance
        Path, built-in name or `Party`. Its own demands on the objectives are ignored; all others hold.
    objectives
        Objectives: first `price` (or `cost`), which is minimised; then `synergy` or numeric columns, whose values or
        sums are maximised. `constraint` supports one of these, `evolution` any number.
    method
        Method: `evolution` or `constraint`.
    points
        Maximum number of levels of the further objectives for which parties are built.
    seconds, work
        Limits of all searches together (30 seconds if none is given).
    solver, settings, options, seed
        Options of the searches, see `matheur.solve`; `evolution` uses no solver, and accepts only settings of the
        instance's reader.
    interrupt
        Function that returns True to stop with the points so far.

    Raises
    ------
    ConfigurationError
        If the problem has no such objective, or the method is unknown or does not support the objectives.
    """
    if isinstance(instance, str | Path):
        name = name or str(instance)
        _, problem = load_instance(str(instance), None, instance_options(None, settings, options))
    else:
        problem = instance
    if problem.name != "party":
        raise ConfigurationError(f"fronts are found for party puzzles only (not for '{problem.name}')")
    problem = Party(problem.instance.priced)
    against = _further(problem, objectives)
    if method not in METHODS:
        raise ConfigurationError(f"unknown method '{method}'. {nearest(method, METHODS)}")
    for key, _ in assignments(settings) if method == "evolution" else ():
        if within(key, "instance") is None:
            raise ConfigurationError(f"'{key}' has no effect on the method 'evolution'. Maybe --method constraint?")
    if method == "constraint" and len(against) > 1:
        raise ConfigurationError("the method 'constraint' takes two objectives. Maybe --method evolution?")
    if points < 2:
        raise ConfigurationError(f"a front needs at least 2 points ({points})")
    if seconds is None and work is None:
        seconds = _SECONDS
    began = time.monotonic()
    stop = interrupt or (lambda: False)
    budget = Budget(seconds=seconds, work=work, interrupt=stop)
    if method == "evolution":
        found, complete = _evolved(problem, against, budget, points, seed), False
    else:
        search = {"solver": solver, "settings": settings, "seed": seed, "interrupt": stop}
        found, complete = _constrained(problem, against[0], budget, points, search)
    largest: Sense = "max"
    senses: tuple[Sense, ...] = ("min", *(largest for _ in against))
    return ParetoFront(
        problem, name or problem.instance.name, tuple(objectives), senses, method, found,
        complete, time.monotonic() - began, seed,
    )  # fmt: skip


def _further(problem: Party, objectives: Sequence[str]) -> tuple[str, ...]:
    """Return the objectives other than the price, checked against the puzzle."""
    if len(objectives) < 2 or objectives[0] not in _PRICES:
        raise ConfigurationError(
            f"a front needs the price and at least one more objective ({', '.join(objectives) or 'none'}). "
            "Maybe price,synergy?"
        )
    if len(set(objectives)) < len(objectives) or set(objectives[1:]) & set(_PRICES):
        raise ConfigurationError(f"an objective appears twice ({', '.join(objectives)})")
    for one in objectives[1:]:
        demanding(problem.instance, one, None)
    return tuple(objectives[1:])


def _evolved(problem: Party, against: tuple[str, ...], budget: Budget, levels: int, seed: int) -> list[FrontPoint]:
    archive = evolve_front(problem, budget, np.random.default_rng(seed), against, levels=levels)
    scales = [scale(problem.instance, one) for one in against]
    return [
        FrontPoint(
            (Fraction(row[0]), *(Fraction(-value, unit) for value, unit in zip(row[1:], scales, strict=True))), party
        )
        for party, row in zip(*_plain(archive.sorted()), strict=True)
    ]


def _plain(pair: tuple[Any, Any]) -> tuple[list[Any], list[list[int]]]:
    return list(pair[0]), pair[1].tolist()


def _constrained(
    problem: Party, against: str, budget: Budget, levels: int, search: Mapping[str, Any]
) -> tuple[list[FrontPoint], bool]:
    """Return points from the cheapest to the most valuable, and whether they are provably the complete front."""
    one = problem.instance
    unit = scale(one, against)
    found: list[tuple[int, int, Any, bool]] = []
    level: int | None = None  # no demand at first
    complete = True
    for left in range(levels, 0, -1):
        searches, answer = min(left, _SHARES), None
        while searches and not budget.exhausted and (answer is None or answer.status == "unknown"):
            answer = solve(Party(demanding(one, against, level)), **_share(budget, searches), **search)
            budget.spend(work=answer.work)
            searches //= 2  # if a share of the remaining budget was too small to find any party
        if answer is None:
            break
        if answer.solution is None:
            return _points(found, unit), complete and answer.status == "infeasible"
        value, proved = int(worth(one, against, answer.solution[None])[0]), answer.status == "optimal"
        found.append((int(answer.objective or 0), value, answer.solution, proved))
        if value >= most(one, against):
            return _points(found, unit), complete and proved
        # Levels are evenly spaced. If there are few, all are used: only then is the front complete.
        level = value + max(1, (most(one, against) - value) // left)
        complete = complete and proved and level == value + 1
    return _points(found, unit), False


def _share(budget: Budget, searches: int) -> dict[str, Any]:
    """Return the limits of the next search if `searches` searches remain."""
    limits: dict[str, Any] = {}
    if budget.timed:
        limits["seconds"] = budget.seconds_left / searches
    if budget.work_left is not None:
        limits["work"] = max(1, budget.work_left // searches)
    return limits


def _points(found: Sequence[tuple[int, int, Any, bool]], unit: int) -> list[FrontPoint]:
    """Return the non-dominated points by price; a party dominated at the same value was not the cheapest."""
    return [
        FrontPoint((Fraction(price), Fraction(value, unit)), party, proved)
        for price, value, party, proved in sorted(found, key=lambda row: (row[0], -row[1]))
        if not any(p <= price and v >= value and (p, v) != (price, value) for p, v, _, _ in found)
    ]
