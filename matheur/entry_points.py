"""Entry points of installed packages, read once: that takes 10 ms and more with a hundred packages."""

from __future__ import annotations

from functools import cache
from importlib import metadata

__all__ = ["entry_points"]


@cache
def _all() -> metadata.EntryPoints:
    return metadata.entry_points()


def entry_points(*, group: str) -> metadata.EntryPoints:
    """The entry points of a group."""
    return _all().select(group=group)
