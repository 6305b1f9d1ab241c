"""Import of Pyomo without additional modules that it does not need."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

__all__ = ["start_pyomo"]


def start_pyomo() -> None:
    """Run Pyomo's detection of optional packages before any other import of Pyomo; further calls do nothing.

    Pyomo imports scipy.stats and other modules, which takes about 0.3 seconds, as soon as any part of scipy is loaded:
    immediately if scipy is loaded already, otherwise by watching imports. This function hides scipy meanwhile, so that
    neither happens and Pyomo imports these modules when it needs them.
    """
    if "pyomo.common.dependencies" in sys.modules:
        return
    hidden = import_module("scipy")
    del sys.modules["scipy"]
    try:
        with _locks_without_room():
            import pyomo.common.dependencies  # noqa: F401
    finally:
        sys.modules["scipy"] = hidden


@contextmanager
def _locks_without_room() -> Iterator[None]:
    """Let Pyomo create its lock even if there is no space for a named semaphore, as on a full `/dev/shm`.

    Pyomo uses the lock for output from several processes. matheur's processes do not share their output.
    """
    import multiprocessing
    from multiprocessing.dummy import Lock

    make: Any = multiprocessing.Lock

    def lock() -> Any:
        try:
            return make()
        except OSError:
            return Lock()

    multiprocessing.Lock = lock
    try:
        yield
    finally:
        multiprocessing.Lock = make
