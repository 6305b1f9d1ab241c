"""Ctrl-C, SIGTERM and kill -9 at many moments: the best is kept, no process is left, and a resume continues."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import Command

import matheur.cli

PATIENCE = 90.0  # seconds, for busy machines
BOARD = "edge-matching/10x10"
WALK = (
    "--construction", "random", "--neighbourhoods", "assignment,swap-rotate", "--acceptance", "annealing",
    "--set", "neighbourhood.assignment.iterations=1000", "--set", "neighbourhood.assignment.temperature=0",
)  # fmt: skip

Start = Callable[..., "Run"]


class Run:
    """A `matheur` command in its own process group, with a trace and a result file."""

    def __init__(self, folder: Path, *arguments: object) -> None:
        self.out, self.trace = folder / "out.json", folder / "trace.jsonl"
        command = [str(Path(sys.executable).with_name("matheur")), *map(str, arguments)]
        if arguments[0] == "solve":
            command += ["--out", str(self.out), "--trace", str(self.trace), "--json"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Return the events of a kind so far."""
        text = self.trace.read_text() if self.trace.exists() else ""
        events = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
        return [event for event in events if event["event"] == kind]

    def wait_for(self, condition: Callable[[], object]) -> None:
        """Wait until a condition is met in the run."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < end, "this did not happen in time"
            time.sleep(0.02)

    def handles_signals(self) -> bool:
        """Whether the command handles signals yet: Python itself does not handle SIGTERM."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
        return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the whole group, as a terminal does."""
        os.killpg(self.process.pid, number)

    def end(self, *, quiet: bool = True) -> tuple[int, str, str]:
        """Return exit code, standard output and standard error; no process of the group may be left."""
        out, err = self.process.communicate(timeout=PATIENCE)
        end = time.monotonic() + PATIENCE
        while self.left() and time.monotonic() < end:
            time.sleep(0.05)
        assert self.left() == []
        assert not quiet or "Traceback" not in err
        return self.process.returncode, out, err

    def left(self) -> list[int]:
        """Return the processes of the group that still run."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    state, _, group = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
                except OSError:
                    continue
                if int(group) == self.process.pid and state not in "ZX":
                    found.append(int(entry.name))
        return found


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start commands, and kill the remaining processes at the end of the test."""
    runs: list[Run] = []
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell; commands inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def begin(*arguments: object) -> Run:
        runs.append(Run(tmp_path, *arguments))
        return runs[-1]

    yield begin
    for run in runs:
        if run.process.poll() is None or run.left():
            os.killpg(run.process.pid, signal.SIGKILL)
            run.process.communicate()


def check_result(matheur: Command, run: Run, printed: str, instance: str = BOARD) -> dict[str, Any]:
    """The printed result equals the file and is valid."""
    result: dict[str, Any] = json.loads(printed)
    assert json.loads(run.out.read_text()) == result
    assert result["stopped"] == "interrupt"
    if result["status"] != "unknown":
        answer = matheur("verify", instance, run.out, "--json")
        assert answer.code == 0
        assert answer.json["score"] == result["score"]
    return result


MOMENTS: dict[str, Callable[[Run], object]] = {
    "at the start": lambda run: run.events("start"),
    "at the first solution": lambda run: run.events("incumbent"),
    "during the search": lambda run: len(run.events("operator")) > 20,
}
LATE = "during the search"


@pytest.mark.parametrize(("moment", "number"), [*((one, signal.SIGINT) for one in MOMENTS), (LATE, signal.SIGTERM)])
def test_a_signal_ends_a_run_with_its_best(matheur: Command, start: Start, moment: str, number: signal.Signals) -> None:
    """The run ends with exit code 130, one JSON object and a valid result file."""
    run = start("solve", BOARD, *WALK)
    run.wait_for(lambda: MOMENTS[moment](run))
    run.signal(number)
    code, printed, _ = run.end()
    assert code == 130
    result = check_result(matheur, run, printed)
    if moment != "at the start":
        assert result["feasible"]
        assert result["objective"] == min(event["objective"] for event in run.events("incumbent"))
        assert run.events("end")


@pytest.mark.parametrize("delay", [0.1, 0.25, 0.4])
def test_an_early_ctrl_c_is_quiet(start: Start, delay: float) -> None:
    """Before the search begins, the command ends without a message."""
    run = start("solve", BOARD, *WALK, "--seconds", 2)
    time.sleep(delay)
    met = run.handles_signals()  # else Python itself had not started yet
    run.signal(signal.SIGINT)
    code, _, err = run.end(quiet=False)
    assert not met or (code, err) == (130, "")


_WHILE_LOADING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.{before})
class Messenger:
    def find_spec(self, name, path, target=None):
        if name == "{module}":
            os.kill(os.getpid(), signal.{number})
sys.meta_path.insert(0, Messenger())
import matheur.cli
matheur.cli.main(["problems"])
"""


@pytest.mark.parametrize("module", ["matheur.cli.app", "typer", "matheur.engine.state", "matheur.cli.listing"])
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_a_signal_while_the_commands_are_loaded_is_quiet(module: str, number: str) -> None:
    """A signal during an import ends the process at once with exit code 130."""
    code = _WHILE_LOADING.format(module=module, number=number, before="default_int_handler")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_an_ignored_ctrl_c_stays_ignored_while_the_commands_are_loaded() -> None:
    """A command in the background of a shell ignores Ctrl-C."""
    code = _WHILE_LOADING.format(module="matheur.cli.app", number="SIGINT", before="SIG_IGN")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "edge-matching" in done.stdout


_WHERE_NONE_CAN_BE_RAISED = """
import ctypes, os, signal, sys, time
import matheur.cli
@ctypes.CFUNCTYPE(None)
def callback():
    os.kill(os.getpid(), signal.{number})
    time.sleep(0.1)
def run(*_, **__):
    try:
        callback()
        time.sleep(60)
    except KeyboardInterrupt:
        return 130
matheur.cli.run = run
matheur.cli.main([])
"""


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_a_signal_in_a_function_that_c_calls_is_not_forgotten(number: str) -> None:
    """Python would ignore the exception in a callback from C, as llvmlite has them."""
    code = _WHERE_NONE_CAN_BE_RAISED.format(number=number)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_ctrl_c_twice_does_not_lose_the_best(matheur: Command, start: Start) -> None:
    """After a second Ctrl-C, the file still has the best solution so far."""
    run = start("solve", BOARD, *WALK)
    run.wait_for(lambda: len(run.events("operator")) > 20)
    run.signal(signal.SIGINT)
    run.signal(signal.SIGINT)
    code, _, _ = run.end()
    assert code == 130
    answer = matheur("verify", BOARD, run.out, "--json")
    assert answer.code == 0
    assert answer.json["objective"] == min(event["objective"] for event in run.events("incumbent"))


@pytest.mark.parametrize(("construct", "size"), [("milp-full", 9), ("milp-greedy", 16), ("clique", 9)])
def test_ctrl_c_reaches_a_long_operator(matheur: Command, start: Start, construct: str, size: int) -> None:
    """Ctrl-C interrupts a MILP or a clique search."""
    board = f"edge-matching/{size}x{size}"
    run = start("solve", board, "--construction", construct, "--neighbourhoods", "none")
    run.wait_for(lambda: run.events("start"))
    time.sleep(1.0)
    run.signal(signal.SIGINT)
    code, printed, _ = run.end()
    assert code == 130
    check_result(matheur, run, printed, board)


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["at the start", LATE])
def test_ctrl_c_ends_all_jobs(matheur: Command, start: Start, moment: str) -> None:
    """Several processes end together with the best solution of all; no process is left."""
    run = start("solve", BOARD, *WALK, "--jobs", 2, "--set", "portfolio.round_seconds=1")
    happened = {
        "at the start": lambda: run.events("start"),
        LATE: lambda: run.events("migration") or len(run.events("incumbent")) > 40,
    }
    run.wait_for(happened[moment])
    run.signal(signal.SIGINT)
    code, printed, _ = run.end()
    assert code == 130
    result = check_result(matheur, run, printed)
    if moment != "at the start":
        assert result["objective"] == min(event["objective"] for event in run.events("incumbent"))


@pytest.mark.slow
def test_a_killed_run_is_resumed_as_if_nothing_had_happened(matheur: Command, start: Start, tmp_path: Path) -> None:
    """After kill -9, the file is complete; the resumed run ends bit for bit as an uninterrupted one."""
    way = ("solve", BOARD, *WALK, "--seed", 4, "--work", 400_000, "--checkpoint", tmp_path / "state")
    run = start(*way)
    run.wait_for(lambda: len(run.events("checkpoint")) > 1 and len(run.events("operator")) > 30)
    run.signal(signal.SIGKILL)
    run.process.communicate()
    assert matheur("verify", BOARD, run.out).code == 0
    resumed = matheur(*way, "--trace", run.trace, "--out", run.out, "--resume", "--json").json
    whole = matheur(*way[:-2], "--json").json
    assert resumed["iterations"] > 30
    for key in ("solution", "objective", "work", "iterations", "found_by", "stopped"):
        assert resumed[key] == whole[key]
    assert len(run.events("start")) == 2


@pytest.mark.slow
def test_killed_jobs_are_resumed(matheur: Command, start: Start, tmp_path: Path) -> None:
    """If the parent of several jobs is killed, its workers end; a resume is not worse than the checkpoint."""
    rounds = ("--jobs", 2, "--set", "portfolio.round_work=20000")
    way = ("solve", BOARD, *WALK, *rounds, "--checkpoint", tmp_path / "state")
    run = start(*way, "--work", 10_000_000)
    run.wait_for(lambda: len(run.events("checkpoint")) > 1)
    reached = run.events("checkpoint")[-1]["work"]
    run.process.kill()
    run.end()
    assert matheur("verify", BOARD, run.out).code == 0
    before = json.loads((tmp_path / "state" / "checkpoint.json").read_text())["state"]["members"]
    result = matheur(*way, "--work", max(member["work"] for member in before) + 20_000, "--resume", "--json").json
    assert result["objective"] <= min(member["best_objective"] for member in before)
    assert result["work"] > reached


def test_ctrl_c_ends_a_clique_search(start: Start, tmp_path: Path) -> None:
    """The largest clique so far is printed; the exit code is 130."""
    graph = tmp_path / "g.clq"
    edges = [(a, b) for a in range(1, 201) for b in range(a + 1, 201) if (a * b) % 7 and (a + b) % 3]
    graph.write_text(f"p edge 200 {len(edges)}\n" + "".join(f"e {a} {b}\n" for a, b in edges))
    for delay in (2.0, 8.0, 32.0):  # a busy machine may need seconds to start
        # the default would prove the optimum at once
        run = start("clique", graph, "--method", "local-search", "--seconds", 600, "--json")
        time.sleep(delay)
        met = run.handles_signals()  # else Python itself had not started yet
        run.signal(signal.SIGINT)
        code, printed, _ = run.end(quiet=met)
        assert not met or code == 130
        found = json.loads(printed)["solution"] if printed else []
        if found:
            break
    assert len(found) > 1
    assert {(a, b) for a in found for b in found if a < b} <= set(edges)


@pytest.mark.parametrize(("cause", "code"), [(KeyboardInterrupt(), 130), (ValueError(), None)])
def test_an_interrupt_that_python_wraps_is_one(
    monkeypatch: pytest.MonkeyPatch, cause: BaseException, code: int | None
) -> None:
    """Ctrl-C during the creation of a class ends the command as usual; other errors stay errors."""

    def wrapped(*_: object, **__: object) -> int:
        raise RuntimeError("Error calling __set_name__") from cause

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr("matheur.cli.run", wrapped)
    try:
        with pytest.raises(RuntimeError if code is None else SystemExit) as raised:
            matheur.cli.main([])
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert getattr(raised.value, "code", None) == code
