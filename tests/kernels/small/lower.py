"""What the kernels of `upper` call."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, register_jitable

from matheur.kernels import kernel
from small import deepest
from small.deepest import added

__all__ = ["called", "inlined", "late", "raised", "shared", "stub"]


@kernel
def called(x: Any) -> Any:
    """A kernel."""
    return deepest.deep(x) + 10  # called


@kernel(inline="always")
def inlined(x: Any) -> Any:
    """A kernel that is put in place of its calls."""
    return x + 10  # inlined


@register_jitable
def shared(x: Any) -> Any:
    """A function for Python and kernels."""
    return x + 10  # shared


@intrinsic
def raised(_typing: Any, x: Any) -> Any:
    """An intrinsic that calls a plain function."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        more = builder.add(args[0], ir.Constant(ir.IntType(64), 10))  # intrinsic
        return added(builder, more)

    return types.int64(types.int64), code


@intrinsic
def late(_typing: Any, x: Any) -> Any:
    """An intrinsic that imports when it is compiled."""

    def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        from small.imported import LATE

        return builder.add(args[0], ir.Constant(ir.IntType(64), LATE))

    return types.int64(types.int64), code


def stub(x: Any) -> Any:
    """Implemented in `overloads`."""
    raise NotImplementedError
