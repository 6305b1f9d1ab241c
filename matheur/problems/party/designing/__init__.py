"""Tools for puzzle designers: different parties, price and difficulty over the threshold of a demand, and fronts."""

from matheur.problems.party.designing.front import front
from matheur.problems.party.designing.sweep import Sweep, SweepPoint, sweep

__all__ = ["Sweep", "SweepPoint", "front", "sweep"]
