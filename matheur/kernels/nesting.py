"""Efficient compilation of kernels that other kernels call.

numba compiles a function for each combination of argument types, and treats each constant as a type: `f(x, 1)` and
`f(x, 2)` give two functions. Each also gets a wrapper for calls from Python, which for a tuple of thirty arrays takes
longer to compile than the function. Neither is useful inside another kernel. So a kernel has a second dispatcher for
calls from other kernels: it creates no wrappers, and treats constants and narrow signed integers as 64-bit integers.

This module replaces the two methods through which numba's type inference and lowering request a function. If a later
version uses others, kernels are compiled as by plain numba.
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
    """Add to a kernel the dispatcher for calls from other kernels.

    Parameters
    ----------
    compiled
        The dispatcher for calls from Python.
    function
        The Python function.
    make
        Function that creates a dispatcher, given options of numba in addition to the kernel's own.
    """
    inner: list[Any] = []

    def bare() -> Any:
        if not inner:
            inner.append(make(**_BARE))
            if not getattr(compiled._cache, "_enabled", True):
                inner[0]._cache.disable()
            if hasattr(compiled, "_compiling_counter"):  # by which numba recognises recursion
                inner[0]._compiling_counter = compiled._compiling_counter
        return inner[0]

    def get_call_template(args: Any, kws: Any) -> Any:
        signature, folded = compiled.fold_argument_types(args, kws)
        try:
            template, _, found, none = type(compiled).get_call_template(bare(), [_widened(one) for one in folded], {})
        except NumbaError:  # the function may need a constant, such as the index of a tuple
            template, _, found, none = type(compiled).get_call_template(bare(), folded, {})
        return template, signature, found, none

    def get_overload(signature: Any) -> Any:
        return type(compiled).get_overload(bare(), signature)

    compiled.get_call_template = get_call_template
    compiled.get_overload = get_overload


_WIDTH = 64  # bits of the integers in compiled kernels


def _widened(one: Any) -> Any:
    """The type used for compilation: 64-bit integers for constants and narrow signed integers."""
    if isinstance(one, types.IntegerLiteral | types.BooleanLiteral):
        one = unliteral(one)
    signed = isinstance(one, types.Integer) and getattr(one, "signed", False)
    return types.int64 if signed and getattr(one, "bitwidth", _WIDTH) < _WIDTH else one
