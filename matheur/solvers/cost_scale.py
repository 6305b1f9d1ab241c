"""Costs far below the tolerances of solvers, multiplied before a solve.

Solvers treat a reduced cost below an absolute tolerance (1e-7) as 0. With costs of 1e-8 and quantities of 1e7, they
call solutions optimal that are worse by a tenth. The factor is a power of two, so that no digit changes.
"""

from __future__ import annotations

import math
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from matheur.linear.model import LinearModel
from matheur.solvers.linear_task import Restriction
from matheur.solvers.port import SolveRequest, TracePoint

__all__ = ["cost_factor", "point_of", "request_with", "with_factor"]

_SMALL = 1e-6  # costs from here on need no factor
_WANTED = 1e-3  # the smallest cost with the factor
_LARGEST = 1e6  # no cost becomes larger
_SCALED: WeakKeyDictionary[LinearModel, LinearModel] = WeakKeyDictionary()


def cost_factor(cost: NDArray[np.float64]) -> float:
    """The factor of costs; 1 if none of them is small, or others are large."""
    sizes = np.abs(cost[cost != 0])
    if not len(sizes) or not sizes.min() < _SMALL:
        return 1.0
    room = min(_WANTED / sizes.min(), _LARGEST / sizes.max())
    return float(2.0 ** max(0, math.floor(math.log2(room))))


def with_factor(model: LinearModel, restriction: Restriction, factor: float) -> tuple[LinearModel, Restriction]:
    """The model and the restriction with multiplied costs; the same model each time."""
    if factor == 1:
        return model, restriction
    if restriction.cost is not None:
        return model, replace(restriction, cost=restriction.cost * factor)
    known = _SCALED.get(model)
    if known is None:
        digits = {key: value for key, value in model.digits.items() if key[0] not in ("cost", "offset")}
        known = replace(model, cost=model.cost * factor, offset=model.offset * factor, digits=digits)
        _SCALED[model] = known
    return known, restriction


def request_with(request: SolveRequest, factor: float) -> SolveRequest:
    """The request for multiplied costs."""
    if factor == 1:
        return request
    tell = request.on_bound
    return replace(
        request,
        absolute_gap=request.absolute_gap * factor,
        target=None if request.target is None else request.target * factor,
        cutoff=None if request.cutoff is None else request.cutoff * factor,
        on_bound=None if tell is None else lambda bound: tell(bound / factor),
    )


def point_of(point: TracePoint, factor: float) -> TracePoint:
    """A point of a trace without the factor."""
    bound = None if point.bound is None else point.bound / factor
    return replace(point, objective=point.objective / factor, bound=bound)
