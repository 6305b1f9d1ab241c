"""Kernels that use what other modules define, and the command that the tests run."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from numba import types

from matheur.kernels import callback, kernel
from small.constants import GIVEN, NESTED, NUMBER, TABLE, Kind
from small.lower import called, inlined, late, raised, shared, stub


@kernel
def answer(x: Any) -> Any:
    """A kernel that uses everything, also what is defined below it."""
    constants = NUMBER + NESTED[0][0] + TABLE[0] + GIVEN + Kind.FIRST
    return below(stub(shared(inlined(called(late(raised(x))))))) + np.full(1, 0).shifted(0) + constants


@kernel
def below(x: Any) -> Any:
    """A kernel that is defined below its caller."""
    return x + 10  # below


@callback(types.int64(types.int64))
def pointed(x: Any) -> Any:
    """A C callback."""
    return called(x)


def made(number: int, function: Any) -> Any:
    """A kernel whose closure contains a number and another kernel."""

    @kernel
    def closure(x: Any) -> Any:
        return function(x) + number

    return closure


def main() -> None:
    """Print the answers and how often the cache had them; with an argument, wait for a line of input before."""
    import small.overloads  # noqa: F401

    if len(sys.argv) > 1:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
    one, two = made(1, called), made(2, called)
    shown = {
        "answer": int(answer(0)),
        "pointed": int(pointed.ctypes(0)),
        "closures": [int(one(0)), int(two(0))],
        "hits": sum(answer.stats.cache_hits.values()),
        "hits of pointed": pointed.cache_hits,
        "hits of closures": [sum(kernel.stats.cache_hits.values()) for kernel in (one, two)],
        "folder": answer.stats.cache_path,
    }
    sys.stdout.write(json.dumps(shown) + "\n")


if __name__ == "__main__":
    from small import upper  # kernels must not belong to the module __main__, which has no name of its own

    upper.main()
