"""Processes that cost their own task only."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from campaign.tasks import PATIENCE, die, leave, number_of_process, refuse, take, wait_long

from matheur.campaign import process_pool
from matheur.campaign.process_pool import Allowance, LostRunError, ProcessExecutor, UnstartedError, described_exit
from matheur.campaign.watching import resident_bytes


@pytest.fixture
def pool() -> Iterator[ProcessExecutor]:
    """One process."""
    with ProcessExecutor(1, recycle=2) as made:
        yield made


def gone(process: int) -> bool:
    """Whether a process ends within patience."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def test_processes_are_replaced(pool: ProcessExecutor) -> None:
    """A process makes two tasks here, then another one takes over."""
    made = [pool.submit(number_of_process) for _ in range(4)]
    first, second, third, fourth = (one.result(PATIENCE) for one in made)
    assert first == second != os.getpid()
    assert third == fourth != first


def test_a_lost_process_costs_its_task_only(pool: ProcessExecutor) -> None:
    """Signals, exit codes and errors reach the future that they belong to, and the others are done."""
    lost = [pool.submit(die, signal.SIGSEGV), pool.submit(die, signal.SIGKILL), pool.submit(leave, 3)]
    wrong, right = pool.submit(refuse, "no"), pool.submit(number_of_process)
    said = []
    for one in lost:
        with pytest.raises(LostRunError) as caught:
            one.result(PATIENCE)
        assert caught.value.kind == "crash"
        said.append(str(caught.value))
    with pytest.raises(ValueError, match="no"):
        wrong.result(PATIENCE)
    assert right.result(PATIENCE) != os.getpid()
    assert "SIGSEGV" in said[0]
    assert "SIGKILL" in said[1]
    assert "out of memory" in said[1]
    assert "exit code 3" in said[2]


def test_limits_are_enforced() -> None:
    """A task that takes too long or too much is killed, with what it has started; the reason says which."""

    def allowance(*arguments: object) -> Allowance:
        return Allowance(memory=400 << 20) if arguments else Allowance(seconds=0.3)

    with ProcessExecutor(1, allowance=allowance) as pool:
        slow, greedy = pool.submit(wait_long), pool.submit(take, 600)
        modest = pool.submit(resident_bytes, 0)
        with pytest.raises(LostRunError, match=r"took more than 0\.3 seconds") as caught:
            slow.result(PATIENCE)
        assert caught.value.kind == "seconds"
        assert caught.value.process is not None
        assert gone(caught.value.process)
        with pytest.raises(LostRunError, match=r"GB, more than 0\.42 GB") as caught:
            greedy.result(PATIENCE)
        assert caught.value.kind == "memory"
        assert modest.result(PATIENCE) == 0


@pytest.mark.parametrize("allowed", [0, 1])
def test_a_system_that_starts_no_more_processes(allowed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes that there are make all tasks; without any, the tasks fail instead of waiting forever."""
    started: set[Any] = set()

    class Limited(ProcessPoolExecutor):
        def submit(self, *given: Any, **named: Any) -> Future[Any]:
            if self not in started and len(started) == allowed:
                raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
            started.add(self)
            return super().submit(*given, **named)

    monkeypatch.setattr(process_pool, "ProcessPoolExecutor", Limited)
    with ProcessExecutor(3) as pool:
        made = [pool.submit(number_of_process) for _ in range(5)]
        if allowed:
            assert len({one.result(PATIENCE) for one in made}) == 1
        for one in [] if allowed else made:
            with pytest.raises(UnstartedError, match=r"no process can be started \(Resource temporarily unavailable\)"):
                one.result(PATIENCE)


def test_abandoning_kills_what_runs_and_cancels_what_waits() -> None:
    """Nothing is waited for."""
    pool = ProcessExecutor(1)
    running, waiting = pool.submit(wait_long), pool.submit(number_of_process)
    while not running.running():
        time.sleep(0.01)
    pool.abandon()
    with pytest.raises(LostRunError, match="interrupted"):
        running.result(PATIENCE)
    with pytest.raises(CancelledError):
        waiting.result(PATIENCE)
    with pytest.raises(RuntimeError, match="after shutdown"):
        pool.submit(number_of_process)


def test_processes_go_with_their_parent(tmp_path: Path) -> None:
    """A parent that is killed leaves nobody behind, not even what its processes have started."""
    code = (
        "import sys, os\n"
        f"sys.path[:0] = {sys.path!r}\n"
        "from campaign.tasks import number_of_process, wait_long\n"
        "from matheur.campaign.process_pool import ProcessExecutor\n"
        "if __name__ == '__main__':\n"
        "    pool = ProcessExecutor(1)\n"
        "    print(pool.submit(number_of_process).result(), flush=True)\n"
        "    pool.submit(wait_long).result()\n"
    )
    script = tmp_path / "parent.py"
    script.write_text(code)
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert gone(worker)


def test_memory_is_that_of_the_process_and_its_children() -> None:
    """What a child holds counts; shared pages count once where the system tells."""
    own = resident_bytes(os.getpid())
    assert own > 10 << 20
    code = "held = bytearray(b'1' * (100 << 20)); print(1, flush=True); input()"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    try:
        assert resident_bytes(os.getpid()) > own + (90 << 20)
        assert resident_bytes(child.pid) > 90 << 20
    finally:
        child.communicate(b"\n")
    assert resident_bytes(child.pid) == 0


def test_exits_in_words() -> None:
    """Unknown codes and signals are said, too."""
    assert described_exit(None) == "the process is gone"
    assert described_exit(-64) == "the process was killed by SIGRTMAX"
    assert described_exit(-63) == "the process was killed by signal 63"
