"""Combinations of heuristics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import Kernel
from matheur.methods.statespace.heuristics import combine_kernels
from matheur.methods.statespace.heuristics.base import INFINITE, Heuristic
from matheur.methods.statespace.packing import Packing

__all__ = ["maximum", "minimum", "total"]


def maximum(packing: Packing, heuristics: Sequence[Heuristic]) -> Heuristic:
    """The largest of several estimates: admissible or consistent if all of them are."""
    name = "max(" + ",".join(one.name for one in heuristics) + ")"
    admissible = all(one.admissible for one in heuristics)
    consistent = all(one.consistent for one in heuristics)

    def batch(keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        return np.asarray(np.max([one.estimate(keys) for one in heuristics], axis=0), dtype=np.int32)

    return _combined(name, admissible, consistent, packing, combine_kernels.largest, batch, heuristics)


def minimum(packing: Packing, heuristics: Sequence[Heuristic]) -> Heuristic:
    """The least of several estimates: admissible if one of them is, consistent if all are."""
    name = "min(" + ",".join(one.name for one in heuristics) + ")"
    admissible = any(one.admissible for one in heuristics)
    consistent = all(one.consistent for one in heuristics)

    def batch(keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        return np.asarray(np.min([one.estimate(keys) for one in heuristics], axis=0), dtype=np.int32)

    return _combined(name, admissible, consistent, packing, combine_kernels.smallest, batch, heuristics)


def total(packing: Packing, heuristics: Sequence[Heuristic], *, disjoint: bool = False) -> Heuristic:
    """The sum of several estimates; `INFINITE` if one of them is.

    Parameters
    ----------
    disjoint
        The caller guarantees that no two of them count the same cost; only then is the sum of admissible (consistent)
        heuristics admissible (consistent).
    """
    name = "sum(" + ",".join(one.name for one in heuristics) + ")"
    admissible = (disjoint or len(heuristics) == 1) and all(one.admissible for one in heuristics)
    consistent = (disjoint or len(heuristics) == 1) and all(one.consistent for one in heuristics)

    def batch(keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        values = np.sum([one.estimate(keys) for one in heuristics], axis=0, dtype=np.int64)
        return np.minimum(values, INFINITE).astype(np.int32)

    return _combined(name, admissible, consistent, packing, combine_kernels.total, batch, heuristics)


def _combined(
    name: str,
    admissible: bool,
    consistent: bool,
    packing: Packing,
    function: Any,
    batch: Callable[[NDArray[np.uint64]], NDArray[np.int32]],
    heuristics: Sequence[Heuristic],
) -> Heuristic:
    """The combined heuristic: compiled if all parts are, else a batch function."""
    if not heuristics:
        raise ValueError("there is nothing to combine")
    if len({one.scale for one in heuristics}) > 1:
        raise ConfigurationError(f"'{name}' combines estimates that are rounded with some that are not")
    kernels = [one.estimator for one in heuristics]
    kernel = None
    if None not in kernels:
        fields = [packing.words, len(kernels)]
        for part in kernels:
            assert part is not None
            fields += [part.address, part.data.ctypes.data]
        kernel = Kernel(function, np.empty(0, dtype=np.int64), (np.array(fields, dtype=np.int64),))
    return Heuristic(
        name, admissible, consistent, kernel, None if kernel else batch, sum(one.memory for one in heuristics),
        tuple(heuristics), heuristics[0].scale,
    )  # fmt: skip
