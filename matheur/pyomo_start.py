"""How Pyomo is loaded: without what it would load beside."""

from __future__ import annotations

import sys
from importlib import import_module

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
        import pyomo.common.dependencies  # noqa: F401
    finally:
        sys.modules["scipy"] = hidden
