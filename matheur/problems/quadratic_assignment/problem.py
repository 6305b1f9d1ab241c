"""Quadratic assignment as a problem of the engine: solutions are permutations, the objective is the total cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.array_problem import ArrayProblem, row_fault
from matheur.engine.outcome import Evaluation
from matheur.errors import InputError
from matheur.problems.quadratic_assignment.bound import gilmore_lawler
from matheur.problems.quadratic_assignment.instance import Instance

__all__ = ["QuadraticAssignment"]

_REPORTED = 10


@dataclass(frozen=True, eq=False)
class QuadraticAssignment(ArrayProblem):
    """Put each facility on a location of its own so that the sum of flow times distance is least.

    Solutions are int32 permutations p, 0-based: p[i] is the location of facility i. As JSON they are 1-based lists.

    Attributes
    ----------
    instance
        The flows and the distances.
    assumptions
        What the reader took for granted, a phrase each.
    """

    instance: Instance
    assumptions: tuple[str, ...] = ()
    name = "quadratic-assignment"

    @cached_property
    def fingerprint(self) -> str:
        """Names the instance by its content."""
        digest = blake2b(b"quadratic-assignment", digest_size=12)
        for matrix in (self.instance.flows, self.instance.distances):
            digest.update(np.ascontiguousarray(matrix, dtype="<i8").tobytes())
        if any(self.instance.decimals):
            digest.update(repr(self.instance.decimals).encode())
        return digest.hexdigest()

    def evaluate(self, solution: NDArray[np.int32]) -> Evaluation:
        """Sum up flow times distance over all pairs, in exact integers, and check that it is a permutation."""
        fault = row_fault(solution, "a permutation")
        if fault is not None:
            return Evaluation(0, False, (fault,))
        one = self.instance
        places = np.asarray(solution).ravel()
        if len(places) != one.n or not ((places >= 0) & (places < one.n)).all():
            return Evaluation(0, False, (f"a solution names for each of the {one.n} facilities one of the locations",))
        cost = int((one.flows * one.distances[np.ix_(places, places)]).sum())
        violations = []
        for location, count in enumerate(np.bincount(places, minlength=one.n).tolist()):
            if count > 1:
                there = ", ".join(str(facility + 1) for facility in np.flatnonzero(places == location)[:_REPORTED])
                violations.append(f"location {location + 1} holds {count} facilities ({there})")
        if len(violations) > _REPORTED:
            violations[_REPORTED:] = ["and more"]
        return Evaluation(cost, not violations, tuple(violations))

    def score(self, objective: int | float) -> int | float:
        """The cost in units of the file: the objective itself, unless decimals were scaled."""
        unit = 10 ** sum(self.instance.decimals)
        if unit == 1:
            return objective
        cost = Fraction(objective) / unit
        return int(cost) if cost.denominator == 1 else float(cost)

    @cached_property
    def trivial_bound(self) -> int:
        """The bound of Gilmore and Lawler."""
        return gilmore_lawler(self.instance)

    def encode(self, solution: NDArray[np.int32]) -> list[int]:
        """Location of each facility, counted from 1."""
        return [int(location) + 1 for location in np.asarray(solution).ravel()]

    def decode(self, data: Any) -> NDArray[np.int32]:
        """A permutation from its 1-based list; whether it is one is for `evaluate` to say.

        Raises
        ------
        InputError
            If it is not a list of n locations.
        """
        n = self.instance.n
        if not isinstance(data, Sequence) or isinstance(data, str | bytes):
            raise InputError(f"a solution is a list of {n} locations, not {type(data).__name__}")
        if len(data) != n:
            raise InputError(f"a solution has {n} locations, one for each facility, not {len(data)}")
        for facility, location in enumerate(data, start=1):
            if type(location) is not int:
                raise InputError(f"facility {facility}: a location is a whole number ({str(location)[:40]!r})")
            if not 1 <= location <= n:
                hint = ". Maybe the list counts from 0?" if 0 in data and n not in data else ""
                shown = location if abs(location) < 10**12 else "a huge number"
                raise InputError(f"facility {facility}: locations are 1 to {n} ({shown}){hint}")
        return np.array(data, dtype=np.int32) - 1
