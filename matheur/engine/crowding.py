"""Which solution a full pool removes: near copies first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from matheur.engine.elites import Elite
from matheur.engine.protocols import Comparable

__all__ = ["Crowding"]

_ALIKE = 0.1  # share of the largest difference in the pool below which two solutions are of one kind
_COMPARED_MAX = 200  # solutions of which all pairs are compared


class Crowding:
    """Keeps the solutions of a pool diverse, if the problem can measure their differences.

    Small steps produce dozens of nearly equal solutions of the same quality. A pool that kept only the best and the
    newest would soon hold nothing else, and there would be nothing to combine.

    Parameters
    ----------
    problem
        If it is not `Comparable`, the worst solution is removed, the oldest of equally bad ones.
    """

    def __init__(self, problem: Any) -> None:
        self._compare: Callable[[Any, Any], int] | None = (
            problem.difference if isinstance(problem, Comparable) else None
        )
        self._distances: dict[tuple[bytes, bytes], int] = {}

    def surplus(self, elites: Sequence[Elite]) -> int:
        """Index of the solution to remove; never the first one if there are several.

        The worst of those that differ from one that comes before them in less than a tenth of the largest difference
        in the pool; if there is none, the worst, and of several that are equally bad the one that is most like
        another, of the closest two the one that comes later.

        Parameters
        ----------
        elites
            The best first, among equals the newest. If there are more than 200, the last one is removed.
        """
        last = len(elites) - 1
        if self._compare is None or last < 1 or len(elites) > _COMPARED_MAX:
            return last
        far = [[self._distance(one, other) for other in elites] for one in elites]
        alike = _ALIKE * max(map(max, far))
        for i in range(last, 0, -1):
            if min(far[i][:i]) < alike:
                return i
        tied = [i for i in range(last, 0, -1) if elites[i].objective == elites[last].objective]
        return min(tied, key=lambda i: min(far[i][:i] + far[i][i + 1 :]))

    def forget(self, elites: Sequence[Elite]) -> None:
        """Discard all distances except those between these solutions."""
        keys = {elite.key for elite in elites}
        self._distances = {pair: far for pair, far in self._distances.items() if keys.issuperset(pair)}

    def _distance(self, one: Elite, other: Elite) -> int:
        if one.key == other.key:
            return 0
        pair = (one.key, other.key) if one.key < other.key else (other.key, one.key)
        found = self._distances.get(pair)
        if found is None:
            assert self._compare is not None
            found = self._distances[pair] = self._compare(one.solution, other.solution)
        return found
