"""The MILP of a board, for `matheur export model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matheur.models.lights_out import build

__all__ = ["Modular"]


@dataclass(frozen=True, slots=True)
class Modular:
    """How often each press is made and each light goes round, see `matheur.models.lights_out`."""

    def build(self, problem: Any) -> tuple[Any, int]:
        """The Pyomo model, and what is to be added to its objective: nothing."""
        return build(problem.instance).model, 0
