"""Cutting stock, in the form that assigns items to rolls (Kantorovich 1939).

    y[k] binary         roll k is cut
    x[i,k] >= 0, whole  pieces of item i from roll k

    min   sum y[k]                                                              (1)
    s.t.  sum_k x[i,k] >= demand[i]                        all items i          (2)
          sum_i width[i] x[i,k] <= roll y[k]               all rolls k          (3)
          y[k] >= y[k+1]                                   all rolls but one    (4)

The number of rolls is that of a simple plan. All rolls are identical, and this symmetry makes the model hard; (4)
removes part of it. Items and rolls are groups of variables that a neighbourhood may free while the others stay fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray

from matheur.pyomo_turn import in_turn

__all__ = ["CuttingStock", "build", "generate", "set_simple_plan"]


@dataclass(frozen=True)
class CuttingStock:
    """An instance.

    Attributes
    ----------
    width, demand
        Width of a piece, and number of pieces needed, by item; int64[items].
    roll
        Width of a roll; no piece is wider.
    """

    width: NDArray[np.int64]
    demand: NDArray[np.int64]
    roll: int


@in_turn
def build(instance: CuttingStock) -> Any:
    """The Pyomo model of an instance."""
    width, demand = instance.width.tolist(), instance.demand.tolist()
    model = pyo.ConcreteModel("cutting-stock")
    model.items_ = pyo.RangeSet(len(width))
    model.rolls = pyo.RangeSet(len(_simple_plan(instance)))
    model.y = pyo.Var(model.rolls, domain=pyo.Binary)

    def most(_: Any, i: int, k: int) -> tuple[int, int]:
        return 0, min(demand[i - 1], instance.roll // width[i - 1])

    model.x = pyo.Var(model.items_, model.rolls, domain=pyo.NonNegativeIntegers, bounds=most)

    @model.Constraint(model.items_)
    def enough(m: Any, i: int) -> Any:
        return sum(m.x[i, k] for k in m.rolls) >= demand[i - 1]

    @model.Constraint(model.rolls)
    def fits(m: Any, k: int) -> Any:
        return sum(width[i - 1] * m.x[i, k] for i in m.items_) <= instance.roll * m.y[k]

    @model.Constraint(model.rolls)
    def in_order(m: Any, k: int) -> Any:
        return m.y[k] >= m.y[k + 1] if k + 1 in m.rolls else pyo.Constraint.Skip

    @model.Objective(sense=pyo.minimize)
    def rolls_cut(m: Any) -> Any:
        return sum(m.y[k] for k in m.rolls)

    return model


def set_simple_plan(model: Any, instance: CuttingStock) -> None:
    """Set the variables to a simple plan: each piece is cut from the first roll with room, wide pieces first."""
    plan = _simple_plan(instance)
    for k in model.rolls:
        model.y[k].set_value(1)
    for i, k in model.x:
        model.x[i, k].set_value(int(plan[k - 1][i - 1]))


def generate(items: int, seed: int) -> CuttingStock:
    """A random instance: pieces with a tenth to a half of the width of a roll, up to ten per item."""
    rng = np.random.default_rng(seed)
    roll = 1000
    return CuttingStock(rng.integers(roll // 10, roll // 2 + 1, items), rng.integers(1, 11, items), roll)


def _simple_plan(instance: CuttingStock) -> list[NDArray[np.int64]]:
    """Pieces of each item, by roll."""
    rolls: list[NDArray[np.int64]] = []
    for item in np.argsort(-instance.width, kind="stable").tolist():
        for _ in range(int(instance.demand[item])):
            room = (roll for roll in rolls if roll @ instance.width + instance.width[item] <= instance.roll)
            first = next(room, None)
            if first is None:
                first = np.zeros(len(instance.width), dtype=np.int64)
                rolls.append(first)
            first[item] += 1
    return rolls
