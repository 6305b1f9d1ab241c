"""Construction `linear-algebra`: the fewest presses by elimination over GF(2), or modulo the number of states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError
from matheur.problems.lights_out.algebra import eliminate
from matheur.problems.lights_out.instance import Instance
from matheur.problems.lights_out.operators.coset_kernels import lightest, press_all
from matheur.problems.lights_out.operators.modular_coset import solve_modular

__all__ = ["LinearAlgebra", "solve_boards"]

_CHUNK = 1 << 18  # vectors between two checks of the clock, some milliseconds
_LONG = 1 << 25  # number of solutions that takes more than a second or two to visit
_PAIRS = 256  # largest kernel whose pairs of vectors are tried, too
_DESCENTS = _CHUNK // 64  # solutions that descents visit between two chunks, about an eighth of the time


@dataclass(frozen=True, slots=True)
class LinearAlgebra:
    """One solution by elimination, then the lightest of its coset: all solutions differ by vectors of the kernel.

    With a kernel of dimension k there are 2^k solutions (with more than two states, the product of the orders of the
    kernel's vectors). All of them are visited by one exclusive-or or addition each, so the returned solution is proved
    optimal unless the budget ends first. If the enumeration takes long, it alternates with descents from random
    solutions, which find light solutions sooner. Work: solutions visited.

    Attributes
    ----------
    descent
        Whether to start from a local optimum and to look for further ones: a descent adds vectors of the kernel as long
        as that saves presses. Matters only if the budget ends before all solutions have been visited.
    """

    descent: bool = True

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """Find one solution, then search its coset."""
        instance: Instance = problem.instance
        if instance.states > 2:
            return solve_modular(problem, budget, rng, descent=self.descent)
        elimination = eliminate(instance)
        first = elimination.solve(instance.lit)
        budget.spend(work=1)
        if first is None:
            return Outcome(
                Status.INFEASIBLE, reason=problem.infeasible_reason(),
                certificate={"backend": "elimination over GF(2)"},
            )  # fmt: skip
        kernel = elimination.kernel
        if self.descent:
            first, _ = _descend(first, kernel, budget, rng)
        words = -(-instance.presses // 64)
        vector, basis = _words(first, words), np.array([_words(one, words) for one in kernel]).reshape(-1, words)
        best, weight = vector.copy(), first.bit_count()
        visited, total = 0, (1 << len(kernel)) - 1
        budget.offer(_cells(best, instance.presses), weight)
        while visited < total and not budget.exhausted and not budget.reached(weight):
            steps = budget.affordable(min(_CHUNK, total - visited))
            found = int(lightest(visited, steps, vector, basis, best, weight))
            visited += steps
            budget.spend(work=steps)
            if self.descent and total >= _LONG and not budget.exhausted:
                other = _lightest_of_some(first, kernel, budget, rng)
                if other.bit_count() < found:
                    found, best = other.bit_count(), _words(other, words)
            if found < weight:
                weight = found
                budget.offer(_cells(best, instance.presses), weight)
        proved = visited == total
        certificate = {"backend": "elimination over GF(2)", "nullity": len(kernel), "solutions": total + 1}
        return Outcome(
            Status.IMPROVED if proved else Status.EXHAUSTED, _cells(best, instance.presses), weight,
            bound=weight if proved else None, certificate=certificate if proved else None,
        )  # fmt: skip


def solve_boards(rows: int, columns: int, boards: NDArray[np.uint64], pattern: str = "plus") -> NDArray[np.uint64]:
    """The unique solutions of many boards at once, for sizes without a kernel (such as 7 x 7).

    Parameters
    ----------
    boards
        uint64[n]: lights, bit i = cell i; at most 64 cells.

    Returns
    -------
    NDArray
        uint64[n]: presses in the same form.

    Raises
    ------
    ConfigurationError
        If the boards have more than 64 cells, or solutions are not unique for this size.
    """
    empty = Instance(rows, columns, (0,) * (rows * columns), pattern)
    elimination = eliminate(empty)
    if empty.cells > 64 or elimination.kernel:
        raise ConfigurationError(f"boards of {rows} x {columns} have more than 64 cells, or more than one solution")
    columns_of_inverse = [elimination.solve(1 << cell) or 0 for cell in range(empty.cells)]
    rows_of_inverse = [
        sum((one >> row & 1) << column for column, one in enumerate(columns_of_inverse)) for row in range(empty.cells)
    ]
    inverse = np.array(rows_of_inverse, dtype=np.uint64)
    presses = np.empty_like(boards)
    press_all(np.ascontiguousarray(boards, dtype=np.uint64), inverse, presses)
    return presses


def _lightest_of_some(vector: int, kernel: tuple[int, ...], budget: Budget, rng: Generator) -> int:
    """The lightest of several local optima, each reached from a random solution."""
    best, looked = vector, 0
    while looked < _DESCENTS and not budget.exhausted:
        start = vector
        for one in kernel:
            start ^= one if rng.integers(2) else 0
        found, some = _descend(start, kernel, budget, rng)
        looked += some
        best = min(best, found, key=int.bit_count)
        budget.spend(work=budget.affordable(some))
    return best


def _descend(vector: int, kernel: tuple[int, ...], budget: Budget, rng: Generator) -> tuple[int, int]:
    """Add one or two vectors of the kernel while that saves presses; also returns the number of solutions visited."""
    pairs = [a ^ b for i, a in enumerate(kernel) for b in kernel[:i]] if len(kernel) <= _PAIRS else []
    moves = [*kernel, *(pairs[int(i)] for i in rng.permutation(len(pairs)))]
    improved, looked = True, 0
    while improved and not budget.out_of_time:
        improved = False
        looked += len(moves)
        for move in moves:
            if (vector ^ move).bit_count() < vector.bit_count():
                vector ^= move
                improved = True
    return vector, looked


def _words(vector: int, words: int) -> NDArray[np.uint64]:
    return np.frombuffer(vector.to_bytes(8 * words, "little"), dtype=np.uint64).copy()


def _cells(vector: NDArray[np.uint64], cells: int) -> NDArray[np.int32]:
    bits = np.unpackbits(vector.view(np.uint8), bitorder="little")[:cells]
    return np.flatnonzero(bits).astype(np.int32)
