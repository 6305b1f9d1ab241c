"""Pyomo models as problems."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from matheur.problems.milp.problem import Milp
from matheur.problems.milp.problem_type import ModelOptions
from matheur.problems.type_options import check_known
from matheur.pyomo_turn import pyomo_turn
from matheur.running.adopting import Adopted

if TYPE_CHECKING:
    from matheur.running.result import Result

__all__ = ["adopt"]


def adopt(instance: Any, options: Mapping[str, Any]) -> Adopted | None:
    """The problem of a concrete Pyomo model, into which the values of the best solution are loaded; else None.

    Raises
    ------
    ConfigurationError
        If there are other options than `groups`, or the model is abstract.
    SolverError
        If the model is not linear.
    """
    if "pyomo" not in sys.modules:
        return None
    with pyomo_turn():
        from pyomo.core.base.block import BlockData

    if not isinstance(instance, BlockData):
        return None
    check_known(options, ("groups",), "Pyomo models")
    given = ModelOptions.from_mapping(options)
    with pyomo_turn():
        from matheur.solvers.pyomo_arrays import arrays_of

        arrays = arrays_of(instance)
    problem = given.of(Milp(arrays.model, labels=arrays.index(), absent=arrays.absent))

    def deliver(result: Result) -> None:
        if result.solution is not None:
            arrays.load(result.solution)

    return Adopted(problem, str(instance.name or "model"), deliver, arrays.start())
