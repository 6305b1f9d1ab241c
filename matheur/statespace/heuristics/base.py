"""What a heuristic is, and those that are made of tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.statespace.batch_kernels import estimate_batch
from matheur.statespace.domain import Kernel
from matheur.statespace.heuristics import table_kernels
from matheur.statespace.packing import Packing

__all__ = ["Heuristic", "table_sum", "zero"]


@dataclass(frozen=True, eq=False)
class Heuristic:
    """An estimate of the cost from a state to the goal.

    Attributes
    ----------
    name
        For people and certificates.
    admissible
        Never more than the true cost.
    consistent
        Drops by no more than the cost of a move (over every edge), and is 0 at the goal.
    estimator
        Compiled form (`ESTIMATE`), or None.
    batch
        Function of keys [n, words] that returns int32[n]; needed where there is no estimator.
    memory
        Bytes of its tables.
    """

    name: str
    admissible: bool
    consistent: bool
    estimator: Kernel | None = None
    batch: Callable[[NDArray[np.uint64]], NDArray[np.int32]] | None = None
    memory: int = 0

    def estimate(self, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Values int32[n] of packed states [n, words]."""
        if self.estimator is not None:
            rows = np.ascontiguousarray(keys, dtype=np.uint64)
            values: NDArray[np.int32] = estimate_batch(self.estimator.address, self.estimator.data, rows)
            return values
        if self.batch is None:
            raise NotImplementedError(f"heuristic '{self.name}' has neither an estimator nor a batch function")
        return self.batch(keys)


def zero() -> Heuristic:
    """0 everywhere: A* becomes breadth-first search."""
    return Heuristic("zero", True, True, Kernel(table_kernels.zero, np.empty(0, dtype=np.int64)))


def table_sum(
    name: str,
    packing: Packing,
    groups: Sequence[tuple[Sequence[int], NDArray[np.uint8]]],
    *,
    admissible: bool = True,
    consistent: bool = True,
) -> Heuristic:
    """A sum of table values.

    Parameters
    ----------
    groups
        Pairs (components, table): the table is indexed by the values of the components, the first in the lowest bits,
        each as many bits wide as in `packing`; its length is 2 to the power of the sum of these widths.
    """
    fields: list[int] = []
    offset = 0
    for components, table in groups:
        if len(table) != 1 << sum(packing.widths[i] for i in components):
            raise ValueError(f"the table of {list(components)} has {len(table)} entries")
        fields += [offset, len(components)]
        place = 0
        for i in components:
            fields += [int(packing.word[i]), int(packing.shift[i]), (1 << packing.widths[i]) - 1, place]
            place += packing.widths[i]
        offset += len(table)
    values = np.concatenate([np.ascontiguousarray(table, dtype=np.uint8) for _, table in groups])
    kernel = Kernel(
        table_kernels.sum_of_tables,
        np.array([packing.words, len(groups)], dtype=np.int64),
        (values, np.array(fields, dtype=np.uint64)),
    )
    return Heuristic(name, admissible, consistent, kernel, memory=values.nbytes)
