"""MILPs of a quadratic assignment problem, for `matheur export model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from matheur.errors import ConfigurationError
from matheur.models.quadratic_assignment import build, entries
from matheur.problems.quadratic_assignment.restriction import restrict

__all__ = ["AdamsJohnson", "Flow", "KaufmanBroeckx"]

_ENTRIES_MAX = 20_000_000


@dataclass(frozen=True, slots=True)
class _AssignmentModel:
    """One linearisation."""

    formulation: ClassVar[str]

    def build(self, problem: Any) -> tuple[Any, int]:
        """The Pyomo model, and the constant to add to its objective, which is 0."""
        one = problem.instance
        size = entries(restrict(one, [-1] * one.n), self.formulation)
        if size > _ENTRIES_MAX:
            raise ConfigurationError(
                f"the model '{self.formulation}' would have {size:,} non-zeros. Maybe --formulation kaufman-broeckx?"
            )
        return build(one, self.formulation).model, 0


class AdamsJohnson(_AssignmentModel):
    """The level-1 RLT."""

    formulation = "adams-johnson"


class Flow(_AssignmentModel):
    """Products of linked pairs only."""

    formulation = "flow"


class KaufmanBroeckx(_AssignmentModel):
    """One cost variable for each facility and location."""

    formulation = "kaufman-broeckx"
