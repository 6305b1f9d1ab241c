"""The child process of a solve."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from matheur.errors import ConfigurationError, SolverError
from matheur.solvers import get_backend, isolated, last_words
from matheur.solvers.isolated import Ended, Line, run_isolated
from matheur.solvers.port import MilpStatus, SolveRequest
from matheur.testing import models as small


def run(task: object, request: SolveRequest | None = None) -> Ended:
    return run_isolated(
        task,  # type: ignore[arg-type]
        request or SolveRequest(),
        name="toy",
        started=time.perf_counter(),
        variables=(),
    )


def test_crash_is_an_error_that_names_the_backend() -> None:
    """A solver that kills its process does not kill ours."""
    with pytest.raises(SolverError, match="toy died without an answer"):
        run(lambda _line: os.abort())


def test_exceptions_come_back() -> None:
    """Our own errors keep their type, others become solver errors."""

    def ours(_line: Line) -> Ended:
        raise ConfigurationError("not so")

    def other(_line: Line) -> Ended:
        raise OSError("disk gone")

    with pytest.raises(ConfigurationError, match="not so"):
        run(ours)
    with pytest.raises(SolverError, match="OSError: disk gone"):
        run(other)


def test_child_that_overruns_its_limit_is_killed_with_its_incumbent_kept() -> None:
    """A solver that ignores its clock is stopped from outside; incumbent and bound survive."""

    def stubborn(line: Line) -> Ended:
        line.progress(3.0, 17)
        line.incumbent(5.0, 3.0, np.zeros(0))
        time.sleep(600)
        return Ended(MilpStatus.OPTIMAL)

    ended = run(stubborn, SolveRequest(seconds=0.1))
    assert (ended.status, ended.objective, ended.bound, ended.nodes) == (MilpStatus.FEASIBLE, 5.0, 3.0, 17)
    assert [point.objective for point in ended.trace] == [5.0]
    assert "killed" in ended.message


def test_child_is_collected() -> None:
    """No zombie of a solve stays behind."""
    before = zombies()
    run(lambda _line: Ended(MilpStatus.INFEASIBLE))
    assert zombies() <= before


@pytest.mark.skipif(sys.platform != "linux", reason="the system has no adoption of orphans")
def test_processor_time_of_killed_programs_is_counted() -> None:
    """That of a program that the child has started: nobody else would wait for it."""
    ticks = os.sysconf("SC_CLK_TCK")

    def used(process: Path) -> float:
        fields = process.read_text().rpartition(")")[2].split() if process.exists() else []
        return (int(fields[11]) + int(fields[12])) / ticks if fields else 0.0

    def work(line: Line) -> Ended:
        busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        line.incumbent(0.0, None, np.array([busy.pid]))
        busy.wait()
        return Ended(MilpStatus.UNKNOWN)

    known: list[int] = []

    def enough() -> bool:
        return bool(known) and used(Path(f"/proc/{known[0]}/stat")) >= 0.3

    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run_isolated(
        work,
        SolveRequest(seconds=60.0, interrupt=enough),
        name="toy",
        started=time.perf_counter(),
        on_values=lambda _point, values: known.append(int(values[0])),
    )
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before >= 0.25
    assert known[0] not in zombies()


def zombies() -> set[int]:
    """Children of this process that have ended and wait to be collected."""
    found = set()
    for folder in Path("/proc").iterdir():
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split() if folder.name.isdigit() else []
        except OSError:  # it has just gone
            continue
        if fields and fields[0] == "Z" and int(fields[1]) == os.getpid():
            found.add(int(folder.name))
    return found


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda: os.abort(), "SIGABRT"),
        (lambda: os.kill(os.getpid(), 9), "SIGKILL: maybe out of memory"),
        (lambda: os._exit(3), "exit code 3"),
        (lambda: (os.write(2, b"no licence\nfor you\n"), os._exit(1)), r"exit code 1; it said: no licence \| for you"),
        (lambda: (os.write(2, b"x" * 10**6), os.write(2, b"\nthe end\n"), os._exit(1)), "the end"),
    ],
)
def test_death_tells_why(act: object, reason: str) -> None:
    """By signal, by exit code, and by the last words on standard error."""
    with pytest.raises(SolverError, match=f"toy died without an answer.*{reason}"):
        run(lambda _line: act())  # type: ignore[operator]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "out of memory"),
        (SystemExit(1), "SystemExit: 1"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (RuntimeError("can't start\n new thread"), "RuntimeError: can't start new thread"),
    ],
)
def test_exception_of_any_kind_is_an_error_with_its_words(error: BaseException, said: str) -> None:
    """Also those that are no errors: who leaves the child must not leave silently."""

    def fail(_line: Line) -> Ended:
        raise error

    with pytest.raises(SolverError, match=said):
        run(fail)


def test_answer_that_cannot_be_sent_says_so() -> None:
    """What does not go through the pipe is named."""
    with pytest.raises(SolverError, match=r"exit code 1; it said: .*[Pp]ickle"):
        run(lambda _line: Ended(MilpStatus.UNKNOWN, message=lambda: 0))  # type: ignore[arg-type]


class Poison:
    """Something that breaks while it is packed, or unpacked."""

    def __init__(self, *, error: str = "", there: bool = False) -> None:
        self.error, self.there = error, there

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, ...]]:
        if not self.there:
            raise MemoryError
        return spoil, (self.error,)


def spoil(error: str) -> object:
    """Unpack what cannot be unpacked."""
    raise RuntimeError(error)


def close_all(_line: Line) -> Ended:
    """Leave the parent alone without dying."""
    os.closerange(3, 256)
    time.sleep(600)
    return Ended(MilpStatus.UNKNOWN)


def leave(_line: Line) -> Ended:
    """End as a library in C does that calls exit."""
    ctypes.CDLL(None).exit(1)
    return Ended(MilpStatus.UNKNOWN)


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (leave, r"died without an answer during the solve \(exit code 1"),
        (close_all, r"during the solve \(closed its connection and was killed\)"),
        (
            lambda _line: Ended(MilpStatus.UNKNOWN, message=Poison()),
            r"while it answered \(exit code 1; it said: Memory",
        ),
        (
            lambda _line: Ended(MilpStatus.UNKNOWN, message=Poison(error="no such class", there=True)),
            r"cannot be read: RuntimeError: no such class \(test_isolated.py, line \d+\)",
        ),
    ],
)
def test_every_way_to_end_without_an_answer_is_told(
    task: Callable[[Line], Ended], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it was, and what it did."""
    monkeypatch.setattr(isolated, "LAST_WORDS_SECONDS", 0.2)
    with pytest.raises(SolverError, match=reason):
        run(task)


def test_kills_for_memory_are_told_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operating system counts them."""
    monkeypatch.setattr(last_words, "_memory_kills", 3)
    monkeypatch.setattr(last_words, "_count_memory_kills", lambda: 4)
    with pytest.raises(SolverError, match=r"SIGKILL: out of memory\)"):
        run(lambda _line: os.kill(os.getpid(), 9))
    with pytest.raises(SolverError, match=r"SIGKILL: maybe out of memory\)"):
        run(lambda _line: os.kill(os.getpid(), 9))


def test_a_child_that_somebody_else_collects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers come nevertheless, and no exit code is invented."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert run(lambda _line: Ended(MilpStatus.INFEASIBLE)).status is MilpStatus.INFEASIBLE
        with pytest.raises(SolverError, match="exit code unknown"):
            run(lambda _line: os._exit(1))
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_no_more_files_is_told() -> None:
    """Nothing is started then, and nothing stays open."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = len(os.listdir("/proc/self/fd"))
    free = [os.dup(0)]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (free[0] + 3, before[1]))
        with pytest.raises(SolverError, match="toy cannot start a process of its own: Too many open files"):
            run(lambda _line: Ended(MilpStatus.INFEASIBLE))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
        os.close(free[0])
    assert len(os.listdir("/proc/self/fd")) == opened


TWICE = """
import os, signal, sys, time
from matheur.solvers import get_backend, isolated, last_words
from matheur.solvers.isolated import Ended, run_isolated
from matheur.solvers.port import MilpStatus, SolveRequest

def leave(*_):
    sys.exit(1)

for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR2):
    signal.signal(number, leave)
    os.register_at_fork(after_in_child=lambda number=number: os.kill(os.getpid(), number))
    try:
        print(run_isolated(lambda _: Ended(MilpStatus.INFEASIBLE), SolveRequest(), name="toy", started=0.0).status)
    except Exception as error:
        print(error)
    finally:
        os.write(1, b"the end\\n")
"""


def test_a_signal_at_the_wrong_moment_does_not_double_the_program() -> None:
    """What a handler raises in the child, before that is set up, would run the rest of the program in it."""
    shown = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True, check=False)
    assert shown.returncode == 0
    assert shown.stdout.count("the end") == 3
    assert "MilpStatus.INFEASIBLE" in shown.stdout
    assert shown.stdout.count("before the solve (signal") == 2  # SIGTERM is for the parent, the others mean it


LOST = """
import logging, os, signal, sys, threading, time
from matheur.solvers.isolated import Ended, run_isolated
from matheur.solvers.port import MilpStatus, SolveRequest

class Stop(BaseException):
    pass

def stop(*_):
    raise Stop

def take_the_signal():
    asked.wait()
    os.kill(os.getpid(), signal.SIGALRM)

def fork():
    asked.set()
    other.join()

asked = threading.Event()
other = threading.Thread(target=take_the_signal, daemon=True)
other.start()  # now, as threads that begin during the fork block signals, too
signal.signal(signal.SIGALRM, stop)
os.register_at_fork(**{sys.argv[1]: fork})
try:
    run_isolated(lambda _: time.sleep(600), SolveRequest(), name="toy", started=time.perf_counter())
except Stop:
    print("stopped")
assert signal.getsignal(signal.SIGALRM) is stop
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("no child is left")
"""


@pytest.mark.parametrize("hook", ["before", "after_in_parent"])
def test_a_signal_during_the_fork_is_not_lost(hook: str) -> None:
    """What a handler raises in a hook of the fork is thrown away by Python."""
    shown = subprocess.run([sys.executable, "-c", LOST, hook], capture_output=True, text=True, timeout=60, check=False)
    assert (shown.stdout, shown.stderr) == ("stopped\nno child is left\n", "")


@pytest.mark.parametrize("name", ["highs", "scip"])
def test_what_a_callback_raises_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solvers turn it into an error of their own that says nothing."""

    def full(*_: object) -> None:
        raise OSError("no room in the pipe")

    monkeypatch.setattr(Line, "_send", full)
    with pytest.raises(SolverError, match="OSError: no room in the pipe"):
        get_backend(name).solve(small.knapsack(), SolveRequest())


class OddError(SolverError):
    """An error that cannot be made from its own message."""

    def __init__(self, text: str, number: int) -> None:
        super().__init__(f"{text} {number}")


def test_own_errors_that_do_not_survive_the_pipe_keep_their_words() -> None:
    """An error with a constructor of its own comes back as a plain one."""

    def fail(_line: Line) -> Ended:
        raise OddError("row", 7)

    with pytest.raises(SolverError, match="row 7"):
        run(fail)


SLEEPER = """#!/bin/sh
if [ "$1" = "-stop" ]; then echo "Version: 2.10.8"; exit 0; fi
sleep 600 &
echo "$$ $!" > "$PIDS.part"; mv "$PIDS.part" "$PIDS"
wait
"""
ASKING = """
import pyomo.environ as pyo
from matheur.solvers import SolveRequest, get_backend
model = pyo.ConcreteModel()
model.x = pyo.Var(domain=pyo.Binary)
model.row = pyo.Constraint(expr=model.x >= 1)
model.cost = pyo.Objective(expr=model.x)
get_backend("pyomo:cbc").solve(model, SolveRequest(seconds=500))
"""


def test_programs_of_a_killed_run_end_with_it(tmp_path: Path) -> None:
    """`kill -9` of the process that asked takes the solver's program along, and what that has started."""
    program, pids = tmp_path / "cbc", tmp_path / "pids"
    program.write_text(SLEEPER)
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PIDS": str(pids)}
    with subprocess.Popen([sys.executable, "-c", ASKING], env=environment) as asking:
        try:
            assert eventually(pids.exists)
            started = [int(pid) for pid in pids.read_text().split()]
            assert all(alive(pid) for pid in started)
        finally:
            asking.kill()
    assert eventually(lambda: not any(alive(pid) for pid in started))


def eventually(true: Callable[[], bool]) -> bool:
    """Whether something becomes true within a minute."""
    limit = time.monotonic() + 60
    while not true():
        if time.monotonic() > limit:
            return False
        time.sleep(0.05)
    return True


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_bounds_are_told_on_the_way() -> None:
    """Each that the solver leaves, but not those that say nothing, and not many times a second."""
    heard: list[float] = []

    def task(line: Line) -> Ended:
        for bound in (-np.inf, 1e20, 3.0):
            line.progress(bound, 0)
            time.sleep(0.1)
        return Ended(MilpStatus.UNKNOWN)

    request = SolveRequest(on_bound=heard.append)
    run_isolated(task, request, name="one", started=time.perf_counter())
    assert heard == [3.0]
