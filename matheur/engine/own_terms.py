"""Objectives in the sense of the problem: the engine always minimises, whereas some problems maximise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

__all__ = ["in_own_terms", "with_engine_terms"]

Value = TypeVar("Value", int, float, int | float, int | float | None)


def in_own_terms(problem: Any, value: Value) -> Value:
    """Convert an objective or bound from the engine's sense to the problem's, or back.

    A problem with a true attribute `maximised` maximises; the engine uses the negated objective.
    """
    return -value if value is not None and getattr(problem, "maximised", False) else value


def with_engine_terms(problem: Any, claims: Mapping[str, Any]) -> Mapping[str, Any]:
    """Values of a result file, with objective and bound in the sense of the engine."""
    if not getattr(problem, "maximised", False):
        return claims
    turned = {name: claims.get(name) for name in ("objective", "bound")}
    numbers = {
        name: -value for name, value in turned.items() if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return {**claims, **numbers}
