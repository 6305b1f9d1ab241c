"""Campaigns that run, fail, are interrupted and go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import Executor, Future
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from campaign.conftest import Write

from matheur.campaign import Plan, RunRecord, Store, make_plan, read_campaign, read_records
from matheur.campaign.running import _Runner, adopt, left_orders, run_campaign
from matheur.campaign.status import read_status
from matheur.campaign.worker import failure, make_run
from matheur.errors import ConfigurationError, MatheurError

MANY = """
instances = ["edge-matching/8x8"]
seeds = 30
code = "test"
recycle = 60

[base]
construction = "random"
neighbourhoods = ["swap-rotate"]
iterations = 10

[variants.one]
[variants.two]
iterations = 12
"""
VOLATILE = ("seconds", "first_seconds", "compile_seconds", "gain_per_second", "campaign", "call_seconds")


def content(record: RunRecord) -> Any:
    """What a run has found, without the times that it took."""
    own = record.load()["campaign"]
    return still(record.load()), own["key"], own["seed"], own["fingerprint"], [still(one) for one in record.events()]


def still(value: Any) -> Any:
    """A value without times."""
    if isinstance(value, Mapping):
        return {key: still(inner) for key, inner in value.items() if key not in VOLATILE}
    return [still(one) for one in value] if isinstance(value, list) else value


def undisturbed(plan: Plan, folder: Path) -> dict[str, Any]:
    """What all runs find, one after another in this process."""
    store = Store(folder)
    store.prepare()
    store.save_plan(plan)
    for order in plan.orders():
        make_run(str(folder), order.to_dict())
    return {record.key: content(record) for record in read_records(folder)}


def times(store: Store) -> dict[str, int]:
    """When each result was written."""
    return {key: store.result_path(key).stat().st_mtime_ns for key in store.finished()}


def test_a_campaign_runs_once(write: Write, tmp_path: Path) -> None:
    """All runs are made, none twice, with the results of runs in this process; a second call does nothing."""
    plan, folder = make_plan(read_campaign(write())), tmp_path / "out"
    made: list[str] = []
    summary = run_campaign(plan, folder, jobs=2, on_made=lambda order, answer: made.append(order.key))
    assert (summary.planned, summary.there, summary.done, summary.failed) == (10, 0, 10, 0)
    assert sorted(made) == sorted(plan.keys)
    assert {r.key: content(r) for r in read_records(folder)} == undisturbed(plan, tmp_path / "other")
    before = times(Store(folder))
    assert run_campaign(plan, folder).there == 10
    assert times(Store(folder)) == before
    assert list((folder / "running").iterdir()) == []


def test_failures_are_kept_and_tried_again_on_request(write: Write, tmp_path: Path) -> None:
    """A run that exceeds its time is a failure with its reason; it is made again only if asked for."""
    slow = ["limits.seconds=0.0001", "seeds=1", 'instances=["edge-matching/3x3"]', 'groups.boards=["*"]']
    folder = tmp_path / "out"
    plan = make_plan(read_campaign(write(), slow))
    said: list[Any] = []
    assert run_campaign(plan, folder, on_made=lambda order, answer: said.append(answer)).failed == 2
    assert {one["kind"] for one in said} == {"seconds"}
    status = read_status(folder)
    assert (status.done, status.failed, status.left) == (0, 2, 0)
    assert "took more than 0.0001 seconds" in status.failures[0]["reason"]
    plan = make_plan(read_campaign(write(), [*slow, "limits.seconds=60"]))
    assert left_orders(plan, Store(folder)) == []
    assert run_campaign(plan, folder, retry_failed=True).done == 2
    assert read_status(folder).failures == []


def test_crashes_are_tried_again(write: Write, tmp_path: Path) -> None:
    """A run whose process has died counts as left until its retries are used up; other failures do not."""
    plan, store = make_plan(read_campaign(write())), Store(tmp_path / "out")
    store.prepare()
    first, second, *_ = plan.orders()
    store.fail(first.key, failure(first.to_dict(), "crash", "died", 0.1))
    store.fail(second.key, failure(second.to_dict(), "memory", "too much", 0.1))
    left = {order.key for order in left_orders(plan, store)}
    assert first.key in left
    assert second.key not in left
    store.fail(first.key, failure(first.to_dict(), "crash", "died again", 0.1))
    assert store.failure(first.key)["attempts"] == 2
    assert first.key not in {order.key for order in left_orders(plan, store)}
    assert len(left_orders(plan, store, retry_failed=True)) == 10


@pytest.mark.parametrize(("jobs", "said"), [(0, "at least 1"), (100_000, "at most")])
def test_no_jobs_and_far_too_many_are_an_error(jobs: int, said: str, write: Write, tmp_path: Path) -> None:
    """No runs would be made, or the system would start no more processes."""
    with pytest.raises(ConfigurationError, match=f"jobs must be {said}"):
        run_campaign(make_plan(read_campaign(write())), tmp_path / "out", jobs=jobs)


def test_an_interrupt_leaves_the_rest_for_later(write: Write, tmp_path: Path) -> None:
    """What is not made when Ctrl-C comes is made by the next call."""
    plan, folder = make_plan(read_campaign(write())), tmp_path / "out"
    made: list[str] = []
    summary = run_campaign(plan, folder, interrupt=lambda: bool(made), on_made=lambda order, _: made.append(order.key))
    assert summary.interrupted
    assert 0 < summary.done < 10
    assert run_campaign(plan, folder).there >= summary.done
    assert Store(folder).finished() == set(plan.keys)
    assert not Store(folder).failed()


def test_ctrl_c_leaves_the_rest_for_later(write: Write, tmp_path: Path) -> None:
    """The first one is an interrupt, also from Python."""
    plan = make_plan(read_campaign(write()))
    press = iter([lambda: signal.raise_signal(signal.SIGINT)])
    summary = run_campaign(plan, tmp_path / "out", on_made=lambda *_: next(press, int)())
    assert summary.interrupted
    assert 0 < summary.done < 10
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_two_at_once_are_refused(write: Write, tmp_path: Path) -> None:
    """A folder belongs to one process at a time."""
    plan, store = make_plan(read_campaign(write())), Store(tmp_path / "out")
    store.prepare()
    with store.locked(), pytest.raises(MatheurError, match="another process is running the campaign"):
        run_campaign(plan, store.folder)


def test_results_of_other_code_can_be_taken(write: Write, tmp_path: Path) -> None:
    """Runs made by other sources count if wanted, and are in the records then."""
    old = make_plan(read_campaign(write(), ["code=old"]))
    undisturbed(old, tmp_path / "out")
    store = Store(tmp_path / "out")
    new = make_plan(read_campaign(write()))
    assert len(left_orders(new, store)) == 10
    taken = adopt(new, store)
    assert left_orders(taken, store) == []
    store.save_plan(new)
    assert read_status(store.folder).other_code == 10
    store.save_plan(taken)
    assert len(read_records(store.folder)) == 10
    assert read_status(store.folder).other_code == 0


def test_time_left_is_estimated(write: Write, tmp_path: Path) -> None:
    """By the time limits as long as nothing is known, then by the times of finished runs."""
    store = Store(tmp_path / "out")
    plan = make_plan(read_campaign(write(), ["base.seconds=5"]))
    store.prepare()
    store.save_plan(plan)
    assert read_status(store.folder).seconds_left == 50.0
    make_run(str(store.folder), plan.order(0).to_dict())
    left = read_status(store.folder).seconds_left
    assert left is not None
    assert left < 50.0


def test_unknown_executors_are_refused(write: Write, tmp_path: Path) -> None:
    """Only those that exist."""
    with pytest.raises(ConfigurationError, match="unknown executor 'threads'"):
        run_campaign(make_plan(read_campaign(write())), tmp_path, executor="threads")


class Disturbed:
    """A campaign in another process that is killed again and again."""

    def __init__(self, config: Path, folder: Path, *options: str) -> None:
        self.store = Store(folder)
        self.command = [
            sys.executable,
            "-P",
            "-m",
            "matheur",
            "campaign",
            "run",
            str(config),
            "--out",
            str(folder),
            *options,
        ]
        self.seen: dict[str, int] = {}
        self.kills = 0

    def look(self) -> int:
        """How many results there are: each is whole, and none is written a second time."""
        found = times(self.store)
        assert {key: found[key] for key in self.seen} == self.seen
        new = found.keys() - self.seen.keys()
        if new:
            whole = {record.key for record in read_records(self.store.folder, planned=False)}
            assert new <= whole
        self.seen = found
        return len(found)

    def round(self, count: int, victims: str | None) -> subprocess.Popen[bytes]:
        """Run until there are `count` more results, killing the workers or the parent then."""
        parent = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        goal = self.look() + count
        while self.look() < goal and parent.poll() is None:
            time.sleep(0.02)
        if parent.poll() is None and victims == "worker":
            for running in self.store.runs_at_work():
                os.kill(running.process, signal.SIGKILL)
                self.kills += 1
        return parent


@pytest.mark.slow
def test_kills_change_nothing(write: Write, tmp_path: Path) -> None:
    """60 runs, twice a worker and then the parent killed: the results are those of an undisturbed campaign.

    No run that was finished is made again, and every result that can be seen at any time is whole.
    """
    config = write(MANY)
    plan, disturbed = make_plan(read_campaign(config)), Disturbed(config, tmp_path / "out")
    for _ in range(2):
        parent = disturbed.round(6, "worker")
        goal = disturbed.look() + 6
        while disturbed.look() < goal and parent.poll() is None:
            time.sleep(0.02)
        assert parent.poll() is None
        parent.kill()
        parent.wait()
        disturbed.look()
    assert disturbed.kills > 0
    assert 24 <= disturbed.look() < 60
    assert disturbed.round(60, None).wait() == 0
    disturbed.look()
    assert not disturbed.store.failed()
    records = read_records(tmp_path / "out")
    assert {record.key: content(record) for record in records} == undisturbed(plan, tmp_path / "calm")
    assert len(records) == 60


@pytest.mark.slow
@pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed (pip install matheur[dask])")
def test_kills_of_dask_workers_change_nothing(write: Write, tmp_path: Path) -> None:
    """Twice a Dask worker is killed while it makes a run: its run is made again, and the results are the same."""
    config = write(MANY.replace("seeds = 30", "seeds = 6"))
    plan, disturbed = make_plan(read_campaign(config)), Disturbed(config, tmp_path / "out")
    disturbed.command += ["--executor", "dask", "--jobs", "2"]
    parent = disturbed.round(2, None)
    killed: set[int] = set()
    while len(killed) < 2 and parent.poll() is None:
        for running in disturbed.store.runs_at_work():
            shown = subprocess.run(["ps", "-o", "ppid=", str(running.process)], capture_output=True, text=True)
            worker = int(shown.stdout or 0)
            if worker > 1 and worker not in killed and len(killed) < 2:
                os.kill(worker, signal.SIGKILL)
                killed.add(worker)
        disturbed.look()
        time.sleep(0.05)
    assert parent.wait() == 0
    assert len(killed) == 2
    disturbed.look()
    assert not disturbed.store.failed()
    found = {record.key: content(record) for record in read_records(tmp_path / "out")}
    assert found == undisturbed(plan, tmp_path / "calm")
    assert len(found) == 12


class Gone(Executor):
    """An executor whose scheduler dies when it has taken some tasks."""

    def __init__(self, takes: int) -> None:
        self.left = takes

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.left == 0:
            raise RuntimeError("the client is closed")
        self.left -= 1
        future: Future[Any] = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


@pytest.mark.parametrize("takes", [0, 1, 3])
def test_a_lost_scheduler_is_one_clear_error(write: Write, tmp_path: Path, takes: int) -> None:
    """Whether it goes while it is given a task or while it has some; no run counts as failed by that."""
    plan, store = make_plan(read_campaign(write())), Store(tmp_path / "out")
    store.prepare()
    runner = _Runner(Gone(takes), max, store, 1, lambda *_: None, lambda: True)
    with pytest.raises(MatheurError, match="the scheduler is gone"):
        runner.work(list(plan.orders()), 4, lambda: False, lambda: None)
    assert not store.failed()
