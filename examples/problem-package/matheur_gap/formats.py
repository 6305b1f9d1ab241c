"""Files in the format of the OR-Library: agents, jobs, costs, needs, capacities."""

from __future__ import annotations

from typing import Any

from matheur.engine.source import Source
from matheur_gap.problem import Instance, Rows

__all__ = ["read_gap", "write_gap"]

_LARGEST = 10**9  # keeps sums far below the range of 64-bit integers
_DIGITS = len(str(_LARGEST))


def read_gap(source: Source, _options: Any = None) -> Instance:
    """Read the instance in a file.

    Raises
    ------
    InputError
        If the file is malformed, with the line of the fault.
    """
    numbers: list[int] = []
    for line, text in enumerate(source.lines, start=1):
        for word in text.split():
            if not (word.isascii() and word.isdigit() and len(word) <= _DIGITS and int(word) <= _LARGEST):
                raise source.error(f"'{word[:20]}' is not a whole number up to {_LARGEST}", line)
            numbers.append(int(word))
    if len(numbers) < 2 or 0 in numbers[:2]:
        raise source.error("a file begins with the number of agents and the number of jobs")
    agents, jobs = numbers[:2]
    wanted = 2 + 2 * agents * jobs + agents
    if len(numbers) != wanted:
        raise source.error(f"{agents} agents and {jobs} jobs have {wanted} numbers, not {len(numbers)}")
    rows: Rows = tuple(tuple(numbers[start : start + jobs]) for start in range(2, wanted - agents, jobs))
    return Instance(rows[:agents], rows[agents:], tuple(numbers[-agents:]))


def write_gap(instance: Instance) -> str:
    """Return the text of an instance file."""
    rows = [(len(instance.costs), len(instance.costs[0])), *instance.costs, *instance.needs, instance.capacities]
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)
