"""Snapshots: conversion of the complete state of a run to plain JSON values, and back, so that it can be resumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from matheur.engine.acceptance import Acceptance
from matheur.engine.budget import Budget
from matheur.engine.checkpoint import stored_seed
from matheur.engine.elites import Elite
from matheur.engine.guidance import Guidance
from matheur.engine.protocols import Problem, solution_key
from matheur.engine.schedules import Schedule, rehearse
from matheur.engine.state import PROOFS_KEPT, SearchState, feasible_objective
from matheur.engine.stored import Stored
from matheur.errors import InputError

__all__ = ["Snapshots"]

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Snapshots(Generic[S]):
    """Takes and restores snapshots of a run.

    Attributes
    ----------
    problem
        Problem, which encodes and decodes solutions.
    schedule, acceptance, guidance
        Parts of the search that have their own state.
    neighbourhoods
        Number of neighbourhoods.
    """

    problem: Problem[S]
    schedule: Schedule
    acceptance: Acceptance
    guidance: Guidance
    neighbourhoods: int

    def take(
        self,
        state: SearchState[S],
        *,
        seed: int,
        seconds: float,
        work: int,
        proofs: Sequence[str],
        elites: Sequence[Elite],
        memory: Mapping[str, float],
    ) -> dict[str, Any]:
        """The plain form of a run: state, seed, seconds and work, and its memory of proofs, elites and numbers."""
        return {
            **state.to_plain(self.problem, seconds=seconds, work=work),
            "seed": seed,
            "schedule": self.schedule.state(),
            "acceptance": self.acceptance.state(),
            "guidance": self.guidance.state(),
            "proofs": list(proofs[-PROOFS_KEPT:]),
            "elites": [self.problem.encode(elite.solution) for elite in elites],
            **({"memory": dict(memory)} if memory else {}),
        }

    def restore(self, values: dict[str, Any], budget: Budget) -> tuple[SearchState[S], int]:
        """The inverse of `take`: the state and the seed; proofs, elites and memory go to `budget`.

        Raises
        ------
        InputError
            If values are missing or damaged.
        """
        state = SearchState.from_plain(self.problem, values)
        stored = Stored(values)
        if any(index >= self.neighbourhoods for index in state.proved):
            raise InputError("the stored state is damaged (it proves something about other neighbourhoods)")
        try:
            seed = stored_seed(values)
            if stored.table("schedule"):
                self.schedule.restore(values["schedule"])
                rehearse(self.schedule, self.neighbourhoods)  # a damaged state fails here
            if stored.table("acceptance"):
                self.acceptance.restore(values["acceptance"])
            if values.get("guidance"):
                self.guidance.restore(values["guidance"])
            budget.proofs.restore(stored.texts("proofs"))
            for data in reversed(values.get("elites", [])):
                elite = self.problem.decode(data)
                budget.elites.restore(solution_key(self.problem, elite), elite, feasible_objective(self.problem, elite))
            if "memory" in values:
                remembered = Stored(stored.table("memory"))
                budget.memory.update({name: float(remembered.number(name) or 0) for name in values["memory"]})
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise InputError(f"the stored state is damaged ({str(error)[:80]!r})") from None
        return state, seed
