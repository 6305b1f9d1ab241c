"""How much memory a process and its children hold."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path

__all__ = ["end_group", "excess_memory", "resident_bytes"]

_PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def end_group() -> None:
    """End this process, and all that it has started if it leads a process group of its own."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


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
    """What is wrong if a process and all that it has started hold more than so many bytes, else None."""
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
