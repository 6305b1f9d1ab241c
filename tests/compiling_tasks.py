"""Kernels and tasks of the tests of compilation, in a module that worker processes can import."""

from __future__ import annotations

from collections.abc import Callable

from matheur.compiling import compilation
from matheur.engine.processes import report
from matheur.kernels import kernel

__all__ = ["compile_in_worker", "kernels"]


def kernels() -> Callable[[int], int]:
    """A kernel that calls another, neither of them compiled."""

    @kernel
    def inner(x: int) -> int:
        return x + 1

    @kernel
    def outer(x: int) -> int:
        return 2 * inner(x)  # type: ignore[no-any-return]

    outer._cache.disable()
    inner._cache.disable()
    return outer  # type: ignore[no-any-return]


def compile_in_worker() -> int:
    """A task that compiles and reports."""
    before = compilation.compiled
    assert kernels()(1) == 4
    report("done")
    return compilation.compiled - before
