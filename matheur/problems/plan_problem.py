"""What all puzzles share whose solutions are plans: moves, one after another, from a start to a goal."""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from matheur.engine.array_problem import ArrayProblem

__all__ = ["PlanProblem"]


class PlanProblem(ArrayProblem):
    """A puzzle whose solutions are arrays of moves; the objective is their number or cost, and so is the score.

    A puzzle implements `name`, `content` and `evaluate`, and `encode` and `decode` in the notation of its field.
    """

    noun: ClassVar[str] = "a plan"

    @property
    def content(self) -> tuple[Any, ...]:
        """All that makes the instance what it is, as plain values: equal puzzles have equal content."""
        raise NotImplementedError(f"{type(self).__name__} does not define 'content'")

    @cached_property
    def fingerprint(self) -> str:
        """Names the puzzle by its content."""
        return blake2b(repr(self.content).encode(), digest_size=12).hexdigest()

    def given_solution(self) -> NDArray[np.int32] | None:
        """The plan without moves, where the start is the goal; else None."""
        nothing = np.empty(0, dtype=np.int32)
        return nothing if self.evaluate(nothing).feasible else None
