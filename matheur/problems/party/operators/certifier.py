"""A second proof of a claimed cheapest party."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from matheur.methods.milp import nothing_better, other_backend
from matheur.models.party import build
from matheur.problems.party.operators.reduction import undominated

__all__ = ["MilpCertifier"]


@dataclass(frozen=True, slots=True)
class MilpCertifier:
    """Checks a claimed optimum by searching for a cheaper party with a MILP solver that has not been used yet."""

    def certify(
        self, problem: Any, objective: int | None, *, first: str, interrupt: Callable[[], bool]
    ) -> dict[str, Any]:
        """Prove that no party costs less than `objective`, or, if it is None, that there is no party.

        Parameters
        ----------
        first
            Backend of the first proof; the second one uses another solver.

        Returns
        -------
        dict
            The second proof as plain values.

        Raises
        ------
        OperatorError
            If the solver finds a cheaper party.
        SolverError
            If no other solver is available, or it could not finish.
        """
        backend = other_backend(first)
        built = build(problem.instance, undominated(problem.instance), in_units=True)
        facts = nothing_better(
            built.model, backend, first=first, objective=objective,
            cutoff=None if objective is None else built.objective_of(objective), interrupt=interrupt,
            read=lambda values: problem.evaluate(built.read(values)),
        )  # fmt: skip
        return {"method": "milp-full, nothing cheaper exists", **facts}
