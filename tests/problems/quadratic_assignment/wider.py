"""Small instances of the wider kind, as files, with the cost of a list of locations computed from what was drawn."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from matheur.engine.source import Source
from matheur.problems.quadratic_assignment import TYPE, QuadraticAssignment


@dataclass(frozen=True)
class Drawn:
    """An instance before it was written: flows and distances, or pairs; linear costs, and what is fixed."""

    flows: np.ndarray | None
    distances: np.ndarray | None
    pairs: np.ndarray | None
    linear: np.ndarray | None
    fixed: dict[int, int]
    shape: tuple[int, int]

    def cost(self, places: tuple[int, ...]) -> int:
        """What the locations cost, pair by pair."""
        total = 0
        for i, k in enumerate(places):
            total += 0 if self.linear is None else int(self.linear[i, k])
            for j, h in enumerate(places):
                if self.pairs is None:
                    assert self.flows is not None
                    assert self.distances is not None
                    total += int(self.flows[i, j] * self.distances[k, h])
                else:
                    total += int(self.pairs[i, k, j, h])
        return total

    def placements(self) -> Iterator[tuple[int, ...]]:
        """All ways to give every facility a location of its own, fixed or not."""
        return itertools.permutations(range(self.shape[1]), self.shape[0])

    def keeps(self, places: tuple[int, ...]) -> bool:
        """Whether the fixed facilities are where they have to be."""
        return all(places[i] == k for i, k in self.fixed.items())

    @property
    def optimum(self) -> int:
        """By enumeration."""
        return min(self.cost(places) for places in self.placements() if self.keeps(places))

    @property
    def document(self) -> dict[str, object]:
        """As JSON."""
        data: dict[str, object] = {"format": "matheur-quadratic-assignment", "version": 1}
        for name in ("flows", "distances", "pairs", "linear"):
            table = getattr(self, name)
            if table is not None:
                data[name] = table.tolist()
        if self.fixed:
            data["fixed"] = [[i + 1, k + 1] for i, k in self.fixed.items()]
        return data

    def problem(self) -> QuadraticAssignment:
        """As it is read."""
        return TYPE.read(Source("drawn.json", json.dumps(self.document).encode()))


def draw(m: int, n: int, *, seed: int, general: bool = False, linear: bool = False, fixed: int = 0) -> Drawn:
    """An instance of m facilities on n locations with costs of any sign."""
    rng = np.random.default_rng(seed)
    table = rng.integers(-9, 20, (m, n, m, n)) if general else None
    flows = None if general else rng.integers(-3, 10, (m, m))
    distances = None if general else rng.integers(-2, 10, (n, n))
    costs = rng.integers(-30, 90, (m, n)) if linear else None
    places = rng.permutation(n)[:fixed].tolist()
    return Drawn(flows, distances, table, costs, dict(zip(rng.permutation(m).tolist(), places, strict=False)), (m, n))


def all_kinds() -> Iterator[Drawn]:
    """Every feature alone, and with the others."""
    for seed, (general, linear, wide, fixed) in enumerate(itertools.product((False, True), repeat=4)):
        n = 4 if general else 5
        yield draw(
            n - 1 if wide else n, n + (1 if wide and fixed else 0), seed=seed, general=general, linear=linear,
            fixed=2 if fixed else 0,
        )  # fmt: skip
