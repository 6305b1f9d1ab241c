"""Common interface of the kernels that fill boards along an order."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.edge_matching.instance import Board

__all__ = ["DEEPEST", "DEPTH", "FOUND", "NODES", "TRIES", "KernelWalk", "Walk"]

DEPTH, NODES, FOUND, DEEPEST, TRIES = range(5)
"""Places in the state of a kernel: cells filled (-1 when everything was tried), and the other counters of `Walk`."""


class Walk(Protocol):
    """A kernel with its arrays, which walks through the boards of an order and can stop and continue anywhere."""

    @property
    def fixed(self) -> Board:
        """Board of the cells fixed from the start."""
        ...

    @property
    def mismatches(self) -> int:
        """Number of mismatches of fixed pieces with each other."""
        ...

    @property
    def cells(self) -> int:
        """Number of cells that are not fixed."""
        ...

    @property
    def sides(self) -> int:
        """Number of sides of fixed pieces with the colours that are spent."""
        ...

    @property
    def nodes(self) -> int:
        """Number of placements since `begin`."""
        ...

    @property
    def tries(self) -> int:
        """Number of words looked up for a mismatch since `begin`."""
        ...

    @property
    def depth(self) -> int:
        """Number of cells filled now, without the fixed ones."""
        ...

    @property
    def deepest(self) -> int:
        """Maximum of `depth` since `begin`."""
        ...

    @property
    def found(self) -> int:
        """Number of full boards that the last `advance` found; the next call continues after them."""
        ...

    @property
    def ended(self) -> bool:
        """Whether everything was tried."""
        ...

    @property
    def stuck(self) -> bool:
        """Whether the walk gives up before everything was tried, because it makes too little progress."""
        ...

    @property
    def beginnings(self) -> tuple[int, ...]:
        """Pieces that fit in the first cell, one of which may be passed to `begin`; empty if this is not possible."""
        ...

    @property
    def try_cost(self) -> float:
        """Cost of a try, in placements, including the placements that follow from it."""
        ...

    @property
    def try_follows(self) -> float:
        """Placements that follow from a try."""
        ...

    def begin(self, colours: NDArray[np.int64], rng: Generator, first: int | None = None) -> None:
        """Begin again, spending these colours first, with equally good candidates in another order."""

    def advance(self, limit: int, allowed: NDArray[np.int64], quota: NDArray[np.int64]) -> None:
        """Continue to about `limit` placements since `begin`, to full boards, or to the end.

        Parameters
        ----------
        allowed, quota
            Mismatches that may have been made, and sides that must have been spent, once a cell is filled, by depth.
        """

    def slips(self, number: int) -> int:
        """Mismatches of full board `number` (from 0), without those of fixed pieces with each other."""
        ...

    def full(self, number: int) -> Board:
        """Full board `number` (from 0)."""
        ...

    def fullest(self) -> Board:
        """The fullest board since `begin`."""
        ...


class KernelWalk:
    """Properties of a walk that follow from the tables and the state of its kernel; see `Walk`."""

    stuck = False

    _tables: Any
    _state: NDArray[np.int64]

    @property
    def sides(self) -> int:
        """Number of sides of fixed pieces with the colours that are spent."""
        return int(self._tables.sides)

    @property
    def nodes(self) -> int:
        """Number of placements since `begin`."""
        return int(self._state[NODES])

    @property
    def tries(self) -> int:
        """Number of words looked up for a mismatch since `begin`."""
        return int(self._state[TRIES])

    @property
    def depth(self) -> int:
        """Number of cells filled now, without the fixed ones."""
        return max(0, int(self._state[DEPTH]))

    @property
    def deepest(self) -> int:
        """Maximum of `depth` since `begin`."""
        return int(self._state[DEEPEST])

    @property
    def found(self) -> int:
        """Number of full boards that the last `advance` found."""
        return int(self._state[FOUND])

    @property
    def ended(self) -> bool:
        """Whether everything was tried."""
        return int(self._state[DEPTH]) < 0
