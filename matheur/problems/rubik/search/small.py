"""Small phase-1 tables, built in a few hundredths of a second: for a plan at once, before the large ones exist.

One table combines the places of the slice edges with the flips of all edges, the other with the twists of the corners.
Each has a million entries, and the larger entry bounds the distance (Kociemba). The large table combines flips, places
and twists and therefore prunes far more. With either, a first plan takes milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from matheur.problems.rubik.instance import Metric
from matheur.problems.rubik.search.classes import placing_masks
from matheur.problems.rubik.search.coordinates import FLIPS, PLACINGS, TWISTS, Coordinates, coordinates, twist_moves
from matheur.problems.rubik.search.deepening import Phase1Arrays, sums_of
from matheur.problems.rubik.search.pieces import turns_of
from matheur.problems.rubik.search.tables import moves_of
from matheur.problems.rubik.search.two_phase_kernels import fill

__all__ = ["SmallTables", "distances_of_pairs", "small_tables"]

_HOME = PLACINGS - 1
"""Number of the set of places 8 to 11, which is the last set of four."""

_UNKNOWN = 255


@dataclass(frozen=True, eq=False)
class SmallTables:
    """The tables of a metric.

    Attributes
    ----------
    metric
        `quarter` or `half`.
    flips, twists
        uint8[495 * 2048] and uint8[495 * 2187]: distances of places with flips, and of places with twists.
    coordinates
        Coordinates that index the tables.
    """

    metric: Metric
    flips: NDArray[np.uint8]
    twists: NDArray[np.uint8]
    coordinates: Coordinates

    @property
    def nbytes(self) -> int:
        """Size of both tables in bytes."""
        return self.flips.nbytes + self.twists.nbytes

    @property
    def phase1_arrays(self) -> Phase1Arrays:
        """The tables as arguments of `two_phase_kernels.search`."""
        return np.empty(0, np.uint32), np.empty((0, 0), np.int16), np.empty(0, np.uint8), self.flips, self.twists

    def distances(self, state: NDArray[np.uint8]) -> tuple[int, ...]:
        """As in `CubeTables`: 0 for the corners, then lower bounds on phase 1 along three axes of cube and inverse."""
        corner, edge, corner_back, edge_back = sums_of(state).tolist()
        sides = ((corner, edge), (corner_back, edge_back))
        return (0, *(self._phase1(*sums, axis) for sums in sides for axis in range(3)))

    def _phase1(self, corner: int, edge: int, axis: int) -> int:
        place = self.coordinates.place_of(edge, axis)
        flip, twist = edge >> 11 * axis & 2047, corner >> 12 * axis & 4095
        return max(int(self.flips[place * FLIPS + flip]), int(self.twists[place * TWISTS + twist]))


@lru_cache(maxsize=2)
def small_tables(metric: Metric) -> SmallTables:
    """Build the tables regardless of the budget, since this is fast enough for an immediate answer."""
    turns, moves = turns_of(), moves_of(metric)
    source, flipped = turns.source[:moves, 8:] - 8, turns.value[:moves, 8:, 0].astype(np.int64) % 2
    masks, number = placing_masks(), coordinates().placing[0] // FLIPS
    places = np.arange(12)
    after = (masks[:, None, None] >> source & 1) << places
    placing = number[after.sum(axis=2)].astype(np.uint16)
    flips = np.arange(FLIPS)
    odd = sum(flips >> i & 1 for i in range(11)) % 2
    after = (((flips | odd << 11)[:, None, None] >> source & 1) ^ flipped) << places
    flip = (after.sum(axis=2) % FLIPS).astype(np.uint16)
    twist = np.ascontiguousarray(twist_moves()[:moves].T).astype(np.uint16)
    costs = np.ones(moves, dtype=np.int64)
    return SmallTables(
        metric, distances_of_pairs(placing, flip, costs, _HOME * FLIPS),
        distances_of_pairs(placing, twist, costs, _HOME * TWISTS), coordinates(),
    )  # fmt: skip


def distances_of_pairs(
    first: NDArray[np.uint16], second: NDArray[np.uint16], costs: NDArray[np.int64], home: int = 0
) -> NDArray[np.uint8]:
    """Distances of all pairs (a, b) from the pair `home`, computed level by level.

    Parameters
    ----------
    first, second
        [a's, moves] and [b's, moves]: results of the moves.
    costs
        Costs of the moves.
    home
        Index of the pair with distance 0, `a * b's + b`.
    """
    table = np.full(len(first) * len(second), _UNKNOWN, dtype=np.uint8)
    table[home], depth = 0, 0
    while ((table >= depth) & (table < _UNKNOWN)).any():
        fill(0, len(first), depth, len(costs), costs, first, second, table)
        depth += 1
    return table
