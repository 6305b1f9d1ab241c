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
    """Asks a MILP solver that has not been asked yet for anything cheaper than the claimed optimum."""

    def certify(
        self, problem: Any, objective: int | None, *, first: str, interrupt: Callable[[], bool]
    ) -> dict[str, Any]:
        """Prove that no party costs less than `objective`, or, of None, that there is none.

        Parameters
        ----------
        first
            What the first proof rests on; another solver is used.

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
