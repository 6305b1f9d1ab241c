"""Conversion of a solver's bound, a floating-point number, to a proved bound in whole numbers."""

from __future__ import annotations

import math
from fractions import Fraction

from matheur.solvers.port import MilpSolution, MilpStatus

__all__ = ["ABSOLUTE", "RELATIVE", "is_proof", "proved_bound"]

ABSOLUTE = 1e-6
"""Possible absolute error of any solver's bound."""

RELATIVE = 1e-7
"""Possible error of an unknown solver's bound, relative to the size of the objective."""


def proved_bound(answer: MilpSolution, *, step: int = 1, offset: int = 0, error: float = 0.0) -> int | None:
    """The least value that the objective of a minimisation can take, according to a solver's bound.

    Parameters
    ----------
    answer
        Answer of a backend; its `tolerance` is the possible error of the bound.
    step
        Number of which the objective of the model is a multiple.
    offset
        Objective of the problem minus objective of the model; added to the result.
    error
        A larger tolerance, if the caller knows that the sums in the model are larger than they appear.

    Returns
    -------
    int or None
        The bound; None if there is no bound, or if its error may be a step or more, so that it proves nothing.

    Examples
    --------
    >>> from matheur.solvers import MilpStatus
    >>> answer = MilpSolution(MilpStatus.OPTIMAL, {}, 13.0, 12.0000004, 0, 0.0, "toy", "1", tolerance=1e-6)
    >>> proved_bound(answer), proved_bound(answer, step=5)
    (12, 15)
    """
    bound = answer.bound
    if bound is None or not math.isfinite(bound):
        return None
    slack = max(_tolerance(answer), error)
    if not slack < step:
        return None
    return math.ceil((Fraction(bound) - Fraction(slack)) / step) * step + offset


def is_proof(answer: MilpSolution, *, step: int = 1, error: float = 0.0) -> bool:
    """Whether an answer is a proof: no solution, or an optimum that the solver can distinguish from adjacent values.

    Parameters
    ----------
    answer, step, error
        See `proved_bound`.
    """
    if answer.status is MilpStatus.OPTIMAL:
        return max(_tolerance(answer), error) < step
    return answer.status is MilpStatus.INFEASIBLE


def _tolerance(answer: MilpSolution) -> float:
    if answer.tolerance is not None:
        return answer.tolerance
    return ABSOLUTE + RELATIVE * max(abs(shown) for shown in (0.0, answer.bound, answer.objective) if shown is not None)
