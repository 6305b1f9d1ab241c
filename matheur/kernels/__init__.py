"""Compiled functions: every kernel of matheur is made by `kernel`, every C callback by `callback`.

Both wrap numba (`njit`, `cfunc`) with the project's settings: nopython mode, no global interpreter lock, machine code
kept in numba's disk cache. Importing this package imports numba; `import matheur` does not import it.
"""

from __future__ import annotations

from typing import Any

from numba import cfunc, njit

__all__ = ["callback", "kernel"]


def kernel(function: Any = None, /, **options: Any) -> Any:
    """Compile a function on its first call, and keep its machine code in the disk cache.

    Used as `@kernel` or, with options of `numba.njit`, as `@kernel(inline="always")`.

    Parameters
    ----------
    function
        The function; None while the decorator gets its options.
    **options
        Options of `numba.njit`. `nogil=True` is the default.

    Returns
    -------
    numba dispatcher
        As `numba.njit` returns it.
    """
    options = {"nogil": True, **options}
    if function is None:
        return lambda inner: kernel(inner, **options)
    return njit(cache=True, **options)(function)


def callback(signature: Any, **options: Any) -> Any:
    """Compile a function at once into a C callback (`numba.cfunc`), kept in the disk cache.

    Parameters
    ----------
    signature
        Signature of numba, with types and the result's type.
    **options
        Options of `numba.cfunc`.

    Returns
    -------
    decorator
        Makes a `numba` C callback with an `address` of a function.
    """
    return cfunc(signature, cache=True, **options)
