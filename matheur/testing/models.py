"""Tiny models with known solutions."""

from __future__ import annotations

import numpy as np
import pyomo.environ as pyo

__all__ = ["infeasible", "knapsack", "market_split", "odd_cycle_cover", "unbounded"]


def odd_cycle_cover(length: int = 7) -> pyo.ConcreteModel:
    """Vertex cover of an odd cycle: optimum (length + 1) / 2 + 10, above the relaxation's length / 2 + 10."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(length), domain=pyo.Binary)
    model.edge = pyo.Constraint(range(length), rule=lambda m, i: m.x[i] + m.x[(i + 1) % length] >= 1)
    model.cost = pyo.Objective(expr=sum(model.x.values()) + 10)
    return model


def knapsack() -> pyo.ConcreteModel:
    """Maximise 5a + 4b + 3c subject to 2a + 3b + c <= 5; the optimum 9 selects a and b."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3), domain=pyo.Binary)
    model.room = pyo.Constraint(expr=2 * model.x[0] + 3 * model.x[1] + model.x[2] <= 5)
    model.gain = pyo.Objective(expr=5 * model.x[0] + 4 * model.x[1] + 3 * model.x[2], sense=pyo.maximize)
    return model


def infeasible() -> pyo.ConcreteModel:
    """Three binary variables with a sum of at least 4."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3), domain=pyo.Binary)
    model.row = pyo.Constraint(expr=sum(model.x.values()) >= 4)
    model.cost = pyo.Objective(expr=model.x[0])
    return model


def unbounded() -> pyo.ConcreteModel:
    """Maximise an unbounded integer variable."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.NonNegativeIntegers)
    model.y = pyo.Var(domain=pyo.NonNegativeIntegers)
    model.row = pyo.Constraint(expr=model.x - model.y <= 1)
    model.gain = pyo.Objective(expr=model.x, sense=pyo.maximize)
    return model


def market_split(rows: int = 5, columns: int = 40, *, slack: bool = False, seed: int = 7) -> pyo.ConcreteModel:
    """Split random weights into halves (Cornuéjols and Dawande 1998), too hard for branch and bound.

    With slack, every choice is feasible and the total deviation is minimised; without slack, no solution is found. The
    deviations are continuous variables that are integral in every solution.
    """
    weights = np.random.default_rng(seed).integers(0, 100, size=(rows, columns))
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(columns), domain=pyo.Binary)
    most = int(weights.sum(axis=1).max()) if slack else 0
    model.over = pyo.Var(range(rows), bounds=(0, most))
    model.under = pyo.Var(range(rows), bounds=(0, most))
    model.implied_integral = True

    def halved(m: pyo.ConcreteModel, i: int) -> object:
        shown = sum(int(weights[i, j]) * m.x[j] for j in range(columns))
        return shown - m.over[i] + m.under[i] == int(weights[i].sum() // 2)

    model.half = pyo.Constraint(range(rows), rule=halved)
    model.misses = pyo.Objective(expr=sum(model.over.values()) + sum(model.under.values()))
    return model
