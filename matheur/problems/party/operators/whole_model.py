"""The MILP of a party puzzle, for `matheur export model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matheur.errors import ConfigurationError
from matheur.models.party import build

__all__ = ["SameValue"]


@dataclass(frozen=True, slots=True)
class SameValue:
    """Neighbours compared by the values of their traits, see `matheur.models.party`."""

    def build(self, problem: Any) -> tuple[Any, int]:
        """The Pyomo model, and what is to be added to its objective: nothing, or what makes it missing points."""
        try:
            built = build(problem.instance)
            return built.model, built.base
        except ValueError as error:
            raise ConfigurationError(f"there is nothing to model: {error}") from None
