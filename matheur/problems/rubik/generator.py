"""Random cubes: scrambles of random turns, or drawn uniformly from all solvable cubes."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from matheur.errors import ConfigurationError
from matheur.problems.rubik.cubies import CORNERS, EDGES, Cubies, facelets_of
from matheur.problems.rubik.instance import METRICS, Instance, Metric
from matheur.problems.rubik.stickers import MOVES, QUARTER_TURNS, SOLVED, turn

__all__ = ["MOVES_MAX", "generate", "uniform"]

MOVES_MAX = 10_000


def generate(*, seed: int, moves: int = 100, metric: Metric = "quarter", title: str = "") -> tuple[Instance, list[int]]:
    """A cube after random turns, no two in a row of the same face, and the plan that undoes them.

    Raises
    ------
    ConfigurationError
        If the number of moves or the metric is invalid.
    """
    if not 0 <= moves <= MOVES_MAX:
        raise ConfigurationError(f"a scramble has 0 to {MOVES_MAX} moves ({moves})")
    if metric not in METRICS:
        raise ConfigurationError(f"the metric is one of {', '.join(METRICS)} ({metric!r})")
    rng = np.random.default_rng(seed)
    allowed = range(len(MOVES) if metric == "half" else QUARTER_TURNS)
    facelets, plan, face = SOLVED, [], ""
    for _ in range(moves):
        choices = [move for move in allowed if MOVES[move][0] != face]
        move = choices[int(rng.integers(len(choices)))]
        facelets, face = turn(facelets, move), MOVES[move][0]
        plan.append(move if MOVES[move].endswith("2") else move ^ 1)
    return Instance(facelets, metric, title), plan[::-1]


def uniform(rng: Generator, metric: Metric = "quarter", title: str = "") -> Instance:
    """A cube drawn uniformly from the 43,252,003,274,489,856,000 solvable cubes."""
    corners, edges = rng.permutation(len(CORNERS)).tolist(), rng.permutation(len(EDGES)).tolist()
    odd = [sum(a > b for i, a in enumerate(p) for b in p[i + 1 :]) % 2 for p in (corners, edges)]
    if odd[0] != odd[1]:
        edges[0], edges[1] = edges[1], edges[0]
    twists = rng.integers(0, 3, len(CORNERS) - 1).tolist()
    flips = rng.integers(0, 2, len(EDGES) - 1).tolist()
    cubies = Cubies(
        tuple(corners), (*twists, -sum(twists) % 3), tuple(edges), (*flips, sum(flips) % 2)
    )  # the last twist and flip are determined by the others
    return Instance(facelets_of(cubies), metric, title)
