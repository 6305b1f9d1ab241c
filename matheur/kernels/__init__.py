"""Compiled functions: `kernel` creates every kernel of matheur, `callback` every C callback.

Both wrap numba (`njit`, `cfunc`) with the project's settings: nopython mode, no global interpreter lock, machine code
cached on disk. numba's own disk cache detects a change in the file of the called function, but not a change in what
that function uses from other files. This cache detects both (`matheur.kernels.dependencies`), so a kernel may call
kernels and intrinsics of other modules and read their constants.

Importing this package imports numba; `import matheur` does not. After the import, `matheur.compiling` records every
compilation of a kernel and its duration.
"""

from __future__ import annotations

import gc
from typing import Any

from numba import cfunc, njit
from numba.core.event import Event, Listener, register

from matheur.compiling import compilation
from matheur.kernels.fallback import package_cache
from matheur.kernels.nesting import nest

try:
    from matheur.kernels.caching import attach, cached_callback
except (ImportError, AttributeError):  # pragma: no cover (this version of numba has moved its private classes)
    from matheur.kernels.fallback import attach, cached_callback

__all__ = ["callback", "kernel"]


class _Watch(Listener):
    """Reports compilations of kernels to `compilation`; numba's internal functions count as part of a kernel.

    The garbage collector is disabled during a compilation: the compiler creates millions of objects that live until
    it ends, and scanning them repeatedly takes an eighth of its time.
    """

    def __init__(self) -> None:
        self._depth = 0  # nesting depth of the compilations for which the collector was disabled

    def on_start(self, event: Event) -> None:
        if self._depth or gc.isenabled():
            self._depth += 1
            gc.disable()
        if not _of_numba(event):
            compilation.begin()

    def on_end(self, event: Event) -> None:
        if not _of_numba(event):
            compilation.end()
        if self._depth:
            self._depth -= 1
            if self._depth == 0:
                gc.enable()


def _of_numba(event: Event) -> bool:
    return str(event.data["dispatcher"].py_func.__module__).startswith("numba.")


register("numba:compile", _Watch())


def kernel(function: Any = None, /, **options: Any) -> Any:
    """Compile a function on its first call, and cache its machine code on disk.

    Used as `@kernel` or, with options of `numba.njit`, as `@kernel(inline="always")`. The decorator itself accesses no
    file: the cache is opened at the first call.

    Parameters
    ----------
    function
        The function; None if the decorator is called with options.
    **options
        Options of `numba.njit`. `nogil=True` is the default.

    Returns
    -------
    numba dispatcher
        The result of `numba.njit`.
    """
    options = {"nogil": True, "no_cfunc_wrapper": True, **options}
    if function is None:
        return lambda inner: kernel(inner, **options)
    compiled = _dispatcher(function, options)
    if compiled is not function:
        nest(compiled, function, lambda **more: _dispatcher(function, {**options, **more}))
    return compiled


def _dispatcher(function: Any, options: dict[str, Any]) -> Any:
    compiled = njit(**options)(function)
    if attach(compiled, function, options):
        return compiled
    with package_cache(function) as folder:
        return njit(cache=folder is not None, **options)(function)


def callback(signature: Any, **options: Any) -> Any:
    """Compile a function immediately into a C callback (`numba.cfunc`), and cache its machine code on disk.

    Everything that the function uses must be defined before it.

    Parameters
    ----------
    signature
        numba signature with the types of the arguments and of the result.
    **options
        Options of `numba.cfunc`.

    Returns
    -------
    decorator
        Decorator that returns a numba C callback; its `address` is the address of the compiled function.
    """

    def decorate(function: Any) -> Any:
        compiled = cached_callback(function, signature, options)
        if compiled is not None:
            return compiled
        with package_cache(function) as folder:
            return cfunc(signature, cache=folder is not None, **options)(function)

    return decorate
