"""The variables x of a party model, and rows over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray
from pyomo.core.expr import LinearExpression

from matheur.problems.party.constraints import Op
from matheur.problems.party.instance import Instance

__all__ = ["Row", "Rows", "groups_of", "linear", "pairs_of", "whole"]


class Row(NamedTuple):
    """lower <= sum of coefficient * variable <= upper."""

    lower: float | None
    coefficients: Sequence[float]
    variables: Sequence[Any]
    upper: float | None


class Rows:
    """A model with its binaries x, by slot and then by item, to which rows and variables are added.

    Attributes
    ----------
    slot, item
        Slot and item of each x. int32.
    x
        The variables.
    first
        Position of the first x of each slot, followed by the total number.
    """

    def __init__(self, instance: Instance, candidates: Sequence[NDArray[np.int32]]) -> None:
        self.instance = instance
        self.slot = np.repeat(np.arange(len(candidates)), [len(items) for items in candidates]).astype(np.int32)
        self.item = np.concatenate([np.sort(np.asarray(items, dtype=np.int32)) for items in candidates])
        self.model = pyo.ConcreteModel(name="party")
        self.model.implied_integral = True  # for whole x, all other variables have feasible whole values
        self.model.x = pyo.Var(list(zip(self.slot.tolist(), self.item.tolist(), strict=True)), domain=pyo.Binary)
        self.x = tuple(self.model.x.values())
        self.first = np.searchsorted(self.slot, np.arange(len(candidates) + 1))

    def of(self, positions: NDArray[np.intp]) -> list[Any]:
        """The variables x at these positions."""
        return [self.x[j] for j in positions.tolist()]

    def ones(
        self,
        positions: Iterable[int],
        lower: float | None,
        upper: float | None,
        more: Sequence[tuple[float, Any]] = (),
        factor: float = 1.0,
    ) -> Row:
        """A row over x with the same coefficient everywhere, and further terms."""
        members = [self.x[j] for j in positions]
        same = [factor] * len(members)
        return Row(lower, same + [own for own, _ in more], members + [one for _, one in more], upper)

    def variables(self, name: str, keys: Iterable[Any], most: float | None = None) -> Any:
        """Indexed variables from 0 to `most`, or binaries."""
        domain = pyo.Binary if most is None else pyo.NonNegativeReals
        found = pyo.Var(list(keys), domain=domain, bounds=(0, 1 if most is None else most))
        setattr(self.model, name, found)
        return found

    def add(self, name: str, given: Mapping[Any, Row]) -> None:
        """One indexed constraint. An impossible row becomes a row over a variable fixed at 0, else solvers may fail."""
        rows = {}
        for key, row in given.items():
            lower, upper = -math.inf if row.lower is None else row.lower, math.inf if row.upper is None else row.upper
            if lower > upper or not (row.variables or lower <= 0 <= upper):
                if not hasattr(self.model, "nothing"):
                    self.model.nothing = pyo.Var(bounds=(0, 0))
                rows[key] = Row(1.0, [1.0], [self.model.nothing], None)
            elif row.variables:
                rows[key] = row
        if rows:
            setattr(self.model, name, pyo.Constraint(list(rows), rule=_rule(rows)))


def _rule(rows: Mapping[Any, Row]) -> Callable[..., Any]:
    def rule(_model: Any, *key: Any) -> Any:
        row = rows[key if len(key) > 1 else key[0]]
        return (row.lower, linear(row.coefficients, row.variables), row.upper)

    return rule


def linear(coefficients: Sequence[float], variables: Sequence[Any]) -> Any:
    """A linear expression."""
    return LinearExpression(constant=0, linear_coefs=list(coefficients), linear_vars=list(variables))


def whole(op: Op, value: Any) -> tuple[float | None, float | None]:
    """Bounds on a whole number that satisfies `op value`."""
    return None if op == "<=" else float(math.ceil(value)), None if op == ">=" else float(math.floor(value))


def groups_of(codes: NDArray[Any], least: int | None = None) -> dict[int, NDArray[np.intp]]:
    """Positions by value, values ascending; those below `least` are left out."""
    order = np.argsort(codes, kind="stable")
    present, first = np.unique(codes[order], return_index=True)
    parts = np.split(order, first[1:])
    return {
        v: part for v, part in zip(present.tolist(), parts, strict=bool(len(present))) if least is None or v >= least
    }


def pairs_of(first: NDArray[np.intp]) -> list[tuple[int, int]]:
    """Each number with the next one."""
    return list(zip(first[:-1].tolist(), first[1:].tolist(), strict=True))
