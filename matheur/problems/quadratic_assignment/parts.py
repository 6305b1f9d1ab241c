"""An instance from its parts: tables of numbers, sizes and fixed facilities, whatever the file format."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.problems.quadratic_assignment.given import assemble
from matheur.problems.quadratic_assignment.instance import GENERAL_MAX, MAGNITUDE_MAX, Instance
from matheur.problems.quadratic_assignment.layout import SIZE_MAX
from matheur.problems.quadratic_assignment.numbers import Numbers, raised, to_scale

__all__ = ["PARTS", "TABLES", "in_units", "of_parts"]

TABLES = ("flows", "distances", "linear", "fixed", "pairs")
"""Parts with numbers."""

PARTS = (*TABLES, "facilities", "locations")
"""All parts; the last two are numbers themselves."""

Table = NDArray[np.int64]


def of_parts(source: Source, parts: Mapping[str, Numbers], sizes: Mapping[str, int], name: str) -> Instance:
    """The instance.

    Parameters
    ----------
    parts
        The numbers of each part of `TABLES` that is present.
    sizes
        Numbers of facilities and locations, if stated.

    Raises
    ------
    InputError
        If parts are missing or inconsistent.
    """
    if "pairs" in parts and {"flows", "distances"} & set(parts):
        raise source.error("an instance has flows and distances, or 'pairs', but not both")
    if len({"flows", "distances"} & set(parts)) == 1:
        there, missing = ("flows", "distances") if "flows" in parts else ("distances", "flows")
        raise source.error(f"'{there}' without '{missing}'")
    m, n = (
        _size(source, parts, sizes, word, part) for word, part in (("facilities", "flows"), ("locations", "distances"))
    )
    if m > n:
        raise source.error(f"more facilities than locations ({m} and {n})")
    tables, decimals = {}, {}
    for part, shape in (("flows", (m, m)), ("distances", (n, n)), ("linear", (m, n))):
        tables[part], decimals[part] = np.zeros(shape, dtype=np.int64), 0
        if part in parts:
            count = shape[0] * shape[1]
            size = len(parts[part])
            if size != count:
                what = f"'{part}' has {size} numbers, not {shape[0]} x {shape[1]}"
                raise source.error(what, parts[part].line_of(size - 1) if size else None)
            if m != n and part == "linear" and parts[part].starts == list(range(0, count, m)):
                raise source.error(f"'linear' has {n} rows of {m}; it needs a row for each facility, {m} of {n}")
            tables[part], decimals[part] = to_scale(parts[part], 0, count, source)
            tables[part] = tables[part].reshape(shape)
    pairs = None
    if "pairs" in parts:
        pairs, decimals["pairs"] = _general(source, parts["pairs"], m, n)
    if "linear" not in parts:
        del tables["linear"]
    fixed = _fixed(source, parts.get("fixed"), m, n)
    return in_units(source, tables, decimals, pairs, fixed, name)


def in_units(
    source: Source,
    tables: Mapping[str, Table],
    decimals: Mapping[str, int],
    pairs: Table | None,
    fixed: Mapping[int, int],
    name: str,
) -> Instance:
    """The instance in units of one power of ten for all costs.

    Raises
    ------
    InputError
        If numbers are too large, or the parts are inconsistent.
    """
    of_flows, of_distances = decimals["flows"], decimals["distances"]
    of_costs = max(of_flows + of_distances, decimals.get("linear", 0), decimals.get("pairs", 0))
    if of_costs:
        source.assume(f"decimals are scaled: the objective counts in 1/{10**of_costs}, the score in units of the file")
    try:
        flows = raised(tables["flows"], of_costs - of_flows - of_distances)
        costs = raised(tables["linear"], of_costs - decimals["linear"]) if "linear" in tables else None
        if pairs is not None:
            pairs = raised(pairs, of_costs - decimals["pairs"])
        return assemble(
            flows, tables["distances"], name, (of_costs - of_distances, of_distances),
            linear=costs, pairs=pairs, fixed=fixed,
        )  # fmt: skip
    except (ValueError, OverflowError) as error:
        raise source.error(f"{error}{'. Maybe fewer decimals?' if of_costs else ''}") from None


def _size(source: Source, parts: Mapping[str, Numbers], sizes: Mapping[str, int], word: str, part: str) -> int:
    if word in sizes:
        size = sizes[word]
    elif part in parts:
        size = round(len(parts[part]) ** 0.5)
        if size * size != len(parts[part]) or not size:
            raise source.error(f"'{part}' has {len(parts[part])} numbers, which do not make a square table")
    else:
        raise source.error(f"neither '{part}' nor '{word}' is there")
    most = GENERAL_MAX if "pairs" in parts else SIZE_MAX
    if not 1 <= size <= most:
        form = "in the general form " if "pairs" in parts else ""
        raise source.error(f"{form}'{word}' must be 1 to {most} ({size})")
    return size


def _fixed(source: Source, numbers: Numbers | None, m: int, n: int) -> dict[int, int]:
    found: dict[int, int] = {}
    values = _whole_numbers(source, numbers, "fixed")
    if len(values) % 2:
        raise source.error("'fixed' has pairs of a facility and its location")
    assert numbers is not None or not values
    for at in range(0, len(values), 2):
        facility, location = values[at : at + 2]
        line = None if numbers is None else numbers.line_of(at)
        if not (1 <= facility <= m and 1 <= location <= n):
            raise source.error(f"facilities are 1 to {m} and locations 1 to {n} ({facility} {location})", line)
        if found.get(facility - 1, location - 1) != location - 1:
            raise source.error(f"facility {facility} is fixed on two locations", line)
        found[facility - 1] = location - 1
    return found


def _whole_numbers(source: Source, numbers: Numbers | None, part: str) -> list[int]:
    if numbers is None:
        return []
    for index, behind in enumerate(numbers.decimals):
        if behind:
            raise source.error(f"'{part}' has whole numbers only ({numbers.at(index)})", numbers.line_of(index))
    return numbers.wholes.tolist()


def _general(source: Source, numbers: Numbers, m: int, n: int) -> tuple[Table, int]:
    """The table of the general form, and the number of decimals by which it was scaled."""
    if len(numbers) % 5:
        raise source.error(f"'pairs' has lines of five numbers, i k j l cost ({len(numbers)} numbers)")
    count = len(numbers) // 5
    table = np.zeros((m, n, m, n), dtype=np.int64)
    costs = Numbers(numbers.wholes[4::5], numbers.decimals[4::5], [0], [numbers.lines[0] if count else 1])
    scaled, decimals = to_scale(costs, 0, count, source) if count else (np.zeros(0, dtype=np.int64), 0)
    if abs(scaled.astype(np.float64)).sum() >= MAGNITUDE_MAX:
        raise source.error("the numbers of 'pairs' are so large that a sum could overflow")
    for index in range(count):
        at = [numbers.at(5 * index + place) for place in range(4)]
        limits = (m, n, m, n)
        if any(not isinstance(one, int) or not 1 <= one <= most for one, most in zip(at, limits, strict=True)):
            said = " ".join(map(str, at))
            raise source.error(
                f"facilities are 1 to {m} and locations 1 to {n} (i k j l: {said})", numbers.line_of(5 * index)
            )
        table[tuple(int(one) - 1 for one in at)] += scaled[index]
    return table, decimals
