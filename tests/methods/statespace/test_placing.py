"""Partial assignments as states: packing, batches, costs, bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise, permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.errors import ConfigurationError
from matheur.methods.statespace import heuristic_by_name
from matheur.methods.statespace.best_first.batch_astar import batch_astar
from matheur.methods.statespace.best_first.beam import beam
from matheur.methods.statespace.placing import Bound, Extensions, PlacingDomain


class Tour:
    """Orders of the values 0, 3, 6, ... by the distances of neighbours in the order; as many slots as values."""

    name = fingerprint = "tour"
    scale, offset, cost_max = 2, 5, 10_000

    def __init__(self, places: int, step: int = 3) -> None:
        self.slots, self.values, self.step = places, step * places, step
        between = np.random.default_rng(places).integers(1, 50, (places, places))
        self.between = np.repeat(np.repeat(between, step, axis=0), step, axis=1)

    def extensions(self, rows: NDArray[np.int64]) -> Extensions:
        free = np.zeros((len(rows), self.values), dtype=bool)
        free[:, :: self.step] = True
        np.put_along_axis(free, rows, False, axis=1)
        parents, values = np.nonzero(free)
        cost = self.between[rows[parents, -1], values] if rows.shape[1] else np.zeros(len(values), dtype=np.int64)
        return parents, values, cost

    def bounds(self) -> Mapping[str, Callable[[Budget], Bound]]:
        least = int(self.between.min())
        return {"least": lambda _: lambda rows: np.full(len(rows), least * (self.slots - max(1, rows.shape[1])))}

    def solution(self, row: NDArray[np.int64]) -> NDArray[np.int32]:
        return (row // self.step).astype(np.int32)

    def row(self, solution: NDArray[np.integer]) -> NDArray[np.int64]:
        return np.asarray(solution, dtype=np.int64) * self.step

    def reordered(self, order: NDArray[np.integer]) -> Tour:
        raise NotImplementedError

    def optimum(self) -> int:
        every = self.between[:: self.step, :: self.step]
        return min(
            sum(int(every[one, two]) for one, two in pairwise(order)) for order in permutations(range(self.slots))
        )


@pytest.mark.parametrize("step", [3, 60])
def test_searches_find_the_cheapest_assignment(step: int) -> None:
    """A* proves the optimum of all orders, a wide beam finds it, whether a value takes one component or two."""
    placing = Tour(6, step)
    domain = PlacingDomain(placing)
    bound = heuristic_by_name(domain, "least")
    answer = batch_astar(domain, bound, weight=1.0, batch=4, until="proved")
    assert answer.proved
    assert answer.cost == placing.optimum()
    assert sorted(domain.solution(answer.plan)) == list(range(6))
    assert domain.objective(answer.cost) == 5 + 2 * answer.cost
    wide = beam(domain, bound, width=1000, rng=np.random.default_rng(0))
    assert wide.cost == placing.optimum()


@pytest.mark.parametrize("values", [1, 255, 256, 65_535, 65_536, 1_000_000])
def test_values_of_any_number_are_packed(values: int) -> None:
    """A table of a million items is a state space like any other: states are read back, moves are the values."""

    class Items:
        name = fingerprint = "items"
        scale, offset, cost_max, slots = 1, 0, 10, 3

        def __init__(self) -> None:
            self.values = values

        def extensions(self, rows: NDArray[np.int64]) -> Extensions:
            some = np.unique([0, values // 2, values - 1])
            return np.repeat(np.arange(len(rows)), len(some)), np.tile(some, len(rows)), np.ones(len(rows) * len(some))

        def bounds(self) -> Mapping[str, Callable[[Budget], Bound]]:
            return {}

    domain = PlacingDomain(Items())  # type: ignore[arg-type]
    row = np.array([values - 1, 0, values // 2])
    key = domain.key(row)
    assert domain.rows(key)[0].tolist() == [row.tolist()]
    assert domain.is_goal(key).all()
    assert (domain.packing.pack(domain.packing.unpack(key)) == key).all()
    found = domain.expand(domain.key(row[:2]))
    assert domain.rows(found.keys)[0][:, 2].tolist() == found.moves.tolist() == sorted({0, values // 2, values - 1})


def test_states_of_several_depths_go_together() -> None:
    """A batch of states with different numbers of filled slots has the successors and the bounds of each alone."""
    domain = PlacingDomain(Tour(5, 60))
    rows = [[], [60], [0, 120], [240, 60, 0, 120], [240, 60, 0, 120, 180], [180, 0]]
    keys = np.concatenate([domain.key(np.array(row, dtype=np.int64)) for row in rows])
    values, filled = domain.rows(keys)
    assert filled.tolist() == [len(row) for row in rows]
    assert [row[:count].tolist() for row, count in zip(values, filled, strict=True)] == rows
    assert domain.is_goal(keys).tolist() == [len(row) == 5 for row in rows]
    found = domain.expand(keys)
    assert (np.diff(found.parents) >= 0).all()
    bound = heuristic_by_name(domain, "least")
    for number in range(len(rows)):
        alone = domain.expand(keys[number : number + 1])
        mine = found.parents == number
        assert (alone.keys == found.keys[mine]).all()
        assert len(alone.keys) == 5 - len(rows[number])
        assert bound.estimate(keys)[number] == bound.estimate(keys[number : number + 1])[0]


def test_search_goes_on_from_a_partial_assignment() -> None:
    """`between` fixes the first slots; what follows is the cheapest completion of them."""
    domain = PlacingDomain(Tour(5))
    start = domain.packing.unpack(domain.key(np.array([6, 12])))[0]
    answer = batch_astar(domain.between(start, domain.goal), heuristic_by_name(domain, "least"), until="proved")
    assert answer.plan is not None
    every = domain.placing.between[::3, ::3]
    best = min(sum(int(every[one, two]) for one, two in pairwise((4, *order))) for order in permutations([0, 1, 3]))
    assert answer.cost == best


def test_costs_that_are_too_large_are_refused() -> None:
    """Searches count costs in 31 bits; an instance beyond is an error that names its largest cost."""
    placing = Tour(3)
    placing.cost_max = 1 << 31
    with pytest.raises(ConfigurationError, match=r"2147483648.*Maybe"):
        PlacingDomain(placing)


@pytest.mark.parametrize(("change", "said"), [(0.5, r"\d+\.5"), (-100, r"-\d+"), (np.nan, "nan")])
def test_costs_that_are_no_whole_numbers_are_refused(change: float, said: str) -> None:
    """They were cut to whole numbers, and the cheapest assignment by these was called proved."""

    class Wrong(Tour):
        def extensions(self, rows: NDArray[np.int64]) -> Extensions:
            parents, values, costs = super().extensions(rows)
            return parents, values, costs + change

    domain = PlacingDomain(Wrong(4))
    with pytest.raises(ConfigurationError, match=f"a cost of 'tour' is {said}, and has to be a whole number from 0"):
        batch_astar(domain, heuristic_by_name(domain, "least"), until="proved")
