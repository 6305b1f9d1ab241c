"""Calls through addresses: one compiled search serves every domain.

A domain compiles its `expand` and a heuristic its `estimate` as a C function (`numba.cfunc`) with the signatures below.
A search kernel gets the address as a number and calls it. A search is therefore compiled once for all domains, its
machine code stays in the disk cache, and a new domain costs only the compilation of its own few lines (decision 0010).
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from matheur.kernels import callback
from matheur.kernels.intrinsics import address_of

__all__ = [
    "ESTIMATE",
    "EXPAND",
    "call_estimate",
    "call_expand",
    "domain_function",
    "heuristic_function",
    "pointer_to_bytes",
    "pointer_to_floats",
    "pointer_to_integers",
    "pointer_to_smalls",
    "pointer_to_words",
]

_words, _numbers, _small = types.CPointer(types.uint64), types.CPointer(types.int64), types.CPointer(types.int32)

EXPAND = types.int64(_words, _numbers, _words, _small, _small)
"""`count = expand(key, data, successors, moves, costs)`: all successors of one state.

`key` is the packed state, `data` the kernel's own numbers; `successors` (concatenated keys), `moves` and `costs` are
written. The order of the successors must depend on `key` alone.
"""

ESTIMATE = types.int64(_words, types.int64, _numbers, _small)
"""`estimate(keys, count, data, out)`: estimates or lower bounds of the cost to the goal for `count` packed states."""


def domain_function(function: Any) -> Any:
    """Compile a function of signature `EXPAND`, kept in the disk cache."""
    return callback(EXPAND)(function)


def heuristic_function(function: Any) -> Any:
    """Compile a function of signature `ESTIMATE`, kept in the disk cache."""
    return callback(ESTIMATE)(function)


def _call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    values = [address_of(context, builder, kind, value) for kind, value in zip(signature.args, args, strict=True)]
    function = ir.FunctionType(ir.IntType(64), [value.type for value in values[1:]])
    return builder.call(builder.inttoptr(values[0], function.as_pointer()), values[1:])


@intrinsic
def call_expand(_typing: Any, address: Any, key: Any, data: Any, successors: Any, moves: Any, costs: Any) -> Any:
    """Call an `EXPAND` function by its address (int64) on C-contiguous arrays; returns the number of successors."""
    return types.int64(types.int64, key, data, successors, moves, costs), _call


@intrinsic
def call_estimate(_typing: Any, address: Any, keys: Any, count: Any, data: Any, out: Any) -> Any:
    """Call an `ESTIMATE` function by its address (int64) on C-contiguous arrays."""
    return types.int64(types.int64, keys, types.int64, data, out), _call


def _pointer(target: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(target)(types.int64), code


@intrinsic
def pointer_to_bytes(_typing: Any, address: Any) -> Any:
    """The uint8 values at an address (int64)."""
    return _pointer(types.uint8)


@intrinsic
def pointer_to_floats(_typing: Any, address: Any) -> Any:
    """The float32 values at an address (int64)."""
    return _pointer(types.float32)


@intrinsic
def pointer_to_integers(_typing: Any, address: Any) -> Any:
    """The int64 values at an address (int64)."""
    return _pointer(types.int64)


@intrinsic
def pointer_to_smalls(_typing: Any, address: Any) -> Any:
    """The int8 values at an address (int64)."""
    return _pointer(types.int8)


@intrinsic
def pointer_to_words(_typing: Any, address: Any) -> Any:
    """The uint64 values at an address (int64)."""
    return _pointer(types.uint64)
