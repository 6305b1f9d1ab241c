"""A second proof of a claimed optimal plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from matheur.engine.budget import Budget
from matheur.errors import OperatorError, SolverError
from matheur.methods.milp import claim_of
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.heuristics import Heuristic
from matheur.problems.plans.searching import AUTO, best_first, heuristic_of, proof_of, run_search

__all__ = ["ExactSearchCertifier"]

_MEMORY = 6 << 30
_BY_HEURISTIC = ("astar", "ida-star", "batch-astar", "beam")


@dataclass(frozen=True, slots=True)
class ExactSearchCertifier:
    """Searches again by another exact method: from both ends if the first proof rested on a heuristic, else by A*.

    Attributes
    ----------
    memory
        Bytes that the search may use.
    """

    memory: int = _MEMORY

    def certify(
        self, problem: Any, objective: int | None, *, first: str, interrupt: Callable[[], bool]
    ) -> dict[str, Any]:
        """Prove that no plan costs less than `objective`, or that there is no plan if it is None.

        Parameters
        ----------
        first
            Name of the search (or MILP backend) whose proof is to be confirmed.

        Returns
        -------
        dict
            The second proof as plain values.

        Raises
        ------
        OperatorError
            If the second search finds a cheaper plan, or proves that there is no plan.
        SolverError
            If the second search could not finish.
        """
        domain = domain_of(problem)
        answer, backend, heuristic = self._search(domain, first, Budget(interrupt=interrupt))
        better = answer.cost is not None and (objective is None or answer.cost < objective)
        if better or (answer.unreachable and objective is not None):
            found = "no plan at all" if answer.cost is None else f"a plan of {answer.cost}"
            raise OperatorError(f"'{first}' claims {claim_of(objective)}, but '{backend}' found {found}")
        if not (answer.unreachable if objective is None else answer.bound >= objective):
            raise SolverError(f"'{backend}' could not confirm {claim_of(objective)} (limit: {answer.limit})")
        return {"method": f"{backend}, nothing better exists", **proof_of(answer, backend, heuristic)}

    def _search(self, domain: Domain, first: str, budget: Budget) -> tuple[SearchAnswer, str, Heuristic | None]:
        both_ways = domain.unit_costs and domain.reversible and bool(domain.goal_mask.all())
        if first in _BY_HEURISTIC and both_ways:
            from matheur.methods.statespace.breadth_first import bidirectional

            answer = run_search(lambda: bidirectional(domain, budget=budget, memory=self.memory))
            return answer, "bidirectional", None
        heuristic = heuristic_of(domain, "zero" if first in _BY_HEURISTIC else AUTO, memory=self.memory, budget=budget)
        answer = run_search(lambda: best_first(domain, heuristic, budget, self.memory))
        return answer, "astar", heuristic
