"""The variable state of a search, and its plain form for checkpoints."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from matheur.engine.outcome import violations_of
from matheur.engine.protocols import Problem
from matheur.engine.statistics import OperatorStatistics
from matheur.engine.stored import Stored
from matheur.errors import InputError

__all__ = ["SearchState", "feasible_objective"]

S = TypeVar("S")
PROOFS_KEPT = 20_000


@dataclass(slots=True)
class SearchState(Generic[S]):
    """Current and best solution, bound, counters and statistics.

    Attributes
    ----------
    current_digest
        Digest of `current`, used to detect a change of the incumbent.
    proved
        Indices of the neighbourhoods in which `current` is proved locally optimal.
    seconds_before, work_before
        Seconds and work units spent before a resume.
    idle
        Number of calls since the current solution last improved or was constructed.
    operator
        Name of the operator that is being called.
    constructed
        Whether the construction was called and returned before the limits of the run.
    note
        As in `SearchResult`.
    """

    best: S | None = None
    best_objective: int | float | None = None
    best_operator: str = "start"
    current: S | None = None
    current_objective: int | float | None = None
    current_digest: bytes = b""
    bound: int | float | None = None
    bound_source: str | None = None
    certificate: dict[str, Any] | None = None
    infeasible: str | None = None
    iteration: int = 0
    idle: int = 0
    proved: set[int] = field(default_factory=set)
    seconds_before: float = 0.0
    work_before: int = 0
    operator: str = "start"
    constructed: bool = False
    note: str | None = None
    statistics: dict[str, OperatorStatistics] = field(default_factory=dict)

    def move(self, problem: Problem[S], solution: S, objective: int | float) -> None:
        """Make `solution` the current one, and discard the proofs about the former one."""
        self.current = copy.deepcopy(solution)
        self.current_objective = objective
        self.current_digest = problem.digest(solution)
        self.proved.clear()

    def to_plain(self, problem: Problem[S], *, seconds: float, work: int) -> dict[str, Any]:
        """Plain JSON values."""

        def encode(solution: S | None) -> Any:
            return None if solution is None else problem.encode(solution)

        return {
            "best": encode(self.best),
            "best_objective": self.best_objective,
            "best_operator": self.best_operator,
            "current": encode(self.current),
            "bound": self.bound,
            "bound_source": self.bound_source,
            "certificate": self.certificate,
            "infeasible": self.infeasible,
            "iteration": self.iteration,
            "idle": self.idle,
            "proved": sorted(self.proved),
            "constructed": self.constructed,
            **({} if self.note is None else {"note": self.note}),
            "seconds": seconds,
            "work": work,
            "operators": {name: figures.to_dict() for name, figures in self.statistics.items()},
        }

    @classmethod
    def from_plain(cls, problem: Problem[S], values: dict[str, Any]) -> SearchState[S]:
        """The inverse of `to_plain`; solutions are evaluated again.

        Raises
        ------
        InputError
            If values are missing, or a stored solution is infeasible or contradicts the state.
        """
        stored = Stored(values)
        operators = stored.table("operators")
        state = cls(
            bound=stored.number("bound", or_none=True),
            bound_source=stored.text("bound_source", or_none=True),
            certificate=stored.table_or_none("certificate"),
            infeasible=stored.text("infeasible", or_none=True),
            best_operator=stored.text("best_operator") or "",
            iteration=stored.count("iteration"),
            idle=stored.count("idle"),
            constructed=stored.flag("constructed", missing=True),
            note=stored.text("note", or_none=True) if "note" in values else None,
            seconds_before=stored.seconds("seconds"),
            work_before=stored.count("work"),
            statistics={name: OperatorStatistics.from_dict(Stored(operators).table(name)) for name in operators},
        )
        best, current, proved = stored.value("best"), stored.value("current"), set(stored.counts("proved"))
        claimed = stored.number("best_objective", or_none=True)
        if current is not None:
            solution = _decoded(problem, current)
            state.move(problem, solution, feasible_objective(problem, solution))
            state.proved = proved
        if best is not None:
            state.best = _decoded(problem, best)
            state.best_objective = feasible_objective(problem, state.best)
            if state.best_objective != claimed:
                raise InputError(
                    f"the stored solution is not what the state says (objective {state.best_objective}, not {claimed})"
                )
        if not state.consistent:
            raise InputError(
                f"the stored state contradicts itself (objective {state.best_objective}, bound {state.bound}, "
                f"infeasible: {state.infeasible})"
            )
        return state

    @property
    def consistent(self) -> bool:
        """Whether the best solution is consistent with the claimed bound and infeasibility."""
        if isinstance(self.bound, bool) or not isinstance(self.bound, int | float | None):
            return False
        if self.bound is not None and not math.isfinite(self.bound):
            return False
        if self.best_objective is None:
            return True
        return self.infeasible is None and (self.bound is None or self.bound <= self.best_objective)


def _decoded(problem: Problem[S], data: Any) -> S:
    """A stored solution. Problems of other packages may raise any error for damaged data."""
    try:
        return problem.decode(data)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InputError(f"the stored state is damaged ({type(error).__name__} in a solution)") from None


def feasible_objective(problem: Problem[S], solution: S) -> int | float:
    """The objective of a stored solution, which must be feasible."""
    evaluation = problem.evaluate(solution)
    if not evaluation.feasible:
        raise InputError(f"the stored solution violates: {violations_of(problem, evaluation)[0]}")
    return evaluation.objective
