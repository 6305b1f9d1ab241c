"""Construction `guided-beam`: near-optimal plans for Rubik's cube in seconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome
from matheur.errors import ConfigurationError
from matheur.learning.extra import need_jax
from matheur.learning.model_file import read_model
from matheur.learning.shipped import shipped_model
from matheur.learning.use import view_of
from matheur.operators.plans.searching import AUTO, Plan, check_threads, outcome_of
from matheur.operators.rubik.beginning import LONGEST, SHARE, better, nothing, plan_at_once
from matheur.statespace.domains.rubik import rubik_domain
from matheur.statespace.rubik.beam import Guide, anytime_beam_cube
from matheur.statespace.rubik.deepening import cube_tables
from matheur.statespace.rubik.perimeter import DEPTHS, perimeter
from matheur.statespace.rubik.pieces import state_of
from matheur.statespace.rubik.two_phase import two_phase

__all__ = ["GuidedBeam"]

_NONE = "none"


@dataclass(frozen=True, slots=True)
class GuidedBeam:
    """A first plan by two-phase search, then beams guided by exact distances of parts. Work: states looked at.

    Attributes
    ----------
    width, width_max
        States of a layer of the first and of the widest beam (some 400 bytes each). With a deadline beams are as wide
        as the time that is left allows.
    corners
        Weight of the distance of the corners against those of the first phase.
    values
        A network of distances, which chooses among the states that the exact distances prefer: `FILE.npz`; `auto` for
        the one that comes with matheur, in quarter turns; or `none`.
    precision
        Of its products: `float32`, `bfloat16`, or `auto` for what is faster here.
    tables
        Weight of the sum of the exact distances beside an estimate.
    shortlist
        How many times as many states are estimated as a layer keeps, and held in memory meanwhile.
    threads
        With two, beams from the cube and from its inverse at once.
    share
        Part of the time that is left, after which the beams end; the rest is for neighbourhoods.
    """

    width: int = 1 << 12
    width_max: int = 1 << 21
    corners: int = 1
    values: str = _NONE
    precision: str = AUTO
    tables: float = 0.5
    shortlist: int = 4
    threads: int = 1
    share: float = 1.0

    def __post_init__(self) -> None:
        if not 1 <= self.width <= self.width_max:
            raise ConfigurationError(
                f"width must be at least 1 and width_max at least width ({self.width}, {self.width_max})"
            )
        if not 0 <= self.corners <= 8:
            raise ConfigurationError(f"the weight of the corners is 0 to 8 ({self.corners})")
        if self.precision not in (AUTO, "float32", "bfloat16"):
            raise ConfigurationError(f"precision is auto, float32 or bfloat16 ({self.precision!r})")
        if not 0 <= self.tables <= 100 or not 1 <= self.shortlist <= 64:
            raise ConfigurationError(f"tables is 0 to 100, shortlist 1 to 64 ({self.tables}, {self.shortlist})")
        check_threads("guided-beam", self.threads)
        if not 0 < self.share <= 1:
            raise ConfigurationError(f"share must be more than 0 and at most 1 ({self.share})")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """One beam after the other."""
        del rng
        state = state_of(problem.instance.cubies)
        reason = problem.infeasible_reason()
        if reason is not None:
            return nothing(reason, budget)
        estimate = self._estimate(problem)
        metric = problem.instance.metric
        first = plan_at_once(metric, state, budget)
        if first.proved or budget.exhausted or budget.reached(first.cost):
            return outcome_of(first, "two-phase", budget)
        tables = cube_tables(metric, budget=budget)
        if tables is None:
            return outcome_of(first, "two-phase", budget)
        guide = Guide(self.corners, estimate, self.tables, self.shortlist)
        step = 2 if metric == "quarter" else 1
        if first.cost is None:
            first = two_phase(tables, state, budget=budget, on_plan=budget.offer, until="first")
        elif budget.timed:
            inner = budget.child(seconds=min(LONGEST, SHARE * budget.seconds_left))
            first = better(first, two_phase(tables, state, most=first.cost - step, budget=inner, on_plan=budget.offer))
        if first.cost is None or first.proved or budget.exhausted or budget.reached(first.cost):
            return outcome_of(first, "two-phase", budget)
        part = budget.child(seconds=self.share * budget.seconds_left) if budget.timed else budget
        ends = perimeter(tables.metric, DEPTHS[tables.metric], budget=part)
        if ends is None:
            return outcome_of(first, "two-phase", budget)
        answer = anytime_beam_cube(
            tables, ends, state, width=self.width, width_max=self.width_max, most=first.cost - step, budget=part,
            guide=guide, on_plan=budget.offer, threads=self.threads,
        )  # fmt: skip
        return outcome_of(better(first, answer), "guided-beam", budget)

    def _estimate(self, problem: Any) -> Callable[[NDArray[np.uint8]], NDArray[np.float32]] | None:
        """What the network says of states."""
        if self.values == _NONE:
            return None
        evaluate = _network(self.values, problem, self.precision)
        return lambda states: evaluate(states)[:, 0]


def _network(name: str, problem: Any, precision: str) -> Callable[[NDArray[np.uint8]], NDArray[np.float32]]:
    """The network of a file, or the one that comes with matheur, if it is one of distances of this cube."""
    need_jax("a trained network")
    from matheur.learning.evaluation import fast_precision, outputs_of

    domain = rubik_domain(problem)
    model = shipped_model(domain, "distance") if name == AUTO else read_model(Path(name))
    if model.output != "distance":
        raise ConfigurationError(f"{name}: guided-beam needs a network of distances, this one gives '{model.output}'")
    view_of(model, domain)
    return outputs_of(model, precision=fast_precision() if precision == AUTO else precision)
