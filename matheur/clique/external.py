"""Any command as a maximum clique solver.

The graph goes to the command as a DIMACS file in a temporary folder; what it prints is read by `answers` and checked
before it is used. The command runs without a shell, in a process group of its own that is gone when
`solve_external` returns.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from matheur.clique.answers import read_answer
from matheur.errors import ConfigurationError, InputError, SolverError, nearest
from matheur.problems.max_clique.formats import Format, save_graph
from matheur.problems.max_clique.graph import Graph
from matheur.problems.port import Source

__all__ = ["ExternalResult", "solve_external"]

_POLL = 0.02
_GRACE = 0.5  # seconds between asking to end and killing: many heuristics print their best when asked
_OUTPUT_MAX = 64_000_000


def _never() -> bool:
    return False


@dataclass(frozen=True, eq=False, slots=True)
class ExternalResult:
    """A checked answer.

    Attributes
    ----------
    vertices
        0-based, ascending, int32.
    seconds
        Wall-clock seconds of the command.
    finished
        True if the command ended by itself, False if it was stopped and had printed this clique before.
    """

    vertices: NDArray[np.int32]
    seconds: float
    finished: bool


def solve_external(
    command: str,
    graph: Graph,
    *,
    seconds: float | None = None,
    seed: int = 0,
    target: int | None = None,
    format: Format = "ascii",  # noqa: A002 - the word of the command line
    complement: bool = False,
    interrupt: Callable[[], bool] = _never,
) -> ExternalResult:
    """Run a command on a graph.

    Parameters
    ----------
    command
        Words in shell quoting, with `{file}` where the graph's file belongs, and optionally `{time}` (whole
        seconds, at least 1), `{seed}` and `{target}` (0 if there is none). `cliquer -qq {file}`, say.
    seconds
        The command is stopped after so long; what it has printed by then still counts.
    format, complement
        What the command reads; independent set solvers read the complement.
    interrupt
        Asked about every 0.02 s whether to stop.

    Raises
    ------
    ConfigurationError
        If the command line is malformed.
    SolverError
        If the command is not installed, fails, prints no clique, or prints something that is none.
    """
    words = _words(command)
    with tempfile.TemporaryDirectory(prefix="matheur-clique-") as folder:
        path = Path(folder, "graph.clq.b" if format == "binary" else "graph.clq")
        save_graph(path, graph, format, complement=complement)
        values = {
            "file": str(path),
            "time": "1000000" if seconds is None else str(max(1, round(seconds))),
            "seed": str(seed),
            "target": str(target or 0),
        }
        arguments = [re.sub(r"\{(\w+)\}", lambda match: values[match[1]], word) for word in words]
        output, errors, took, code = _run(arguments, folder, seconds, interrupt)
    if code is not None and code != 0:
        how = f"was ended by signal {-code}" if code < 0 else f"failed with exit status {code}"
        raise SolverError(f"'{words[0]}' {how}{_last_line(errors)}")
    try:
        answer = read_answer(Source(f"output of '{words[0]}'", output), graph=graph)
    except InputError as error:
        if code is None:
            raise SolverError(f"'{words[0]}' was stopped after {took:.1f} s and had printed no clique") from None
        raise SolverError(f"{error}{_last_line(errors)}") from None
    return ExternalResult(answer.vertices, took, code is not None)


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfigurationError(f"the command '{command[:60]}' cannot be split into words ({error})") from None
    known = ("file", "time", "seed", "target")
    for name in re.findall(r"\{(\w+)\}", command):
        if name not in known:
            raise ConfigurationError(f"unknown placeholder '{{{name}}}' in the command. {nearest(name, known)}")
    if not any("{file}" in word for word in words[1:]):
        raise ConfigurationError(
            f"the command '{command[:60]}' lacks {{file}} among its arguments. Maybe 'cliquer -qq {{file}}'?"
        )
    return words


def _run(
    arguments: list[str], folder: str, seconds: float | None, interrupt: Callable[[], bool]
) -> tuple[bytes, bytes, float, int | None]:
    """Standard output, standard error, seconds, and the exit status or None if the command was stopped."""
    out, err = Path(folder, "output"), Path(folder, "errors")
    began = time.monotonic()
    with out.open("wb") as stdout, err.open("wb") as stderr:
        try:
            process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True
            )
        except OSError as error:
            raise SolverError(f"'{arguments[0]}' cannot be run ({error.strerror}). Maybe it is not installed") from None
        stopped = False
        try:
            while not _ended(process):
                late = seconds is not None and time.monotonic() - began >= seconds
                if late or interrupt():
                    stopped = True
                    break
                if out.stat().st_size + err.stat().st_size > _OUTPUT_MAX:
                    raise SolverError(f"'{arguments[0]}' printed more than {_OUTPUT_MAX // 1_000_000} MB")
                time.sleep(_POLL)
            if stopped:
                _signal(process, signal.SIGTERM)
                asked = time.monotonic()
                while not _ended(process) and time.monotonic() - asked < _GRACE:
                    time.sleep(_POLL)
        finally:
            # The whole group, and before the leader is reaped, so that its number cannot belong to anyone else.
            _signal(process, signal.SIGKILL)
            process.wait()
    took = time.monotonic() - began
    with out.open("rb") as stdout, err.open("rb") as stderr:
        return stdout.read(_OUTPUT_MAX), stderr.read(4096), took, None if stopped else process.returncode


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether the command has ended; it stays unreaped, which keeps its process group's number reserved."""
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return process.poll() is not None
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        # Nothing is left of the group, or (on some systems) only the unreaped leader.
        return


def _last_line(errors: bytes) -> str:
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    return f": {lines[-1][:200]}" if lines else ""
