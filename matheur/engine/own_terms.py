"""Objectives as a problem reports them: the engine minimises, and some problems maximise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

__all__ = ["in_own_terms", "with_engine_terms"]

Value = TypeVar("Value", int, float, int | float, int | float | None)


def in_own_terms(problem: Any, value: Value) -> Value:
    """An objective or bound of the engine in the sense of the problem, and the other way round.

    A problem with a true attribute `maximised` maximises; to the engine its objectives are negative.
    """
    return -value if value is not None and getattr(problem, "maximised", False) else value


def with_engine_terms(problem: Any, claims: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a result file says, with objective and bound in the sense of the engine."""
    if not getattr(problem, "maximised", False):
        return claims
    turned = {name: claims.get(name) for name in ("objective", "bound")}
    numbers = {
        name: -value for name, value in turned.items() if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return {**claims, **numbers}
