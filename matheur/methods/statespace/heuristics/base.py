"""Heuristics, and heuristics made of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.batch_kernels import estimate_batch
from matheur.methods.statespace.domain import Kernel
from matheur.methods.statespace.heuristics import table_kernels
from matheur.methods.statespace.packing import Packing

__all__ = ["INFINITE", "REAL", "UNREACHED", "Heuristic", "Lookup", "largest_table_sum", "table_sum", "zero"]

INFINITE = 1 << 30
"""Estimate of a state from which the goal cannot be reached. A search must drop a state with this estimate or more
before it adds anything to the estimate; if the heuristic is admissible, this is proved."""

REAL = 1 << 16
"""Scale of estimates that are not rounded to whole numbers."""

UNREACHED = 255
"""Table entry that stands for `INFINITE`."""


@dataclass(frozen=True, eq=False)
class Heuristic:
    """An estimate of the cost from a state to the goal.

    Attributes
    ----------
    name
        Name for display and certificates.
    admissible
        Whether estimates never exceed the true cost, and are `INFINITE` only if the goal cannot be reached.
    consistent
        Whether estimates decrease by at most the cost of a move over every edge, and are 0 at the goal.
    estimator
        Compiled form (`ESTIMATE`), or None.
    batch
        Function of keys [n, words] that returns int32[n]; required if there is no estimator.
    memory
        Size of its tables in bytes.
    parts
        Heuristics of which it consists, kept alive for the estimator that calls them.
    scale
        Number of units of an estimate that make a cost of 1: 1 for whole numbers, more for real numbers. Only
        `batch_astar` accepts more than 1, and no admissible heuristic has it.
    """

    name: str
    admissible: bool
    consistent: bool
    estimator: Kernel | None = None
    batch: Callable[[NDArray[np.uint64]], NDArray[np.int32]] | None = None
    memory: int = 0
    parts: tuple[Heuristic, ...] = ()
    scale: int = 1

    def estimate(self, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Values int32[n] of packed states [n, words]."""
        if self.estimator is not None:
            rows = np.ascontiguousarray(keys, dtype=np.uint64)
            values: NDArray[np.int32] = estimate_batch(self.estimator.address, self.estimator.data, rows)
            return values
        if self.batch is None:
            raise NotImplementedError(f"heuristic '{self.name}' has neither an estimator nor a batch function")
        return self.batch(keys)


@dataclass(frozen=True, eq=False)
class Lookup:
    """A table with the components that form its index.

    Attributes
    ----------
    components
        Components of the index; the first one gives the lowest bits, and each is as wide as in the packing.
    table
        uint8[2 ** (sum of the widths)]; `UNREACHED` means `INFINITE`.
    values
        None, or a permutation of the values that is first applied to every component: uint8[largest value + 1].
    """

    components: tuple[int, ...]
    table: NDArray[np.uint8]
    values: NDArray[np.uint8] | None = None


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
    """A sum of table values; a state with an entry of 255 is a dead end with the estimate `INFINITE`.

    Parameters
    ----------
    groups
        Pairs (components, table): the table is indexed by the values of the components, the first in the lowest bits,
        each as many bits wide as in `packing`; its length is 2 to the power of the sum of these widths.
    """
    lookups = [Lookup(tuple(components), np.ascontiguousarray(table, dtype=np.uint8)) for components, table in groups]
    return largest_table_sum(name, packing, [lookups], admissible=admissible, consistent=consistent)


def largest_table_sum(
    name: str,
    packing: Packing,
    sums: Sequence[Sequence[Lookup]],
    *,
    admissible: bool = True,
    consistent: bool = True,
) -> Heuristic:
    """The largest of several sums of table values. Look-ups may share a table, which is stored once.

    Raises
    ------
    ValueError
        If the length of a table does not fit its components.
    """
    tables: dict[int, tuple[int, NDArray[np.uint8]]] = {}
    maps = [np.empty(0, dtype=np.uint64)]
    fields: list[int] = [packing.words, len(sums)]
    for lookups in sums:
        fields.append(len(lookups))
        for lookup in lookups:
            if len(lookup.table) != 1 << sum(packing.widths[i] for i in lookup.components):
                raise ValueError(f"the table of {list(lookup.components)} has {len(lookup.table)} entries")
            number, _ = tables.setdefault(id(lookup.table), (len(tables), lookup.table))
            fields += [number, *(_plain(packing, lookup) if lookup.values is None else _mapped(packing, lookup, maps))]
    unique = [table for _, table in tables.values()]
    numbers = np.array(fields, dtype=np.uint64)
    kernel = Kernel(table_kernels.largest_sum, np.empty(0, dtype=np.int64), (numbers, np.concatenate(maps), *unique))
    return Heuristic(name, admissible, consistent, kernel, memory=sum(table.nbytes for table in unique))


def _places(packing: Packing, components: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Each component with the position of its lowest bit in the index."""
    place = 0
    for i in components:
        yield i, place
        place += packing.widths[i]


def _plain(packing: Packing, lookup: Lookup) -> list[int]:
    """Fields of an unmapped look-up; components that are adjacent in key and index are read as one field."""
    runs: list[list[int]] = []  # word, shift, width, place
    for i, place in _places(packing, lookup.components):
        word, shift, width = int(packing.word[i]), int(packing.shift[i]), packing.widths[i]
        if runs and runs[-1][0] == word and runs[-1][1] + runs[-1][2] == shift:
            runs[-1][2] += width
        else:
            runs.append([word, shift, width, place])
    fields = [len(runs)]
    for word, shift, width, place in runs:
        fields += [word, shift, (1 << width) - 1, place]
    return [*fields, 0]


def _mapped(packing: Packing, lookup: Lookup, maps: list[NDArray[np.uint64]]) -> list[int]:
    """Fields of a look-up of mapped values; appends the contribution of each value to the index to `maps`."""
    assert lookup.values is not None
    fields = [0, len(lookup.components)]
    for i, place in _places(packing, lookup.components):
        mask = (1 << packing.widths[i]) - 1
        contributions = np.zeros(mask + 1, dtype=np.uint64)
        known = lookup.values[: mask + 1].astype(np.uint64) & np.uint64(mask)
        contributions[: len(known)] = known << np.uint64(place)
        fields += [int(packing.word[i]), int(packing.shift[i]), mask, sum(map(len, maps))]
        maps.append(contributions)
    return fields
