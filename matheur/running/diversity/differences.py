"""Number of places in which two solutions differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.problem_types import tool_of, with_tool
from matheur.errors import ConfigurationError

__all__ = ["Differences", "differences_of"]

Rows = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Differences:
    """Distance of solutions that are rows of different whole numbers.

    Attributes
    ----------
    places
        Length of a solution.
    by_place
        Whether the same numbers in another order count as different.
    """

    places: int
    by_place: bool

    def key(self, solution: Rows) -> bytes:
        """Key that is equal for solutions at distance 0."""
        row = np.asarray(solution, dtype=np.int32)
        return (row if self.by_place else np.sort(row)).tobytes()

    def between(self, rows: Rows, one: Rows) -> NDArray[np.int64]:
        """Distance of each row, shape (n, places), to a solution: places that differ, or numbers not shared."""
        if self.by_place:
            return np.count_nonzero(rows != one, axis=1)
        return self.places - np.count_nonzero(np.isin(rows, one), axis=1)


def differences_of(problem: Any, by_slot: bool) -> Differences:
    """The comparison of solutions of a problem.

    Parameters
    ----------
    by_slot
        Whether the same items in other places count as different, if both make sense.

    Raises
    ------
    ConfigurationError
        If they cannot be compared.
    """
    made = tool_of(problem.name, "differences")
    if made is None:
        known = " and ".join(with_tool("differences"))
        raise ConfigurationError(f"different solutions can be requested for {known} only (not '{problem.name}')")
    found: Differences = made(problem, by_slot)
    return found
