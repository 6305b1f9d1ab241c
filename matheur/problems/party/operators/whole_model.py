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
        """Return the Pyomo model and the offset of its objective, see `PartyModel.base`."""
        try:
            built = build(problem.instance)
            return built.model, built.base
        except ValueError as error:
            raise ConfigurationError(f"there is nothing to model: {error}") from None
