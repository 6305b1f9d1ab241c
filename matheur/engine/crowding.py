"""Which of equally good solutions a full pool gives up: the one that is most like another one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from matheur.engine.elites import Elite
from matheur.engine.protocols import Comparable

__all__ = ["Crowding"]

_COMPARED_MAX = 200  # solutions of which all pairs are compared


class Crowding:
    """Keeps the ties of a pool apart, as far as the problem can say how far two solutions are.

    Sideways moves make dozens of equally good solutions that are nearly the same; without this a pool that keeps the
    newest would in the end hold nothing else, and there would be nothing to combine.

    Parameters
    ----------
    problem
        If it is not `Comparable`, the oldest of the worst goes.
    """

    def __init__(self, problem: Any) -> None:
        self._compare: Callable[[Any, Any], int] | None = (
            problem.difference if isinstance(problem, Comparable) else None
        )
        self._distances: dict[tuple[bytes, bytes], int] = {}

    def surplus(self, elites: Sequence[Elite]) -> int:
        """Index of the one to give up.

        Parameters
        ----------
        elites
            The best first, among equals the newest. With more than 200 the last one goes.
        """
        last = len(elites) - 1
        tied = [i for i, elite in enumerate(elites) if elite.objective == elites[last].objective]
        if self._compare is None or len(tied) == 1 or len(elites) > _COMPARED_MAX:
            return last
        # Of the two that are most alike the older one, which comes first here.
        return min(reversed(tied), key=lambda i: min(self._distance(elites[i], other) for other in _without(elites, i)))

    def forget(self, elites: Sequence[Elite]) -> None:
        """Forget the distances of all but these."""
        keys = {elite.key for elite in elites}
        self._distances = {pair: far for pair, far in self._distances.items() if keys.issuperset(pair)}

    def _distance(self, one: Elite, other: Elite) -> int:
        pair = (one.key, other.key) if one.key < other.key else (other.key, one.key)
        found = self._distances.get(pair)
        if found is None:
            assert self._compare is not None
            found = self._distances[pair] = self._compare(one.solution, other.solution)
        return found


def _without(elites: Sequence[Elite], index: int) -> list[Elite]:
    return [*elites[:index], *elites[index + 1 :]]
