"""Kernels that compute the points of neighbouring places of a party: pair by pair, or cached by value for one slot."""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["around", "forget", "given", "note"]


@kernel
def _listed(term, row, column, puzzle):  # type: ignore[no-untyped-def]
    """Points of two groups (each plus one), -1 if the pair is not listed."""
    return puzzle.table[puzzle.table_starts[term] + (row - 1) * puzzle.table_sizes[term] + column - 1]


@kernel
def _points(g, h, puzzle):  # type: ignore[no-untyped-def]
    """Points of two neighbouring places."""
    total = np.int64(0)
    for term in range(puzzle.codes.shape[0]):
        one, two = puzzle.codes[term, g], puzzle.codes[term, h]
        if one > 0 and two > 0:
            listed = _listed(term, puzzle.groups[term, g], puzzle.groups[term, h], puzzle)
            if listed >= 0:
                total += listed
            else:
                total += puzzle.same[term] if one == two else puzzle.other[term]
    return total


@kernel
def around(slot, place, other, party, puzzle):  # type: ignore[no-untyped-def]
    """Points of a place in a slot with its neighbours, except for the edge to slot `other`."""
    total = np.int64(0)
    for k in range(puzzle.neighbour_starts[slot], puzzle.neighbour_starts[slot + 1]):
        if puzzle.neighbours[k] != other:
            total += _points(place, party[puzzle.neighbours[k]], puzzle)
    return total


@kernel
def note(slot, state, puzzle):  # type: ignore[no-untyped-def]
    """Cache the points that the neighbours of a slot give to each value."""
    equal, listed = state.equal, state.listed
    for k in range(puzzle.neighbour_starts[slot], puzzle.neighbour_starts[slot + 1]):
        h = state.party[puzzle.neighbours[k]]
        for term in range(equal.shape[0]):
            code = puzzle.codes[term, h]
            if code == 0:
                continue
            group = puzzle.groups[term, h]
            if _listed(term, group, group, puzzle) < 0:
                equal[term, code] += puzzle.same[term] - puzzle.other[term]
            if puzzle.plain:
                continue
            for row in range(1, puzzle.table_sizes[term] + 1):
                points = _listed(term, row, group, puzzle)
                listed[term, row] += points if points >= 0 else puzzle.other[term]


@kernel
def forget(slot, state, puzzle):  # type: ignore[no-untyped-def]
    """Clear the cache of `note`."""
    for k in range(puzzle.neighbour_starts[slot], puzzle.neighbour_starts[slot + 1]):
        h = state.party[puzzle.neighbours[k]]
        for term in range(state.equal.shape[0]):
            state.equal[term, puzzle.codes[term, h]] = 0
    if not puzzle.plain:
        state.listed.fill(0)


@kernel
def given(place, state, puzzle):  # type: ignore[no-untyped-def]
    """Points of a place with the neighbours, from the cache of `note`."""
    points = np.int64(0)
    for term in range(state.equal.shape[0]):
        points += state.equal[term, puzzle.codes[term, place]]
    if not puzzle.plain:
        for term in range(state.equal.shape[0]):
            points += state.listed[term, puzzle.groups[term, place]]
    return points
