"""All solutions met that are good enough."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matheur.errors import ConfigurationError
from matheur.running.diversity.collection import Collection
from matheur.running.diversity.differences import Differences, differences_of

ROWS = st.lists(st.permutations(range(6)).map(lambda row: row[:4]), min_size=1, max_size=12)


def row(*items: int) -> np.ndarray:
    return np.array(items, dtype=np.int32)


def test_dear_and_repeated_solutions_are_not_kept() -> None:
    """The cap follows the best; one solution of each set of items, the cheaper one."""
    found = Collection(Differences(3, by_place=False), 10)
    assert found.add(row(1, 2, 3), 120)
    assert found.add(row(1, 2, 4), 110)
    assert not found.add(row(3, 2, 1), 115)
    assert [price for price, _ in found.solutions] == [110, 115]
    assert found.add(row(5, 6, 7), 100)
    assert (found.best, found.cap) == (100, 110)
    assert [price for price, _ in found.solutions] == [100, 110]
    assert not found.add(row(7, 8, 9), 111)


@given(ROWS, st.integers(1, 4), st.booleans())
def test_chosen_solutions_are_far_apart_and_nothing_fits_in(rows: list[list[int]], distance: int, by: bool) -> None:
    """They start with the cheapest, keep the distance, and no further one could be added."""
    differences = Differences(4, by)
    found = Collection(differences, 1000)
    for price, items in enumerate(rows, start=10):
        found.add(row(*items), price)
    chosen = found.spread(12, distance)
    assert chosen[0][0] == found.best

    def far(one: np.ndarray, two: np.ndarray) -> bool:
        return int(differences.between(one[None, :], two)[0]) >= distance

    assert all(far(one, two) for i, (_, one) in enumerate(chosen) for _, two in chosen[:i])
    left = [one for _, one in found.solutions if not any((one == two).all() for _, two in chosen)]
    assert not any(all(far(one, two) for _, two in chosen) for one in left)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20), st.integers(1, 6))
def test_bands_count_everything_once(prices: list[int], number: int) -> None:
    """Bands go from the best to the cap; the counts are those of their prices."""
    found = Collection(Differences(1, by_place=True), 40)
    for item, price in enumerate(prices):
        found.add(row(item), 100 + price)
    bands = found.bands(number)
    assert (bands[0][0], bands[-1][1]) == (found.best, found.cap)
    kept = [price for price, _ in found.solutions]
    for position, (low, high, count) in enumerate(bands):
        assert count == sum((low < price or (position == 0 and price == low)) and price <= high for price in kept)


def test_only_some_problems_can_be_compared() -> None:
    """The others are refused by name."""

    class Other:
        name = "cubical"

    with pytest.raises(ConfigurationError, match="party and quadratic-assignment"):
        differences_of(Other(), False)
