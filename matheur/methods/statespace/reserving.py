"""Reservation of addresses for arrays that fill up during a search: as many as it may use, or as many as available.

An unwritten array takes addresses but no memory, so a search reserves its maximum size at once, and nothing is copied
when the array grows. If the address space is limited (`ulimit -v`, batch systems, strict overcommit), the search gets
less, and runs out of memory sooner.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["reserve_addresses"]

T = TypeVar("T")

_LEAST = 1 << 16  # bytes: if even these are unavailable, there is no memory


def reserve_addresses(most: int, make: Callable[[int], T]) -> tuple[T, int]:
    """Result of `make` for the largest number of bytes up to `most` for which addresses are available.

    Parameters
    ----------
    most
        Bytes that the search may use.
    make
        Function that makes the arrays for a number of bytes; a `MemoryError` means that there are too few addresses.

    Returns
    -------
    tuple
        The arrays and their bytes: `most`, or half of the possible number, which leaves addresses for others.

    Raises
    ------
    MemoryError
        If addresses are lacking even for a few states.
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
