"""Iterative deepening within a run.

Small tables are used first, then larger ones if they are cached or worth building.
"""

from __future__ import annotations

from dataclasses import replace

from matheur.engine.budget import Budget
from matheur.engine.cache import stored_tables
from matheur.methods.statespace.answer import SearchAnswer
from matheur.problems.sliding_tile.domain import sliding_tile_domain
from matheur.problems.sliding_tile.problem import SlidingTile
from matheur.problems.sliding_tile.search.geometry import Geometry
from matheur.problems.sliding_tile.search.partitions import largest_size, named_for, partition, table_bytes
from matheur.problems.sliding_tile.search.placements import TILES_MAX
from matheur.version import __version__

__all__ = ["at_hand", "large_tables", "prove"]

_MEMORY = 1 << 32
_SMALL = "auto"
_LARGE = 320 << 20  # bytes of the tables of the second search
_PROVABLE = 16  # cells up to which large tables prove every board in seconds
_TRIAL = 0.06  # share of the time for the small tables
_CERTAIN = 0.65  # share of the time for large tables that are almost certain to prove the plan
_LOADED, _BUILT = 150 << 20, 12 << 20  # bytes per second on a busy machine


def prove(
    problem: SlidingTile, board: Geometry, budget: Budget, *, nodes: int, seconds: float, threads: int = 1
) -> SearchAnswer:
    """Search for an optimal plan.

    In an untimed run, only small tables are used, so that the run does not depend on the content of the cache. In a
    timed run, this search is short, since it proves most boards immediately. A search with large tables follows if half
    of the time is enough to read them, or to build them for a board small enough that the proof is certain.

    Parameters
    ----------
    nodes
        Largest number of slides that each search may examine.
    seconds
        Time limit of both searches; on small boards the second one may take longer.

    Returns
    -------
    SearchAnswer
        An optimal plan with its proof, or the better of both bounds.
    """
    domain = sliding_tile_domain(problem)
    name = large_tables(board) if budget.timed else None
    certain = board.cells <= _PROVABLE
    ready = name is not None and at_hand(board, name)
    if name is not None:
        rate = _LOADED if ready else _BUILT
        in_time = table_bytes(board, name) / rate <= budget.seconds_left / 2
        name = name if in_time and (ready or certain) else None
    whole = budget.seconds_left
    first = min(seconds, whole) if name is None else min(seconds, _TRIAL * whole)
    inner = budget.child(work=nodes, seconds=first if budget.timed else None)
    answer = domain.ida_star(_SMALL, budget=inner, memory=_MEMORY, threads=threads) or SearchAnswer()
    if answer.plan is not None or name is None or budget.exhausted:
        return answer
    rest = _CERTAIN * whole if certain else max(0.0, seconds - first)
    inner = budget.child(work=nodes, seconds=rest)
    other = domain.ida_star(name, budget=inner, memory=_MEMORY, threads=threads) or SearchAnswer()
    return replace(other, bound=max(answer.bound, other.bound), expanded=answer.expanded + other.expanded)


def large_tables(board: Geometry) -> str | None:
    """The partition with the largest tables that fit easily into memory; None if these are the small ones."""
    known = {name: table_bytes(board, name) for name in named_for(board)}
    fitting = {name: size for name, size in known.items() if size <= _LARGE}
    if fitting:
        return max(fitting, key=lambda name: fitting[name])
    small, large = (min(TILES_MAX, largest_size(board, size)) for size in (24 << 20, _LARGE))
    return str(large) if large > small else None


def at_hand(board: Geometry, name: str) -> bool:
    """Whether all tables of a partition are in the user's cache."""
    patterns = {tuple(sorted(pattern)) for pattern in partition(board, name)}
    kept = set()
    for table in stored_tables("sliding-tile"):
        one = table.content
        same = (one.get("rows"), one.get("columns"), one.get("goal")) == (board.rows, board.columns, board.goal)
        if same and one.get("version") == __version__:
            kept.add(tuple(sorted(one.get("tiles", []))))
    return patterns <= kept
