"""The course of a run: when it found how good a solution, and what its operators did."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.inputs import read_bytes
from matheur.engine.outcome import Status
from matheur.engine.statistics import OperatorStatistics

__all__ = ["Course", "Trajectory", "course_of", "read_course"]

_PROOFS = (Status.LOCAL_OPTIMUM.value, Status.INFEASIBLE.value)
_PASSED_OVER = tuple(b'{"event": "' + name for name in (b"proof", b"checkpoint", b"migration", b"bound"))
_INCUMBENT, _END = b'{"event": "incumbent"', b'{"event": "end"'
_LONG = 2_000_000  # bytes; of longer streams only the incumbents are read


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Incumbents of one run: a step function of time that only falls.

    Attributes
    ----------
    times
        float64[k], ascending: seconds at which an incumbent was found.
    values
        float64[k], strictly falling: its value, minimised.
    end
        Seconds at which the run ended.
    """

    times: NDArray[np.float64]
    values: NDArray[np.float64]
    end: float

    @classmethod
    def of(cls, times: Iterable[float], values: Iterable[float], end: float = 0.0) -> Trajectory:
        """A trajectory from incumbents in any number; those that are no better than a former one are left out."""
        at, value = np.array([*times], dtype=float), np.array([*values], dtype=float)
        order = np.argsort(at, kind="stable")
        at, value = at[order], value[order]
        before = np.concatenate(([np.inf], np.minimum.accumulate(value)[:-1])) if len(value) else value
        kept = value < before
        return cls(at[kept], value[kept], max(float(end), float(at[-1]) if len(at) else 0.0))

    @property
    def last(self) -> float:
        """Value at the end, infinite without an incumbent."""
        return float(self.values[-1]) if len(self.values) else np.inf

    def at(self, grid: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values at the times of a grid, infinite before the first incumbent; the last one holds ever after."""
        steps = np.concatenate(([np.inf], self.values))
        found: NDArray[np.float64] = steps[np.searchsorted(self.times, grid, side="right")]
        return found

    def time_to(self, target: float) -> float:
        """Seconds until a value of at most `target`, infinite if it was not reached."""
        reached = np.flatnonzero(self.values <= target)
        return float(self.times[reached[0]]) if len(reached) else np.inf

    def thinned(self, most: int) -> Trajectory:
        """At most `most` incumbents, the first and the last among them, spread evenly."""
        if len(self.times) <= most:
            return self
        kept = np.unique(np.linspace(0, len(self.times) - 1, most).round().astype(int))
        return Trajectory(self.times[kept], self.values[kept], self.end)


@dataclass(frozen=True, slots=True)
class Course:
    """What a stream of events says of a run.

    Attributes
    ----------
    trajectory
        Trajectory of the incumbents' scores, with their signs turned if large scores are good.
    operators
        Statistics by operator; of a stream that was too long to be read as a whole, or that has no events of operators
        (a portfolio of processes), None.
    """

    trajectory: Trajectory
    operators: dict[str, OperatorStatistics] | None


def course_of(events: Iterable[Mapping[str, Any]], *, score_sense: str = "min") -> Course:
    """The course of a run from its events.

    Parameters
    ----------
    events
        Events in order, as `matheur.engine.events` describes them.
    score_sense
        `max` if large scores are good.
    """
    sign = -1.0 if score_sense == "max" else 1.0
    times, values, end = [], [], 0.0
    operators: dict[str, OperatorStatistics] = {}
    for event in events:
        end = max(end, float(event["seconds"]))
        kind = event["event"]
        if kind == "operator":
            operators.setdefault(event["operator"], OperatorStatistics()).book(
                seconds=event["call_seconds"],
                work=event["call_work"],
                gain=event["gain"],
                proof=event["status"] in _PROOFS,
            )
        elif kind == "incumbent":
            value = event.get("score")
            value = event["objective"] if value is None else value
            times.append(float(event["seconds"]))
            values.append(sign * float(value))
    return Course(Trajectory.of(times, values, end), operators or None)


def read_course(path: Path | None, *, score_sense: str = "min", long: int = _LONG) -> Course:
    """The course of a run from the file of its events, quickly.

    Parameters
    ----------
    path
        JSON lines; None for a run without.
    score_sense
        See `course_of`.
    long
        Bytes beyond which only incumbents are read, so that a stream of gigabytes takes no gigabytes.
    """
    if path is None:
        return Course(Trajectory.of((), ()), None)
    if path.stat().st_size > long:
        return Course(course_of(_incumbents(path), score_sense=score_sense).trajectory, None)
    lines = read_bytes(path, note=False).split(b"\n")[:-1]  # the last one is empty, or half written
    # One text for the parser is several times faster than one a line.
    kept = b",".join([line for line in lines if not line.startswith(_PASSED_OVER)])
    return course_of(json.loads(b"[" + kept + b"]"), score_sense=score_sense)


def _incumbents(path: Path) -> Iterator[dict[str, Any]]:
    """Incumbents and the end of a long stream."""
    with path.open("rb") as file:
        for line in file:
            if line.startswith((_INCUMBENT, _END)) and line.endswith(b"\n"):
                yield json.loads(line)
