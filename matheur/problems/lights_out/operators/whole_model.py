"""The MILP of a board, for `matheur export model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matheur.models.lights_out import build

__all__ = ["Modular"]


@dataclass(frozen=True, slots=True)
class Modular:
    """Variables count how often each press is made and how often each light wraps; see `matheur.models.lights_out`."""

    def build(self, problem: Any) -> tuple[Any, int]:
        """The Pyomo model, and the constant to be added to its objective, which is 0."""
        return build(problem.instance).model, 0
