"""The cache for a version of numba in which the classes that `matheur.kernels.caching` builds on have moved.

numba's own cache is used, in a folder that is named by a digest of all source files of the package: a change of any of
them makes all kernels compile again, so machine code is never stale, only made more often.
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
    """In the place of `caching.attach`: no cache of our own."""
    return False


def cached_callback(function: Any, signature: Any, options: dict[str, Any]) -> Any:
    """In the place of `caching.cached_callback`: no cache of our own."""
    return None


@contextmanager
def package_cache(function: Any) -> Iterator[Path | None]:
    """While entered, numba looks for caches in a folder for this very state of the package of `function`.

    Yields
    ------
    Path or None
        The folder; None if no place for it can be written to.
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
