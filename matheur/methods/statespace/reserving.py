"""Addresses for arrays that fill up as a search goes on: as many as it may use, or as many as there are.

An array that is not written takes addresses and no memory, so a search reserves at once what it may ever use, and
nothing is copied when it grows. Where a process may have few addresses (`ulimit -v`, batch systems, strict
overcommit) it gets fewer, and the search ends sooner for lack of memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["reserve_addresses"]

T = TypeVar("T")

_LEAST = 1 << 16  # bytes: who cannot have these has no memory at all


def reserve_addresses(most: int, make: Callable[[int], T]) -> tuple[T, int]:
    """What `make` makes of the largest number of bytes up to `most` for which there are addresses.

    Parameters
    ----------
    most
        Bytes that the search may use.
    make
        Makes the arrays for a number of bytes; a `MemoryError` says that there are too few addresses.

    Returns
    -------
    tuple
        The arrays and their bytes: `most`, or half of what was possible, so that others find addresses as well.

    Raises
    ------
    MemoryError
        If there are no addresses even for a few states.
    """
    size, short = most, False
    while True:
        try:
            made = make(size)
        except MemoryError:
            if size <= _LEAST:
                raise
            size, short = max(_LEAST, size // 2), True
            continue
        if not short:
            return made, size
        del made
        size, short = max(min(_LEAST, size), size // 2), False
