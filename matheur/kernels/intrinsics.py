"""Processor instructions without a Python equivalent, as functions for kernels."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["address_of", "common_bits", "opaque", "popcount", "prefetch", "trailing_zeros"]


def address_of(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The address of the first element of an array; other values unchanged."""
    if isinstance(kind, types.Array):
        return context.make_array(kind)(context, builder, value=value).data
    return value


@intrinsic
def common_bits(_typing: Any, array: Any, index: Any, word: Any) -> Any:
    """Bit mask (uint64) of the words that share a bit with `word`, among 16 words of an array.

    The words are those from element `index` (uintp) of a flat contiguous array of uint64. Processors with vector
    instructions need only a few of them.
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
    """A uint64 unchanged, but hidden from the optimiser, so that expressions with it stay arithmetic.

    It is for choices that the processor cannot predict: LLVM turns `word & -(flag)` into a branch if it knows that the
    flag is a comparison.
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
    """Prefetch the cache line of element `index` (int64) of a flat contiguous array; a hint that never faults."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        signature_of_hint = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        hint = cgutils.get_or_insert_function(builder.module, signature_of_hint, "llvm.prefetch.p0")
        place = builder.gep(address_of(context, builder, signature.args[0], args[0]), [args[1]])
        # Arguments of the hint: read, keep in all cache levels, data cache.
        builder.call(hint, [builder.bitcast(place, byte), *(ir.Constant(number, value) for value in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, types.int64), code


@intrinsic
def trailing_zeros(_typing: Any, word: Any) -> Any:
    """Index of the lowest set bit of a uint64, which must not be zero."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), code
