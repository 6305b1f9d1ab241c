"""The event stream of a job as what viewers see: read once for all of them, however many there are."""

from __future__ import annotations

import asyncio
import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matheur.engine.events import Event
from matheur.web.store import LIVE, Job

__all__ = ["Course", "Follower"]

_CHUNK = 1 << 20  # bytes that are read at once
_POINTS = 4000  # of more improvements every other one is dropped
_LOG = 30  # improvements that are listed
_EVERY = 0.2  # seconds between two looks at the file


@dataclass
class Course:
    """What an event stream has said so far.

    Attributes
    ----------
    seconds, work, calls
        Spent.
    objective, score, bound
        The best so far; None if there is none yet.
    started
        Whether the search has begun.
    stopped
        Why the search ended, empty while it runs.
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
    started: bool = False
    stopped: str = ""
    operators: dict[str, list[float]] = field(default_factory=dict)
    scores: list[tuple[float, float]] = field(default_factory=list)
    bounds: list[tuple[float, float]] = field(default_factory=list)
    log: list[tuple[float, float, str]] = field(default_factory=list)

    def take(self, event: Event) -> None:
        """Book one event; one that lacks something is passed over."""
        kind = event.get("event")
        if kind == "start" and not event.get("resumed"):
            self.__init__()  # type: ignore[misc] # it was begun anew: nothing of the former attempt counts
        try:
            self.seconds, self.work = float(event["seconds"]), int(event["work"])
            if kind == "start":
                self.started, self.stopped = True, ""
            elif kind == "incumbent":
                self._improve(event)
            elif kind == "operator":
                self._call(event)
            elif kind == "bound":
                self.bound = event["bound"]
                self.bounds.append((self.seconds, float(event["bound"])))
            elif kind == "end":
                self.stopped, self.objective = str(event["stopped"]), event["objective"]
                self.bound = event.get("bound", self.bound)
        except (KeyError, TypeError, ValueError):
            return

    def _improve(self, event: Event) -> None:
        self.objective, self.score = event["objective"], event["score"]
        self.scores.append((self.seconds, float(event["score"])))
        self.log = [*self.log[1 - _LOG :], (self.seconds, event["score"], str(event["operator"]))]
        if len(self.scores) > _POINTS:
            del self.scores[1:-1:2]

    def _call(self, event: Event) -> None:
        self.calls += 1
        row = self.operators.setdefault(str(event["operator"]), [0, 0.0, 0, 0, 0])
        gain = float(event["gain"])
        row[0] += 1
        row[1] += float(event["call_seconds"])
        row[2] += gain > 0
        row[3] += gain
        row[4] += event["status"] in ("local-optimum", "infeasible")


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
        """Read what is new; of the stream, unless somebody has just done so."""
        async with self._lock:
            changed, state = False, self.job.state  # before the stream, which is then whole if it is the last one
            ended = self.live and state["state"] not in LIVE
            if ended or time.monotonic() - self._looked >= _EVERY:
                while self._read():
                    changed = True
                    await asyncio.sleep(0)  # a long stream must not hold up the others
                self._looked = time.monotonic()
            now = (state, self._picture(), self._preparation() if state["state"] == "running" else "")
            if changed or now != (self.state, self.picture, self.preparing):
                self.version += 1
            self.state, self.picture, self.preparing = now

    @property
    def live(self) -> bool:
        """Whether there is more to come."""
        return self.state["state"] in LIVE

    @property
    def silent(self) -> float:
        """Seconds since the last event."""
        try:
            return max(0.0, time.time() - os.stat(self.job.events).st_mtime)
        except OSError:
            return 0.0

    def _picture(self) -> int:
        """Changes with the result file."""
        try:
            return os.stat(self.job.result).st_mtime_ns
        except OSError:
            return 0

    def _preparation(self) -> str:
        """What the process builds, empty if nothing."""
        try:
            return self.job.preparing.read_text(encoding="utf-8", errors="replace")[:200]
        except OSError:
            return ""

    def _read(self) -> bool:
        data = _after(self.job.events, self._at)
        if data is None:  # it was begun anew and is shorter
            self._at, self._rest, self.course = 0, b"", Course()
            return True
        self._at += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                self.course.take(event)
        return bool(data)


def _after(path: Path, at: int) -> bytes | None:
    """The next bytes of a file, None if it is shorter than that."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size < at:
                return None
            file.seek(at)
            return file.read(_CHUNK)
    except OSError:
        return b""
