"""When a linear program counts as solved, and what stands behind it."""

from __future__ import annotations

from typing import Any

import numpy as np

from matheur.linear.model import LinearModel
from matheur.solvers.linear import LinearAnswer
from matheur.solvers.linear_task import LinearTask

__all__ = ["RELATIVE", "absolute_gap", "facts_of"]

RELATIVE = 1e-9
"""Relative gap of an optimum."""


def absolute_gap(model: LinearModel) -> float:
    """Absolute gap of an optimum: just below the step of the objective, if one is known; tiny if all costs are."""
    step = LinearTask(model).step
    return 0.999 * step if step else RELATIVE * min(1.0, float(np.abs(model.cost).max(initial=0.0)) or 1.0)


def facts_of(answer: LinearAnswer, what: str) -> dict[str, Any]:
    """Facts behind the bounds and proofs of a solve with these gaps, as plain values."""
    return {
        "method": f"{answer.backend}, {what}", "backend": answer.backend, "version": answer.version,
        "relative_gap": RELATIVE, "solver_objective": answer.objective, "solver_bound": answer.bound,
        "nodes": answer.nodes, "seconds": round(answer.seconds, 3),
    }  # fmt: skip
