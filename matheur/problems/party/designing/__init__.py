"""Questions of those who design puzzles: parties that differ, price and difficulty over a demand, fronts."""

from matheur.problems.party.designing.front import front
from matheur.problems.party.designing.sweep import Sweep, SweepPoint, sweep

__all__ = ["Sweep", "SweepPoint", "front", "sweep"]
