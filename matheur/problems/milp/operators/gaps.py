"""When a linear program counts as solved."""

from __future__ import annotations

from matheur.linear.model import LinearModel
from matheur.solvers.linear import LinearTask

__all__ = ["RELATIVE", "absolute_gap"]

RELATIVE = 1e-9
"""Relative gap of an optimum."""


def absolute_gap(model: LinearModel) -> float:
    """Absolute gap of an optimum: just below the step of the objective, if one is known."""
    step = LinearTask(model).step
    return 0.999 * step if step else RELATIVE
