"""Several different good solutions of an instance, and how many there are.

A problem whose solutions can be compared names two tools in its registration: `differences`, a function of the problem
and `by_slot` that gives the `Differences`, and, if it knows a better way than to search again, `finder`, a class with
the arguments of `Finder`.
"""

from matheur.running.diversity.collection import Collection
from matheur.running.diversity.differences import Differences
from matheur.running.diversity.diverse import Band, Diversity, Variant, diverse
from matheur.running.diversity.finders import Finder

__all__ = ["Band", "Collection", "Differences", "Diversity", "Finder", "Variant", "diverse"]
