"""Compiled searches over domains that are written in NumPy: their kernels call back into Python for each state.

A call costs about ten microseconds in addition to the time of the domain, so batch searches are faster if they are
possible. Searches that proceed state by state, such as `q_learning` and `astar`, have no alternative.
"""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.domain import Domain, Kernel
from matheur.methods.statespace.heuristics.base import Heuristic

__all__ = ["called_back"]

D = TypeVar("D", bound=Domain)

_POINTER, _COUNT = ctypes.c_void_p, ctypes.c_int64
_EXPAND = ctypes.CFUNCTYPE(_COUNT, *5 * (_POINTER,))
_ESTIMATE = ctypes.CFUNCTYPE(_COUNT, _POINTER, _COUNT, _POINTER, _POINTER)
_WORD, _SMALL = ctypes.c_uint64, ctypes.c_int32


@dataclass(frozen=True, slots=True)
class _Function:
    """A C function that calls a Python function, in the form that a `Kernel` accepts."""

    thunk: Any

    @property
    def address(self) -> int:
        """Address of the machine code."""
        return int(ctypes.cast(self.thunk, _POINTER).value or 0)


@contextmanager
def called_back(domain: D, heuristic: Heuristic) -> Iterator[tuple[D, Heuristic]]:
    """Compiled forms of a domain and a heuristic, valid within the block.

    After an exception in the domain or the heuristic, states have no more successors, so the search ends; the exception
    is raised when the block is left.

    Examples
    --------
    `with called_back(domain, heuristic) as (compiled, estimated): answer = q_learning(compiled, ...)`
    """
    words, errors = domain.packing.words, list[BaseException]()

    def guarded(function: Callable[..., int]) -> Callable[..., int]:
        def call(*arguments: Any) -> int:
            if errors:
                return 0
            try:
                return function(*arguments)
            except BaseException as error:  # C cannot pass it on
                errors.append(error)
                return 0

        return call

    def expand(key: int, _data: int, successors: int, moves: int, costs: int) -> int:
        found = domain.expand(_array(key, _WORD, words).reshape(1, -1))
        count = len(found.moves)
        if count > domain.branching:  # more than the kernel has room for
            raise ValueError(f"'{domain.name}' has {count} successors of a state, but branching {domain.branching}")
        if count:
            _array(successors, _WORD, count * words)[:] = np.ascontiguousarray(found.keys).ravel()
            _array(moves, _SMALL, count)[:] = found.moves
            _array(costs, _SMALL, count)[:] = found.costs
        return count

    def estimate(keys: int, count: int, _data: int, out: int) -> int:
        if count:
            _array(out, _SMALL, count)[:] = heuristic.estimate(_array(keys, _WORD, count * words).reshape(-1, words))
        return 0

    none = np.empty(0, dtype=np.int64)
    compiled = copy.copy(domain)
    if domain.expander is None:
        compiled.expander = Kernel(_Function(_EXPAND(guarded(expand))), none)
    estimated = heuristic
    if heuristic.estimator is None:
        estimated = replace(heuristic, estimator=Kernel(_Function(_ESTIMATE(guarded(estimate))), none))
    yield compiled, estimated
    if errors:
        raise errors[0]


def _array(address: int, kind: Any, size: int) -> NDArray[Any]:
    """The memory at an address."""
    return np.ctypeslib.as_array((kind * size).from_address(address))
