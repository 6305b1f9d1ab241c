"""One call from a file name to a problem."""

from __future__ import annotations

from pathlib import Path

from matheur.engine.inputs import read_bytes
from matheur.errors import InputError
from matheur.problems.port import Source
from matheur.problems.quadratic_assignment.formats import read_instance
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment

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
        try:
            origin = Source(str(origin), read_bytes(origin))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise InputError(f"cannot be read: {reason}", source=str(origin)) from None
    return QuadraticAssignment(read_instance(origin))
