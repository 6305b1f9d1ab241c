"""Memory use and termination of a process and all its descendants."""

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
    """Kill this process and all its descendants."""
    for child in _tree(os.getpid())[1:]:
        _send(child, signal.SIGSTOP)
    for child in reversed(_tree(os.getpid())[1:]):
        _send(child, signal.SIGKILL)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


def end_tree(process: int) -> None:
    """Kill a process that leads its own group, and all its descendants in any group or session.

    The process must not have been waited for, since its number could belong to another process by now.

    Notes
    -----
    All processes are stopped first, until no new ones are found, so that none can start another one in the meantime.
    Without `/proc`, only the members of the group are killed, not processes that have left it.
    """
    stopped: set[int] = set()
    while new := set(_tree(process)) - stopped:
        for one in new:
            _send(one, signal.SIGSTOP)
        stopped |= new
    for one in stopped - {process}:
        _send(one, signal.SIGKILL)
    with contextlib.suppress(OSError):  # it may have ended, or may not lead a group yet
        if os.getpgid(process) == process:
            os.killpg(process, signal.SIGKILL)
    _send(process, signal.SIGKILL)


def _send(process: int, number: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.kill(process, number)


def resident_bytes(process: int, limit: int | None = None) -> int:
    """Bytes of resident memory of a process and all its descendants; 0 if it has ended.

    Parameters
    ----------
    process
        Number of the process.
    limit
        Only if the sum exceeds this limit, pages that forked children share are counted once, which takes longer.

    Notes
    -----
    The values come from `/proc` on Linux, elsewhere from `ps`.
    """
    if not (_PROC / "self" / "statm").exists():
        return _from_ps(process)
    tree = _tree(process)
    total = sum(_resident(one) for one in tree)
    if limit is not None and total > limit and len(tree) > 1:
        total = sum(_proportional(one) for one in tree)
    return total


def excess_memory(process: int, limit: int) -> str | None:
    """Message if a process and all its descendants use more than `limit` bytes, else None."""
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
    """Proportional set size, which divides shared pages among their users; resident bytes if it is unknown."""
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
