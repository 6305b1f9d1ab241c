"""One call from a file name to a problem."""

from __future__ import annotations

from pathlib import Path

from matheur.problems.quadratic_assignment.formats import read_instance
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment
from matheur.problems.source import Source, open_source

__all__ = ["load"]


def load(origin: str | Path | Source) -> QuadraticAssignment:
    """The instance in a QAPLIB file or a `Source`.

    Raises
    ------
    InputError
        If it cannot be read or understood.

    Examples
    --------
    >>> from matheur.problems.port import Source
    >>> load(Source("one", b"2  0 3 3 0  0 5 5 0")).trivial_bound
    30
    """
    if not isinstance(origin, Source):
        origin = open_source(origin)
    return QuadraticAssignment(read_instance(origin))
