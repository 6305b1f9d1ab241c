"""Exact breadth-first search: whole components, one way, and from both ends."""

from matheur.methods.statespace.breadth_first.both_ends import BothEnds, bidirectional
from matheur.methods.statespace.breadth_first.forward import Distribution, bfs, distance_distribution

__all__ = ["BothEnds", "Distribution", "bfs", "bidirectional", "distance_distribution"]
