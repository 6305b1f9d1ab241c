"""Solutions in the format of MIPLIB, which solvers read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from matheur.linear.decimals import nearest_float
from matheur.linear.solutions import write_solution
from matheur.problems.milp.problem import Milp

__all__ = ["FORMS"]


def _sol(problem: Milp, content: Mapping[str, Any]) -> str:
    """A `.sol` file from the plain values of a result; `=infeas=` if there is no solution."""
    if content.get("solution") is None:
        return "=infeas=\n" if content.get("status") == "infeasible" else "# no solution\n"
    values = problem.decode(content["solution"])
    lines = write_solution(problem.model, values, repr(nearest_float(problem.assessed(values).objective)))
    return "".join(f"{line}\n" for line in lines)


FORMS: Mapping[str, Callable[[Milp, Mapping[str, Any]], str]] = MappingProxyType({".sol": _sol})
"""What makes the text of a file, by the ending of its name."""
