"""Files of generalised assignment, in the format of the OR-Library (Beasley 1990).

Whole numbers alone: agents m and jobs n, the m x n costs, the m x n needs, the m capacities. A file of several
instances begins with their number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError, nearest, shown
from matheur.linear.model import LinearModel

__all__ = ["SENSES", "claim", "numbers_alone", "read_assignment"]

SENSES = ("min", "max")
"""Values of the option `sense`: whether the numbers in front are costs or profits."""

_BARE = b"0123456789 \t\r\n\v\f"
_DIGITS = 15
_HEAD = 1_000  # characters examined first
_Array = NDArray[np.int64]
_LONG = re.compile(rb"[0-9]{%d}" % (_DIGITS + 1))


@dataclass(frozen=True, slots=True)
class _Numbers:
    numbers: list[int]
    begins: list[int]  # of the instances


def numbers_alone(source: Source) -> bool:
    """Whether a file contains only white space and integers, at least two; never raises."""
    try:
        data = source.plain
    except InputError:
        return False
    head = data[:_HEAD]
    return not head.translate(None, _BARE) and len(head.split(None, 2)) > 1 and not data.translate(None, _BARE)


def claim(source: Source) -> Recognition:
    """Confidence that a file of numbers is an instance: the count of numbers matches exactly; never raises.

    Boards and lists of edges may have the same count: they have lines of equal length. Two numbers alone in the first
    line, or in the second after the number of instances, are a proof.
    """
    try:
        found = _numbers_of(source)
    except InputError:
        return Recognition.NO
    widths = [len(line.split()) for line in source.plain.splitlines() if line.strip()]
    if len(widths) > 1 and len(set(widths)) == 1:
        return Recognition.NO
    if widths[:2] == [1, 2] if found.begins[0] else widths[0] == 2:
        return Recognition.PROVED
    return Recognition.FITS if found.begins[0] == 0 and found.numbers[0] > 1 else Recognition.NO


def read_assignment(source: Source, sense: str | None = None) -> LinearModel:
    """The program of an instance: columns `x_I_J`, rows `jobJ` and `agentI`.

    Parameters
    ----------
    sense
        One of `SENSES`; None assumes costs.

    Raises
    ------
    InputError
        If the numbers are not an instance, or there is none of this number.
    ConfigurationError
        If there is no such sense.
    """
    if sense is None:
        source.assume("sense min: the first numbers are costs (max: profits)")
    elif sense not in SENSES:
        raise ConfigurationError(f"unknown sense {sense!r}. {nearest(str(sense), SENSES)}")
    found = _numbers_of(source)
    begin = found.begins[source.chosen(len(found.begins), "instance")] + 2
    agents, jobs = found.numbers[begin - 2 : begin]
    cost, need = np.array(found.numbers[begin : begin + 2 * agents * jobs], dtype=np.int64).reshape(2, agents, jobs)
    capacity = np.array(found.numbers[begin + 2 * agents * jobs :][:agents], dtype=np.int64)
    return _program(cost, need, capacity, sense == "max", source.stem)


def _program(cost: _Array, need: _Array, capacity: _Array, maximise: bool, title: str) -> LinearModel:
    """The model of `models/generalised_assignment.py` as arrays, built without Pyomo."""
    agents, jobs = cost.shape
    columns = np.arange(agents * jobs, dtype=np.int32).reshape(agents, jobs)
    used = need > 0
    counts = np.concatenate((np.full(jobs, agents), used.sum(1)))
    return LinearModel(
        starts=np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64))),
        columns=np.concatenate((columns.T.ravel(), columns[used])),
        data=np.concatenate((np.ones(agents * jobs), need[used].astype(np.float64))),
        row_lower=np.concatenate((np.ones(jobs), np.full(agents, -np.inf))),
        row_upper=np.concatenate((np.ones(jobs), capacity.astype(np.float64))),
        lower=np.zeros(agents * jobs),
        upper=np.ones(agents * jobs),
        cost=cost.ravel().astype(np.float64),
        integral=np.ones(agents * jobs, dtype=bool),
        row_names=(*(f"job{j + 1}" for j in range(jobs)), *(f"agent{i + 1}" for i in range(agents))),
        column_names=tuple(f"x_{i + 1}_{j + 1}" for i in range(agents) for j in range(jobs)),
        maximise=maximise,
        title=title,
    )


def _numbers_of(source: Source) -> _Numbers:
    """The numbers, and the positions at which the instances begin.

    Raises
    ------
    InputError
        If the file holds something else.
    """
    data = source.plain
    strange = re.search(rb"[^\s0-9]\S*", data)
    if strange is not None:
        raise source.error(f"not a whole number ({shown(strange[0])})", data.count(b"\n", 0, strange.start()) + 1)
    long = _LONG.search(data)
    if long is not None:
        raise source.error(f"a number of more than {_DIGITS} digits", data.count(b"\n", 0, long.start()) + 1)
    numbers = list(map(int, data.split()))
    one, several = _begins(numbers, 0, 1), _begins(numbers, 1, numbers[0] if numbers else 0)
    if one is not None or several is not None:
        return _Numbers(numbers, one or several or [])
    if len(numbers) < 2 or 0 in numbers[:2]:
        raise source.error("not a generalised assignment: it begins with its numbers of agents and jobs")
    agents, jobs = numbers[:2]
    needed = _length(agents, jobs)
    raise source.error(
        f"a generalised assignment of {agents} agents and {jobs} jobs has {needed:,} numbers ({len(numbers):,})"
    )


def _length(agents: int, jobs: int) -> int:
    return 2 + 2 * agents * jobs + agents


def _begins(numbers: list[int], at: int, count: int) -> list[int] | None:
    """The positions at which the instances begin, if `count` of them fill the file."""
    begins: list[int] = []
    while len(begins) < count and at + 1 < len(numbers) and numbers[at] > 0 and numbers[at + 1] > 0:
        begins.append(at)
        at += _length(numbers[at], numbers[at + 1])
    return begins if count and len(begins) == count and at == len(numbers) else None
