"""Linear programs in the forms that solvers read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from matheur.linear.lp_writer import write_lp
from matheur.linear.mps_writer import write_mps
from matheur.problems.milp.problem import Milp

__all__ = ["FORMS"]

FORMS: Mapping[str, Callable[[Milp], Iterator[str]]] = MappingProxyType(
    {".lp": lambda problem: write_lp(problem.model), ".mps": lambda problem: write_mps(problem.model)}
)
"""What makes the lines of a file, by the ending of its name."""
