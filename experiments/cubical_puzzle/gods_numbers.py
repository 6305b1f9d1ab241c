"""God's numbers of the cubical sliding puzzle: the largest distance between two states of each component.

    python experiments/cubical_puzzle/gods_numbers.py --dimension 2 3 4 --states-max 100000000 --out FILE.csv

Renaming the rings and turning or mirroring the cube map components onto components. It therefore suffices to search one
component of each family (`families.py`), and in it one state of each class of occupied vertices whose eccentricity does
not follow from others (`eccentricities.py`). The number of states of every component is known before the search.

Rows are appended as components are finished. Existing rows are not computed again, and replaced rows are removed at the
end. States that no move leaves are counted in one row, `locked`. A component with more states than `--states-max`, or
whose search does not fit into `--memory`, gets a row without a diameter; a run with larger limits replaces it.

Puzzles in which both rings and empty vertices exceed `--marked-max` have too many classes and are left out, unless at
most 2**k - 1 vertices are empty: these are solved by formulas.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import comb, factorial, perm
from pathlib import Path

import numpy as np
from component_searches import StoppedError, searcher
from eccentricities import Eccentricities
from families import Family, VertexClasses, families
from moving_parts import moving_part
from numpy.typing import NDArray
from vertex_sets import Isometries

from matheur.engine.budget import Budget

COLUMNS = (
    "d", "k", "l", "rings", "component", "states", "components_like_it", "diameter", "radius", "classes", "searches",
    "seconds",
)  # fmt: skip
MARKED_MAX = {2: 2, 3: 4, 4: 8, 5: 16, 6: 7, 7: 4}

Row = dict[str, object]
Done = dict[tuple[str, ...], dict[str, str]]


@dataclass(frozen=True)
class Limits:
    """Maximum numbers: states of a component, bytes of the arrays, time, rings or empty vertices of listed classes."""

    states: int
    memory: int
    budget: Budget
    marked: int


def rows(isometries: Isometries, k: int, rings: int, limits: Limits, done: Done) -> Iterator[Row]:
    """Rows of a puzzle that are still missing."""
    d, vertices = isometries.d, isometries.vertices
    base: Row = {"d": d, "k": k, "l": vertices - rings, "rings": rings}
    if complete(base, vertices, done, limits):
        return
    marked = min(rings, vertices - rings)
    if vertices - rings < 1 << k and (k > 1 or rings == vertices):
        many = len(isometries.classes(marked)) if marked <= limits.marked else None
        fresh = few_empty(base, many)
    elif marked <= limits.marked:
        fresh = by_families(isometries, base, limits, done)
    else:
        return
    for row in fresh:
        if not finished(done.get(key_of(row)), limits) and as_text(row) != done.get(key_of(row)):
            yield row


def few_empty(base: Row, classes: int | None) -> Iterator[Row]:
    """Rows of a puzzle with no more empty vertices than a move along faces of k > 1 dimensions needs.

    If the number of empty vertices is one less than the vertices of a face, all of them must be in one face, where they
    stay: its ring moves anywhere in the face. With fewer empty vertices, no ring ever moves.
    """
    d, k, rings, empty = (int(str(base[name])) for name in ("d", "k", "rings", "l"))
    places, locked = 1 << k, perm(1 << d, rings)
    some = empty == places - 1 and empty > 0
    if some:
        copies = comb(d, k) * (1 << d - k) * factorial(rings)
        locked -= copies * places
        yield {
            **base, "component": 0, "states": places, "components_like_it": copies, "diameter": 1, "radius": 1,
            "classes": 1, "searches": 0, "seconds": "0.00",
        }  # fmt: skip
    if locked:
        yield locked_row(base, locked, "" if classes is None else classes - some)


def locked_row(base: Row, states: int, classes: int | str) -> Row:
    """Row of the states that no move leaves."""
    return {
        **base, "component": "locked", "states": 1, "components_like_it": states, "diameter": 0, "radius": 0,
        "classes": classes, "searches": 0, "seconds": "0.00",
    }  # fmt: skip


def by_families(isometries: Isometries, base: Row, limits: Limits, done: Done) -> Iterator[Row]:
    """Rows of a puzzle by searches."""
    rings, k = int(str(base["rings"])), int(str(base["k"]))
    classes = classes_of(isometries, rings)
    found, locked = families(classes, k)
    for number, family in enumerate(found):
        row = {**base, "component": number}
        if not finished(done.get(key_of(row)), limits):
            started = time.monotonic()
            row |= explore(classes, k, family, limits)
            yield row | {"seconds": f"{time.monotonic() - started:.2f}"}
    if len(locked):
        states = sum((isometries.order // classes.fixing[locked]).tolist()) * factorial(rings)
        yield locked_row(base, states, len(locked))


@lru_cache(maxsize=1)
def classes_of(isometries: Isometries, rings: int) -> VertexClasses:
    """Classes of occupied vertices, which are the same for all k."""
    return VertexClasses(isometries, rings)


def explore(classes: VertexClasses, k: int, family: Family, limits: Limits) -> Row:
    """Row about the components of a family."""
    row: Row = {"states": family.states, "components_like_it": family.copies, "classes": len(family.classes)}
    if family.states > limits.states:
        return row
    part = moving_part(classes.isometries.d, k, family)
    way = searcher(family, part, memory=limits.memory, budget=limits.budget)
    if way is None:
        return row

    def find(states: NDArray[np.uint8]) -> NDArray[np.int64]:
        return family.classes.searchsorted(classes.find(part.whole(states))[0])

    proof = Eccentricities(family, part, find)
    proof.prove(way)
    return row | {"diameter": proof.diameter, "radius": proof.radius, "searches": proof.searches}


def key_of(row: Row | dict[str, str]) -> tuple[str, ...]:
    """Values that identify a component."""
    return tuple(str(row[name]) for name in ("d", "k", "rings", "component"))


def as_text(row: Row) -> dict[str, str]:
    """A row as it is read back, except for its time."""
    return {name: str(row.get(name, "")) for name in COLUMNS if name != "seconds"}


def finished(row: dict[str, str] | None, limits: Limits) -> bool:
    """Whether a row of the file has everything that this run could compute."""
    return row is not None and (
        row["diameter"] != "" or (row["states"].isdigit() and int(row["states"]) > limits.states)
    )


def complete(base: Row, vertices: int, done: Done, limits: Limits) -> bool:
    """Whether the file has finished rows for all states of a puzzle."""
    chosen = [row for row in done.values() if all(row[name] == str(base[name]) for name in ("d", "k", "rings"))]
    counted = sum(int(row["states"]) * int(row["components_like_it"]) for row in chosen if finished(row, limits))
    return counted == perm(vertices, int(str(base["rings"])))


def read(path: Path) -> Done:
    """Rows of the file, without seconds; a later row replaces an earlier one."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {key_of(row): {name: row[name] for name in COLUMNS if name != "seconds"} for row in csv.DictReader(file)}


def tidy(path: Path) -> None:
    """Drop replaced rows, and sort the others."""
    kept: dict[tuple[str, ...], dict[str, str]]
    with path.open(newline="") as file:
        kept = {key_of(row): row for row in csv.DictReader(file)}
    fresh = path.with_suffix(".new")
    with fresh.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(kept.values(), key=place_of))
    fresh.replace(path)


def place_of(row: dict[str, str]) -> tuple[int, ...]:
    """Sort key: dimension, rings, faces, and the number of the component; locked states come last."""
    number = row["component"]
    return int(row["d"]), int(row["rings"]), int(row["k"]), not number.isdigit(), int(number) if number.isdigit() else 0


def main() -> None:
    """Compute the requested rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimension", type=int, nargs="+", default=[2, 3, 4, 5, 6, 7])
    parser.add_argument("--k", type=int, nargs="+", help="dimensions of the faces; default all")
    parser.add_argument("--rings", type=int, nargs="+", help="numbers of rings; default all")
    parser.add_argument("--marked-max", type=int, help="default: 16 for d = 5, 7 for d = 6, 4 for d = 7")
    parser.add_argument("--states-max", type=int, default=10**8)
    parser.add_argument("--memory", type=int, default=2 << 30)
    parser.add_argument("--seconds", type=float, help="stop after this many seconds")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "gods_numbers.csv")
    options = parser.parse_args()

    budget = Budget(seconds=options.seconds)
    done = read(options.out)
    fresh = not options.out.exists()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        if fresh:
            writer.writeheader()
        try:
            for d in options.dimension:
                limits = Limits(options.states_max, options.memory, budget, options.marked_max or MARKED_MAX[d])
                isometries = Isometries(d)
                for rings in options.rings or range(1, (1 << d) + 1):
                    for k in options.k or range(1, d):
                        for row in rows(isometries, k, rings, limits, done):
                            writer.writerow(row)
                            file.flush()
                            print(" ".join(f"{name}={row.get(name, '')}" for name in COLUMNS), flush=True)
        except (StoppedError, KeyboardInterrupt):
            print("stopped; run the same command again to go on", file=sys.stderr)
    tidy(options.out)


if __name__ == "__main__":
    main()
