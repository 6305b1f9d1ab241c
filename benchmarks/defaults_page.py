"""Page written by `defaults.py report`: defaults compared with the best named method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from first_answers import table
from rows import Rows

__all__ = ["Judged", "judged", "order", "write_page"]

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results-defaults.md"

Row = dict[str, Any]

_DEFAULT = "default"
_ALL = 10.0  # seconds, the largest limit for all methods
_STEP = 0.001  # relative step of the objective, used if it is more than 1
_SLOWER, _NOISE = 1.1, 0.5  # the default is slower if it takes this factor and also this many seconds longer
_STEPS = {"sliding-tile": 2.0, "sokoban": 2.0, "rubik": 2.0}  # plans have the same parity (quarter turns)

_HEAD = """# Defaults against named methods

*Written by `python benchmarks/defaults.py report`; measured by `python benchmarks/defaults.py run`.*

The tables compare `matheur solve` without options with the best of the problem's constructions, each run by name
(`--construction NAME --neighbourhoods none`) with the same wall-clock limit. Kernels are compiled beforehand. *Warm*:
tables are on the disk; *cold*: the folder of tables is empty. `=` marks values that are proved optimal. The seconds in
brackets are those to the first solution, to the best solution and to the end of the run. If there are several seeds,
the median run counts.

The default counts as worse in three cases: its value is more than one step worse (one move, edge or vertex; two moves
if all plans have the same parity; a thousandth of large values); a named method proves the same value and the default
does not; or both prove it and the default takes more than 10 % (and half a second) longer.
"""

_FIRST = """## Before and after

*Measured by `python benchmarks/first_answers.py run`, with both versions on the same machine, one after the other.*

Commands with a time limit and few other options, for which an earlier version performed badly. Seconds are those of
the whole command.

{table}"""


@dataclass(frozen=True)
class Judged:
    """The default and the best named method on one instance, limit and state of the cache."""

    instance: str
    limit: float
    cache: str
    default: Row
    named: Row | None
    verdict: str


def judged(rows: list[Row]) -> Iterator[Judged]:
    """Judge each instance, limit and cache that has a default and at least one named method."""
    groups: dict[tuple[str, float, str], dict[str, list[Row]]] = {}
    for row in rows:
        key = row["instance"], row["limit"], row["cache"]
        groups.setdefault(key, {}).setdefault(row["method"], []).append(row)
    for (instance, limit, cache), methods in groups.items():
        chosen = {name: sorted(runs, key=order)[len(runs) // 2] for name, runs in methods.items()}
        default = chosen.pop(_DEFAULT, None)
        if default is None or not chosen:
            continue
        best = min(chosen.values(), key=order)
        named = best if best.get("objective") is not None or best["status"] == "infeasible" else None
        yield Judged(instance, limit, cache, default, named, _verdict(default, named))


def _proved(row: Row) -> bool:
    return row["status"] in ("optimal", "infeasible")


def order(row: Row) -> tuple[float, bool, float]:
    """Sort key that puts better runs first."""
    objective = row.get("objective")
    value = float("inf") if objective is None else float(objective)
    if row["status"] == "infeasible":
        value = float("-inf")
    return value, not _proved(row), row["seconds"] if _proved(row) else row.get("best") or 0.0


def _verdict(default: Row, named: Row | None) -> str:
    if named is None:
        return "better" if default.get("objective") is not None else "none has a solution"
    if named["status"] == "infeasible" or default["status"] == "infeasible":
        return "same" if default["status"] == named["status"] else "**worse**: no proof"
    if default.get("objective") is None:
        return "**worse**: no solution"
    step = max(_STEPS.get(default["problem"], 1.0), _STEP * abs(named["objective"]))
    behind = default["objective"] - named["objective"]
    if behind > step:
        return f"**worse** by {behind:g}"
    if behind < 0:
        return "better"
    if _proved(named) and not _proved(default):
        return "**worse**: no proof"
    if _proved(default) and not _proved(named):
        return "better: proof"
    if _proved(named) and default["seconds"] > max(_SLOWER * named["seconds"], named["seconds"] + _NOISE):
        return f"**slower**: {default['seconds'] / max(named['seconds'], 0.01):.1f} times"
    return "same" if behind == 0 else "one step worse"


def _shown(row: Row) -> str:
    if row.get("score") is None:
        return "none =" if row["status"] == "infeasible" else "-"
    times = "/".join("-" if row[key] is None else f"{row[key]:g}" for key in ("first", "best", "seconds"))
    return f"{row['score']:g}{' =' if _proved(row) else ''} ({times})"


def write_page(rows: list[Row]) -> None:
    """Write `docs/results-defaults.md`, and print the cases where the default is worse."""
    found = sorted(judged(rows), key=lambda one: (one.instance, one.cache, one.limit))
    lines = [_HEAD]
    for problem in dict.fromkeys(one.default["problem"] for one in found):
        lines += [f"\n## {problem}\n", "| instance | limit | cache | default | best named method | default is |",
                  "| --- | ---: | --- | --- | --- | --- |"]  # fmt: skip
        for one in sorted(
            (j for j in found if j.default["problem"] == problem), key=lambda j: (j.instance, j.cache, j.limit)
        ):
            title = one.instance.partition(": ")[2]
            named = "-" if one.named is None else f"{one.named['method']}: {_shown(one.named)}"
            lines.append(f"| {title} | {one.limit:g} | {one.cache} | {_shown(one.default)} | {named} | {one.verdict} |")
            if "**" in one.verdict:
                print(f"{one.instance}, {one.limit:g} s, {one.cache}: {_shown(one.default)}, {named}, {one.verdict}")
    worse = sum("**" in one.verdict for one in found)
    dates = sorted({row["date"] for row in rows})
    machines = sorted({row["machine"] for row in rows})
    lines.append(f"\n{len(found)} comparisons; the default is worse or slower in {worse}.")
    if any(one.limit > _ALL for one in found):
        lines.append(f"\nAbove {_ALL:g} s, only the methods that were best at a smaller limit are compared.")
    loads = sorted(row["load"] for row in rows)
    tenth = len(loads) // 10
    lines.append(
        f"\nMeasured {' to '.join(dict.fromkeys((dates[0], dates[-1])))} on {', '.join(machines)}. Other programs ran"
        f" at the same time: in eight runs of ten the load was {loads[tenth]:g} to {loads[-1 - tenth]:g}, so times are"
        " longer than on a quiet machine.\n"
    )
    lines.append(_FIRST.format(table=table(list(Rows("first_answers")))))
    PAGE.write_text("\n".join(lines))
