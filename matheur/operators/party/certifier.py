"""A second proof of a claimed cheapest party."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from matheur.errors import OperatorError, SolverError
from matheur.models.party import build
from matheur.operators.party.reduction import undominated
from matheur.solvers import SolveRequest, backends, get_backend
from matheur.solvers.certificate import RefutedError, confirm

__all__ = ["MilpCertifier"]

_PREFERENCE = ("highs", "scip", "pyomo:cbc", "pyomo:glpk")


@dataclass(frozen=True, slots=True)
class MilpCertifier:
    """Asks a MILP solver that has not been asked yet for anything cheaper than the claimed optimum."""

    def certify(self, problem: Any, objective: int, *, first: str, interrupt: Callable[[], bool]) -> dict[str, Any]:
        """Prove that no party costs less than `objective`.

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
        available = {info.name for info in backends() if info.available}
        names = [name for name in _PREFERENCE if name != first and name in available]
        if not names:
            raise SolverError(f"no second MILP solver is available to confirm '{first}'. Maybe pip install pyscipopt?")
        backend = get_backend(names[0])
        built = build(problem.instance, undominated(problem.instance))
        request = SolveRequest(absolute_gap=0.999 * built.step, interrupt=interrupt)
        try:
            facts = confirm(lambda: built.model, float(objective), backend, request)
        except RefutedError as refuted:
            better = problem.evaluate(built.read(refuted.answer.values)).objective
            raise OperatorError(
                f"'{first}' claims the optimum {objective}, but '{backend.name}' found {better}"
            ) from None
        return {"method": "milp-full, nothing cheaper exists", **facts}
