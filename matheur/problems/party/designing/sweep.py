"""Price and difficulty of a party puzzle as functions of the threshold of a demand."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.interrupt import heeds_ctrl_c
from matheur.errors import ConfigurationError, OperatorError
from matheur.problems.party.designing.demands import Demand, demand_of, threshold_of
from matheur.problems.party.operators.constructing import construct
from matheur.problems.party.operators.tables import Tables
from matheur.running.loading import load_instance
from matheur.running.solving import instance_options, solve

__all__ = ["Sweep", "SweepPoint", "sweep"]

_COLUMNS = ("value", "price", "bound", "status", "share", "first_seconds", "seconds", "found_at", "reason")
_CHUNK = 100


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """Results of the puzzle at one threshold.

    Attributes
    ----------
    value
        Threshold, as given.
    price, solution
        Price and items of the best known party; None if there is none.
    bound
        Proved lower bound of the price; None if none is known.
    status
        Status: `optimal`, `feasible`, `infeasible` or `unknown`.
    reason
        Reason why no party meets the demands; only if infeasible.
    share
        Share of the constructed parties that meet all demands, with one attempt each, as a measure of difficulty. None
        if no construction was tried.
    first_seconds
        Seconds until the search found its first party; None if it found none or was not needed.
    seconds
        Seconds of the search.
    found_at
        Threshold at which the party was found: a party of a harder puzzle is also one of the easier puzzles.
    """

    value: float
    price: int | None = None
    bound: int | None = None
    status: str = "unknown"
    reason: str | None = None
    share: float | None = None
    first_seconds: float | None = None
    seconds: float = 0.0
    found_at: float | None = None
    solution: NDArray[np.int32] | None = None


@dataclass(frozen=True, slots=True)
class Sweep:
    """A curve over the threshold of a demand.

    Attributes
    ----------
    problem
        Original puzzle.
    instance
        Name of the puzzle.
    demand
        Demand in words.
    points
        Points in ascending order of the threshold.
    constructions
        Number of parties constructed at each point to measure the difficulty.
    seed
        Seed of all random choices.
    """

    problem: Any
    instance: str
    demand: str
    points: Sequence[SweepPoint]
    constructions: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "problem": self.problem.name,
            "instance": self.instance,
            "demand": self.demand,
            "constructions": self.constructions,
            "seed": self.seed,
            "points": [self._row(point, encoded=True) for point in self.points],
        }

    def to_csv(self) -> str:
        """Return CSV text with a header and one line per threshold."""
        text = io.StringIO()
        writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(self._row(point) for point in self.points)
        return text.getvalue()

    def plot(self, kind: str) -> bytes:
        """Plot the curve as `svg` or `png`, see `matheur.problems.party.designing.sweep_plot`."""
        from matheur.problems.party.designing.sweep_plot import plot

        return plot(self, kind)

    def _row(self, point: SweepPoint, *, encoded: bool = False) -> dict[str, Any]:
        row = {name: getattr(point, name) for name in _COLUMNS}
        row["seconds"] = round(point.seconds, 3)
        row["first_seconds"] = None if point.first_seconds is None else round(point.first_seconds, 3)
        if encoded:
            row["solution"] = None if point.solution is None else self.problem.encode(point.solution)
        return row


@heeds_ctrl_c
def sweep(
    instance: Any,
    demand: str,
    values: Sequence[Any],
    *,
    name: str | None = None,
    per_slot: bool = False,
    seconds: float | None = None,
    work: int | None = None,
    constructions: int = 1000,
    solver: str | None = None,
    settings: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    interrupt: Callable[[], bool] | None = None,
    on_point: Callable[[SweepPoint], None] | None = None,
) -> Sweep:
    """Search the same puzzle at several thresholds of one demand.

    Thresholds are searched from the easiest to the hardest. Bounds and infeasibility of an easier puzzle also hold for
    harder ones, and a party of a harder puzzle is also one of the easier puzzles.

    Parameters
    ----------
    instance
        Path, built-in name or `Party`.
    demand
        Name of the demand: `synergy`, the number of a constraint from 1, or its column; see `demand_of`.
    values
        Thresholds; decimal numbers are exact.
    per_slot
        Whether thresholds are means over the slots of the demand; they are then multiplied by the number of these.
    seconds, work
        Limits of each search (10 seconds if none is given).
    constructions
        Number of parties constructed at each threshold to measure the share that meets all demands.
    solver, settings, options, seed
        Options of the searches, see `matheur.solve`.
    interrupt
        Function that returns True to stop with the points so far.
    on_point
        Function that is called with each point when it is found; the final curve may contain better values.

    Raises
    ------
    ConfigurationError
        If the problem has no such demand, or there are no thresholds.
    """
    if isinstance(instance, str | Path):
        name = name or str(instance)
        options = instance_options(None, settings, options)
        _, problem = load_instance(str(instance), None, options)
    else:
        problem = instance
    if problem.name != "party":
        raise ConfigurationError(f"thresholds of demands can be varied only in party puzzles (not in '{problem.name}')")
    if problem.instance.objective != "price":
        wanted = problem.instance.objective
        raise ConfigurationError(f"a sweep minimises the price, it does not optimise the {wanted} (objective)")
    if not values:
        raise ConfigurationError("a sweep needs values. Maybe --values 0.5,0.6,0.7?")
    if seconds is None and work is None:
        seconds = 10.0
    chosen = demand_of(problem.instance, demand)
    slots = chosen.slots if per_slot else 1
    thresholds = sorted({threshold_of(value) for value in values}, reverse=chosen.harder < 0)
    stop = interrupt or (lambda: False)
    search = {"seconds": seconds, "work": work, "solver": solver, "settings": settings, "seed": seed, "interrupt": stop}
    curve = _Curve(problem, chosen, slots, constructions, seed, search)
    for threshold in thresholds:
        if stop():
            break
        curve.extend(threshold)
        if on_point is not None:
            on_point(curve.points[-1])
    points = sorted(curve.closed(), key=lambda point: point.value)
    return Sweep(problem, name or problem.instance.name, chosen.name, points, constructions, seed)


class _Curve:
    """Points from the easiest to the hardest threshold."""

    def __init__(
        self, problem: Any, demand: Demand, slots: int, constructions: int, seed: int, search: Mapping[str, Any]
    ) -> None:
        self.problem, self.demand, self.slots = problem, demand, slots
        self.constructions, self.seed, self.search = constructions, seed, search
        self.points: list[SweepPoint] = []

    def extend(self, threshold: Fraction) -> None:
        """Add the next threshold."""
        problem, value = self.demand.put(self.problem, threshold * self.slots), float(threshold)
        share, built = self._constructed(problem, value)
        known = self.points if self.demand.harder else []
        lost = next((point for point in known if point.status == "infeasible"), None)
        if lost is not None:
            reason = f"already at {lost.value:g}: {lost.reason}"
            self.points.append(SweepPoint(value, status="infeasible", reason=reason, share=share))
            return
        bound = max((point.bound for point in known if point.bound is not None), default=None)
        heirs = [p for p in known if p.solution is not None and problem.evaluate(p.solution).feasible]
        heir = min([*heirs, *built], key=lambda point: point.price or 0, default=None)
        if heir is not None and bound is not None and heir.price is not None and heir.price <= bound:
            inherited = replace(heir, value=value, bound=bound, status="optimal", share=share, seconds=0.0)
            self.points.append(replace(inherited, first_seconds=None))
            return
        self.points.append(self._searched(problem, value, share, bound, heir))

    def _searched(
        self, problem: Any, value: float, share: float | None, bound: int | None, heir: SweepPoint | None
    ) -> SweepPoint:
        first: list[float] = []

        def watch(event: Mapping[str, Any]) -> None:
            if event["event"] == "incumbent" and not first:
                first.append(float(event["seconds"]))

        began = time.monotonic()
        target = None if bound is None else float(bound)
        found = solve(problem, target=target, observers=[watch], **self.search)
        seconds = time.monotonic() - began
        bounds = [int(known) for known in (found.bound, bound) if known is not None]
        point = SweepPoint(
            value,
            price=None if found.objective is None else int(found.objective),
            bound=max(bounds, default=None),
            status=found.status,
            reason=found.reason,
            share=share,
            first_seconds=first[0] if first else None,
            seconds=seconds,
            found_at=None if found.objective is None else value,
            solution=found.solution,
        )
        return _better(point, heir)

    def _constructed(self, problem: Any, value: float) -> tuple[float | None, list[SweepPoint]]:
        """Return the share of feasible constructions, and the cheapest of them."""
        if self.constructions < 1 or not problem.instance.plain:  # constructions do not support all demands
            return None, []
        if problem.infeasible_reason() is not None:
            return 0.0, []
        tables, rng, good = Tables.of(problem.instance), np.random.default_rng(self.seed), []
        for done in range(0, self.constructions, _CHUNK):
            empty = np.full((min(_CHUNK, self.constructions - done), tables.slots), -1, dtype=np.int32)
            genomes, feasible = construct(tables, empty, rng, attempts=1)
            good += list(genomes[feasible])
        best = min(good, key=tables.price, default=None)
        share = len(good) / self.constructions
        if best is None:
            return share, []
        return share, [SweepPoint(value, price=tables.price(best), solution=best, found_at=value)]

    def closed(self) -> list[SweepPoint]:
        """Return the points, each with the parties of harder ones; the bounds of easier ones are already included."""
        if not self.demand.harder:
            return self.points
        points: list[SweepPoint] = []
        for point in reversed(self.points):
            points.append(_better(point, points[-1] if points else None))
        return points[::-1]


def _better(point: SweepPoint, other: SweepPoint | None) -> SweepPoint:
    """Return a point with the party of another one if that is cheaper."""
    if other is not None and other.price is not None and (point.price is None or other.price < point.price):
        point = replace(point, price=other.price, solution=other.solution, found_at=other.found_at, status="feasible")
    if point.price is None or point.bound is None or point.price > point.bound:
        return point
    if point.price < point.bound:
        raise OperatorError(f"the bound {point.bound} is claimed, but there is a party for {point.price}")
    return replace(point, status="optimal")
