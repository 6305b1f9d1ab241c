"""Rows of the party model for demands that are not sums over items: (10) to (14) of `matheur.models.party`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.models.party_rows import Row, Rows, groups_of, whole
from matheur.problems.party.constraints import ChemistryConstraint, SquadRatingConstraint
from matheur.problems.party.rules import rating_range

__all__ = ["chemistry", "min_same", "squad_rating"]

Positions = NDArray[np.intp]


def min_same(rows: Rows, name: str, least: int, groups: Mapping[int, Positions]) -> None:
    """(10); `groups` are the positions of the x by value."""
    if least <= 0:
        return
    many = {v: xs for v, xs in groups.items() if len(np.unique(rows.slot[xs])) >= least}
    chosen = rows.variables(f"{name}_chosen", many)
    rows.add(f"{name}_same", {v: rows.ones(xs, 0.0, None, [(-least, chosen[v])]) for v, xs in many.items()})
    rows.add(name, {0: Row(1.0, [1.0] * len(many), list(chosen.values()), None)})


def squad_rating(
    rows: Rows, name: str, constraint: SquadRatingConstraint, scope: Sequence[int], mine: Positions
) -> None:
    """(11) and (12); `mine` are the positions of the x of the slots in `scope`."""
    measure = rows.instance.catalogue.measures[constraint.column]
    low, high = rating_range(constraint, len(scope), measure.scale)
    amounts = measure.amounts[rows.item[mine]]
    # If all numbers change by the same amount, the compared value changes by n n times this amount.
    base, count = int(amounts.min()), len(scope)
    numbers, moved = amounts - base, base * count * count
    if high is not None:
        _rating_most(rows, name, high - moved, scope, mine, numbers)
    if low is not None:
        _rating_least(rows, name, low - moved, count, mine, numbers)


def _rating_most(
    rows: Rows, name: str, most: int, scope: Sequence[int], mine: Positions, numbers: NDArray[np.int64]
) -> None:
    """(11)."""
    count, xs, slots = len(scope), rows.of(mine), rows.slot[mine]
    excess = rows.variables(f"{name}_excess", scope, count * int(numbers.max()))
    exceeds = {
        k: Row(0.0, [*(numbers - count * numbers * (slots == k)).tolist(), 1.0], [*xs, excess[k]], None) for k in scope
    }
    rows.add(f"{name}_exceeds", exceeds)
    total = [*(count * numbers).tolist(), *([1.0] * count)]
    rows.add(f"{name}_most", {0: Row(None, total, [*xs, *excess.values()], float(most))})


def _rating_least(rows: Rows, name: str, least: int, count: int, mine: Positions, numbers: NDArray[np.int64]) -> None:
    """(12); the least of the numbers is 0."""
    xs, top, sizes = rows.of(mine), int(numbers.max()), range(count)
    enough = max(0, -(-least // count))
    # An item exceeds the mean A / n by at most the share a / top of the excess of the greatest number, so a sum A gives
    # at most 2 n A - A A / top, which grows with A.
    ends = range(min(enough, count * top) + 1)
    lowest = bisect_left(ends, True, key=lambda total: 2 * count * total * top - total * total >= least * top)
    which = rows.variables(f"{name}_which", sizes)
    part = rows.variables(f"{name}_part", sizes, count * top)
    groups = groups_of(numbers)
    upper = rows.variables(f"{name}_upper", groups, count)
    rows.add(f"{name}_one", {0: Row(1.0, [1.0] * count, list(which.values()), 1.0)})
    rows.add(f"{name}_sum", {0: Row(0.0, [*numbers.tolist(), *([-1.0] * count)], [*xs, *part.values()], 0.0)})
    limits = {m: (enough, count * top) if m == 0 else (lowest, max(lowest, enough - 1)) for m in sizes}
    rows.add(f"{name}_from", {m: Row(0.0, [1.0, -float(limits[m][0])], [part[m], which[m]], None) for m in sizes})
    rows.add(f"{name}_to", {m: Row(None, [1.0, -float(limits[m][1])], [part[m], which[m]], 0.0) for m in sizes})
    among = {r: rows.ones(mine[own], 0.0, None, [(-1.0, upper[r])]) for r, own in groups.items()}
    rows.add(f"{name}_among", among)
    size = [*([1.0] * len(groups)), *(-float(m) for m in sizes)]
    rows.add(f"{name}_size", {0: Row(0.0, size, [*upper.values(), *which.values()], 0.0)})
    total = [*(float(count - m) for m in sizes), *(float(count * r) for r in groups)]
    rows.add(f"{name}_least", {0: Row(float(least), total, [*part.values(), *upper.values()], None)})


def chemistry(rows: Rows, name: str, constraint: ChemistryConstraint, scope: Sequence[int], mine: Positions) -> None:
    """(13) and (14); `mine` are the positions of the x of the slots in `scope`.

    A step that needs more items than there are is left out, because it is never reached.
    """
    instance, most = rows.instance, constraint.most
    placed = mine[instance.in_position[rows.slot[mine], rows.item[mine]]]
    items = rows.item[placed]
    wanted, limited = constraint.op != "<=" or constraint.each > 0, constraint.op != ">="
    wanted = wanted or instance.objective == "chemistry"
    reached, own_steps = _steps(rows, name, constraint, placed, len(scope), (wanted, limited))
    full = np.zeros(len(instance.catalogue), dtype=bool)
    if constraint.full is not None:
        full = instance.catalogue.traits[constraint.full[0]].among(constraint.full[1])
    xs = {i: placed[own] for i, own in groups_of(items).items()}
    points = rows.variables(f"{name}_points", xs, most)
    ways = {i: [] if full[i] else [reached[key] for key in own_steps[i]] for i in xs}
    rows.add(f"{name}_most", {i: rows.ones(own, 0.0, None, [(-1.0, points[i])], most) for i, own in xs.items()})
    if wanted:
        earned = {
            i: Row(0.0, [1.0] * len(ts) + [-1.0], [*ts, points[i]], None) for i, ts in ways.items() if not full[i]
        }
        rows.add(f"{name}_earned", earned)
    if constraint.each:
        each = {i: rows.ones(own, None, 0.0, [(-1.0, points[i])], constraint.each) for i, own in xs.items()}
        rows.add(f"{name}_each", each)
        rows.add(f"{name}_placed", {k: rows.ones(placed[rows.slot[placed] == k], 1.0, None) for k in scope})
    if limited:
        _no_fewer(rows, name, most, xs, points, ways, full)
    bounds = whole(constraint.op, constraint.value)
    rows.add(name, {0: Row(bounds[0], [1.0] * len(xs), list(points.values()), bounds[1])})


def _steps(
    rows: Rows, name: str, constraint: ChemistryConstraint, placed: Positions, count: int, ways: tuple[bool, bool]
) -> tuple[Any, dict[int, list[tuple[int, int, int]]]]:
    """The binaries t by group, value and step, with their rows; and for each item the binaries that give it a point."""
    wanted, limited = ways
    items = rows.item[placed]
    members: dict[tuple[int, int, int], tuple[int, Positions]] = {}
    own_steps: dict[int, list[tuple[int, int, int]]] = {i: [] for i in np.unique(items).tolist()}
    for g, group in enumerate(constraint.groups):
        codes = rows.instance.catalogue.traits[group.column].codes[items]
        for v, own in groups_of(codes, least=0).items():
            different = np.unique(items[own]).tolist()
            room = min(len(np.unique(rows.slot[placed[own]])), len(different))
            keys = [(g, v, j) for j, step in enumerate(group.steps) if step <= room]
            members.update({key: (group.steps[key[2]], placed[own]) for key in keys})
            for item in different:
                own_steps[item] += keys
    reached = rows.variables(f"{name}_reached", members)
    if wanted:
        enough = {key: rows.ones(own, 0.0, None, [(-step, reached[key])]) for key, (step, own) in members.items()}
        rows.add(f"{name}_enough", enough)
    if limited:
        rows.add(
            f"{name}_past",
            {
                key: rows.ones(own, None, step - 1, [(step - 1 - count, reached[key])])
                for key, (step, own) in members.items()
            },
        )
    later = {(g, v, j): Row(0.0, [1.0, -1.0], [reached[g, v, j - 1], reached[g, v, j]], None)
             for g, v, j in members if j > 0}  # fmt: skip
    rows.add(f"{name}_order", later)
    return reached, own_steps


def _no_fewer(
    rows: Rows,
    name: str,
    most: int,
    xs: Mapping[int, Positions],
    points: Any,
    ways: Mapping[int, Sequence[Any]],
    full: NDArray[np.bool_],
) -> None:
    """The second half of (14).

    A chosen item has `most` points if it is full or its binary h is 1, else at least as many points as reached steps.
    """
    capped = rows.variables(f"{name}_capped", [i for i in xs if len(ways[i]) > most])
    found = {}
    for i, own in xs.items():
        if full[i]:
            found[i, 1] = rows.ones(own, None, 0.0, [(-1.0, points[i])], most)
            continue
        steps = len(ways[i])
        more = [*((1.0, one) for one in ways[i]), (-1.0, points[i])]
        if steps > most:
            more.append((most - steps, capped[i]))
            found[i, 1] = rows.ones(own, None, most, [(most, capped[i]), (-1.0, points[i])], most)
        found[i, 0] = rows.ones(own, None, steps, more, steps)
    rows.add(f"{name}_fewest", found)
