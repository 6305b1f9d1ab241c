"""The fast rules agree with the definition."""

from __future__ import annotations

from hypothesis import given, settings
from problems.cubical.reference import all_faces, successors
from problems.cubical.strategies import instances

from matheur.problems.cubical import Instance, legal_moves
from matheur.problems.cubical.rules import free_span


@settings(max_examples=80)
@given(instances(largest=5))
def test_legal_moves(instance: Instance) -> None:
    """They are those of the definition, each once and in order, and each has a free face to show."""
    d, k, places = instance.dimension, instance.k, instance.start
    found = legal_moves(d, k, places)
    expected = successors(d, k, places)
    assert found == sorted(expected)
    for ring in range(len(places)):
        for vertex in range(1 << d):
            span = free_span(d, k, places, ring, vertex)
            assert (span is not None) == ((ring, vertex) in expected)
            if span is not None:
                face = {v for v in range(1 << d) if (v ^ vertex) & ~span == 0}
                assert frozenset(face) in all_faces(d, k)
                assert face & set(places) == {places[ring]}
