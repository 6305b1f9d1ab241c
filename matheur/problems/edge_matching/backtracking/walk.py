"""What the kernels that fill boards along an order have in common."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.edge_matching.instance import Board

__all__ = ["DEEPEST", "DEPTH", "FOUND", "NODES", "TRIES", "KernelWalk", "Walk"]

DEPTH, NODES, FOUND, DEEPEST, TRIES = range(5)
"""What a kernel counts in its state: cells filled, -1 when all was tried, and what `Walk` says of the others."""


class Walk(Protocol):
    """A kernel with its arrays: it goes through the boards of an order, and stops and goes on anywhere."""

    @property
    def fixed(self) -> Board:
        """Board of the cells that are fixed from the start."""
        ...

    @property
    def mismatches(self) -> int:
        """Those of fixed pieces with each other."""
        ...

    @property
    def cells(self) -> int:
        """Number of cells that are not fixed."""
        ...

    @property
    def sides(self) -> int:
        """Sides of fixed pieces with the colours that are spent."""
        ...

    @property
    def nodes(self) -> int:
        """Placements since it began."""
        ...

    @property
    def tries(self) -> int:
        """Words that were looked up for a mismatch since it began."""
        ...

    @property
    def depth(self) -> int:
        """Cells that are filled now beyond the fixed ones."""
        ...

    @property
    def deepest(self) -> int:
        """The most of them since it began."""
        ...

    @property
    def found(self) -> int:
        """Full boards that the last `advance` came to; the next one goes on behind them."""
        ...

    @property
    def ended(self) -> bool:
        """Whether all was tried."""
        ...

    @property
    def stuck(self) -> bool:
        """Whether it is given up, though not all was tried: it makes too little progress."""
        ...

    @property
    def beginnings(self) -> tuple[int, ...]:
        """Pieces that fit in the first cell, one of which `begin` may be told; empty where it cannot be."""
        ...

    @property
    def try_cost(self) -> float:
        """What a try costs, in placements, with the placements that follow from it."""
        ...

    @property
    def try_follows(self) -> float:
        """Placements that follow from a try."""
        ...

    def begin(self, colours: NDArray[np.int64], rng: Generator, first: int | None = None) -> None:
        """Begin again, spending such colours first, equally good candidates in another order."""

    def advance(self, limit: int, allowed: NDArray[np.int64], quota: NDArray[np.int64]) -> None:
        """Continue to `limit` placements since it began or some more, to full boards, or to the end.

        Parameters
        ----------
        allowed, quota
            Mismatches that may have been made, and sides that must have been spent, once a cell is filled, by depth.
        """

    def slips(self, number: int) -> int:
        """Mismatches of the full board of that number (from 0), without those of fixed pieces with each other."""
        ...

    def full(self, number: int) -> Board:
        """That board."""
        ...

    def fullest(self) -> Board:
        """The fullest board since it began."""
        ...


class KernelWalk:
    """What a walk knows from the tables and the state of its kernel; see `Walk`."""

    stuck = False

    _tables: Any
    _state: NDArray[np.int64]

    @property
    def sides(self) -> int:
        """Sides of fixed pieces with the colours that are spent."""
        return int(self._tables.sides)

    @property
    def nodes(self) -> int:
        """Placements since it began."""
        return int(self._state[NODES])

    @property
    def tries(self) -> int:
        """Words that were looked up for a mismatch since it began."""
        return int(self._state[TRIES])

    @property
    def depth(self) -> int:
        """Cells that are filled now beyond the fixed ones."""
        return max(0, int(self._state[DEPTH]))

    @property
    def deepest(self) -> int:
        """The most of them since it began."""
        return int(self._state[DEEPEST])

    @property
    def found(self) -> int:
        """Full boards that the last `advance` came to."""
        return int(self._state[FOUND])

    @property
    def ended(self) -> bool:
        """Whether all was tried."""
        return int(self._state[DEPTH]) < 0
