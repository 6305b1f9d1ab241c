"""A second proof of a claimed optimum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from matheur.errors import OperatorError, SolverError
from matheur.models.edge_matching import full
from matheur.operators.milp import INTEGRAL_GAP
from matheur.solvers import SolveRequest, backends, get_backend
from matheur.solvers.certificate import RefutedError, confirm

__all__ = ["MilpCertifier"]

_PREFERENCE = ("highs", "scip", "pyomo:cbc", "pyomo:glpk")


@dataclass(frozen=True, slots=True)
class MilpCertifier:
    """Asks another MILP backend, with the other formulation, for anything better than the claimed optimum."""

    def certify(self, problem: Any, objective: int, *, first: str, interrupt: Callable[[], bool]) -> dict[str, Any]:
        """Prove that no board has fewer mismatches than `objective`.

        Parameters
        ----------
        first
            The backend whose proof is to be confirmed; another one is used.

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
        available = {info.name for info in backends() if info.available}
        names = [name for name in _PREFERENCE if name != first and name in available]
        if not names:
            raise SolverError(f"no second MILP solver is available to confirm '{first}'. Maybe pip install pyscipopt?")
        backend = get_backend(names[0])
        built = full.build(problem.instance, "gap")
        request = SolveRequest(absolute_gap=INTEGRAL_GAP, interrupt=interrupt)
        try:
            facts = confirm(lambda: built.model, float(objective - built.constant), backend, request)
        except RefutedError as refuted:
            better = problem.evaluate(built.read(refuted.answer.values)).objective
            raise OperatorError(
                f"'{first}' claims the optimum {objective}, but '{backend.name}' found {better}"
            ) from None
        return {"method": "milp-full, formulation gap, nothing better exists", **facts}
