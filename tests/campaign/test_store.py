"""The folder of a campaign, and what else lies in it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from matheur.campaign import Store, read_campaign, worker
from matheur.campaign.store import alive, attempts, folder_of, hostname
from matheur.campaign.watching import end_tree, resident_bytes
from matheur.campaign.worker import kept_failure
from matheur.errors import InputError


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty campaign."""
    made = Store(tmp_path / "folder")
    made.prepare()
    return made


STRAY = (
    "notes.log", "worker-.log", "worker-1_0.log", "worker-99999999999999999999.log", "worker-\u0663.log", "notes.jsonl",
    "a@b.jsonl", f"key@{hostname()}@99999999999999999999.jsonl", f"key@{hostname()}@\u0663.jsonl", "worker-x.log",
)  # fmt: skip


@pytest.mark.parametrize("name", ["c.toml", "c.cfg", "c", "c.v2.toml"])
def test_a_folder_named_by_its_file(tmp_path: Path, name: str) -> None:
    """Whatever the file is called: where `run` keeps the results, `status` and `report` find them."""
    file = tmp_path / name
    file.write_text('instances = ["edge-matching/4x4"]')
    assert folder_of(file) == read_campaign(file).out
    assert folder_of(tmp_path) == tmp_path
    link = tmp_path / "elsewhere" / name
    link.parent.mkdir()
    link.symlink_to(file)
    assert folder_of(link) == read_campaign(link).out


def test_what_is_not_of_a_campaign_stays(store: Store) -> None:
    """Whatever else lies where runs are at work: it is no run, it is not removed, and it ends nothing."""
    for name in STRAY:
        (store.running / name).touch()
    (store.running / "worker-999999999.log").mkdir()
    assert store.runs_at_work() == []
    store.forget_dead()
    assert {one.name for one in store.running.iterdir()} == {*STRAY, "worker-999999999.log"}


def test_what_the_dead_have_left_goes(store: Store) -> None:
    """Streams and logs of processes that are gone; those of living ones stay."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    mine, theirs = store.running_path("a", os.getpid()), store.running_path("b", gone.pid)
    logs = [store.running / f"worker-{process}.log" for process in (os.getpid(), gone.pid)]
    for path in (mine, theirs, *logs):
        path.touch()
    assert [one.path for one in store.runs_at_work()] == [mine]
    store.forget_dead()
    assert sorted(store.running.iterdir()) == sorted([mine, logs[0]])


@pytest.mark.parametrize("process", [0, -1, 10**20, 2**31])
def test_numbers_that_no_process_has(process: int) -> None:
    """They are no processes, and no signal is sent to a group."""
    assert not alive(process)
    assert alive(os.getpid())


@pytest.mark.parametrize("claim", ["x", None, [1], -1, True, 1e400, 10**30])
def test_attempts_are_a_claim_of_a_file(store: Store, claim: Any) -> None:
    """A damaged file about a failure counts as none."""
    assert attempts({"attempts": claim}) == 0
    (store.failures / "key.json").write_text(f'{{"attempts": {"1e400" if claim == 1e400 else "[]"}}}')
    store.fail("key", {"reason": "no"})
    assert store.failure("key")["attempts"] == 1


def test_a_full_disk_costs_no_result(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that cannot be written is written a moment later; where its stream has gone before, that is enough."""
    finish, tries = store.finish, list[int]()

    def full(key: str, stream: Path, result: Mapping[str, Any]) -> None:
        tries.append(1)
        if len(tries) == 2:
            os.replace(stream, store.events_path(key))
        if len(tries) < 4:
            raise InputError("cannot write here (No space left on device)")
        finish(key, stream, result)

    monkeypatch.setattr(worker, "_PAUSE", 0.0)
    monkeypatch.setattr(store, "finish", full)
    stream = store.running_path("key", os.getpid())
    stream.write_text('{"event": "end"}\n')
    worker._finish(store, "key", stream, {"score": 1})
    assert store.finished() == {"key"}
    assert store.events_path("key").read_text() == '{"event": "end"}\n'
    monkeypatch.setattr(worker, "_PATIENCE", -1.0)
    tries.clear()
    with pytest.raises(InputError, match="No space"):
        worker._finish(store, "other", stream, {})


def test_a_failure_that_cannot_be_kept_is_said(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends no campaign."""

    def full(*_: object) -> None:
        raise InputError("cannot write here (No space left on device)")

    monkeypatch.setattr(store, "fail", full)
    answer = kept_failure(store, "key", {"reason": "too slow"})
    assert answer["outcome"] == "failed"
    assert answer["reason"].startswith("too slow (and that cannot be kept: cannot write here")


FAMILY = """
import os, subprocess, sys, time
inner = [sys.executable, "-c", "import time; print(1, flush=True); time.sleep(600)"]
for _ in range(3):
    child = subprocess.Popen(inner, stdout=subprocess.PIPE, start_new_session=True)
    child.stdout.readline()
    print(child.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="there is no /proc")
def test_all_that_a_process_has_started_ends_with_it() -> None:
    """In whatever sessions and groups: a solver that leads its own does not outlive the limits of its run."""
    head = subprocess.Popen([sys.executable, "-c", FAMILY], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert head.stdout is not None
    family = [head.pid, *(int(head.stdout.readline()) for _ in range(3))]
    assert all(resident_bytes(one) > 0 for one in family)
    end_tree(head.pid)
    assert head.wait() == -signal.SIGKILL
    head.stdout.close()
    end = time.monotonic() + 60.0
    while any(map(running, family)) and time.monotonic() < end:
        time.sleep(0.02)
    assert not any(map(running, family))


def running(process: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
