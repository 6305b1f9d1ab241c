"""Questions of those who design puzzles: different good solutions, and price and difficulty over a demand."""

from matheur.designing.diverse import Band, Diversity, Variant, diverse
from matheur.designing.sweep import Sweep, SweepPoint, sweep

__all__ = ["Band", "Diversity", "Sweep", "SweepPoint", "Variant", "diverse", "sweep"]
