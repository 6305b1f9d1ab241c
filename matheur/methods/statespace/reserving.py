"""Reservation of addresses for arrays that fill up during a search: as many as it may use, or as many as available.

An unwritten array takes addresses but no memory, so a search reserves its maximum size at once, and nothing is copied
when it grows. If the address space is limited (`ulimit -v`, batch systems, strict overcommit), it gets less, and the
search ends sooner for lack of memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["reserve_addresses"]

T = TypeVar("T")

_LEAST = 1 << 16  # bytes: who cannot have these has no memory at all


def reserve_addresses(most: int, make: Callable[[int], T]) -> tuple[T, int]:
    """Result of `make` for the largest number of bytes up to `most` for which addresses are available.

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
