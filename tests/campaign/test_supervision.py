"""Single runs in processes of their own, lists for job arrays, and what is collected of them."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from campaign.conftest import Write

from matheur.campaign import Plan, Store, make_plan, read_campaign, read_records
from matheur.campaign.collecting import collect, order_of
from matheur.campaign.running import write_list
from matheur.campaign.supervision import supervise
from matheur.campaign.worker import make_run
from matheur.errors import InputError

PATIENCE = 60.0


@pytest.fixture
def planned(write: Write, tmp_path: Path) -> tuple[Plan, Store]:
    """A campaign of ten runs, planned and none made."""
    plan, store = make_plan(read_campaign(write())), Store(tmp_path / "out")
    write_list(plan, store)
    return plan, store


def test_a_list_has_a_line_for_each_run(planned: tuple[Plan, Store]) -> None:
    """Each line is a command that makes one run, whatever the current folder; what is there is not listed again."""
    plan, store = planned
    lines = (store.folder / "runs.txt").read_text().splitlines()
    assert len(lines) == 10
    words = shlex.split(lines[0])
    assert words[:6] == [sys.executable, "-P", "-m", "matheur", "campaign", "execute"]
    assert subprocess.run(["sh", "-c", lines[0]], cwd="/", capture_output=True, check=False).returncode == 0
    assert store.finished() == {words[-1]}
    write_list(plan, store)
    assert (store.folder / "runs.txt").read_text().splitlines() == lines[1:]


def test_limits_are_enforced(planned: tuple[Plan, Store]) -> None:
    """A run that exceeds its time is a failure, not an exception; a finished one is not made again."""
    plan, store = planned
    order = plan.order(0).to_dict()
    answer = supervise(str(store.folder), {**order, "seconds": 0.001})
    assert (answer["outcome"], answer["kind"]) == ("failed", "seconds")
    assert store.failed() == {order["key"]}
    make_run(str(store.folder), order)
    assert supervise(str(store.folder), order)["outcome"] == "there"


def test_errors_and_interrupts(planned: tuple[Plan, Store], tmp_path: Path) -> None:
    """The message of a run that cannot be made is passed on; one that is given up leaves nothing behind."""
    plan, store = planned
    order = plan.order(0).to_dict()
    wrong = {**order, "instance": {**order["instance"], "fingerprint": "other"}}
    answer = supervise(str(store.folder), wrong)
    assert (answer["outcome"], answer["kind"]) == ("failed", "error")
    assert "the content has changed" in answer["reason"]
    other = plan.order(1).to_dict()
    assert supervise(str(store.folder), other, interrupt=lambda: True)["outcome"] == "interrupted"
    (tmp_path / "stop").touch()
    assert supervise(str(store.folder), other, str(tmp_path / "stop"))["outcome"] in ("interrupted", "done")
    assert store.failed() == {order["key"]}


def test_the_process_goes_with_its_supervisor(planned: tuple[Plan, Store], write: Write, tmp_path: Path) -> None:
    """A killed supervisor leaves no process behind."""
    text = 'instances = ["quadratic-assignment/grid30"]\n[base]\nconstruction = "milp-full"\nseconds = 600\n'
    plan = make_plan(read_campaign(write(text)))
    store = Store(tmp_path / "long")
    store.prepare()
    store.save_plan(plan)
    command = [sys.executable, "-P", "-m", "matheur", "campaign", "execute", str(store.folder), plan.keys[0]]
    parent = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + PATIENCE
    while not (working := store.runs_at_work()) and time.monotonic() < end:
        time.sleep(0.01)
    (run,) = working
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    while store.runs_at_work() and time.monotonic() < end:
        time.sleep(0.01)
    assert store.runs_at_work() == []
    with pytest.raises(ProcessLookupError):
        os.kill(run.process, 0)


def test_results_of_other_machines_are_collected(planned: tuple[Plan, Store], write: Write, tmp_path: Path) -> None:
    """Whole results of this plan are taken over, damaged and foreign ones are not; what is missing is listed."""
    plan, store = planned
    other = Store(tmp_path / "other")
    other.prepare()
    for number in range(3):
        make_run(str(other.folder), plan.order(number).to_dict())
    (other.result_path(plan.keys[1])).write_text("{")
    foreign = make_plan(read_campaign(write(), ["base.iterations=7"])).order(0)
    make_run(str(other.folder), foreign.to_dict())
    shutil.copyfile(other.result_path(plan.keys[0]), other.result_path(plan.keys[5]))
    found = collect(store.folder, [other.folder])
    assert (found.runs, found.done, found.taken, found.failed, found.missing) == (10, 2, 2, 0, 8)
    assert [Path(path).stem for path in found.damaged] == sorted([plan.keys[1], plan.keys[5]])
    assert [record.key for record in read_records(store.folder)] == [plan.keys[0], plan.keys[2]]
    assert all(list(record.events()) for record in read_records(store.folder))
    assert len((store.folder / "runs.txt").read_text().splitlines()) == 8


def test_mistakes_are_said(planned: tuple[Plan, Store], tmp_path: Path) -> None:
    """Folders without a campaign, and runs that are not planned."""
    with pytest.raises(InputError, match="not a folder of a campaign"):
        collect(planned[1].folder, [tmp_path])
    with pytest.raises(InputError, match="no campaign has been run here"):
        collect(tmp_path / "nothing")
    with pytest.raises(InputError, match="the plan has no run 'x'"):
        order_of(planned[1].folder, "x")
