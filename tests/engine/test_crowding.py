"""Which solution a full pool gives up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from engine import toy

from matheur.engine import SharedElites
from matheur.engine.crowding import Crowding
from matheur.engine.elite_files import list_elites, read_elite
from matheur.engine.elites import Elite


@dataclass(frozen=True)
class Compared(toy.SmallSum):
    """Solutions differ in places; counts how often it is asked."""

    asked: list[int] | None = None

    def difference(self, first: toy.Digits, second: toy.Digits) -> int:
        if self.asked is not None:
            self.asked.append(1)
        return int(np.count_nonzero(first != second))


def elite(*digits: int) -> Elite:
    solution = np.array(digits, dtype=np.int64)
    return Elite(Compared(4).digest(solution), solution, int(solution.sum()))


def test_the_one_most_like_another_goes() -> None:
    """Of the closest two the older one; it is compared with better ones, too, and those never go."""
    crowding = Crowding(Compared(4))
    assert crowding.surplus([elite(9, 0, 0, 0), elite(3, 3, 3, 0), elite(3, 3, 0, 3), elite(0, 1, 4, 4)]) == 2
    assert crowding.surplus([elite(3, 3, 2, 0), elite(3, 3, 3, 0), elite(0, 0, 4, 5), elite(0, 1, 4, 4)]) == 1
    assert crowding.surplus([elite(3, 3, 2, 0), elite(3, 3, 3, 0), elite(3, 3, 4, 0)]) == 2


def test_a_copy_goes_before_a_worse_one_of_another_kind() -> None:
    """Also a better copy than the other is; of the same kind the better stays, among equals the newer."""
    crowding = Crowding(Compared(20))
    zeros, ones = [0] * 20, [1] * 20
    assert crowding.surplus([elite(*zeros), elite(*zeros[:-1], 1), elite(*ones)]) == 1
    assert crowding.surplus([elite(*zeros), elite(*ones[:-2], 0, 1), elite(*ones[:-2], 1, 0), elite(*ones)]) == 3
    assert crowding.surplus([elite(*zeros), elite(*zeros[:-2], 1, 1), elite(*ones)]) == 2  # a tenth is far enough


def test_the_best_is_never_given_up() -> None:
    """Whatever it is like; a pool of one gives up nothing else."""
    crowding = Crowding(Compared(4))
    assert crowding.surplus([elite(1, 0, 0, 0), elite(0, 1, 0, 0)]) == 1
    assert crowding.surplus([elite(1, 0, 0, 0), elite(1, 0, 0, 1)]) == 1
    assert crowding.surplus([elite(1, 0, 0, 0)]) == 0


def test_without_comparison_the_oldest_goes() -> None:
    """Also where there are too many to compare all pairs."""
    tied = [elite(9, 0, 0, 0), elite(3, 3, 3, 0), elite(3, 3, 0, 3), elite(0, 1, 4, 4)]
    assert Crowding(toy.SmallSum(4)).surplus(tied) == 3
    many = [elite(9, 9, i // 15, 15 - i % 15) for i in range(201)]
    assert Crowding(Compared(4)).surplus(many) == 200


def test_each_pair_is_compared_once() -> None:
    """What is known of a pair is remembered as long as both are there."""
    asked: list[int] = []
    crowding = Crowding(Compared(4, asked=asked))
    tied = [elite(9, 0, 0, 0), elite(3, 3, 3, 0), elite(3, 3, 0, 3), elite(0, 1, 4, 4)]
    for _ in range(3):
        crowding.surplus(tied)
    assert len(asked) == 6
    crowding.forget(tied[:3])
    crowding.surplus(tied)
    assert len(asked) == 6 + 3


def test_a_shared_pool_keeps_its_ties_apart(tmp_path: Path) -> None:
    """However many copies with a small change come later, solutions of their own kind stay, in memory and on disk."""
    problem = Compared(12)
    kinds = [np.roll([6, 6, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0], 3 * shift) for shift in range(4)]
    copies = []
    for place in range(3, 12):
        copy = kinds[0].copy()
        copy[[0, place]] = 5, 1
        copies.append(copy)
    with SharedElites(problem, tmp_path, capacity=4, every=0.0) as pool:
        for solution in (*kinds, *copies):
            pool.add(problem.digest(solution), solution, int(solution.sum()))
            pool.exchange()
    for elites in (pool.entries(), [read_elite(problem, file).elite for file in list_elites(tmp_path)]):
        assert len(elites) == 4
        kept = [one.solution for one in elites]
        assert sum(any((one == kind).all() for one in kept) for kind in kinds[1:]) == 3


def test_what_is_given_up_at_once_was_not_kept(tmp_path: Path) -> None:
    """A copy of something better does not enter a full pool."""
    problem = Compared(4)
    pool = SharedElites(problem, tmp_path, capacity=2)
    for digits, kept in (((1, 1, 1, 1), True), ((9, 0, 0, 0), True), ((1, 1, 1, 6), False), ((0, 0, 8, 1), True)):
        one = elite(*digits)
        assert pool.add(one.key, one.solution, one.objective) == kept
    assert len(pool) == 2
