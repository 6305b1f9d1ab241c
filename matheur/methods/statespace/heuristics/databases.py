"""Pattern databases: exact distances in projections of a domain, added or maximised.

Culberson and Schaeffer 1998, doi:10.1111/0824-7935.00065; sums over disjoint patterns: Korf and Felner 2002,
doi:10.1016/S0004-3702(01)00092-3.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.cache import StoredTable, load_table, store_table, stored_tables
from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics.base import UNREACHED, Heuristic, Lookup, largest_table_sum
from matheur.methods.statespace.heuristics.patterns import partition, walk_states
from matheur.methods.statespace.heuristics.sums import disjoint_families, helpful_sums, symmetric_sums
from matheur.methods.statespace.heuristics.tables import DistanceTable, Progress, count_values, distance_table

__all__ = ["MEMORY", "cached_tables", "pattern_database", "pattern_databases"]

MEMORY = 1 << 30
"""Default memory limit of the tables in bytes."""

_KIND = "distances"
_WORTH_KEEPING = 0.5
_SAMPLE = 1000
_CHECKED = 200
_log = logging.getLogger(__name__)


def cached_tables() -> list[StoredTable]:
    """The pattern databases that are stored on disk."""
    return stored_tables(_KIND)


def pattern_database(
    domain: Domain, components: Sequence[int], *, budget: Budget | None = None, progress: Progress | None = None
) -> DistanceTable:
    """Distances in the projection onto some components, from the cache if possible.

    A table that took half a second or more to build is stored: reading and checking a table of that size takes a few
    milliseconds, and smaller tables are not worth a file. A table from the cache is used only if it agrees with the
    moves of the projection for a sample of states.

    Raises
    ------
    ConfigurationError
        If the domain has no such projection, or it cannot be searched from its goal.
    """
    projection = domain.project(components)
    if projection is None:
        raise ConfigurationError(f"'{domain.name}' has no projections, and so no pattern databases")
    if projection.packing.widths != tuple(domain.packing.widths[i] for i in components):
        raise ValueError(f"the projection of '{domain.name}' changes the widths of its components")
    content = _content(projection)
    if content is not None:
        kept = load_table(_KIND, content, "uint8", (1 << projection.packing.bits,))
        if kept is not None and _agrees(projection, kept[0]):
            kept[0].flags.writeable = False
            return DistanceTable(kept[0], count_values(kept[0]), True, kept[1].seconds, True)
        if kept is not None:
            _log.warning("ignoring %s: it contradicts the moves of '%s'", kept[1].path, projection.name)
    try:
        table = distance_table(projection, budget=budget, progress=progress)
    except ValueError as error:
        raise ConfigurationError(f"no pattern database: {error}") from error
    if content is not None and table.complete and table.seconds >= _WORTH_KEEPING:
        store_table(_KIND, projection.name, content, table.values, table.seconds)
    return table


def _content(projection: Domain) -> dict[str, Any] | None:
    """Everything on which the distances depend; None if the domain does not provide it."""
    fingerprint = getattr(projection, "fingerprint", None)
    if not fingerprint or projection.packing.words > 1:
        return None
    mask = [bool(one) for one in projection.goal_mask]
    content = {
        "moves": str(fingerprint),
        "widths": list(projection.packing.widths),
        "goal": [int(value) if fixed else None for value, fixed in zip(projection.goal, mask, strict=True)],
    }
    if not all(mask):
        content["start"] = projection.start.tolist()  # only states connected with it are in the table
    return content


def _agrees(projection: Domain, values: NDArray[np.uint8]) -> bool:
    """Whether the goal has distance 0, and a sample of entries is consistent with the entries of successors."""
    if projection.goal_mask.all() and values[int(projection.packing.pack(projection.goal[None])[0, 0])] != 0:
        return False
    chosen = np.random.default_rng(0).integers(0, len(values), 50 * _CHECKED)
    keys = chosen[values[chosen] != UNREACHED][:_CHECKED, None].astype(np.uint64)
    if len(keys) == 0:
        return bool((values[:] != UNREACHED).any())
    goals = projection.is_goal(keys)
    found = projection.expand(keys)
    if (found.keys >= len(values)).any():
        return False
    known = values[found.keys[:, 0].astype(np.int64)].astype(np.int64)
    if (known == UNREACHED).any():
        return False
    best = np.full(len(keys), UNREACHED - 1, dtype=np.int64)
    np.minimum.at(best, found.parents, known + found.costs)
    best[goals] = 0
    return bool((best == values[keys[:, 0].astype(np.int64)]).all())


def pattern_databases(
    domain: Domain,
    patterns: Iterable[Sequence[int]] | None = None,
    *,
    bits: int | None = None,
    symmetric: bool = True,
    memory: int = MEMORY,
    budget: Budget | None = None,
    progress: Progress | None = None,
    rng: Generator | None = None,
) -> Heuristic:
    """The heuristic of some patterns: tables of disjoint patterns are added, and the largest sum is the estimate.

    It is admissible and consistent, because a move has a positive cost in at most one of several disjoint projections,
    and because the maximum of two consistent heuristics is consistent. A state whose projection cannot reach the goal
    is a dead end with the estimate `INFINITE`. If the budget ends while a table is built, its values are capped at the
    bound proved until then, and the name of the heuristic says so.

    Parameters
    ----------
    patterns
        Components of each pattern; None for `partition(domain, bits)`.
    bits
        Most bits of a pattern, if `patterns` is None.
    symmetric
        Also look up images of the state under the domain's automorphisms, if that helps.
    memory
        Memory limit in bytes for all tables together.
    rng
        Generator for the sample of states by which patterns and symmetries are assessed; None for a fixed seed.

    Raises
    ------
    ConfigurationError
        If the domain has no projections, or the tables need more memory than allowed.
    OutOfBudgetError
        If the budget ended before the patterns were chosen, or during the build of a table that is too large to cap in
        time.
    """
    rng = np.random.default_rng(0) if rng is None else rng
    sample = walk_states(domain, _SAMPLE, rng)
    if patterns is None:
        chosen = partition(domain, bits, sample=sample, budget=budget)
    else:
        chosen = [tuple(int(i) for i in pattern) for pattern in patterns]
        _check(domain, chosen)
    needed = sum(1 << sum(domain.packing.widths[i] for i in pattern) for pattern in chosen)
    if needed > memory:
        raise ConfigurationError(f"the pattern databases need {needed} bytes, {memory} are allowed. Maybe fewer bits")
    tables = {p: pattern_database(domain, p, budget=budget, progress=progress) for p in chosen}
    name = "pattern-database(" + "+".join(".".join(map(str, pattern)) for pattern in chosen) + ")"
    if not all(table.complete for table in tables.values()):
        name += ", cut off"
    values = {pattern: table.values for pattern, table in tables.items()}
    families = disjoint_families(chosen)
    sums = [[Lookup(pattern, values[pattern]) for pattern in family] for family in families]
    if symmetric:
        sums = helpful_sums(domain, sums, symmetric_sums(domain, families, values), sample)
    return largest_table_sum(name, domain.packing, sums)


def _check(domain: Domain, patterns: Sequence[tuple[int, ...]]) -> None:
    if not patterns:
        raise ConfigurationError("no patterns")
    for pattern in patterns:
        if not pattern or len(set(pattern)) < len(pattern) or not set(pattern) <= set(range(domain.packing.size)):
            raise ConfigurationError(
                f"a pattern is a set of components 0 to {domain.packing.size - 1} ({'.'.join(map(str, pattern))})"
            )
