"""Permutations from files.

A QAPLIB solution (`.sln`) is n, its value and a permutation. Other sources give only the value, before or after the
permutation. Permutations are counted from 1 or from 0, and some published ones are inverse (the facility of each
location): the stated value tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.quadratic_assignment.numbers import Numbers, numbers_of
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment

__all__ = ["read_solution"]

_BYTES_MAX = 1_000_000

Places = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to read the numbers: index at which the permutation begins, and index of its value (None: no value)."""

    start: int
    value: int | None


def read_solution(problem: QuadraticAssignment, source: Source) -> Places:
    """A permutation: a QAPLIB solution, a plain list of the locations, or a JSON list of them, counted from 1.

    In plain text, a list with a 0 is counted from 0. If a value is stated, the permutation is read in the way that has
    this value: as the locations of the facilities, or else as the facilities of the locations.

    Raises
    ------
    InputError
        If it is none of these, does not have the stated value in either way, or is ambiguous.
    """
    source.limited(_BYTES_MAX, "a solution")
    if source.plain.lstrip()[:1] in (b"[", b"{"):
        try:
            return problem.decode(source.json)
        except InputError as error:
            raise error.located(source.name) from None
    numbers = numbers_of(source)
    n = problem.facilities
    if not 0 <= len(numbers) - n <= 2:
        message = f"a solution holds {n} locations, before them their number and the value ({len(numbers)} numbers)"
        raise source.error(message)
    readings = _readings(numbers, n)
    whole = [one for one in readings if _is_placement(numbers, one.start, problem)]
    if not whole:
        return _without_permutation(problem, numbers, readings, source)
    found = {places.tobytes(): places for one in whole for places in _as_stated(problem, numbers, one)}
    if len(found) > 1:
        raise source.error(
            "may be two permutations, with the value in front or at the end. Maybe write the size first?"
        )
    if not found:
        raise _contradiction(problem, numbers, whole[0], source)
    return found.popitem()[1]


def _readings(numbers: Numbers, n: int) -> list[_Reading]:
    """All ways in which this many numbers can form a solution, the usual one first."""
    extra = len(numbers) - n
    if extra == 0:
        return [_Reading(0, None)]
    if extra == 1:
        return [_Reading(1, None if numbers.at(0) == n else 0), _Reading(0, n)]
    found = [_Reading(2, 1)] if numbers.at(0) == n else []
    found += [_Reading(2, 0)] if numbers.at(1) == n and numbers.at(0) != n else []
    return found + ([_Reading(1, n + 1)] if numbers.at(0) == n else [])


def _is_placement(numbers: Numbers, start: int, problem: QuadraticAssignment) -> bool:
    """Whether the numbers are distinct locations of the instance, counted from 0 or 1."""
    n, locations = problem.facilities, problem.locations
    cells = {numbers.at(index) for index in range(start, start + n)}
    base = 0 if 0 in cells else 1
    return len(cells) == n and cells <= set(range(base, locations + base))


def _without_permutation(
    problem: QuadraticAssignment, numbers: Numbers, readings: list[_Reading], source: Source
) -> Places:
    """A list that is not a permutation; if it names locations, the evaluator reports the violations."""
    n, locations = problem.facilities, problem.locations
    if not readings:
        message = f"a solution of size {numbers.at(0)}; the instance has the size {n}"
        raise source.error(message, numbers.line_of(0))
    start = readings[0].start
    cells = [numbers.at(index) for index in range(start, start + n)]
    base = 0 if 0 in cells else 1
    for index, cell in enumerate(cells, start=start):
        if not isinstance(cell, int) or not base <= cell < locations + base:
            said = f"locations are {base} to {locations + base - 1} ({_shown(cell)})"
            raise source.error(said, numbers.line_of(index))
    return problem.decode([int(cell) + 1 - base for cell in cells])


def _places(numbers: Numbers, start: int, n: int) -> Places:
    """The locations, counted from 0, whatever the list was counted from."""
    places = np.array(numbers.wholes[start : start + n], dtype=np.int32)
    return places if 0 in places else places - np.int32(1)


def _ways(problem: QuadraticAssignment, places: Places) -> list[Places]:
    """The solutions that a list can mean: the locations of the facilities, or the facilities of the locations."""
    found = [places]
    if problem.facilities == problem.locations:
        found.append(np.argsort(places).astype(np.int32))
    return [problem.decode((way + 1).tolist()) for way in found]


def _as_stated(problem: QuadraticAssignment, numbers: Numbers, one: _Reading) -> list[Places]:
    """The solution or its inverse, whichever has the stated value; empty if neither has."""
    ways = _ways(problem, _places(numbers, one.start, problem.facilities))
    if one.value is None:
        return ways[:1]
    value = one.value
    found = [way for way in ways if _costs(problem, way, numbers, value)]
    return sorted(found, key=lambda way: not problem.evaluate(way).feasible)[:1]


def _costs(problem: QuadraticAssignment, places: Places, numbers: Numbers, index: int) -> bool:
    """Whether a permutation has the stated value, which may be rounded if costs are not integers."""
    decimals = sum(problem.instance.decimals)
    cost, stated = Fraction(int(problem.evaluate(places).objective), 10**decimals), Fraction(numbers.at(index))
    room = Fraction(1, 2 * 10 ** numbers.decimals[index]) if numbers.decimals[index] < decimals else 0
    return abs(cost - stated) <= room


def _contradiction(problem: QuadraticAssignment, numbers: Numbers, one: _Reading, source: Source) -> InputError:
    ways = _ways(problem, _places(numbers, one.start, problem.facilities))
    costs = [problem.score(problem.evaluate(way).objective) for way in ways]
    assert one.value is not None
    inverse = f", and its inverse {costs[1]}" if len(costs) > 1 else ""
    return source.error(
        f"the stated value is {_shown(numbers.at(one.value))}, but the permutation costs {costs[0]}{inverse}. "
        "Maybe it belongs to another instance?",
        numbers.line_of(one.value),
    )


def _shown(number: int | Fraction) -> str:
    return str(number) if isinstance(number, int) else f"{float(number):g}"
