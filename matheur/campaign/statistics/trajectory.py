"""Course of a run: its improving solutions over time, and the work of its operators."""

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
_LONG = 2_000_000  # size in bytes beyond which only the incumbents of a stream are read


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Incumbents of one run: a decreasing step function of time.

    Attributes
    ----------
    times
        float64[k], ascending: seconds at which an incumbent was found.
    values
        float64[k], strictly decreasing: value of each incumbent, minimised.
    end
        Seconds at which the run ended.
    """

    times: NDArray[np.float64]
    values: NDArray[np.float64]
    end: float

    @classmethod
    def of(cls, times: Iterable[float], values: Iterable[float], end: float = 0.0) -> Trajectory:
        """Trajectory from incumbents; those that do not improve on an earlier one are left out."""
        at, value = np.array([*times], dtype=float), np.array([*values], dtype=float)
        order = np.argsort(at, kind="stable")
        at, value = at[order], value[order]
        before = np.concatenate(([np.inf], np.minimum.accumulate(value)[:-1])) if len(value) else value
        kept = value < before
        return cls(at[kept], value[kept], max(float(end), float(at[-1]) if len(at) else 0.0))

    @property
    def last(self) -> float:
        """Value at the end; infinite without an incumbent."""
        return float(self.values[-1]) if len(self.values) else np.inf

    def at(self, grid: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values at the times of a grid; infinite before the first incumbent. The last value holds from then on."""
        steps = np.concatenate(([np.inf], self.values))
        found: NDArray[np.float64] = steps[np.searchsorted(self.times, grid, side="right")]
        return found

    def time_to(self, target: float) -> float:
        """Seconds until a value of at most `target`; infinite if it was not reached."""
        reached = np.flatnonzero(self.values <= target)
        return float(self.times[reached[0]]) if len(reached) else np.inf

    def thinned(self, most: int) -> Trajectory:
        """Thin to at most `most` incumbents, evenly spread and including the first and the last."""
        if len(self.times) <= most:
            return self
        kept = np.unique(np.linspace(0, len(self.times) - 1, most).round().astype(int))
        return Trajectory(self.times[kept], self.values[kept], self.end)


@dataclass(frozen=True, slots=True)
class Course:
    """Summary of the event stream of a run.

    Attributes
    ----------
    trajectory
        Trajectory of the scores of the incumbents, negated if large scores are good.
    operators
        Statistics by operator; None if the stream was too long to be read completely, or has no events of operators (a
        portfolio of processes).
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
    """Read the course of a run quickly from the file of its events.

    Parameters
    ----------
    path
        File of JSON lines; None for a run without events.
    score_sense
        See `course_of`.
    long
        Size in bytes beyond which only incumbents are read, so that a very long stream does not fill the memory.
    """
    if path is None:
        return Course(Trajectory.of((), ()), None)
    if path.stat().st_size > long:
        return Course(course_of(_incumbents(path), score_sense=score_sense).trajectory, None)
    lines = read_bytes(path, note=False).split(b"\n")[:-1]  # the last one is empty or incomplete
    # Parsing one joined text is several times faster than parsing line by line.
    kept = b",".join([line for line in lines if not line.startswith(_PASSED_OVER)])
    return course_of(json.loads(b"[" + kept + b"]"), score_sense=score_sense)


def _incumbents(path: Path) -> Iterator[dict[str, Any]]:
    """Read the incumbents and the end of a long stream."""
    with path.open("rb") as file:
        for line in file:
            if line.startswith((_INCUMBENT, _END)) and line.endswith(b"\n"):
                yield json.loads(line)
