"""Processes whose parent was killed become children of this one, so that their CPU time is counted (Linux)."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["adopted_orphans", "reap_group"]

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER


@contextmanager
def adopted_orphans() -> Iterator[None]:
    """Context in which orphans among the descendants of this process become its children; `reap_group` waits for them.

    It must be short: a watcher that has to survive this process (`matheur.engine.watcher`) is an orphan on purpose.
    """
    _adopt(True)
    try:
        yield
    finally:
        _adopt(False)


def _adopt(on: bool) -> None:
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SUBREAPER, int(on), 0, 0, 0)


def reap_group(group: int) -> None:
    """Wait for the children of this process in a killed process group; the system then counts their CPU time."""
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-group, 0)
