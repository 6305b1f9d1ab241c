"""A second proof of a claimed optimum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from matheur.methods.milp import nothing_better, other_backend
from matheur.models.edge_matching import full

__all__ = ["MilpCertifier"]


@dataclass(frozen=True, slots=True)
class MilpCertifier:
    """Asks another MILP backend, with the other formulation, for anything better than the claimed optimum."""

    def certify(
        self, problem: Any, objective: int | None, *, first: str, interrupt: Callable[[], bool]
    ) -> dict[str, Any]:
        """Prove that no board has fewer mismatches than `objective` or, if it is None, that there is no board.

        Parameters
        ----------
        first
            Backend whose proof is to be confirmed; a different one is used.

        Returns
        -------
        dict
            The second proof as plain values.

        Raises
        ------
        OperatorError
            If the second backend finds something better.
        SolverError
            If no other backend is available, or it could not finish.
        """
        backend = other_backend(first)
        built = full.build(problem.instance, "gap")
        facts = nothing_better(
            built.model, backend, first=first, objective=objective,
            cutoff=None if objective is None else float(objective - built.constant), interrupt=interrupt,
            read=lambda values: problem.evaluate(built.read(values)),
        )  # fmt: skip
        return {"method": "milp-full, formulation gap, nothing better exists", **facts}
