"""MILP backends behind one port.

`get_backend(name).solve(model, SolveRequest(...))` solves a Pyomo model with HiGHS, SCIP or any solver that Pyomo
supports; the answer is a `MilpSolution`, in the same form for all of them. Nothing here depends on puzzles or search.
"""

from matheur.solvers.port import Backend, Capabilities, MilpSolution, MilpStatus, SolveRequest, TracePoint
from matheur.solvers.registry import BackendInfo, backends, check_backend, get_backend

__all__ = [
    "Backend",
    "BackendInfo",
    "Capabilities",
    "MilpSolution",
    "MilpStatus",
    "SolveRequest",
    "TracePoint",
    "backends",
    "check_backend",
    "get_backend",
]
