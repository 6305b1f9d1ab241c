"""Limits of jobs, without a server."""

from __future__ import annotations

import asyncio
import errno
import json
from pathlib import Path
from typing import Any

import pytest
from web.conftest import an_order

from matheur.errors import ConfigurationError, InputError
from matheur.problems import problem_types
from matheur.running.configuration import resolve
from matheur.web import job_queue, job_runner
from matheur.web.job_queue import JobQueue
from matheur.web.limits import Limits
from matheur.web.records import read_state
from matheur.web.store import Job, Store

SEARCH = {"construction": "random", "neighbourhoods": ["swap-rotate"]}


def ordered(store: Store, **changes: Any) -> Job:
    """A job that takes long, unless it is changed."""
    configuration = resolve(
        "edge-matching", overrides={**SEARCH, "seconds": 100.0, **changes.pop("overrides", {})}
    ).to_dict()
    order = {
        "subject": {"source": "edge-matching/16x16", "builtin": True, "name": "it", "options": {}},
        "fingerprint": problem_types.get("edge-matching").builtin("16x16", {}).fingerprint,
        "configuration": configuration,
        **changes,
    }
    return store.add(an_order(**order), None)


def made(tmp_path: Path, limits: Limits, *orders: dict[str, Any]) -> list[Job]:
    """Jobs that were tended until all had ended."""
    store = Store(tmp_path)

    async def tend() -> list[Job]:
        queue = JobQueue(store, limits)
        jobs = [ordered(store, **order) for order in orders]
        for job in jobs:
            queue.add(job)
        while any(job.state["state"] in ("waiting", "running") for job in jobs):
            await asyncio.sleep(0.05)
        await queue.close()
        return jobs

    return asyncio.run(asyncio.wait_for(tend(), 120))


def test_memory_is_limited(tmp_path: Path) -> None:
    """A job that holds more than it may is killed, and says so."""
    (job,) = made(tmp_path, Limits(memory=60_000_000), {})
    assert job.state["state"] == "failed"
    assert "used 0." in job.state["reason"]
    assert "more than 0.06 GB" in job.state["reason"]


def test_seconds_are_limited_and_errors_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that does not come back is killed after twice its time and a grace; one that is wrong costs no process."""
    monkeypatch.setattr(job_queue, "_GRACE", -199.0)
    wrong = {"fingerprint": "another", "overrides": {"seconds": 500.0}}
    one, two = made(tmp_path, Limits(jobs=1), wrong, {})
    assert one.state["state"] == "failed"
    assert "the instance has changed" in one.state["reason"]
    assert two.state["reason"] == "it took more than 1 seconds"


def test_seconds_spent_compiling_kernels_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As its note says; a compilation that never ends is killed, too."""
    monkeypatch.setattr(job_queue, "_GRACE", -199.0)
    monkeypatch.setattr(job_queue, "_COMPILING", 2.0)
    store = Store(tmp_path)
    job = ordered(store)

    class Process:
        def excess(self, limit: int) -> None:
            return None

    async def tend() -> tuple[str | None, float]:
        loop = asyncio.get_running_loop()
        began = loop.time()
        process: Any = Process()
        return await JobQueue(store, Limits())._watch(job, process, loop.create_future()), loop.time() - began

    verdict, taken = asyncio.run(tend())
    assert verdict == "it took more than 1 seconds"
    job_runner._Notes(job.preparing).compile(1)
    verdict, taken = asyncio.run(tend())
    assert (verdict, taken > 2.5) == ("it took more than 1 seconds", True)


def test_a_full_disk_strands_no_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job whose states cannot be written ends as it would, is stopped, removed, and written when there is room."""
    monkeypatch.setattr(job_queue, "_SAVED_EVERY", 0.05)
    store = Store(tmp_path)

    def no_room(*_: Any) -> None:
        raise InputError("cannot write here (No space left on device)")

    async def tend() -> None:
        queue = JobQueue(store, Limits(jobs=1))
        one, two, three = (ordered(store, fingerprint="another") for _ in range(3))
        queue.adopt()
        with monkeypatch.context() as patch:
            patch.setattr("matheur.web.store.write_json", no_room)
            queue.stop(three.id)
            assert three.state["state"] == "stopped"
            store.remove(three.id)
            while any(queue.holds(job.id) for job in (one, two)):
                await asyncio.sleep(0.05)
            assert {job.state["state"] for job in (one, two)} == {"failed"}
            assert "has changed" in one.state["reason"]
            assert read_state(one.folder)["state"] == "waiting"
            queue.resume(one)
            queue.stop(one.id)
            while queue.holds(one.id):
                await asyncio.sleep(0.05)
        while read_state(one.folder)["state"] == "waiting":
            await asyncio.sleep(0.05)
        await queue.close()

    asyncio.run(asyncio.wait_for(tend(), 120))
    assert [job.state["state"] for job in store.all_jobs()] == ["failed", "failed"]


def test_no_process_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job for which no process can be started has failed, with the reason and without a path."""

    async def start() -> None:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable", str(tmp_path))

    monkeypatch.setattr(job_queue.JobProcess, "start", start)
    (job,) = made(tmp_path, Limits(), {})
    assert job.state == {"state": "failed", "reason": "BlockingIOError: Resource temporarily unavailable"}


def test_a_job_that_nobody_makes_is_stopped(tmp_path: Path) -> None:
    """Whatever a file says: what no process works at can be stopped, then removed; a damaged state can be resumed."""
    store = Store(tmp_path)
    queue = JobQueue(store, Limits())
    job = ordered(store)
    job.move("running")
    assert not queue.holds(job.id)
    queue.stop(job.id)
    assert job.state["state"] == "stopped"
    (job.folder / "state.json").write_text("{}")
    assert job.state["state"] == "damaged"
    queue._closing = True  # nothing begins
    queue.resume(job)
    assert job.state["state"] == "waiting"
    with pytest.raises(ConfigurationError):
        queue.resume(job)


def test_room_is_looked_at_where_a_job_is_made(tmp_path: Path) -> None:
    """Nothing is made beyond the limit."""
    store = Store(tmp_path)
    queue = JobQueue(store, Limits(waiting=2))
    queue._closing = True
    for _ in range(2):
        queue.admit(lambda: ordered(store))
    with pytest.raises(ConfigurationError, match="2 jobs are waiting"):
        queue.admit(lambda: ordered(store))
    assert len(store.job_names()) == 2


def test_a_process_says_what_is_wrong_without_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong with a job comes as the answer of its process, with no path of the server."""
    monkeypatch.setattr(job_runner, "print_to", lambda path: path.open("w").close())  # this process goes on to print
    job = ordered(Store(tmp_path), fingerprint="another")
    code, reason = job_runner._answered(job.folder, lambda: False)
    assert (code, "has changed" in reason) == (job_runner.REFUSED, True)
    (job.folder / "order.json").write_text("{}")
    assert job_runner._answered(job.folder, lambda: False) == (job_runner.REFUSED, "order.json: 'subject' is missing")
    job.printed.unlink(missing_ok=True)
    job.printed.mkdir()
    (job.folder / "order.json").write_text(json.dumps(job.order))
    assert job_runner._answered(job.folder, lambda: False) == (job_runner.REFUSED, "Is a directory")
