"""The implementation of a function of another module."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import overload, overload_method

from small.lower import stub


@overload(stub)
def _stub(x: Any) -> Any:
    def implementation(x: Any) -> Any:
        return x + 10  # overload

    return implementation


@overload_method(types.Array, "shifted")
def _shifted(array: Any, by: Any) -> Any:
    def implementation(array: Any, by: Any) -> Any:
        return array[0] + by + 10  # method

    return implementation
