"""What worker processes do in tests: it has to live in a module that they can import."""

from __future__ import annotations

import os
import signal
import time

PATIENCE = 60.0


def number_of_process() -> int:
    """Which process this is."""
    return os.getpid()


def die(number: int) -> None:
    """End the process by a signal."""
    os.kill(os.getpid(), number)
    time.sleep(PATIENCE)


def leave(code: int) -> None:
    """End the process with an exit code."""
    os._exit(code)


def wait_long(*_: object) -> None:
    """Do nothing until somebody ends it, with a child that does the same."""
    if os.fork() == 0:
        signal.pause()
    signal.pause()


def take(megabytes: int) -> None:
    """Hold memory until somebody ends it."""
    held = bytearray(os.urandom(1) * (megabytes << 20))
    signal.pause()
    del held


def refuse(text: str) -> None:
    """Raise."""
    raise ValueError(text)
