"""One beam over a board that is filled in a fixed order: the Python side of `beam_kernels`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.quotas import rare_colours
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance
from matheur.problems.edge_matching.operators.board_tools import kernel_state

__all__ = ["STEP", "BeamSearch", "bytes_of"]

STEP = 16
"""Cost of a mismatch, in the unit of gains."""


def bytes_of(instance: Instance, width: int) -> int:
    """Memory of a beam: two layers of states, and the parent and placement of each state of all layers."""
    words = -(-instance.cells // 64)
    state = 8 * words + _colour_type(instance).itemsize * (instance.rows + instance.columns) + 4
    return width * (2 * state + 6 * instance.cells)


def _colour_type(instance: Instance) -> np.dtype[Any]:
    """The smallest type that holds the number of any colour."""
    return np.dtype(np.uint8) if instance.colours <= 1 << 8 else np.dtype(np.uint16)


class BeamSearch:
    """Beams over the boards of a puzzle, which share all tables that do not depend on the width.

    Parameters
    ----------
    order
        All cells, each after the cells above it and on its left.
    exhaustion
        Value of using a side with a rare colour, in sixteenths of a mismatch.
    until
        Share of the board up to which this value applies.
    worths
        Value of using each piece, int64[pieces], instead of the value of its sides.
    """

    def __init__(
        self,
        instance: Instance,
        order: NDArray[np.int64],
        *,
        exhaustion: int = 0,
        until: float = 1.0,
        worths: NDArray[np.int64] | None = None,
    ) -> None:
        # Numba is imported where it is used, to keep importing the package cheap.
        from matheur.problems.edge_matching.operators import beam_kernels as kernels

        self._kernels, self._instance, self._order = kernels, instance, order
        self._words = -(-instance.cells // 64)
        names, compact = np.unique(instance.sides, return_inverse=True)
        sides = compact.reshape(instance.sides.shape).astype(np.int64)
        placement = np.arange(4 * instance.cells)
        self._bit = (placement & 3) * self._words * 64 + (placement >> 2)
        self._placement = np.full(4 * self._words * 64, -1, dtype=np.int32)
        self._placement[self._bit] = placement
        self._north = np.stack([self._mask(sides[:, 0] == colour) for colour in range(len(names))])
        self._west = np.stack([self._mask(sides[:, 3] == colour) for colour in range(len(names))])
        self._south_of, self._east_of = np.zeros((2, len(self._placement)), dtype=_colour_type(instance))
        self._south_of[self._bit], self._east_of[self._bit] = sides[:, 2], sides[:, 1]
        hinted = np.array([hint.piece for hint in instance.hints], dtype=np.int64)
        free = ~np.isin(placement >> 2, hinted)
        self._fits = [self._fitting(int(cell), free) for cell in order]
        rare = np.isin(instance.pieces, rare_colours(instance)).sum(axis=1)
        self._gain = np.zeros(self._words * 64, dtype=np.int64)
        self._gain[: instance.cells] = exhaustion * rare if worths is None else worths
        self._last = round(until * instance.cells)

    def run(
        self, width: int, rng: Generator, enough: Callable[[int], bool] = lambda _: False
    ) -> tuple[list[Board], int]:
        """Run a beam of a given number of states per layer.

        Parameters
        ----------
        enough
            Called after every layer with the number of states made since the last call; True ends the beam.

        Returns
        -------
        boards, states
            Up to 100 boards of the last layer, best first, with `EMPTY` in cells that could not be filled; and the
            number of states made.
        """
        instance, kernels, order = self._instance, self._kernels, self._order
        cells, columns = instance.cells, instance.columns
        used = np.zeros((2, width, self._words), dtype=np.uint64)
        edge = np.zeros((2, width, columns + instance.rows), dtype=_colour_type(instance))
        key = np.zeros((2, width), dtype=np.int32)
        parent, choice = np.zeros((cells, width), dtype=np.int32), np.zeros((cells, width), dtype=np.uint16)
        found, bins = np.zeros(4 * self._words, dtype=np.uint64), np.zeros(kernels.BINS, dtype=np.int64)
        random, nothing = kernel_state(rng), np.zeros_like(self._gain)
        states, made, depth = 1, 0, 0
        while depth < cells:
            here, there = depth % 2, 1 - depth % 2
            row, column = divmod(int(order[depth]), columns)
            gain = self._gain if depth < self._last else nothing
            most = int(gain.max())
            up, left = (column if row else -1), (columns + row if column else -1)
            levels, step = max(1, (row > 0) + (column > 0)), STEP
            if instance.fixed[order[depth]]:  # its mismatches are already counted if its rotation is known
                levels, step = 3, 0 if instance.fits[:, order[depth]].sum() == 1 else STEP
            while True:
                lowest = kernels.count(
                    states, width, up, left, self._fits[depth], levels, self._north, self._west, gain, most, step,
                    used[here], edge[here], key[here], found, bins,
                )  # fmt: skip
                if bins.any() or levels == 3:
                    break
                levels = 3
            total = np.cumsum(bins)
            if total[-1] == 0:
                break
            place = min(int(np.searchsorted(total, width)), len(total) - 1)
            below = int(total[place] - bins[place])
            states = kernels.write(
                states, lowest + place, width - below, up, left, column, columns + row, self._fits[depth], levels,
                self._north, self._west, self._south_of, self._east_of, gain, most, step, used[here], edge[here],
                key[here], used[there], edge[there], key[there], parent[depth], choice[depth], found, int(bins[place]),
                random,
            )  # fmt: skip
            depth += 1
            made += states
            if enough(states):
                break
        best = np.argsort(key[depth % 2, :states], kind="stable")[:100]
        return [self._board(depth, int(state), parent, choice) for state in best], made

    def _board(self, depth: int, state: int, parent: NDArray[np.int32], choice: NDArray[np.uint16]) -> Board:
        board = np.full(self._instance.cells, EMPTY, dtype=np.int32)
        for layer in range(depth - 1, -1, -1):
            board[self._order[layer]] = self._placement[choice[layer, state]]
            state = int(parent[layer, state])
        return board

    def _fitting(self, cell: int, free: NDArray[np.bool_]) -> NDArray[np.uint64]:
        """Words of the placements for a cell, by the number of hinted pieces below and on the right they mismatch."""
        instance = self._instance
        fits = instance.fits[:, cell] & (free | instance.fixed[cell])
        missed = np.zeros(len(fits), dtype=np.int64)
        for side in (1, 2):
            other = int(instance.neighbours[cell, side])
            if other >= 0 and instance.fixed[other] and instance.fits[:, other].sum() == 1:
                shown = instance.sides[int(instance.fits[:, other].argmax()), (side + 2) % 4]
                missed += instance.sides[:, side] != shown
        return np.stack([self._mask(fits & (missed == number)) for number in range(int(missed.max()) + 1)])

    def _mask(self, those: NDArray[np.bool_]) -> NDArray[np.uint64]:
        """The words that hold a bit for each of these placements."""
        bits = np.zeros(4 * self._words * 64, dtype=np.uint8)
        bits[self._bit[those]] = 1
        return np.packbits(bits, bitorder="little").view(np.uint64)
