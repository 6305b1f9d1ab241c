"""Processor on which a row was made."""

from __future__ import annotations

import platform
import re
from pathlib import Path
from typing import Any

__all__ = ["FIRST", "processor", "processors"]

FIRST = "AMD EPYC"
"""Of rows that do not say: the oldest ones."""


def processor() -> str:
    """Processor model of this machine."""
    try:
        names = re.findall(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        names = []
    return re.sub(r"\(R\)|\(TM\)| Processor|  +", "", names[0]).strip() if names else platform.machine()


def processors(rows: list[dict[str, Any]]) -> str:
    """Processors of the given rows."""
    return ", ".join(sorted({row.get("processor", FIRST) for row in rows}))
