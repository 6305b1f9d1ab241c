"""Compiled functions: every kernel of matheur is made by `kernel`, every C callback by `callback`.

Both wrap numba (`njit`, `cfunc`) with the project's settings: nopython mode, no global interpreter lock, machine code
kept on disk. numba's own disk cache notices a change of the file of the function that is called, but not a change of
what that function uses from other files. The cache here notices both (`matheur.kernels.dependencies`), so a kernel may
call kernels and intrinsics of other modules and read their constants.

Importing this package imports numba; `import matheur` does not import it. From then on `matheur.compiling` knows of
every kernel that is compiled, and for how long.
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
except (ImportError, AttributeError):  # pragma: no cover (a version of numba in which the private classes have moved)
    from matheur.kernels.fallback import attach, cached_callback

__all__ = ["callback", "kernel"]


class _Watch(Listener):
    """Tells `compilation` of kernels; what numba compiles for itself is part of the kernel that needs it.

    Meanwhile the garbage collector rests: the compiler makes millions of objects that live as long as it runs, and
    looking through them again and again takes an eighth of its time.
    """

    def __init__(self) -> None:
        self._depth = 0  # of compilations inside of each other for which the collector was turned off

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
    """Compile a function on its first call, and keep its machine code on disk.

    Used as `@kernel` or, with options of `numba.njit`, as `@kernel(inline="always")`. The decorator itself touches no
    file: the cache is looked for at the first call.

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
    """Compile a function at once into a C callback (`numba.cfunc`), and keep its machine code on disk.

    What the function uses must be defined above it.

    Parameters
    ----------
    signature
        Signature of numba, with the types of the arguments and of the result.
    **options
        Options of `numba.cfunc`.

    Returns
    -------
    decorator
        It returns a C callback of numba, whose `address` is that of the compiled function.
    """

    def decorate(function: Any) -> Any:
        compiled = cached_callback(function, signature, options)
        if compiled is not None:
            return compiled
        with package_cache(function) as folder:
            return cfunc(signature, cache=folder is not None, **options)(function)

    return decorate
