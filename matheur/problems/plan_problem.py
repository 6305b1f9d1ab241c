"""Base class of puzzles whose solutions are plans: sequences of moves from a start to a goal."""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from matheur.engine.array_problem import ArrayProblem

__all__ = ["PlanProblem"]


class PlanProblem(ArrayProblem):
    """A puzzle whose solutions are arrays of moves; the objective and the score are their number or cost.

    A puzzle implements `name`, `content` and `evaluate`, and `encode` and `decode` in the notation of its field.
    """

    noun: ClassVar[str] = "a plan"

    @property
    def content(self) -> tuple[Any, ...]:
        """Plain values that define the instance: equal puzzles have equal content."""
        raise NotImplementedError(f"{type(self).__name__} does not define 'content'")

    @cached_property
    def fingerprint(self) -> str:
        """Identifier derived from the content."""
        return blake2b(repr(self.content).encode(), digest_size=12).hexdigest()

    def given_solution(self) -> NDArray[np.int32] | None:
        """The plan without moves if the start is the goal; else None."""
        nothing = np.empty(0, dtype=np.int32)
        return nothing if self.evaluate(nothing).feasible else None
