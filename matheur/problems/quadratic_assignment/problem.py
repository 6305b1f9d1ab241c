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
from matheur.engine.outcome import Evaluation, plain_number
from matheur.errors import InputError
from matheur.problems.quadratic_assignment.bound import gilmore_lawler
from matheur.problems.quadratic_assignment.instance import Instance, total_cost

__all__ = ["QuadraticAssignment"]

_REPORTED = 10


@dataclass(frozen=True, eq=False)
class QuadraticAssignment(ArrayProblem):
    """Assign each facility to a location of its own so that the sum of flow times distance is minimal.

    Solutions are int32 permutations p, 0-based: p[i] is the location of facility i. As JSON they are 1-based lists.
    With fixed facilities, or more locations than facilities, they are permutations of the core (see `given`), and
    `places` gives the locations of the facilities of the file, which the JSON form lists.

    Attributes
    ----------
    instance
        The flows and the distances.
    assumptions
        Assumptions of the reader, one phrase each.
    """

    instance: Instance
    assumptions: tuple[str, ...] = ()
    name = "quadratic-assignment"

    @cached_property
    def fingerprint(self) -> str:
        """Identifier of the instance, computed from its content."""
        one = self.instance
        digest = blake2b(b"quadratic-assignment", digest_size=12)
        for matrix in (one.flows, one.distances):
            digest.update(np.ascontiguousarray(matrix, dtype="<i8").tobytes())
        if any(one.decimals):
            digest.update(repr(one.decimals).encode())
        for table in (one.linear, one.pairs):
            if table is not None:
                digest.update(repr(table.shape).encode())
                digest.update(np.ascontiguousarray(table, dtype="<i8").tobytes())
        if one.given is not None:
            about = one.given
            digest.update(repr((one.constant, about.facilities, sorted(about.fixed.items()))).encode())
        return digest.hexdigest()

    @property
    def facilities(self) -> int:
        """Number of facilities in the file."""
        return self.instance.n if self.instance.given is None else self.instance.given.facilities

    @property
    def locations(self) -> int:
        """Number of locations in the file."""
        return self.instance.n if self.instance.given is None else self.instance.given.locations

    def places(self, solution: NDArray[np.int32]) -> NDArray[np.int32]:
        """The location of each facility of the file, from 0."""
        row = np.asarray(solution).ravel()
        if self.instance.given is None:
            return row
        return -1 - row if self._listed(row) else self.instance.given.places(row)

    def tells(self, solution: NDArray[np.int32]) -> bool:
        """Whether a solution gives every facility a location, feasible or not."""
        row = np.asarray(solution).ravel()
        if self._listed(row):
            return len(row) == self.facilities and bool((row >= -self.locations).all())
        return len(row) == self.instance.n and bool(((row >= 0) & (row < self.instance.n)).all())

    def _listed(self, row: NDArray[np.int32]) -> bool:
        """Whether a row is a list of locations of the file (see `decode`), not a permutation of the core."""
        return self.instance.given is not None and bool(len(row)) and bool((row < 0).all())

    def evaluate(self, solution: NDArray[np.int32]) -> Evaluation:
        """Sum up flow times distance over all pairs, in exact integers, and check that it is a permutation."""
        fault = row_fault(solution, "a permutation")
        if fault is not None:
            return Evaluation(0, False, (fault,))
        one = self.instance
        row = np.asarray(solution).ravel()
        listed = self._listed(row)
        if not self.tells(row):
            size = self.facilities if listed else one.n
            return Evaluation(0, False, (f"a solution names for each of the {size} facilities one of the locations",))
        places = self.places(row)
        violations = []
        for location, count in enumerate(np.bincount(places, minlength=self.locations).tolist()):
            if count > 1:
                there = ", ".join(str(facility + 1) for facility in np.flatnonzero(places == location)[:_REPORTED])
                violations.append(f"location {location + 1} holds {count} facilities ({there})")
        if one.given is not None:
            for facility, location in sorted(one.given.fixed.items()):
                if places[facility] != location:
                    violations.append(f"facility {facility + 1} must stand on location {location + 1} (fixed)")
        if len(violations) > _REPORTED:
            violations[_REPORTED:] = ["and more"]
        if not violations and len(np.unique(row)) < len(row):  # added facilities, which no list shows
            violations.append("a solution is a permutation")
        cost = total_cost(one.given, places) if listed and one.given is not None else one.cost(row)
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
        return [int(location) + 1 for location in self.places(solution)]

    def digest(self, solution: NDArray[np.int32]) -> bytes:
        """Equal for permutations that put the facilities of the file on the same locations."""
        row = np.asarray(solution).ravel()
        known = self.instance.given is None or len(row) != self.instance.n or self._listed(row)
        return super().digest(row if known else self.places(row))

    def decode(self, data: Any) -> NDArray[np.int32]:
        """A permutation from its 1-based list; `evaluate` checks that it is a permutation.

        A list that moves a fixed facility corresponds to no permutation of the free facilities; it becomes a row of
        negative numbers, -1 - location.

        Raises
        ------
        InputError
            If it is not a list of locations, one for each facility.
        """
        n, most = self.facilities, self.locations
        if not isinstance(data, Sequence) or isinstance(data, str | bytes):
            raise InputError(f"a solution is a list of {n} locations, not {type(data).__name__}")
        data = list(map(plain_number, data))
        if len(data) != n:
            raise InputError(f"a solution has {n} locations, one for each facility, not {len(data)}")
        for facility, location in enumerate(data, start=1):
            if type(location) is not int:
                raise InputError(f"facility {facility}: a location is a whole number ({str(location)[:40]!r})")
            if not 1 <= location <= most:
                hint = ". Maybe the list counts from 0?" if 0 in data and most not in data else ""
                shown = location if abs(location) < 10**12 else "a huge number"
                raise InputError(f"facility {facility}: locations are 1 to {most} ({shown}){hint}")
        places = np.array(data, dtype=np.int32) - 1
        if self.instance.given is None:
            return places
        found = self.instance.given.permutation(places)
        return -1 - places if found is None else found
