"""Memory use of running processes.

    python benchmarks/memory.py PID

The script prints every few seconds the time since its start, and the MiB of the process and all its descendants.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["PARTS", "by_part", "resident", "watched"]

PARTS = 12
"""Into which the time is cut in tables."""
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PAUSE = 5.0  # seconds between two samples

Look = tuple[float, float]
"""Seconds, MiB."""


def resident() -> float:
    """MiB used by this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE / 2**20


def memory_of(root: int, without: int) -> float:
    """MiB used by a process and all its descendants but one; shared pages count in proportion."""
    parents: dict[int, list[int]] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                fields = (place / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(place.name))
    waiting, total = [root], 0.0
    while waiting:
        one = waiting.pop()
        if one == without:
            continue
        waiting += parents.get(one, [])
        try:
            lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    return total


@contextmanager
def watched(root: int) -> Iterator[list[Look]]:
    """Watch a process and its descendants from a separate process; the list is filled at the end."""
    looks: list[Look] = []
    command = [sys.executable, __file__, str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watch:
        try:
            yield looks
        finally:
            watch.terminate()
            printed, _ = watch.communicate()
            lines = printed.splitlines(keepends=True)
            looks += [(float(one[0]), float(one[1])) for one in (line.split() for line in lines if line[-1] == "\n")]


def by_part(looks: list[Look], seconds: float) -> list[tuple[float, float, float, float]]:
    """Begin and end of each part of the time, with the minimum and maximum MiB in it."""
    rows = []
    for part in range(PARTS):
        begin, end = (seconds * edge / PARTS for edge in (part, part + 1))
        own = [figure for moment, figure in looks if begin <= moment < end and figure > 0]
        if own:
            rows.append((begin, end, min(own), max(own)))
    return rows


def main() -> None:
    """Watch until the process ends or this script is stopped."""
    root, began = int(sys.argv[1]), time.monotonic()
    while Path(f"/proc/{root}").exists():
        print(f"{time.monotonic() - began:.1f} {memory_of(root, os.getpid()):.1f}", flush=True)
        time.sleep(_PAUSE)


if __name__ == "__main__":
    main()
