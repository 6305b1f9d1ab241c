"""Instructions of the processor for which Python has no word, as functions that kernels call."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["address_of", "common_bits", "opaque", "popcount", "prefetch", "trailing_zeros"]


def address_of(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Arrays are handed over as the address of their first element, numbers as they are."""
    if isinstance(kind, types.Array):
        return context.make_array(kind)(context, builder, value=value).data
    return value


@intrinsic
def common_bits(_typing: Any, array: Any, index: Any, word: Any) -> Any:
    """Which of 16 words, from element `index` (uintp) of a flat contiguous array of uint64 on, share a bit with `word`.

    A uint64 with a bit for each of them; a handful of instructions where the processor has vectors.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole, lanes = ir.IntType(64), 16
        vector = ir.VectorType(whole, lanes)
        place = builder.gep(address_of(context, builder, signature.args[0], args[0]), [args[1]])
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
        place = builder.gep(address_of(context, builder, signature.args[0], args[0]), [args[1]])
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
