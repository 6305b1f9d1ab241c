"""Memory of a process."""

from __future__ import annotations

from pathlib import Path

__all__ = ["private_memory"]


def private_memory() -> float:
    """Bytes that only this process uses; 0 if the operating system does not report them."""
    try:
        lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(1024.0 * int(line.split()[1]) for line in lines if line.startswith("Private_"))
