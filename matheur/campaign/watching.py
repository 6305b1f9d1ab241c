"""How much memory a process and all that it has started hold, and how they end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path

__all__ = ["end_group", "end_tree", "excess_memory", "resident_bytes"]

_PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def end_group() -> None:
    """End this process and all that it has started."""
    for child in _tree(os.getpid())[1:]:
        _send(child, signal.SIGSTOP)
    for child in reversed(_tree(os.getpid())[1:]):
        _send(child, signal.SIGKILL)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


def end_tree(process: int) -> None:
    """End a process that leads a group of its own, and all that it has started, in whatever groups and sessions.

    The process itself must not have been waited for: its number could be another one's.

    Notes
    -----
    All are stopped first, until none is found that was not, so that nobody starts another one meanwhile. Where there
    is no `/proc`, the group ends, and what has left it does not.
    """
    stopped: set[int] = set()
    while new := set(_tree(process)) - stopped:
        for one in new:
            _send(one, signal.SIGSTOP)
        stopped |= new
    for one in stopped - {process}:
        _send(one, signal.SIGKILL)
    with contextlib.suppress(OSError):  # it may have ended, or not lead a group yet
        if os.getpgid(process) == process:
            os.killpg(process, signal.SIGKILL)
    _send(process, signal.SIGKILL)


def _send(process: int, number: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.kill(process, number)


def resident_bytes(process: int, limit: int | None = None) -> int:
    """Bytes of resident memory of a process and all that it has started, 0 if it is gone.

    Parameters
    ----------
    process
        Its number.
    limit
        Pages that forked children share are counted once only if the sum is above this (it takes longer).

    Notes
    -----
    From `/proc` on Linux, elsewhere from `ps`.
    """
    if not (_PROC / "self" / "statm").exists():
        return _from_ps(process)
    tree = _tree(process)
    total = sum(_resident(one) for one in tree)
    if limit is not None and total > limit and len(tree) > 1:
        total = sum(_proportional(one) for one in tree)
    return total


def excess_memory(process: int, limit: int) -> str | None:
    """What is wrong if a process and all that it has started hold more than `limit` bytes, else None."""
    used = resident_bytes(process, limit)
    return None if used <= limit else f"used {used / 1e9:.2f} GB, more than {limit / 1e9:.2f} GB"


def _tree(process: int) -> list[int]:
    found, waiting = [], [process]
    while waiting:
        one = waiting.pop()
        found.append(one)
        with contextlib.suppress(OSError):
            for thread in (_PROC / str(one) / "task").iterdir():
                waiting += [int(child) for child in (thread / "children").read_text().split()]
    return found


def _resident(process: int) -> int:
    try:
        return int((_PROC / str(process) / "statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _proportional(process: int) -> int:
    """Shared pages divided by those who share them; resident bytes where the system does not tell."""
    try:
        lines = (_PROC / str(process) / "smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    except (OSError, StopIteration, ValueError):
        return _resident(process)


def _from_ps(process: int) -> int:
    done = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,rss="], capture_output=True, text=True, check=False)
    rows = [tuple(map(int, line.split())) for line in done.stdout.splitlines() if len(line.split()) == 3]
    family = {process}
    grown = True
    while grown:
        more = {pid for pid, parent, _ in rows if parent in family} - family
        family |= more
        grown = bool(more)
    return sum(resident * 1024 for pid, _, resident in rows if pid in family)
