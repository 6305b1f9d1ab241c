"""One iteration of iterative deepening, shared by threads: subtrees below the root, in search order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matheur.engine.budget import Budget
from matheur.methods.statespace.crew import run_tasks
from matheur.methods.statespace.pace import limit_reached

__all__ = ["Shared", "search_subtrees"]


@dataclass(slots=True)
class Shared:
    """State shared by the threads; each thread writes the entries of its own subtrees.

    Attributes
    ----------
    nodes
        Number of nodes searched so far in each subtree.
    finished, found
        Whether each subtree has been searched completely, and whether it holds a plan.
    stopped
        Whether the budget has ended.
    """

    nodes: list[int]
    finished: list[bool]
    found: list[bool]
    stopped: Callable[[], bool]

    def wanted(self, number: int) -> bool:
        """Whether a subtree may still hold the first plan."""
        return not any(self.found[:number]) and not self.stopped()


def search_subtrees(
    count: int, threads: int, budget: Budget, search: Callable[[int, Shared], bool]
) -> tuple[int | None, Sequence[int], str | None]:
    """Search subtrees until the first one that holds a plan is known.

    Parameters
    ----------
    search
        `search(number, shared)` searches a subtree as long as it is wanted, counts its nodes, returns whether it holds
        a plan, and sets `finished` if it was searched completely.

    Returns
    -------
    number, nodes, limit
        The first subtree with a plan, or None; the nodes of each subtree; the limit that ended the search early, if
        any.
    """
    shared = Shared([0] * count, [False] * count, [False] * count, lambda: False)
    booked = 0
    limit: str | None = None

    def enough() -> bool:
        nonlocal booked, limit
        spent = sum(shared.nodes)
        budget.spend(work=spent - booked)
        booked = spent
        limit = limit_reached(budget)
        return limit is not None

    def call(_thread: int, number: int, stopped: Callable[[], bool]) -> None:
        shared.stopped = stopped
        if shared.wanted(number):
            shared.found[number] = search(number, shared)

    if not enough():
        run_tasks(count, threads, call, enough)
    first = shared.found.index(True) if True in shared.found else None
    known = all(shared.finished if first is None else shared.finished[: first + 1])
    return (first if known else None), shared.nodes, None if known else limit
