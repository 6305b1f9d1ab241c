"""Compiled estimates that call other compiled estimates through their addresses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from matheur.methods.statespace.pointers import call_estimate, heuristic_function

__all__ = ["largest", "total"]

_BLOCK = 64  # states at a time, so that the parts' results lie on the stack
_INFINITE = 1 << 30  # `INFINITE` of base.py


@intrinsic
def _scratch(_typing: Any) -> Any:
    """Room for `_BLOCK` int32 on the stack of the calling function."""

    def code(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        return cgutils.alloca_once(builder, context.get_value_type(types.int32), size=_BLOCK)

    return types.CPointer(types.int32)(), code


@intrinsic
def _from(_typing: Any, pointer: Any, index: Any) -> Any:
    """The pointer to element `index` (int64) behind a pointer."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.int64), code


@intrinsic
def _numbers(_typing: Any, address: Any) -> Any:
    """The int64 values at an address (int64)."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.int64)(types.int64), code


@heuristic_function
def largest(keys, count, data, out):  # type: ignore[no-untyped-def]
    """The largest of the parts' estimates.

    data: address of this list (int64): words per key, number of parts, then address and data address of each part.
    """
    parts = _numbers(data[0])
    words, many = parts[0], parts[1]
    values = _scratch()
    for first in range(0, count, _BLOCK):
        rows = min(_BLOCK, count - first)
        block = _from(keys, first * words)
        call_estimate(parts[2], block, rows, _numbers(parts[3]), _from(out, first))
        for part in range(1, many):
            call_estimate(parts[2 + 2 * part], block, rows, _numbers(parts[3 + 2 * part]), values)
            for row in range(rows):
                out[first + row] = max(out[first + row], values[row])
    return 0


@heuristic_function
def smallest(keys, count, data, out):  # type: ignore[no-untyped-def]
    """The least of the parts' estimates; data as for `largest`."""
    parts = _numbers(data[0])
    words, many = parts[0], parts[1]
    values = _scratch()
    for first in range(0, count, _BLOCK):
        rows = min(_BLOCK, count - first)
        block = _from(keys, first * words)
        call_estimate(parts[2], block, rows, _numbers(parts[3]), _from(out, first))
        for part in range(1, many):
            call_estimate(parts[2 + 2 * part], block, rows, _numbers(parts[3 + 2 * part]), values)
            for row in range(rows):
                out[first + row] = min(out[first + row], values[row])
    return 0


@heuristic_function
def total(keys, count, data, out):  # type: ignore[no-untyped-def]
    """The sum of the parts' estimates, infinite if one of them is; data as for `largest`."""
    parts = _numbers(data[0])
    words, many = parts[0], parts[1]
    values = _scratch()
    for first in range(0, count, _BLOCK):
        rows = min(_BLOCK, count - first)
        block = _from(keys, first * words)
        call_estimate(parts[2], block, rows, _numbers(parts[3]), _from(out, first))
        for part in range(1, many):
            call_estimate(parts[2 + 2 * part], block, rows, _numbers(parts[3 + 2 * part]), values)
            for row in range(rows):
                both = np.int64(out[first + row]) + np.int64(values[row])
                out[first + row] = min(both, np.int64(_INFINITE))
    return 0
