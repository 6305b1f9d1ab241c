"""Formations in the plane: no card over another, and always the same."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matheur.problems.party.formations import FORMATIONS
from matheur.problems.party.picture.layout import EDGES_MAX, arrange
from matheur.problems.party.picture.routes import Point, routes

CARD, GAP, LABEL = (160.0, 90.0), (50.0, 40.0), (36.0, 18.0)


def pairs(edges: list[tuple[int, int]]) -> np.ndarray:
    return np.array(edges, dtype=np.int32).reshape(-1, 2)


def overlapping(points: list[Point]) -> int:
    return sum(abs(a[0] - b[0]) < CARD[0] and abs(a[1] - b[1]) < CARD[1] for a, b in combinations(points, 2))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, np.ndarray]:
    """Any graph, also with parts that no edge joins."""
    slots = draw(st.integers(1, 15))
    every = list(combinations(range(slots), 2))
    chosen = draw(st.lists(st.sampled_from(every), unique=True, max_size=30)) if every else []
    return slots, pairs(chosen)


@settings(max_examples=15)
@given(graphs())
def test_no_two_cards_overlap(graph: tuple[int, np.ndarray]) -> None:
    """Whatever the graph, cards lie apart, the smallest places are 0, and all are always the same."""
    slots, edges = graph
    points = arrange(slots, edges, CARD, GAP)
    assert len(points) == slots
    assert overlapping(points) == 0
    assert min(x for x, _ in points) == 0 == min(y for _, y in points)
    assert points == arrange(slots, edges, CARD, GAP)


def test_far_too_many_edges() -> None:
    """A graph that nobody could draw well still has its cards apart."""
    edges = pairs(list(combinations(range(40), 2)))
    assert len(edges) > EDGES_MAX
    assert overlapping(arrange(40, edges, CARD, GAP)) == 0


@pytest.mark.parametrize("formation", FORMATIONS, ids=lambda formation: formation.name)
def test_formations_are_tidy(formation: object) -> None:
    """Neighbours of the built-in formations lie near each other, and no edge or label is on a card."""
    names = list(formation.slots)  # type: ignore[attr-defined]
    edges = pairs([(names.index(a), names.index(b)) for a, b in formation.edges])  # type: ignore[attr-defined]
    points = arrange(len(names), edges, CARD, GAP)
    ways = routes(points, edges, CARD, LABEL)
    for (a, b), way in zip(edges.tolist(), ways, strict=True):
        for t in np.linspace(0, 1, 20):
            curve = zip(points[a], way.control, points[b], strict=True)
            at = [(1 - t) ** 2 * p + 2 * t * (1 - t) * q + t * t * r for p, q, r in curve]
            met = [abs(at[0] - x) < CARD[0] / 2 and abs(at[1] - y) < CARD[1] / 2 for x, y in points]
            assert not any(true for slot, true in enumerate(met) if slot not in (a, b))
        apart = (CARD[0] + LABEL[0]) / 2, (CARD[1] + LABEL[1]) / 2
        assert not any(abs(way.label[0] - x) < apart[0] and abs(way.label[1] - y) < apart[1] for x, y in points)
    for one, two in combinations(ways, 2):
        assert abs(one.label[0] - two.label[0]) > LABEL[0] or abs(one.label[1] - two.label[1]) > LABEL[1]


def test_left_comes_before_right() -> None:
    """Slots in one row are in their order, where the graph leaves the choice."""
    points = arrange(3, pairs([(0, 1), (0, 2), (1, 2)]), CARD, GAP)
    assert points[0][1] < points[1][1] == points[2][1]
    assert points[1][0] < points[2][0]
