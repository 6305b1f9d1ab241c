"""God's numbers of the cubical sliding puzzle: the largest distance between two states of each component.

    python experiments/cubical/gods_numbers.py --dimension 2 3 4 --states-max 100000000 --out FILE.csv

Renaming the rings and turning or mirroring the cube map components onto components. So a state counts only by the set
of its occupied vertices, up to isometries of the cube: one breadth-first search per class of sets gives the
eccentricity of all its states, in every component. The classes themselves form a small graph, whose components say
which classes occur together in a component of states.

Not every class needs a search. Let D be the largest eccentricity so far and t the number of moves between the classes
u, which has been searched, and v. A state more than D away from v is more than D - t away from u. If all classes at
these depths of u have been searched too, there is no such state. A smallest eccentricity (radius) below the one found
is ruled out by the depths at which a class was seen, by the same triangle inequality, and by the state with every ring
on the opposite vertex, which takes rings times ceil(d / k) moves if it is in the component.

Rows are appended as components are finished; those that the file has already are not computed again. States that no
move leaves are counted in one row, `locked`. A component with more states than `--states-max`, or whose states have
no bit array within `--memory`, gets a row without diameter, which is replaced (by a later row) in a run with more.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from math import factorial
from pathlib import Path

import numpy as np

from matheur.engine.budget import Budget
from matheur.statespace.domains.cubical import CubicalDomain, face_masks
from matheur.statespace.ranked import ranked_levels

COLUMNS = (
    "d", "k", "l", "rings", "component", "states", "components_like_it", "diameter", "radius", "classes", "searches",
    "seconds",
)  # fmt: skip

Places = tuple[int, ...]
Graph = dict[Places, set[Places]]

LISTED, LAST = 2_000, 4
"""States of a level, and number of levels, up to which the classes of the last levels are found."""


class StoppedError(Exception):
    """The time is over."""


class Sets:
    """Sets of vertices of the d-cube up to its isometries."""

    def __init__(self, d: int) -> None:
        self.d = d
        vertices = np.arange(1 << d)
        self.turns = np.array(
            [sum(((vertices >> i) & 1) << j for i, j in enumerate(order)) for order in permutations(range(d))]
        )
        self.isometries = factorial(d) << d
        self._known: dict[Places, tuple[Places, int]] = {}

    def canonical(self, places: Places) -> tuple[Places, int]:
        """The representative of a set, and how many sets its class has.

        It is the least of the images that contain vertex 0: the sets are moved so that one vertex after the other gets
        there, and turned.
        """
        known = self._known.get(places)
        if known is None:
            moved = np.array(places)[None, :] ^ np.array(places)[:, None]
            images = np.sort(self.turns[:, moved], axis=2).reshape(-1, len(places))
            if len(places) * self.d < 63:
                numbers = images @ (1 << self.d * np.arange(len(places) - 1, -1, -1))
                first = int(numbers.argmin())
                fixing = int((numbers == numbers[first]).sum())
            else:
                first = int(np.lexsort(images.T[::-1])[0])
                fixing = int((images == images[first]).all(axis=1).sum())
            known = self._known[places] = tuple(images[first].tolist()), self.isometries // fixing
        return known

    def classes(self, size: int) -> dict[Places, int]:
        """Representatives of all sets with so many vertices, in order, with the sizes of their classes."""
        if size == 0:
            return {(): 1}
        found = {}
        for smaller in self.classes(size - 1):
            for vertex in range(1 << self.d):
                if vertex not in smaller:
                    places, many = self.canonical(tuple(sorted((*smaller, vertex))))
                    found[places] = many
        return dict(sorted(found.items()))


def neighbours(sets: Sets, k: int, places: Places) -> set[Places]:
    """Classes that one move leads to."""
    masks = face_masks(sets.d, k)
    found: set[Places] = set()
    for vertex in places:
        others = [place for place in places if place != vertex]
        taken = sum(1 << place for place in others)
        for low, high in masks[vertex].tolist():
            face = low | high << 64
            if face & taken == 0:
                targets = [place for place in range(1 << sets.d) if face >> place & 1 and place != vertex]
                found.update(sets.canonical(tuple(sorted((*others, target))))[0] for target in targets)
    return found


def components(graph: Graph) -> Iterator[list[Places]]:
    """The components of the graph of classes, each in order."""
    left = set(graph)
    for first in graph:
        if first in left:
            found, waiting = {first}, [first]
            while waiting:
                for other in graph[waiting.pop()] - found:
                    found.add(other)
                    waiting.append(other)
            left -= found
            yield sorted(found)


def distances(graph: Graph, source: Places) -> dict[Places, int]:
    """Moves from a class to each other class."""
    found, waiting = {source: 0}, deque([source])
    while waiting:
        one = waiting.popleft()
        for other in graph[one]:
            if other not in found:
                found[other] = found[one] + 1
                waiting.append(other)
    return found


@dataclass(frozen=True)
class Search:
    """What a breadth-first search from a state has shown.

    Attributes
    ----------
    depth
        The eccentricity.
    states
        Number of states reached.
    last
        Classes of the states at the last depths, as far as the levels are small.
    opposite
        The state with every ring on the opposite vertex was reached.
    """

    depth: int
    states: int
    last: dict[int, set[Places]]
    opposite: bool


@dataclass(frozen=True)
class Limits:
    """States of a component, bytes of the arrays, and the time."""

    states: int
    memory: int
    budget: Budget


def search(sets: Sets, k: int, places: Places, limits: Limits) -> Search | None:
    """Search from a state; None if there are too many states."""
    domain = CubicalDomain(sets.d, k, places, places)
    opposite = [vertex ^ ((1 << sets.d) - 1) for vertex in places]
    key, other = domain.packing.pack([places, opposite])
    levels = ranked_levels(domain, key, memory=limits.memory)
    if levels is None:
        return None
    listed: deque[tuple[int, np.ndarray]] = deque(maxlen=LAST)
    while levels.counts[-1]:
        if levels.counts[-1] <= LISTED:
            listed.append((levels.depth, levels.sample(LISTED)))
        if levels.advance(limits.budget) is not None:
            raise StoppedError
        if levels.stored > limits.states:
            return None
    deepest = levels.depth - 1
    last = {}
    for depth, keys in listed:
        if all(levels.counts[below] <= LISTED for below in range(depth, deepest + 1)):
            occupied = np.unique(np.sort(domain.packing.unpack(keys), axis=1), axis=0)
            last[depth] = {sets.canonical(tuple(one))[0] for one in occupied.tolist()}
    return Search(deepest, levels.stored, last, levels.depth_code(other) != 0)


class Component:
    """A component of the graph of classes, and what searches have shown of its eccentricities.

    Attributes
    ----------
    found
        The search of each class that had one.
    """

    def __init__(self, graph: Graph, classes: list[Places], least: int) -> None:
        self.graph, self.classes, self._least = graph, classes, least
        self.found: dict[Places, Search] = {}
        self._steps: dict[Places, dict[Places, int]] = {}
        self._lower = dict.fromkeys(classes, 0)

    @property
    def diameter(self) -> int:
        """The largest eccentricity found."""
        return max(one.depth for one in self.found.values())

    @property
    def radius(self) -> int:
        """The smallest eccentricity found."""
        return min(one.depth for one in self.found.values())

    def add(self, places: Places, result: Search) -> None:
        """Learn from a search."""
        self.found[places] = result
        self._steps[places] = distances(self.graph, places)
        for other, steps in self._steps[places].items():
            least = self._least if result.opposite else 0
            self._lower[other] = max(self._lower[other], result.depth - steps, least)
        for depth, classes in result.last.items():
            for other in classes:
                self._lower[other] = max(self._lower[other], depth)

    def _bounded(self, places: Places) -> bool:
        """Whether the eccentricity is shown to be at most the largest one found."""
        return places in self.found or any(
            self._ruled_out(result, self._steps[one][places]) for one, result in self.found.items()
        )

    def _ruled_out(self, result: Search, steps: int) -> bool:
        """Whether no class at the last depths of a search is left without a search of its own."""
        depths = range(self.diameter - steps + 1, result.depth + 1)
        return all(depth in result.last and result.last[depth] <= self.found.keys() for depth in depths)

    def next(self) -> Places | None:
        """A class to search next, or None if diameter and radius are proved."""
        if not self.found:
            return self.classes[0]
        above = [places for places in self.classes if not self._bounded(places)]
        if above:
            waiting = set(above)
            return max(above, key=lambda places: len(waiting & self.graph[places]))
        below = min(self.classes, key=lambda places: self._lower[places])
        return below if self._lower[below] < self.radius else None


def explore(sets: Sets, k: int, component: Component, limits: Limits) -> bool:
    """Search until diameter and radius are proved; False if there are too many states."""
    while (places := component.next()) is not None:
        result = search(sets, k, places, limits)
        if result is None:
            return False
        component.add(places, result)
        if len({one.states for one in component.found.values()}) > 1:
            raise AssertionError(f"the components of one class differ in size ({sets.d}, {k}, {places})")
    return True


def rows(
    sets: Sets, k: int, rings: int, limits: Limits, done: dict[tuple[str, ...], str]
) -> Iterator[dict[str, object]]:
    """The rows of a puzzle that are not there yet."""
    d = sets.d
    sizes = sets.classes(rings)
    graph = {places: neighbours(sets, k, places) - {places} for places in sizes}
    locked = [places for places in sizes if not moves_somewhere(sets, k, places)]
    base: dict[str, object] = {"d": d, "k": k, "l": (1 << d) - rings, "rings": rings}
    number = 0
    for classes in components(graph):
        if classes[0] in locked:
            continue
        if unfinished(done, (str(d), str(k), str(rings), str(number)), limits.states):
            started = time.monotonic()
            component = Component(graph, classes, rings * -(-d // k))
            row = {**base, "component": number, "classes": len(classes)}
            if explore(sets, k, component, limits):
                labelled = sum(sizes[places] for places in classes) * factorial(rings)
                states = component.found[classes[0]].states
                row |= {
                    "states": states,
                    "components_like_it": labelled // states,
                    "diameter": component.diameter,
                    "radius": component.radius,
                    "searches": len(component.found),
                }
            else:
                row |= {"states": f">{limits.states}"}
            row["seconds"] = f"{time.monotonic() - started:.2f}"
            yield row
        number += 1
    if locked and unfinished(done, (str(d), str(k), str(rings), "locked"), limits.states):
        many = sum(sizes[places] for places in locked) * factorial(rings)
        yield {
            **base, "component": "locked", "states": 1, "components_like_it": many, "diameter": 0, "radius": 0,
            "classes": len(locked), "searches": 0, "seconds": "0.00",
        }  # fmt: skip


def moves_somewhere(sets: Sets, k: int, places: Places) -> bool:
    """Whether a ring can move at all (a move may lead to a set of the same class)."""
    masks = face_masks(sets.d, k)
    for vertex in places:
        taken = sum(1 << place for place in places if place != vertex)
        if any((low | high << 64) & taken == 0 for low, high in masks[vertex].tolist()):
            return True
    return False


def unfinished(done: dict[tuple[str, ...], str], key: tuple[str, ...], states_max: int) -> bool:
    """Whether the file has no row of this component, or one that gave up earlier than this run would."""
    states = done.get(key)
    return states is None or (states.startswith(">") and int(states[1:]) < states_max)


def read(path: Path) -> dict[tuple[str, ...], str]:
    """States of the components in the file; a later row replaces an earlier one."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {(row["d"], row["k"], row["rings"], row["component"]): row["states"] for row in csv.DictReader(file)}


def main() -> None:
    """Compute what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimension", type=int, nargs="+", default=[2, 3, 4, 5, 6, 7])
    parser.add_argument("--k", type=int, nargs="+", help="dimensions of the faces; default all")
    parser.add_argument("--rings", type=int, nargs="+", help="numbers of rings; default all up to --rings-max")
    parser.add_argument("--rings-max", type=int, help="default: 8 for d = 4, 6 for d = 5, 5 for d = 6, 3 for d = 7")
    parser.add_argument("--states-max", type=int, default=10**8)
    parser.add_argument("--memory", type=int, default=2 << 30)
    parser.add_argument("--seconds", type=float, help="stop after so many seconds")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "gods_numbers.csv")
    options = parser.parse_args()

    limits = Limits(options.states_max, options.memory, Budget(seconds=options.seconds))
    done = read(options.out)
    fresh = not options.out.exists()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        if fresh:
            writer.writeheader()
        try:
            for d in options.dimension:
                most = options.rings_max or {2: 4, 3: 8, 4: 8, 5: 6, 6: 5, 7: 3}[d]
                sets = Sets(d)
                for rings in options.rings or range(1, most + 1):
                    for k in options.k or range(1, d):
                        for row in rows(sets, k, rings, limits, done):
                            writer.writerow(row)
                            file.flush()
                            print(" ".join(f"{name}={row.get(name, '')}" for name in COLUMNS), flush=True)
        except (StoppedError, KeyboardInterrupt):
            print("stopped; run the same command again to go on", file=sys.stderr)


if __name__ == "__main__":
    main()
