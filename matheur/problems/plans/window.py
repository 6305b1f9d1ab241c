"""Neighbourhood `window`: an optimal plan between two states of the plan, by exact search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, check_order, option
from matheur.engine.outcome import Outcome
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.heuristics import Heuristic
from matheur.problems.plans.searching import (
    AUTO,
    Plan,
    best_first,
    bytes_of,
    check_for_windows,
    heuristic_of,
    proof_of,
    run_search,
)
from matheur.problems.plans.segments import Replanned, Segment, improve_windows

__all__ = ["Window"]


@dataclass(frozen=True, slots=True)
class Window:
    """Replace segments of the plan by optimal ones (windows as in `matheur.problems.plans.segments`).

    At a local optimum, no window that can be settled within `nodes` can be made cheaper. If the whole plan is such a
    window, it is proved to be optimal. With a heuristic that is not admissible, such as a network, a local optimum is a
    plan in which the search finds no cheaper window, and nothing is proved.

    Attributes
    ----------
    length
        Length of the shortest windows in moves.
    longest
        Length of the longest windows in moves; None for the whole plan.
    nodes
        Largest number of states that may be expanded for one window.
    seconds
        Time limit of one window in a timed run; None for no limit.
    search
        `astar`, `bidirectional` (breadth-first from both ends), or `auto`, which is `bidirectional` if that is possible
        and the domain has no heuristic, else `astar`.
    heuristic
        Heuristic of `astar`, named as for constructions. Windows have goals of their own. A network therefore evaluates
        states after a renaming (of tiles, pieces, rings or lights); it is rejected before the search if the puzzle has
        no such renaming. Tables for the puzzle's own goal are rejected, too.
    order
        Order of windows of the same length: `random`, or `sweep` from the start of the plan to its end.
    iterations
        Number of windows per call.
    memory
        Memory for one window in MiB.
    """

    length: int = option(8, minimum=1)
    longest: int | None = None
    nodes: int = option(50_000, minimum=1)
    seconds: float | None = option(None, above=0)
    search: Literal["auto", "astar", "bidirectional"] = "auto"
    heuristic: str = AUTO
    order: Literal["random", "sweep"] = "random"
    iterations: int = option(20, minimum=1)
    memory: int = option(512, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)
        check_order(self, "length", "longest")

    @property
    def limits(self) -> str:
        """Name of the search and its limits."""
        return f"window {self.search} {self.heuristic} {self.nodes} {self.seconds} {self.memory}"

    def check(self, problem: Any) -> None:
        """Reject heuristics that work for one goal only."""
        check_for_windows(domain_of(problem), self.heuristic)

    def explore(self, problem: Any, incumbent: Plan, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Replan windows and keep every improvement. Work: states expanded."""
        return improve_windows(
            problem,
            incumbent,
            self,
            budget,
            rng,
            length=self.length,
            longest=self.longest,
            iterations=self.iterations,
            sweep=self.order == "sweep",
        )

    def replan(self, segment: Segment, budget: Budget, rng: Generator) -> Replanned:
        """Find an optimal plan of one window, unless a limit is reached first."""
        del rng
        inner = budget.child(work=self.nodes, seconds=self.seconds if budget.timed else None)
        inner.target = None  # the target is for the whole plan
        answer, backend, heuristic = self._search(segment.domain, inner, budget)
        cheaper = answer.cost is not None and answer.cost < segment.cost
        return Replanned(
            plan=answer.plan if cheaper else None,
            bound=answer.bound,
            hard=answer.limit in ("memory", "time", "work") and not budget.exhausted,
            searched=answer.limit is None and not budget.exhausted,
            certificate=proof_of(answer, backend, heuristic),
        )

    def _search(self, domain: Domain, budget: Budget, whole: Budget) -> tuple[SearchAnswer, str, Heuristic | None]:
        """Search within the window's budget; tables serve all windows and are built within the budget of the call."""
        memory = bytes_of(self.memory)
        both_ways = domain.unit_costs and domain.reversible and bool(domain.goal_mask.all())
        blind = self.heuristic == AUTO and not domain.heuristics()
        if self.search == "bidirectional" or (self.search == "auto" and both_ways and blind):
            from matheur.methods.statespace.breadth_first import bidirectional

            return run_search(lambda: bidirectional(domain, budget=budget, memory=memory)), "bidirectional", None
        compiled = domain.expander is not None  # windows are small: batches do not pay
        heuristic = heuristic_of(domain, self.heuristic, memory=memory, budget=whole, compiled=compiled)
        return run_search(lambda: best_first(domain, heuristic, budget, memory)), "astar", heuristic
