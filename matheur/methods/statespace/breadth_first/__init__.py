"""Exact breadth-first search: of whole components, from one end, and from both ends."""

from matheur.methods.statespace.breadth_first.both_ends import BothEnds, bidirectional
from matheur.methods.statespace.breadth_first.forward import Distribution, bfs, distance_distribution

__all__ = ["BothEnds", "Distribution", "bfs", "bidirectional", "distance_distribution"]
