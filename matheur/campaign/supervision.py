"""One run in its own process, supervised by the calling process: for job arrays and Dask.

python -m matheur.campaign.supervision     reads a folder and an order (JSON) from standard input and makes the run
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from matheur.campaign.process_pool import described_exit
from matheur.campaign.store import Store
from matheur.campaign.watching import end_group, end_tree, excess_memory
from matheur.campaign.worker import failure, kept_failure, make_run

__all__ = ["leave_with_input", "supervise"]

_TICK = 0.05
_MEMORY_TICK = 0.5
_TAIL = 2000  # number of characters kept of a process's output


def supervise(
    folder: str, order: Mapping[str, Any], stop: str | None = None, interrupt: Callable[[], bool] | None = None
) -> dict[str, Any]:
    """Execute a run in its own process, within its limits, and store its result or its failure.

    Parameters
    ----------
    folder, order
        See `make_run`.
    stop
        Path of a file; the run is abandoned once it exists.
    interrupt
        Function that returns True to abandon the run.

    Returns
    -------
    dict
        `key`, `outcome` (`done`, `there`, `failed` or `interrupted`), and for a failure `reason` and `kind`.

    Notes
    -----
    The child process exits when this one ends, because its standard input then ends.
    """
    store, key = Store(folder), str(order["key"])
    if store.result_path(key).exists():
        return {"key": key, "outcome": "there"}
    began = time.monotonic()
    with tempfile.TemporaryFile() as printed:
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "matheur.campaign.supervision"],
            stdin=subprocess.PIPE, stdout=printed, stderr=printed, start_new_session=True,
        )  # fmt: skip
        assert child.stdin is not None
        try:
            with contextlib.suppress(BrokenPipeError):
                child.stdin.write(json.dumps({"folder": str(folder), "order": dict(order)}).encode() + b"\n")
                child.stdin.flush()
            verdict = _watch(child, order, began, stop, interrupt)
        finally:
            end_tree(child.pid)
            child.wait()
            with contextlib.suppress(BrokenPipeError):
                child.stdin.close()
        stream = store.running_path(key, child.pid)
        if verdict is None and child.returncode == 0:
            if store.result_path(key).exists():
                return {"key": key, "outcome": "done"}
            reason = str(store.failure(key).get("reason", "neither a result nor a failure could be kept"))
            return {"key": key, "outcome": "failed", "kind": "error", "reason": reason}
        if verdict is not None and verdict[0] == "interrupt":
            stream.unlink(missing_ok=True)
            return {"key": key, "outcome": "interrupted"}
        kind, reason = verdict or ("crash", described_exit(child.returncode))
        facts = failure(order, kind, reason, time.monotonic() - began)
        return {**kept_failure(store, key, {**facts, "printed": _tail(printed)}, stream), "kind": kind}


def _watch(
    child: subprocess.Popen[bytes],
    order: Mapping[str, Any],
    began: float,
    stop: str | None,
    interrupt: Callable[[], bool] | None,
) -> tuple[str, str] | None:
    """Wait for the process; return the kind and the reason why it must be killed, or None if it ended by itself."""
    seconds, memory, looked = order["seconds"], order["memory"], began
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_TICK)
            return None
        now = time.monotonic()
        if interrupt is not None and interrupt():
            return "interrupt", ""
        if seconds is not None and now - began > seconds:
            return "seconds", f"took more than {seconds:g} seconds"
        if now - looked < _MEMORY_TICK:
            continue
        looked = now
        if stop is not None and os.path.exists(stop):
            return "interrupt", ""
        if memory is not None and (excess := excess_memory(child.pid, memory)) is not None:
            return "memory", excess


def _tail(printed: IO[bytes]) -> str:
    printed.seek(0)
    return printed.read().decode(errors="replace")[-_TAIL:]


def leave_with_input() -> None:
    """Kill this process and all its descendants once its standard input ends."""

    def watch() -> None:
        while os.read(0, 4096):
            pass
        end_group()

    threading.Thread(target=watch, daemon=True).start()


def _main() -> None:
    faulthandler.enable()
    line = bytearray()
    while not line.endswith(b"\n"):
        byte = os.read(0, 65536)
        if not byte:
            sys.exit(1)
        line += byte
    asked = json.loads(line)
    leave_with_input()
    make_run(str(Path(asked["folder"])), asked["order"])


if __name__ == "__main__":
    _main()
