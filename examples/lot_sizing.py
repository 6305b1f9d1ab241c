"""A lot sizing model in Pyomo: `python examples/lot_sizing.py [ITEMS PERIODS SECONDS]`."""

import random
import sys

import pyomo.environ as pyo

import matheur

items, periods, seconds = map(int, sys.argv[1:] or (50, 30, 60))
rng = random.Random(1)
model = pyo.ConcreteModel()
model.I, model.T = pyo.RangeSet(items), pyo.RangeSet(periods)
demand = {(i, t): rng.randrange(60, 140) for i in model.I for t in model.T}
setup = {i: rng.randrange(200, 1000) for i in model.I}
model.make = pyo.Var(model.I, model.T, domain=pyo.NonNegativeReals)
model.open = pyo.Var(model.I, model.T, domain=pyo.Binary)
model.stock = pyo.Var(model.I, [0, *model.T], domain=pyo.NonNegativeReals)
model.stock[:, 0].fix(0)
model.balance = pyo.Constraint(
    model.I, model.T, rule=lambda m, i, t: m.stock[i, t - 1] + m.make[i, t] == demand[i, t] + m.stock[i, t]
)
model.opened = pyo.Constraint(model.I, model.T, rule=lambda m, i, t: m.make[i, t] <= 1000 * m.open[i, t])
model.hours = pyo.Constraint(
    model.T, rule=lambda m, t: sum(m.make[i, t] + 20 * m.open[i, t] for i in m.I) <= 130 * items
)
model.cost = pyo.Objective(expr=sum(setup[i] * model.open[i, t] + 2 * model.stock[i, t] for i, t in demand))

result = matheur.solve(model, groups=["T", "I"], seconds=seconds)  # free a few periods or items, fix the rest, repeat
print(f"{result.status}: {result.objective:.0f}, bound {result.bound:.0f}")
print("item 1 is made in the periods", [t for t in model.T if model.open[1, t].value > 0.5])
