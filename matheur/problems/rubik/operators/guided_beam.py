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
from matheur.engine.limits import check_options, check_order, option
from matheur.engine.outcome import Outcome
from matheur.errors import ConfigurationError
from matheur.methods.learning.extra import need_jax
from matheur.methods.learning.model_file import read_model
from matheur.methods.learning.shipped import shipped_model
from matheur.methods.learning.use import view_of
from matheur.problems.plans.searching import AUTO, THREADS_MAX, Plan, outcome_of
from matheur.problems.rubik.domain import rubik_domain
from matheur.problems.rubik.operators.beginning import LONGEST, SHARE, better, nothing, plan_at_once
from matheur.problems.rubik.search.beam import Guide, anytime_beam_cube
from matheur.problems.rubik.search.deepening import cube_tables
from matheur.problems.rubik.search.perimeter import DEPTHS, perimeter
from matheur.problems.rubik.search.pieces import state_of
from matheur.problems.rubik.search.two_phase import two_phase

__all__ = ["GuidedBeam"]

_NONE = "none"


@dataclass(frozen=True, slots=True)
class GuidedBeam:
    """A first plan by two-phase search, then beams guided by exact distances of parts. Work: states examined.

    Attributes
    ----------
    width, width_max
        Number of states per layer of the first and of the widest beam (about 400 bytes each). With a deadline, beams
        are as wide as the remaining time allows.
    corners
        Weight of the distance of the corners relative to the distances of the first phase.
    values
        Network of distances, which selects among the states preferred by the exact distances: `FILE.npz`; `auto` for
        the network that comes with matheur, in quarter turns; or `none`.
    precision
        Precision of the network's matrix products: `float32`, `bfloat16`, or `auto` for the faster one on this machine.
    tables
        Weight of the sum of the exact distances relative to the network's estimate.
    shortlist
        Number of states that the network estimates, and that are held in memory, as a multiple of the states that a
        layer keeps.
    threads
        Number of threads; with two, beams from the cube and from its inverse run at the same time.
    share
        Fraction of the remaining time for the beams; the rest is for neighbourhoods.
    """

    width: int = option(1 << 12, minimum=1)
    width_max: int = 1 << 21
    corners: int = option(1, minimum=0, maximum=8)
    values: str = _NONE
    precision: str = option(AUTO, choices=(AUTO, "float32", "bfloat16"))
    tables: float = option(0.5, minimum=0, maximum=100)
    shortlist: int = option(4, minimum=1, maximum=64)
    threads: int = option(1, minimum=1, maximum=THREADS_MAX)
    share: float = option(1.0, above=0, maximum=1)

    def __post_init__(self) -> None:
        check_options(self)
        check_order(self, "width", "width_max")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Run a two-phase search, then one beam after the other."""
        del rng
        state = state_of(problem.instance.cubies)
        reason = problem.infeasible_reason()
        if reason is not None:
            return nothing(reason)
        estimate = self._estimate(problem)
        metric = problem.instance.metric
        first = plan_at_once(metric, state, budget)
        if first.proved or budget.exhausted or budget.reached(first.cost):
            return outcome_of(first, "two-phase")
        tables = cube_tables(metric, budget=budget)
        if tables is None:
            return outcome_of(first, "two-phase")
        guide = Guide(self.corners, estimate, self.tables, self.shortlist)
        step = 2 if metric == "quarter" else 1
        if first.cost is None:
            first = two_phase(tables, state, budget=budget, on_plan=budget.offer, until="first")
        elif budget.timed:
            inner = budget.child(seconds=min(LONGEST, SHARE * budget.seconds_left))
            first = better(first, two_phase(tables, state, most=first.cost - step, budget=inner, on_plan=budget.offer))
        if first.cost is None or first.proved or budget.exhausted or budget.reached(first.cost):
            return outcome_of(first, "two-phase")
        part = budget.child(seconds=self.share * budget.seconds_left) if budget.timed else budget
        ends = perimeter(tables.metric, DEPTHS[tables.metric], budget=part)
        if ends is None:
            return outcome_of(first, "two-phase")
        answer = anytime_beam_cube(
            tables, ends, state, width=self.width, width_max=self.width_max, most=first.cost - step, budget=part,
            guide=guide, on_plan=budget.offer, threads=self.threads,
        )  # fmt: skip
        return outcome_of(better(first, answer), "guided-beam")

    def _estimate(self, problem: Any) -> Callable[[NDArray[np.uint8]], NDArray[np.float32]] | None:
        """The network's estimates of states; None without a network."""
        if self.values == _NONE:
            return None
        evaluate = _network(self.values, problem, self.precision)
        return lambda states: evaluate(states)[:, 0]


def _network(name: str, problem: Any, precision: str) -> Callable[[NDArray[np.uint8]], NDArray[np.float32]]:
    """The network of a file, or the one that comes with matheur; it must estimate distances of this cube."""
    need_jax("a trained network")
    from matheur.methods.learning.evaluation import fast_precision, outputs_of

    domain = rubik_domain(problem)
    model = shipped_model(domain, "distance") if name == AUTO else read_model(Path(name))
    if model.output != "distance":
        raise ConfigurationError(f"{name}: guided-beam needs a network of distances, this one gives '{model.output}'")
    view_of(model, domain)
    return outputs_of(model, precision=fast_precision() if precision == AUTO else precision)
