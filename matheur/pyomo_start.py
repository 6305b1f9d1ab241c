"""How Pyomo is loaded: without the modules that it would load in addition."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

__all__ = ["start_pyomo"]


def start_pyomo() -> None:
    """Let Pyomo look around for optional packages, before anything of it is imported; the second call does nothing.

    Pyomo loads scipy.stats and more, some 0.3 seconds, as soon as anybody loads any of scipy. If it finds scipy loaded
    at its own start it does so at once; if it finds none, it watches imports. Here it is hidden, so that neither
    happens and Pyomo loads those when it needs them.
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
    """Let Pyomo make its lock also where there is no room for a named semaphore, as on a full `/dev/shm`.

    It is for printing from several processes at a time. Ours have no output in common.
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
