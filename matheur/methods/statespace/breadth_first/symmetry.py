"""States up to the symmetries that fix the goal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.breadth_first import symmetry_kernels
from matheur.methods.statespace.domain import Domain

__all__ = ["Quotient", "quotient_of"]


class Quotient:
    """Replaces states by the smallest key among their images.

    A symmetry that fixes the goal preserves the distance to it. The classes of states therefore form a smaller graph in
    which a class is as far from the goal as its states, and a path in it lifts to a path of states from any of them,
    because a successor in the required class always exists.

    Parameters
    ----------
    domain
        A domain whose symmetries form a group.

    Raises
    ------
    ValueError
        If the domain has no symmetries.
    """

    def __init__(self, domain: Domain) -> None:
        symmetries = domain.automorphisms()
        if symmetries is None:
            raise ValueError(f"no symmetries of '{domain.name}' are known. Maybe search without the quotient.")
        packing = domain.packing
        self.order: int = len(symmetries)
        self._words_to = np.ascontiguousarray(packing.word[symmetries.components])
        shifts = packing.shift[symmetries.components].astype(np.uint64)
        self._images = symmetries.values.astype(np.uint64)[:, None, :] << shifts[:, :, None]
        masks = [(1 << width) - 1 for width in packing.widths]
        self._fields = np.array([*zip(packing.word.tolist(), packing.shift.tolist(), masks, strict=True)], np.int64)

    def canonical(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The representatives [n, words] of packed states [n, words], and the sizes of their classes."""
        rows = np.ascontiguousarray(keys, dtype=np.uint64)
        out = np.empty_like(rows)
        sizes = np.empty(len(rows), dtype=np.int64)
        symmetry_kernels.canonical(rows, out, sizes, self._fields, self._words_to, self._images)
        return out, sizes


def quotient_of(domain: Domain, wanted: bool) -> Quotient | None:
    """The quotient of a domain, or None if it is not wanted."""
    return Quotient(domain) if wanted else None
