"""Calls through addresses: how one compiled search serves every domain.

A domain compiles its `expand` and a heuristic its `estimate` as a C function (`numba.cfunc`) with the signatures below.
A search kernel gets the address as a number and calls it. So a search is compiled once, whatever it searches, its
machine code stays in the disk cache, and a new domain costs the compilation of its own few lines
(decision 0010).
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from matheur.kernels import callback

__all__ = [
    "ESTIMATE",
    "EXPAND",
    "call_estimate",
    "call_expand",
    "common_bits",
    "domain_function",
    "heuristic_function",
    "opaque",
    "pointer_to_bytes",
    "pointer_to_floats",
    "pointer_to_integers",
    "pointer_to_smalls",
    "pointer_to_words",
    "popcount",
    "prefetch",
    "trailing_zeros",
]

_words, _numbers, _small = types.CPointer(types.uint64), types.CPointer(types.int64), types.CPointer(types.int32)

EXPAND = types.int64(_words, _numbers, _words, _small, _small)
"""`count = expand(key, data, successors, moves, costs)`: all successors of one state.

`key` is the packed state, `data` the kernel's own numbers; `successors` (one key after the other), `moves` and `costs`
are written. The order of the successors must depend on `key` alone.
"""

ESTIMATE = types.int64(_words, types.int64, _numbers, _small)
"""`estimate(keys, count, data, out)`: lower bounds or guesses of the cost to the goal of `count` packed states."""


def domain_function(function: Any) -> Any:
    """Compile a function of signature `EXPAND`, kept in the disk cache."""
    return callback(EXPAND)(function)


def heuristic_function(function: Any) -> Any:
    """Compile a function of signature `ESTIMATE`, kept in the disk cache."""
    return callback(ESTIMATE)(function)


def _argument(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Arrays are handed over as the address of their first element, numbers as they are."""
    if isinstance(kind, types.Array):
        return context.make_array(kind)(context, builder, value=value).data
    return value


def _call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    values = [_argument(context, builder, kind, value) for kind, value in zip(signature.args, args, strict=True)]
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


@intrinsic
def popcount(_typing: Any, word: Any) -> Any:
    """Number of set bits of a uint64."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), code


@intrinsic
def prefetch(_typing: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of element `index` (int64) of a flat contiguous array; a hint that never faults."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        signature_of_hint = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        hint = cgutils.get_or_insert_function(builder.module, signature_of_hint, "llvm.prefetch.p0")
        place = builder.gep(_argument(context, builder, signature.args[0], args[0]), [args[1]])
        # For reading, to be kept in all levels, data.
        builder.call(hint, [builder.bitcast(place, byte), *(ir.Constant(number, value) for value in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, types.int64), code


@intrinsic
def trailing_zeros(_typing: Any, word: Any) -> Any:
    """Index of the lowest set bit of a uint64, which must not be zero."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), code


@intrinsic
def common_bits(_typing: Any, array: Any, index: Any, word: Any) -> Any:
    """Which of 16 words, from element `index` (uintp) of a flat contiguous array of uint64 on, share a bit with `word`.

    A uint64 with a bit for each of them; a handful of instructions where the processor has vectors.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole, lanes = ir.IntType(64), 16
        vector = ir.VectorType(whole, lanes)
        place = builder.gep(_argument(context, builder, signature.args[0], args[0]), [args[1]])
        words = builder.load(builder.bitcast(place, vector.as_pointer()), align=8)
        first = builder.insert_element(ir.Constant(vector, ir.Undefined), args[2], ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes)
        copies = builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), everywhere)
        zero = ir.Constant(vector, [0] * lanes)
        shared = builder.icmp_unsigned("!=", builder.and_(words, copies), zero)
        return builder.zext(builder.bitcast(shared, ir.IntType(lanes)), whole)

    return types.uint64(array, types.uintp, types.uint64), code


@intrinsic
def opaque(_typing: Any, word: Any) -> Any:
    """A uint64 as it is, of which the compiler knows nothing: what is computed from it stays arithmetic.

    For choices that the processor cannot foresee: LLVM makes a jump of `word & -(flag)` where it sees that the flag
    is a comparison.
    """

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        whole = ir.IntType(64)
        return builder.asm(ir.FunctionType(whole, [whole]), "", "=r,0", [args[0]], False)

    return types.uint64(types.uint64), code
