"""A solve of a Pyomo model by a library: common base of HiGHS and SCIP."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from pyomo.common.errors import PyomoException

from matheur.errors import SolverError
from matheur.solvers.answers import answer, goal_of, without_trivial_rows
from matheur.solvers.isolated import Ended
from matheur.solvers.port import Backend, MilpSolution, MilpStatus, SolveRequest

__all__ = ["ModelSolve"]


class ModelSolve(ABC):
    """One solve, from translation to answer.

    Attributes
    ----------
    library
        Name of the library, for messages.
    """

    library: ClassVar[str]

    def __init__(self, backend: Backend, model: Any, request: SolveRequest) -> None:
        self.started = time.perf_counter()
        self.backend, self.model, self.request = backend, model, request
        self.goal = goal_of(model)

    @abstractmethod
    def translated(self) -> Any:
        """The model translated for the library; rows without variables are inactive meanwhile."""

    @abstractmethod
    def solved(self, translated: Any) -> tuple[Ended, Sequence[Any]]:
        """The result of the solve, and the variables by column."""

    @property
    def target(self) -> float | None:
        """The target of the request, relaxed by the tolerance of the solver."""
        return None if self.request.target is None else self.goal.as_good(self.request.target)

    def run(self) -> MilpSolution:
        """Solve.

        Raises
        ------
        SolverError
            If the library does not support the model, or fails.
        """
        variables: Sequence[Any] = ()
        with without_trivial_rows(self.model) as impossible:
            if impossible is None:
                try:
                    translated = self.translated()
                except (NotImplementedError, PyomoException, ValueError) as error:
                    raise SolverError(f"{self.library} cannot take this model: {error}") from error
        if impossible is None:
            ended, variables = self.solved(translated)
        else:
            ended = Ended(MilpStatus.INFEASIBLE, message=f"the row {impossible} can never hold")
        return answer(self.backend, self.model, self.goal, self.request, ended, variables, self.started)
