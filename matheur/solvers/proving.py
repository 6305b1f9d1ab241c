"""The one place where a solver's bound, a number in floating point, becomes a proof in whole numbers."""

from __future__ import annotations

import math
from fractions import Fraction

from matheur.solvers.port import MilpSolution, MilpStatus

__all__ = ["ABSOLUTE", "RELATIVE", "is_proof", "proved_bound"]

ABSOLUTE = 1e-6
"""What any solver's bound may be off."""

RELATIVE = 1e-7
"""What the bound of a solver of which nothing is known may be off, times the size of the objective."""


def proved_bound(answer: MilpSolution, *, step: int = 1, offset: int = 0, error: float = 0.0) -> int | None:
    """The least value that the objective of a minimisation can take, by a solver's bound.

    Parameters
    ----------
    answer
        Answer of a backend; its `tolerance` is the possible error of the bound.
    step
        The objective of the model is a multiple of it.
    offset
        Added to the result: objective of the problem minus objective of the model.
    error
        A larger tolerance, if the caller knows that the sums in the model are larger than they appear.

    Returns
    -------
    int or None
        None if there is no bound, or if it may be off by a step or more: then it proves nothing.

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
    """Whether a search has ended: no solution, or an optimum that the solver can tell from its neighbours.

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
