"""The event stream of a job for viewers, read only once for any number of them."""

from __future__ import annotations

import asyncio
import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matheur.engine.events import Event
from matheur.web.records import is_number, open_regular, read_regular
from matheur.web.store import LIVE, Job

__all__ = ["Course", "Follower"]

_CHUNK = 1 << 20  # bytes per read
_POINTS = 4000  # maximum number of improvements or bounds; beyond it, every other one is dropped
_LOG = 30  # maximum number of listed improvements
_EVERY = 0.2  # seconds between two reads of the file
_LINE = 4 * 2**20  # maximum bytes of a line; longer ones are skipped
_OPERATORS = 200  # maximum number of listed operators


@dataclass
class Course:
    """Summary of an event stream so far.

    Attributes
    ----------
    seconds, work, calls
        Seconds, work units and operator calls spent.
    objective, score, bound
        Best values so far; None if there are none yet.
    plain
        Whether the bound is the trivial one, known without a search; later bounds replace it in `bounds`.
    started
        Whether the search has begun.
    stopped
        Reason for the end of the search; empty while it runs.
    operators
        Name -> calls, seconds, successes, gain, proofs.
    scores, bounds
        Seconds and score of each improvement, seconds and objective of each bound.
    log
        The last improvements as seconds, score, operator.
    """

    seconds: float = 0.0
    work: int = 0
    calls: int = 0
    objective: float | None = None
    score: float | None = None
    bound: float | None = None
    plain: bool = False
    started: bool = False
    stopped: str = ""
    operators: dict[str, list[float]] = field(default_factory=dict)
    scores: list[tuple[float, float]] = field(default_factory=list)
    bounds: list[tuple[float, float]] = field(default_factory=list)
    log: list[tuple[float, float, str]] = field(default_factory=list)

    def take(self, event: Event) -> None:
        """Process one event; an incomplete event is ignored."""
        kind = event.get("event")
        if kind == "start" and not event.get("resumed"):
            self.__init__()  # type: ignore[misc] # it was restarted: discard the former attempt
        try:
            self.seconds, self.work = float(_number(event["seconds"])), int(_number(event["work"]))
            if kind == "start":
                self.started, self.stopped = True, ""
            elif kind == "incumbent":
                self._improve(event)
            elif kind == "operator":
                self._call(event)
            elif kind == "bound":
                self._bind(event)
            elif kind == "end":
                self.objective = _maybe(event["objective"])
                self.bound = _maybe(event.get("bound", self.bound))
                self.stopped = str(event["stopped"])[:100]
        except (KeyError, TypeError, ValueError):
            return

    def _bind(self, event: Event) -> None:
        self.bound = _number(event["bound"])
        if self.plain:  # it may be far from all others, such as a bound by columns for solutions of unknown size
            self.bounds.clear()
        self.plain = event.get("operator") == "trivial"
        self.bounds.append((self.seconds, float(self.bound)))
        _thin(self.bounds)

    def _improve(self, event: Event) -> None:
        objective, score = _number(event["objective"]), _number(event["score"])
        self.objective, self.score = objective, score
        self.scores.append((self.seconds, float(score)))
        self.log = [*self.log[1 - _LOG :], (self.seconds, score, str(event["operator"])[:100])]
        _thin(self.scores)

    def _call(self, event: Event) -> None:
        name, gain, seconds = str(event["operator"])[:100], _number(event["gain"]), _number(event["call_seconds"])
        self.calls += 1
        if name not in self.operators and len(self.operators) >= _OPERATORS:
            return
        row = self.operators.setdefault(name, [0, 0.0, 0, 0, 0])
        row[0] += 1
        row[1] += seconds
        row[2] += gain > 0
        row[3] += gain
        row[4] += event["status"] in ("local-optimum", "infeasible")


def _thin(points: list[tuple[float, float]]) -> None:
    """If there are very many points, drop every other one, but neither the first nor the last."""
    if len(points) > _POINTS:
        del points[1:-1:2]


def _number(value: Any) -> Any:
    """The value; a `ValueError` if it is not a finite number."""
    if not is_number(value):
        raise ValueError(f"not a number ({type(value).__name__})")
    return value


def _maybe(value: Any) -> Any:
    return None if value is None else _number(value)


class Follower:
    """Reads the stream of one job as it grows.

    Parameters
    ----------
    job
        The job.
    """

    def __init__(self, job: Job) -> None:
        self.job, self.course = job, Course()
        self.state: dict[str, Any] = job.state
        self.version = 0
        self.picture, self.preparing = self._picture(), ""
        self._at, self._rest, self._looked = 0, b"", -float("inf")
        self._lock = asyncio.Lock()

    async def look(self) -> None:
        """Read the new events, unless they have just been read, and the state of the job."""
        async with self._lock:
            changed, state = False, self.job.state  # read before the stream: if the job has ended, that is complete
            ended = self.live and state["state"] not in LIVE
            if ended or time.monotonic() - self._looked >= _EVERY:
                while self._read():
                    changed = True
                    await asyncio.sleep(0)  # a long stream must not block other tasks
                self._looked = time.monotonic()
            now = (state, self._picture(), self._preparation() if state["state"] == "running" else "")
            if changed or now != (self.state, self.picture, self.preparing):
                self.version += 1
            self.state, self.picture, self.preparing = now

    @property
    def live(self) -> bool:
        """Whether more events may follow."""
        return self.state["state"] in LIVE

    @property
    def silent(self) -> float:
        """Seconds since the last event, or since the job was resumed; 0 if its search has ended."""
        if self.course.stopped:
            return 0.0
        try:
            last = max(os.stat(path).st_mtime for path in (self.job.events, self.job.folder / "state.json"))
        except OSError:
            return 0.0
        return max(0.0, time.time() - last)

    def _picture(self) -> int:
        """Modification time of the result file."""
        try:
            return os.stat(self.job.result).st_mtime_ns
        except OSError:
            return 0

    def _preparation(self) -> str:
        """Description of what the process is preparing; empty if nothing."""
        try:
            return read_regular(self.job.preparing, 1000).decode("utf-8", "replace")[:200]
        except OSError:
            return ""

    def _read(self) -> bool:
        data = _after(self.job.events, self._at)
        if data is None:  # it was restarted and is shorter
            self._at, self._rest, self.course = 0, b"", Course()
            return True
        self._at += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LINE:
            self._rest = b"?"  # invalid JSON, whatever follows
        for line in lines:
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict):
                self.course.take(event)
        return bool(data)


def _after(path: Path, at: int) -> bytes | None:
    """The next bytes of a file from position `at`; None if the file is shorter."""
    try:
        with open_regular(path) as file:
            if os.fstat(file.fileno()).st_size < at:
                return None
            file.seek(at)
            found: bytes = file.read(_CHUNK)
            return found
    except OSError:
        return b""
