"""Suppress the banner that the first HiGHS of a process prints (from highspy 1.16 on)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from functools import cache
from importlib.util import find_spec

from matheur.pyomo_turn import in_turn

__all__ = ["swallow_banner"]


@in_turn  # also where Pyomo is not used: it has standard output
@cache
def swallow_banner() -> None:
    """Create the first HiGHS of this process, with standard output redirected meanwhile."""
    if find_spec("highspy") is None:
        return
    import highspy

    flush()
    try:
        kept = os.dup(1)
    except OSError:  # there is no standard output
        highspy.Highs()
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        highspy.Highs()
        flush()
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def flush() -> None:
    """Flush the buffers of Python and the C library for standard output."""
    with contextlib.suppress(AttributeError, OSError, ValueError):
        sys.stdout.flush()
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).fflush(None)
