"""Seatings, extreme sums and best matches against enumeration."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from problems.party.brute_force import tiny_instances

from matheur.problems.party import Instance
from matheur.problems.party.reach import best_match, extreme_sum, greedy_sum, seat

CHOICES = st.lists(st.lists(st.integers(-1, 4), unique=True, max_size=4), min_size=1, max_size=6)


@settings(max_examples=200)
@given(CHOICES, st.lists(st.integers(0, 3), min_size=6, max_size=6))
@example([[-1, 0, 2, 1], [1, -1], [4], [1, -1]], [2, 0, 1, 2, 2, 1])  # went round in circles
def test_seatings_are_largest(choices: list[list[int]], room: list[int]) -> None:
    """As many as Hall's theorem allows sit, within the room; a crowd has fewer places than slots."""
    seating = seat(choices, lambda choice: room[choice])
    for slot, choice in enumerate(seating.seats):
        assert choice is None or choice in choices[slot]
    for choice in range(-1, 5):
        assert seating.seats.count(choice) <= room[choice]
    lacks = 0
    for size in range(1, len(choices) + 1):
        for crowd in combinations(range(len(choices)), size):
            places = sum(room[choice] for choice in {choice for slot in crowd for choice in choices[slot]})
            lacks = max(lacks, size - places)
    assert seating.size == len(choices) - lacks
    assert bool(seating.crowd) == (lacks > 0)
    if lacks:
        assert {choice for slot in seating.crowd for choice in choices[slot]} == set(seating.exhausted)
        assert sum(room[choice] for choice in seating.exhausted) < len(seating.crowd)


@settings(max_examples=60)
@given(tiny_instances(), st.data())
def test_extreme_sums_are_reached(instance: Instance, data: st.DataObject) -> None:
    """The largest and the smallest sum over all choices of different candidates."""
    own = [items.tolist() for items in instance.candidates]
    weights = np.array(data.draw(st.lists(st.integers(-5, 9), min_size=9, max_size=9)), dtype=np.int64)
    sums = [sum(weights[list(chosen)].tolist()) for chosen in product(*own) if len(set(chosen)) == len(chosen)]
    if sums:
        assert extreme_sum(weights, instance.candidates, largest=True) == max(sums)
        assert extreme_sum(weights, instance.candidates, largest=False) == min(sums)
        assert greedy_sum(weights, instance.candidates, largest=True) in {None, *sums}
        assert greedy_sum(weights, instance.candidates, largest=False) in {None, *sums}
        big = weights * 10**15
        assert extreme_sum(big, instance.candidates, largest=True) >= max(sums) * 10**15


def test_sums_of_large_weights_do_not_overflow() -> None:
    """Three weights of which two together are beyond 64 bits."""
    weights = np.full(3, 6 * 10**18, dtype=np.int64)
    candidates = [np.array([item]) for item in range(3)]
    for largest in (False, True):
        assert greedy_sum(weights, candidates, largest=largest) == 18 * 10**18
        assert extreme_sum(weights, candidates, largest=largest) == 18 * 10**18


@settings(max_examples=150)
@given(tiny_instances())
def test_best_matches_are_reached(instance: Instance) -> None:
    """The best pair of different candidates of two slots, by each term."""
    if instance.points is None:
        return
    for a, b in permutations(range(len(instance.slots)), 2):
        one, two = (items.tolist() for items in (instance.candidates[a], instance.candidates[b]))
        for term in instance.points.terms:
            due = 0
            for left, right in product(one, two):
                codes = int(term.codes[left]), int(term.codes[right])
                if left != right and min(codes) >= 0:
                    listed = int(term.table[term.group[codes[0]], term.group[codes[1]]])
                    due = max(due, listed if listed >= 0 else term.same if codes[0] == codes[1] else term.other)
            assert best_match(term, instance.candidates[a], instance.candidates[b]) == due
