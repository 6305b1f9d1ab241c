"""Lights Out as a MILP: the number of times that each press is made, and that each light cycles.

Press p adds a[c,p] to light c, lights have k states, and d[c] must be added to light c:

    x[p]    whole, 0 to k - 1, number of times that press p is made
    q[c]    whole, number of full cycles of light c

    min   sum x[p]                                                                                         (1)
    s.t.  sum_p a[c,p] x[p] - k q[c] = d[c]                                          all c                 (2)

The relaxation is weak because q may be fractional: it only ensures that presses add enough in total. Elimination over
Z_k (`matheur.problems.lights_out.modular`) is therefore far better if the kernel is small enough to be enumerated. If
it is not, the branch and bound of a solver may give a proof that enumeration cannot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray
from pyomo.core.expr import LinearExpression

from matheur.problems.lights_out.instance import Instance
from matheur.pyomo_turn import in_turn

__all__ = ["LightsModel", "build"]


@dataclass(frozen=True, slots=True)
class LightsModel:
    """A model, with the data to read presses from its solution.

    Attributes
    ----------
    model
        The `pyomo.ConcreteModel`.
    presses
        The variables x, by press.
    """

    model: Any
    presses: tuple[Any, ...]

    def read(self, values: Mapping[Any, float]) -> NDArray[np.int32]:
        """The presses, repeated as often as they are made, from a solver's values (missing values count as 0)."""
        times = [max(0, round(values.get(variable) or 0.0)) for variable in self.presses]
        return np.repeat(np.arange(len(times), dtype=np.int32), times)


@in_turn
def build(instance: Instance) -> LightsModel:
    """The model of all sets of presses that bring a board to its target.

    Parameters
    ----------
    instance
        The board.
    """
    one = instance
    model = pyo.ConcreteModel("lights-out")
    model.x = pyo.Var(range(one.presses), domain=pyo.NonNegativeIntegers, bounds=(0, one.states - 1))
    terms: list[list[tuple[int, Any]]] = [[] for _ in range(one.cells)]
    for press, effect in enumerate(one.effects):
        for cell, amount in effect:
            terms[cell].append((amount, model.x[press]))
    most = [sum(amount for amount, _ in own) * (one.states - 1) for own in terms]
    rounds = [max(0, (most[cell] - one.needed[cell]) // one.states) for cell in range(one.cells)]
    model.q = pyo.Var(range(one.cells), domain=pyo.NonNegativeIntegers, bounds=lambda _, cell: (0, rounds[cell]))

    def reached(_model: Any, cell: int) -> Any:
        coefs = [amount for amount, _ in terms[cell]]
        variables = [variable for _, variable in terms[cell]]
        left = LinearExpression(linear_coefs=[*coefs, -one.states], linear_vars=[*variables, model.q[cell]])
        return left == one.needed[cell]

    model.reached = pyo.Constraint(range(one.cells), rule=reached)
    presses = tuple(model.x.values())
    model.cost = pyo.Objective(expr=LinearExpression(linear_coefs=[1] * len(presses), linear_vars=list(presses)))
    return LightsModel(model, presses)
