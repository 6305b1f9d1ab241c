"""Why a solver's process died: its signal or exit code, and the last lines of its standard error."""

from __future__ import annotations

import os
import signal
import traceback
from pathlib import Path

__all__ = ["LastWords", "how_it_died", "in_words"]

KEPT = 4096  # bytes


class LastWords:
    """The end of the child's standard error."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.text = ""
        self.open = True
        os.set_blocking(descriptor, False)

    def read(self) -> None:
        """Read the available output."""
        while self.open:
            try:
                data = os.read(self.descriptor, 1 << 16)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            self.open = bool(data)
            self.text = (self.text + data.decode(errors="replace"))[-KEPT:]

    def after(self, how: str) -> str:
        """How the child died, and its last lines if there are any."""
        lines = [" ".join(line.split()) for line in self.text.splitlines() if line.strip()]
        last = " | ".join(lines[-3:])[-300:]
        return f"{how}; it said: {last}" if last else how


def in_words(error: BaseException) -> str:
    """An error in one line: its type, its message, and where it was raised."""
    said = " ".join(str(error).split())
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return (f"{type(error).__name__}: {said}" if said else type(error).__name__) + where


def how_it_died(code: int | None) -> str:
    """How a process died, in words: a signal by its name, else the exit code.

    Parameters
    ----------
    code
        Its exit code, the negative signal if one killed it; None if unknown.
    """
    if code is None:
        return "exit code unknown: something else in this program has collected it"
    if code >= 0:
        return f"exit code {code}"
    try:
        how = f"signal {-code}, {signal.Signals(-code).name}"
    except ValueError:
        how = f"signal {-code}"
    if -code != signal.SIGKILL:
        return how
    return f"{how}: out of memory" if _killed_for_memory() else f"{how}: maybe out of memory"


def _killed_for_memory() -> bool:
    """Whether the operating system has killed a process for lack of memory since the last call."""
    global _memory_kills
    before, _memory_kills = _memory_kills, _count_memory_kills()
    return _memory_kills > before


def _count_memory_kills() -> int:
    """Number of kills by the operating system for lack of memory; 0 if it does not count them (Linux does)."""
    try:
        with open("/proc/vmstat", "rb") as counters:
            return next((int(line.split()[1]) for line in counters if line.startswith(b"oom_kill ")), 0)
    except OSError:
        return 0


_memory_kills = _count_memory_kills()
