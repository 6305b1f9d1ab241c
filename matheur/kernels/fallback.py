"""Cache for versions of numba without the private classes that `matheur.kernels.caching` uses.

It is numba's own cache, in a folder whose name contains a digest of all source files of the package. A change in any of
them recompiles all kernels, so machine code is never out of date, but is compiled more often than necessary.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import config

from matheur.kernels.folders import private_folder, writable
from matheur.kernels.sources import package_digest

__all__ = ["attach", "cached_callback", "package_cache"]


def attach(compiled: Any, function: Any, options: dict[str, Any]) -> bool:
    """Replacement for `caching.attach` that attaches no cache."""
    return False


def cached_callback(function: Any, signature: Any, options: dict[str, Any]) -> Any:
    """Replacement for `caching.cached_callback` that provides no cache."""
    return None


@contextmanager
def package_cache(function: Any) -> Iterator[Path | None]:
    """Context in which numba uses a cache folder specific to the current sources of the package of `function`.

    Yields
    ------
    Path or None
        The folder; None if there is no writable place for it.
    """
    digest = sha256((package_digest(__name__) + package_digest(function.__module__)).encode()).hexdigest()[:20]
    name = f"matheur-{digest}"
    given, source = config.CACHE_DIR, Path(function.__code__.co_filename)
    places = [Path(given)] if given else []
    places += [source.parent / "__pycache__", Path("~/.cache/numba").expanduser()]
    folder = next((place / name for place in places if source.exists() and writable(place / name)), None)
    if folder is None and (private := private_folder()) is not None:
        folder = private / name
    if folder is None:
        yield None
        return
    config.CACHE_DIR = str(folder)
    try:
        yield folder
    finally:
        config.CACHE_DIR = given
