"""Several different near-optimal solutions, and their number."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from matheur.engine import Budget
from matheur.engine.interrupt import heeds_ctrl_c
from matheur.engine.own_terms import in_own_terms
from matheur.engine.problem_types import tool_of
from matheur.engine.protocols import Reporting
from matheur.errors import ConfigurationError, OperatorError
from matheur.running.building import build_search
from matheur.running.configuration import Configuration, assignments, resolve
from matheur.running.diversity.collection import Collection
from matheur.running.diversity.differences import differences_of
from matheur.running.diversity.finders import Finder, Restarts
from matheur.running.earlier_words import key_of_today
from matheur.running.loading import load_instance
from matheur.running.solving import instance_options

__all__ = ["Band", "Diversity", "Variant", "diverse"]

_FIRST = 0.4  # share of the budget to find the best solution
_UNUSED = ("iterations", "target", "jobs", "portfolio", "pool")  # settings of a run that do not apply


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the different solutions.

    Attributes
    ----------
    solution, objective
        The solution and its evaluated objective.
    nearest
        Number of places or items by which it differs from the most similar other solution; None if it is the only one.
    """

    solution: Any
    objective: int | float
    nearest: int | None


@dataclass(frozen=True, slots=True)
class Band:
    """Different solutions with an objective above `low` (in the first band also at it), up to `high`.

    `exact` is True if it is proved that there are no more.
    """

    low: int | float
    high: int | float
    found: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Diversity:
    """Different near-optimal solutions.

    Attributes
    ----------
    problem, instance
        The problem and the name of the instance.
    status
        `found` (as many as were asked for), `complete` (fewer, and proved that no further solution is as far from all
        of these), `partial` (fewer, without a proof), `infeasible` or `unknown`.
    reason
        Reason why there is no solution; only if infeasible.
    variants
        Pairwise at least `distance` apart, cheapest first.
    best, bound
        Objective of the best known solution, and a proved lower bound.
    cap
        Largest objective within the tolerance.
    distance, by_slot
        Minimum distance of the variants, and how it is measured.
    known
        Number of different solutions found up to the cap (pairwise at distance 1 at least).
    all_below
        Objective below which all solutions are proved to be known; None without a proof.
    exact
        Whether all solutions up to the cap are known.
    bands
        Known solutions by objective.
    seconds, work, seed
        Seconds and work spent, and the seed.
    """

    problem: Any
    instance: str
    status: str
    reason: str | None
    variants: Sequence[Variant]
    best: int | float | None
    bound: int | float | None
    cap: int | float | None
    distance: int
    by_slot: bool
    known: int
    all_below: int | float | None
    exact: bool
    bands: Sequence[Band]
    seconds: float
    work: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        names = ("instance", "status", "reason", "best", "bound", "cap", "distance", "by_slot", "known", "exact")
        return {
            "problem": self.problem.name,
            **{name: getattr(self, name) for name in names},
            "all_below": self.all_below,
            "bands": [{"from": b.low, "to": b.high, "found": b.found, "exact": b.exact} for b in self.bands],
            "solutions": [self._plain(variant) for variant in self.variants],
            "seconds": round(self.seconds, 3),
            "work": self.work,
            "seed": self.seed,
        }

    def _plain(self, variant: Variant) -> dict[str, Any]:
        more = self.problem.report(variant.solution) if isinstance(self.problem, Reporting) else {}
        return {
            "objective": in_own_terms(self.problem, variant.objective),
            "score": self.problem.score(variant.objective),
            **more,
            "nearest": variant.nearest,
            "solution": self.problem.encode(variant.solution),
        }


@heeds_ctrl_c
def diverse(
    instance: Any,
    *,
    count: int = 5,
    within: float = 5.0,
    distance: int = 1,
    by_slot: bool = False,
    bands: int = 5,
    exhaustive: bool = False,
    name: str | None = None,
    seconds: float | None = None,
    work: int | None = None,
    solver: str | None = None,
    settings: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    interrupt: Callable[[], bool] | None = None,
) -> Diversity:
    """Different solutions whose objective is within some per cent of the best one.

    The search first looks for the best solution as `matheur.solve` does. Then the problem's own finder collects others
    and may prove that there are no more; a problem without a finder is searched again with other seeds.

    Parameters
    ----------
    instance
        A path, a built-in name or a `Problem` whose solutions can be compared.
    count
        Number of solutions wanted.
    within
        Tolerance in per cent of the best objective.
    distance
        Minimum number of items or places in which any two solutions differ.
    by_slot
        Compare slot by slot, so that the same items in other slots count as different, if both make sense.
    bands
        Number of bands of the objective in which the known solutions are counted.
    exhaustive
        Continue after enough solutions are found, until all are proved to be known or the limits are reached.
    seconds, work
        Limits (60 seconds if none is given).
    solver, settings, options, seed
        See `matheur.solve`. Settings override the other arguments.
    interrupt
        Returns True to stop with the solutions found so far.

    Raises
    ------
    ConfigurationError
        If solutions of the problem cannot be compared, or a number is invalid.
    """
    if isinstance(instance, str | Path):
        name = name or str(instance)
        options = instance_options(None, settings, options)
        _, problem = load_instance(str(instance), None, options)
    else:
        problem = instance
    if count < 1 or bands < 1 or not (within >= 0 and math.isfinite(within)):
        raise ConfigurationError(f"count, bands and within must be at least 1, 1 and 0 ({count}, {bands}, {within})")
    differences = differences_of(problem, by_slot)
    if not 1 <= distance <= differences.places:
        raise ConfigurationError(f"the distance must be between 1 and {differences.places} ({distance})")
    given = {"solver": solver, "seed": seed, "seconds": seconds, "work": work}
    configuration = resolve(problem.name, settings=settings, overrides=given, instance=problem)
    said = {key_of_today(key, None).partition(".")[0] for key, _ in assignments(settings)}
    for key in _UNUSED:
        if key in said:
            raise ConfigurationError(f"'{key}' has no effect on a search for different solutions. Maybe seconds?")
    seconds = configuration.seconds if "seconds" in said else seconds  # else it may be that of a preset
    work = configuration.work if "work" in said else work
    seed = configuration.seed
    if seconds is None and work is None:
        seconds = 60.0
    began = time.monotonic()
    collection = Collection(differences, within)
    budget = Budget(
        seconds=seconds,
        work=work,
        interrupt=interrupt or (lambda: False),
        on_incumbent=collection.meet,
    )
    first = _search(problem, configuration, budget, seed, collection, _FIRST)
    if collection.best == math.inf and first.infeasible is None and not budget.exhausted:
        first = _search(problem, configuration, budget, seed + 1, collection, 1.0)
    chosen: list[Any] = []
    finder: Finder | None = None
    if collection.best < math.inf:
        finder = _finder(problem, configuration, collection, budget, seed, exhaustive)
        chosen = list(finder.run(count, distance))
    return _answer(problem, name, first, collection, finder, chosen, count, distance, bands, budget, began, seed)


def _search(
    problem: Any, configuration: Configuration, budget: Budget, seed: int, collection: Collection, share: float
) -> Any:
    """One search as `matheur.solve` does it; all its improvements are collected."""
    search = build_search(problem, configuration, on_best=collection.meet)
    limit = None if budget.work_left is None else max(1, int(share * budget.work_left))
    left = None if budget.seconds_left == math.inf else share * budget.seconds_left
    return search.run(budget.child(seconds=left, work=limit), seed)


def _finder(
    problem: Any, configuration: Configuration, collection: Collection, budget: Budget, seed: int, exhaustive: bool
) -> Finder:
    rng = np.random.default_rng(seed)
    own = tool_of(problem.name, "finder")
    if own is not None:
        found: Finder = own(problem, configuration.solver, collection, budget, rng, exhaustive=exhaustive)
        return found
    return Restarts(
        collection,
        budget,
        lambda number: _search(problem, configuration, budget, seed + number, collection, 0.25),
    )


def _answer(
    problem: Any,
    name: str | None,
    first: Any,
    collection: Collection,
    finder: Finder | None,
    chosen: Sequence[Any],
    count: int,
    distance: int,
    bands: int,
    budget: Budget,
    began: float,
    seed: int,
) -> Diversity:
    differences = collection.differences
    rows = np.array([row for _, row in chosen])
    variants = []
    for number, (objective, row) in enumerate(chosen):
        evaluation = problem.evaluate(row)
        if not evaluation.feasible or evaluation.objective != objective:
            raise OperatorError(f"a collected solution is not what it was claimed to be: {evaluation}")
        others = np.delete(differences.between(rows, row), number)
        variants.append(Variant(row, objective, int(others.min()) if len(others) else None))
    variants.sort(key=lambda variant: variant.objective)
    found = collection.best < math.inf
    all_below = None if finder is None else finder.all_below
    proved = None if all_below is None else min(all_below, collection.best)
    if all_below is not None and all_below <= collection.best:
        all_below = None  # nothing is known of those from the best one on
    exact = all_below is not None and all_below > collection.cap
    if len(variants) >= count:
        status = "found"
    elif found:
        status = "complete" if finder is not None and finder.maximal else "partial"
    else:
        status = "infeasible" if first.infeasible is not None else "unknown"
    bounds = [bound for bound in (first.bound, proved) if bound is not None]
    return Diversity(
        problem=problem,
        instance=name or problem.instance.name,
        status=status,
        reason=first.infeasible,
        variants=variants,
        best=collection.best if found else None,
        bound=max(bounds, default=None),
        cap=collection.cap if found else None,
        distance=distance,
        by_slot=differences.by_place,
        known=len(collection),
        all_below=all_below,
        exact=exact,
        bands=[
            Band(low, high, known, all_below is not None and all_below > high)
            for low, high, known in collection.bands(bands)
        ],
        seconds=time.monotonic() - began,
        work=budget.spent_work,
        seed=seed,
    )
