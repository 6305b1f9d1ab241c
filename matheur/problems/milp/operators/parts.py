"""Options of the MILP solvers for a small part of a model.

Their own large neighbourhoods and the search for symmetries take most of the time there and find little: a part of a
lot-sizing model took four to seven times as long with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from matheur.methods.milp import SolverOptions

__all__ = ["for_parts"]

_OPTIONS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "highs": {
            "mip_heuristic_run_rins": False,
            "mip_heuristic_run_rens": False,
            "mip_heuristic_run_root_reduced_cost": False,
            "mip_detect_symmetry": False,
        },
        "scip": {
            **{f"heuristics/{name}/freq": -1 for name in ("alns", "crossover", "gins", "rens", "rins")},
            "misc/usesymmetry": 0,
        },
    }
)


def for_parts(solver: SolverOptions) -> SolverOptions:
    """The solver with options for parts; options set by the user take precedence."""
    return replace(solver, options={**_OPTIONS.get(solver.name, {}), **solver.options})
