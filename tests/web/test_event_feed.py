"""The event stream as viewers see it."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from web.conftest import an_order

from matheur.web.event_feed import Course, Follower
from matheur.web.pages import snapshot
from matheur.web.store import Job, Store

EVENTS: list[dict[str, Any]] = [
    {"event": "start", "seconds": 0.0, "work": 0, "resumed": False},
    {"event": "bound", "seconds": 0.1, "work": 0, "bound": 2, "operator": "trivial"},
    {"event": "incumbent", "seconds": 0.2, "work": 5, "objective": 9, "score": 11, "operator": "a"},
    {"event": "operator", "seconds": 0.3, "work": 6, "operator": "a", "status": "improved", "gain": 3,
     "call_seconds": 0.2},
    {"event": "operator", "seconds": 0.5, "work": 8, "operator": "a", "status": "local-optimum", "gain": 0,
     "call_seconds": 0.1},
    {"event": "end", "seconds": 0.6, "work": 8, "stopped": "budget", "objective": 9, "bound": 2},
]  # fmt: skip


def lines(events: list[dict[str, Any]]) -> bytes:
    """As a trace has them."""
    return b"".join(json.dumps(one).encode() + b"\n" for one in events)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job without a stream."""
    return Store(tmp_path).add(an_order(), None)


def look(follower: Follower) -> Course:
    """Read what is new now."""
    follower._looked = -float("inf")
    asyncio.run(follower.look())
    return follower.course


def test_a_course_adds_up() -> None:
    """Incumbents, bounds and operators of a stream."""
    course = Course()
    for event in EVENTS:
        course.take(event)
    assert (course.objective, course.score, course.bound, course.stopped) == (9, 11, 2, "budget")
    assert (course.calls, course.work, course.seconds) == (2, 8, 0.6)
    assert course.operators == {"a": [2, pytest.approx(0.3), 1, 3, 1]}
    assert course.scores == [(0.2, 11.0)]


@pytest.mark.parametrize("event", [{}, {"event": "incumbent"}, {"event": "operator", "seconds": 1, "work": 1}])
def test_events_that_lack_something_are_passed_over(event: dict[str, Any]) -> None:
    """A stream of another version stops nobody."""
    course = Course()
    course.take(event)
    assert course.scores == []
    assert course.operators == {}


def test_half_lines_wait(job: Job) -> None:
    """A line that is being written counts when it is whole."""
    follower, data = Follower(job), lines(EVENTS)
    job.events.write_bytes(data[:300])
    assert look(follower).stopped == ""
    job.events.write_bytes(data)
    assert look(follower).stopped == "budget"
    version = follower.version
    assert look(follower).calls == 2
    assert follower.version == version


def test_the_last_look_has_all(job: Job) -> None:
    """Once a job has ended its stream is read to the end, however short ago somebody has looked."""
    follower, data = Follower(job), lines(EVENTS)
    job.events.write_bytes(data[:300])
    assert look(follower).stopped == ""
    job.events.write_bytes(data)
    asyncio.run(follower.look())
    assert (follower.live, follower.course.stopped) == (True, "")
    job.move("done")
    asyncio.run(follower.look())
    assert (follower.live, follower.course.stopped) == (False, "budget")


def test_another_attempt_begins_anew(job: Job) -> None:
    """What a killed attempt without a checkpoint had found does not count; after a resume it does."""
    follower = Follower(job)
    job.events.write_bytes(lines(EVENTS[:4]))
    assert look(follower).score == 11
    job.events.write_bytes(lines([*EVENTS[:4], EVENTS[0]]))
    assert look(follower).score is None
    job.events.write_bytes(lines([*EVENTS[:4], {**EVENTS[0], "resumed": True, "seconds": 1.0}]))
    follower._at = 0
    assert look(Follower(job)).score == 11


def test_the_clock_stands_while_nothing_is_searched(job: Job) -> None:
    """Neither the time before a resume nor that of a second proof counts as time of the run."""
    follower = Follower(job)
    job.events.write_bytes(lines(EVENTS))
    os.utime(job.events, (0, 0))
    job.move("running")
    assert look(follower).stopped == "budget"
    assert (follower.silent, snapshot(follower)["clock"]) == (0.0, None)
    job.events.write_bytes(lines(EVENTS[:-1]))  # of a server that was killed
    os.utime(job.events, (0, 0))
    assert look(follower).stopped == ""
    assert 0 <= follower.silent < 1000
    assert 0.5 <= snapshot(follower)["clock"] < 1000


def test_gains_are_in_the_unit_of_the_score(tmp_path: Path) -> None:
    """The objective counts hundredths if numbers have two decimals; the page does not."""
    job = Store(tmp_path).add(an_order(scores=[0, -0.01, None]), None)
    job.events.write_bytes(lines(EVENTS))
    follower = Follower(job)
    look(follower)
    assert snapshot(follower)["rows"] == [["a", "2", "0.3", "1", "0.03", "0.1", "1"]]


def test_long_streams_stay_small(job: Job) -> None:
    """Of very many improvements a part is kept, the first and the last among them."""
    course = Course()
    for number in range(20_000):
        course.take({**EVENTS[2], "seconds": float(number), "score": number})
    assert len(course.scores) <= 4000
    assert (course.scores[0], course.scores[-1]) == ((0.0, 0.0), (19_999.0, 19_999.0))
    assert len(course.log) == 30


def test_a_plain_bound_gives_way() -> None:
    """What is known without a search is drawn only until a search has a bound."""
    course = Course()
    plain = {"event": "bound", "seconds": 0.1, "work": 0, "bound": -1e9, "operator": "trivial"}
    course.take(plain)
    assert course.bounds == [(0.1, -1e9)]
    for number in (3, 4):
        course.take({**plain, "seconds": number, "bound": number, "operator": "solver"})
    assert course.bounds == [(3, 3), (4, 4)]
