"""The press matrix over GF(2): which two-state boards can be solved, and by which sets of presses.

A board is solved by the presses x with A x = lights over GF(2), where column i of A holds the lights toggled by a press
of cell i (Anderson and Feil 1998, doi:10.1080/0025570X.1998.11996657). A board is solvable if and only if its lights
are orthogonal to the left kernel of A, which equals the kernel if A is symmetric, as with `plus` and `king`. Vectors
are Python integers with bit i for cell i, whose arithmetic works on 64 bits or more at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from matheur.problems.lights_out.instance import Instance

__all__ = ["Elimination", "eliminate"]


@dataclass(frozen=True)
class Elimination:
    """Gaussian elimination of a press matrix, done once for all boards of a size.

    Attributes
    ----------
    pivots
        Triples of a pivot bit, the reduced column, and the set of presses that produces it.
    kernel
        A basis of the sets of presses that change nothing.
    left_kernel
        A basis of the sets of lights of which every press changes an even number.
    """

    pivots: tuple[tuple[int, int, int], ...]
    kernel: tuple[int, ...]
    left_kernel: tuple[int, ...]

    def solve(self, lights: int) -> int | None:
        """A set of presses that puts the lights out, or None if there is none."""
        presses = 0
        for bit, column, combination in self.pivots:
            if lights & bit:
                lights ^= column
                presses ^= combination
        return None if lights else presses

    def witness(self, lights: int) -> int | None:
        """Lights that prove insolubility: every press changes an even number of them, but an odd number must change."""
        return next((vector for vector in self.left_kernel if (vector & lights).bit_count() & 1), None)


@lru_cache(maxsize=16)
def _eliminate(masks: tuple[int, ...]) -> tuple[tuple[tuple[int, int, int], ...], tuple[int, ...]]:
    """Compute pivots and kernel."""
    pivots: list[tuple[int, int, int]] = []
    kernel = []
    for cell, mask in enumerate(masks):
        column, combination = mask, 1 << cell
        for bit, reduced, made in pivots:
            if column & bit:
                column ^= reduced
                combination ^= made
        if column:
            pivots.append((column & -column, column, combination))
        else:
            kernel.append(combination)
    return tuple(pivots), tuple(kernel)


def eliminate(instance: Instance) -> Elimination:
    """The elimination of the press matrix of a two-state board; boards of the same size and pattern share it."""
    transposed = [0] * instance.cells
    for press, reached in enumerate(instance.reach):
        for cell in reached:
            transposed[cell] |= 1 << press
    pivots, kernel = _eliminate(instance.masks)
    return Elimination(pivots, kernel, _eliminate(tuple(transposed))[1])
