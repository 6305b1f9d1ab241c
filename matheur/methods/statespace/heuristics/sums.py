"""Maximum over sums of pattern databases: disjoint patterns, and images of the state.

Families of disjoint patterns: Haslum et al. 2007 (the canonical heuristic). Look-ups of symmetric states: Culberson and
Schaeffer 1998.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics.base import Lookup, largest_table_sum

__all__ = ["disjoint_families", "helpful_sums", "symmetric_sums"]

_EXTRA_MAX = 8
_CANDIDATES_MAX = 128


def disjoint_families(patterns: Sequence[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
    """All families of pairwise disjoint patterns to which no other can be added."""
    if len({i for pattern in patterns for i in pattern}) == sum(map(len, patterns)):
        return [list(patterns)]
    import networkx  # takes longer to import than most tables to build

    graph = networkx.Graph()
    graph.add_nodes_from(patterns)
    graph.add_edges_from((a, b) for a in patterns for b in patterns if a < b and not set(a) & set(b))
    order = {pattern: i for i, pattern in enumerate(patterns)}
    return sorted(sorted(family, key=order.__getitem__) for family in networkx.find_cliques(graph))


def symmetric_sums(
    domain: Domain,
    families: Sequence[Sequence[tuple[int, ...]]],
    tables: Mapping[tuple[int, ...], NDArray[np.uint8]],
) -> list[list[Lookup]]:
    """Sums for the images of a state, one for each way in which the components are grouped into patterns.

    Two symmetries that group the same components give the same values if projections respect symmetries. Leaving out a
    sum can make the estimate smaller, but never inadmissible.
    """
    symmetries, widths = domain.automorphisms(), domain.packing.widths
    if symmetries is None:
        return []
    sums = []
    seen = {frozenset(map(frozenset, family)) for family in families}
    for row, values in zip(symmetries.components, symmetries.values, strict=True):
        source = np.argsort(row)  # which component of the state becomes component p of the image
        if any(widths[i] != widths[int(source[i])] for i in range(len(widths))):
            continue  # the index would differ
        for family in families:
            moved = [tuple(int(source[i]) for i in pattern) for pattern in family]
            if (which := frozenset(map(frozenset, moved))) not in seen:
                seen.add(which)
                pairs = zip(moved, family, strict=True)
                sums.append([Lookup(components, tables[pattern], values) for components, pattern in pairs])
    return sums


def helpful_sums(
    domain: Domain, sums: list[list[Lookup]], images: list[list[Lookup]], sample: NDArray[np.uint64]
) -> list[list[Lookup]]:
    """Add the images that raise the mean estimate of the sample most, as long as they raise it by one percent."""

    def estimates(of: list[list[Lookup]]) -> NDArray[np.int32]:
        return largest_table_sum("sample", domain.packing, of).estimate(sample)

    best = estimates(sums)
    candidates = [(image, estimates([image])) for image in images[:_CANDIDATES_MAX]]
    chosen = list(sums)
    while candidates and len(chosen) < len(sums) + _EXTRA_MAX:
        gains = [float(np.maximum(best, values).mean()) for _, values in candidates]
        most = int(np.argmax(gains))
        if gains[most] < 1.01 * float(best.mean()):
            break
        image, values = candidates.pop(most)
        best = np.maximum(best, values)
        chosen.append(image)
    return chosen
