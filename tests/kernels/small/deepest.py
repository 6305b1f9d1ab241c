"""What callees use in their turn."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from matheur.kernels import kernel


@kernel
def deep(x: Any) -> Any:
    """A kernel that only other kernels call."""
    return x + 10  # deep


def added(builder: Any, value: Any) -> Any:
    """A plain function that an intrinsic calls."""
    return builder.add(value, ir.Constant(ir.IntType(64), 10))  # added
