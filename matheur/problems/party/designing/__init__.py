"""Questions of those who design puzzles: parties that differ, and price and difficulty over a demand."""

from matheur.problems.party.designing.sweep import Sweep, SweepPoint, sweep

__all__ = ["Sweep", "SweepPoint", "sweep"]
