"""The version that a solver's program prints."""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from functools import cache

__all__ = ["said_version"]

_SECONDS = 5.0  # time limit for a program to print its version
_BYTES = 1 << 16


@cache
def said_version(program: str, arguments: tuple[str, ...]) -> str:
    """The version that a program prints; empty if it does not end soon, prints too much, or prints no version."""
    try:
        with subprocess.Popen(
            [program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as asked:  # fmt: skip
            try:
                said, ended = _read_for(asked, _SECONDS)
            finally:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(asked.pid, signal.SIGKILL)
    except OSError:
        return ""
    numbers = re.search(r"\d+(\.\d+)+|devel|trunk", said, re.IGNORECASE)
    return numbers.group() if ended and numbers else ""


def _read_for(asked: subprocess.Popen[bytes], seconds: float) -> tuple[str, bool]:
    """The output of a program within the given seconds, and whether it has ended by then."""
    assert asked.stdout is not None
    said, limit = b"", time.monotonic() + seconds
    with selectors.DefaultSelector() as ready:
        ready.register(asked.stdout, selectors.EVENT_READ)
        while len(said) < _BYTES and ready.select(max(0.0, limit - time.monotonic())):
            data = os.read(asked.stdout.fileno(), _BYTES)
            if not data:
                return said.decode(errors="replace"), True
            said += data
    return said.decode(errors="replace"), False
