"""Kernels that are called by other kernels: compiled once, and for nothing but that.

numba compiles a function for each combination of types with which it is called, and takes constants for types of their
own: `f(x, 1)` and `f(x, 2)` give two functions. Each also gets a wrapper for calls from Python, which for a tuple of
thirty arrays takes longer to compile than the function. Neither is of use inside another kernel. So a kernel has a
second dispatcher, which other kernels get when they are compiled: it makes no wrappers, and takes constants and narrow
signed integers for 64-bit integers.

The two methods that are replaced here are those by which numba's type inference and lowering ask for a function. Should
they be called otherwise in a later version, kernels are compiled as numba does it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.core.errors import NumbaError
from numba.core.types.misc import unliteral

__all__ = ["nest"]

_BARE = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def nest(compiled: Any, function: Any, make: Callable[..., Any]) -> None:
    """Give a kernel the dispatcher that other kernels get.

    Parameters
    ----------
    compiled
        The dispatcher that Python calls.
    function
        The Python function.
    make
        Makes a dispatcher of the function, given options of numba on top of the kernel's own.
    """
    inner: list[Any] = []

    def bare() -> Any:
        if not inner:
            inner.append(make(**_BARE))
            if not getattr(compiled._cache, "_enabled", True):
                inner[0]._cache.disable()
            if hasattr(compiled, "_compiling_counter"):  # by which numba knows a function that calls itself
                inner[0]._compiling_counter = compiled._compiling_counter
        return inner[0]

    def get_call_template(args: Any, kws: Any) -> Any:
        signature, folded = compiled.fold_argument_types(args, kws)
        try:
            template, _, found, none = type(compiled).get_call_template(bare(), [_widened(one) for one in folded], {})
        except NumbaError:  # maybe the function has to know a constant, such as the index of a tuple
            template, _, found, none = type(compiled).get_call_template(bare(), folded, {})
        return template, signature, found, none

    def get_overload(signature: Any) -> Any:
        return type(compiled).get_overload(bare(), signature)

    compiled.get_call_template = get_call_template
    compiled.get_overload = get_overload


_WIDTH = 64  # bits of the integers for which kernels are compiled


def _widened(one: Any) -> Any:
    """The type for which a kernel is compiled: constants and narrow signed integers are 64-bit integers."""
    if isinstance(one, types.IntegerLiteral | types.BooleanLiteral):
        one = unliteral(one)
    signed = isinstance(one, types.Integer) and getattr(one, "signed", False)
    return types.int64 if signed and getattr(one, "bitwidth", _WIDTH) < _WIDTH else one
