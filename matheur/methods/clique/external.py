"""Any command as a maximum clique solver.

The command gets the graph as a file in a temporary folder, in a format that it reads. Its output is parsed by `answers`
and checked before it is used. The command runs without a shell, in its own process group, which ends when
`solve_external` returns or this process is killed.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.engine.watcher import watched
from matheur.errors import ConfigurationError, InputError, SolverError
from matheur.methods.clique.adapters import Adapter
from matheur.methods.clique.answers import read_answer
from matheur.methods.clique.formats import save_graph
from matheur.methods.clique.sparse_graph import AnyGraph

__all__ = ["ExternalResult", "solve_external"]

_POLL = 0.02
_GRACE = 0.5  # seconds between SIGTERM and SIGKILL: many heuristics print their best clique on SIGTERM
_WEIGHT_MAX = (1 << 31) - 1  # programs in C hold them as int
_OUTPUT_MAX = 64_000_000
_ENDINGS = {
    "ascii": ".clq",
    "binary": ".clq.b",
    "metis": ".graph",
    "matrix-market": ".mtx",
    "edge-list": ".edges",
    "pace": ".gr",
}


def _never() -> bool:
    return False


@dataclass(frozen=True, eq=False, slots=True)
class ExternalResult:
    """A checked answer of a command.

    Attributes
    ----------
    vertices
        0-based, ascending, int32.
    seconds
        Wall-clock seconds of the command.
    finished
        True if the command ended by itself, False if it was stopped after it had printed this clique.
    proved
        True if the command ended by itself and its adapter is `exact`. The proof itself is not checked.
    """

    vertices: NDArray[np.int32]
    seconds: float
    finished: bool
    proved: bool = False


def solve_external(
    command: str | Adapter,
    graph: AnyGraph,
    *,
    seconds: float | None = None,
    seed: int = 0,
    target: int | None = None,
    weights: NDArray[np.int64] | None = None,
    interrupt: Callable[[], bool] = _never,
) -> ExternalResult:
    """Run a command on a graph.

    Parameters
    ----------
    command
        An adapter, or words in shell quoting, see `matheur.methods.clique.adapters`; for example `cliquer -qq {file}`.
    seconds
        Time limit of the command; its output until then is still used if the adapter says so.
    weights
        Positive whole numbers by vertex; None for a clique of many vertices.
    interrupt
        Called about every 0.02 s; the command is stopped when it returns True.

    Raises
    ------
    ConfigurationError
        If the command line is malformed, or the program cannot take the weights.
    SolverError
        If the command is not installed, fails, prints no clique, or prints something that is not a clique.
    """
    how = Adapter(command, weights=True) if isinstance(command, str) else command
    if weights is not None:
        _check_weights(how, weights)
    words = how.words()
    with tempfile.TemporaryDirectory(prefix="matheur-clique-") as folder:
        path = Path(folder, "graph" + _ENDINGS[how.format])
        said = None if weights is None else [str(weight) for weight in weights.tolist()]
        save_graph(path, graph, how.format, complement=how.complement, weights=said)
        values = {
            "file": str(path),
            "time": "1000000" if seconds is None else str(max(1, round(min(seconds, 1e9)))),
            "seed": str(seed),
            "target": str(target or 0),
        }
        arguments = [re.sub(r"\{(\w+)\}", lambda match: values[match[1]], word) for word in words]
        source = path if how.input == "stdin" else None
        output, errors, took, code = _run(arguments, folder, seconds, interrupt, source)
    if code is not None and code not in how.exit_codes:
        ended = f"was ended by signal {-code}" if code < 0 else f"failed with exit status {code}"
        raise SolverError(f"'{words[0]}' {ended}{_last_line(errors)}")
    if code is None and how.on_timeout == "discard":
        raise SolverError(f"'{words[0]}' was stopped after {took:.1f} s, and says nothing before it ends")
    try:
        answer = read_answer(
            Source(f"output of '{words[0]}'", _part(output, how)),
            graph=graph,
            bases=(1, 0) if how.base is None else (how.base,),
        )
    except InputError as error:
        if code is None:
            raise SolverError(f"'{words[0]}' was stopped after {took:.1f} s and had printed no clique") from None
        raise SolverError(f"{error}{_last_line(errors)}") from None
    return ExternalResult(answer.vertices, took, code is not None, code is not None and how.exact)


def _check_weights(how: Adapter, weights: NDArray[np.int64]) -> None:
    """Reject weights that a program would ignore or could not store."""
    program = how.words()[0]
    if not how.weights:
        raise ConfigurationError(
            f"'{program}' takes no weights of vertices. Maybe the adapter 'cliquer', or weights = true in its table?"
        )
    if len(weights) and (weights.min() < 1 or weights.sum() > _WEIGHT_MAX):
        raise ConfigurationError(f"weights for '{program}' are whole numbers from 1, up to {_WEIGHT_MAX:,} in all")


def _part(output: bytes, how: Adapter) -> bytes:
    """The last match of the answer's pattern, or the whole output if the adapter has no pattern."""
    if how.answer is None:
        return output
    found = [match["vertices"] or "" for match in re.finditer(how.answer, output.decode("utf-8", "replace"))]
    return b"v " + " ".join(found[-1].split()).encode() if found else b""


def _run(
    arguments: list[str], folder: str, seconds: float | None, interrupt: Callable[[], bool], source: Path | None
) -> tuple[bytes, bytes, float, int | None]:
    """Standard output, standard error, seconds, and the exit status or None if the command was stopped."""
    out, err = Path(folder, "output"), Path(folder, "errors")
    began = time.monotonic()
    with (
        out.open("wb") as stdout, err.open("wb") as stderr, open(source or os.devnull, "rb") as stdin,
        watched(folder) as watch_over,
    ):  # fmt: skip
        try:
            process = subprocess.Popen(arguments, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True)
        except OSError as error:
            raise SolverError(f"'{arguments[0]}' cannot be run ({error.strerror}). Maybe it is not installed") from None
        watch_over(process.pid)
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
        # The group is empty or (on some systems) contains only the unreaped leader.
        return


def _last_line(errors: bytes) -> str:
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    return f": {lines[-1][:200]}" if lines else ""
