"""Choose the quotas to try next for a perfect board: those whose trees contain the most boards per placement.

    python experiments/eternity2/hunt/perfect_choice.py --size 9 --placements 1e12

The choice is based on drawn boards (`perfect_odds.Joints`) that lie in no tree of `perfect_boards.jsonl`. Weaker quotas
of the same sets and orders are chosen greedily: each time the one that covers the most remaining boards relative to its
additional cost over the quota of the same set that it replaces. The size of a tree is estimated from the last tree of
its set, times the growth of its family if rows show it. A second draw estimates how many boards all of them cover,
since the choice is slightly overfitted to the first.

Puzzles are Brendan Owen's set 2 (META 2010), read from `MATHEUR_DATA`.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
from complete import puzzle
from numba import njit
from numpy.typing import NDArray
from perfect_boards import ROWS
from perfect_odds import Joints, Quota, family_of

from matheur.problems.edge_matching.backtracking.sources.by_size import CURVE

STEP = 0.005  # step of the strength
STEPS = 13
GROWTH = 110.0  # growth of the logarithm of placements over the full range of strength, if no rows show it
WORTH = 0.3  # quotas that cover less than this fraction of the median per placement are dropped


@dataclass(frozen=True)
class Chosen:
    """Quotas, the best first, with their estimated placements and the boards that they cover.

    `new` is the share of all boards that no tree covered before, `met` the share of these that the quotas cover.
    """

    quotas: list[Quota]
    placements: list[float]
    new: float
    met: float


def weakest(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Largest tree of each set and order."""
    best: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        key = (*row["colours"], row["order"])
        if key not in best or row["strength"] < best[key]["strength"]:
            best[key] = row
    return list(best.values())


def growths(rows: list[dict[str, Any]], joints: Joints) -> dict[tuple[int, int], float]:
    """Growth of the logarithm of placements with the strength by family, from sets that have two rows."""
    trees, slopes = defaultdict[Any, list[Any]](list), defaultdict[Any, list[float]](list)
    for row in rows:
        if row["tree"] > 0:
            trees[(*row["colours"], row["order"])].append((row["strength"], math.log(row["tree"]), row["colours"]))
    for some in trees.values():
        (strong, few, colours), (weak, many, _) = max(some), min(some)
        if strong > weak:
            slopes[family_of(colours, joints)].append((many - few) / (strong - weak))
    return {one: statistics.median(many) for one, many in slopes.items()}


def choose(size: int, placements: float, draws: int, seed: int, overhead: float = 0.0) -> Chosen:
    """Choose quotas with a total number of placements, where each costs an additional `overhead`."""
    joints = Joints(puzzle(size))
    rows = [row for row in ROWS if row["size"] == size]
    trees = weakest(rows)
    if not trees:
        raise SystemExit(f"no tree of {size} x {size} was tried")
    growth = growths(rows, joints)
    slope = np.array([growth.get(family_of(row["colours"], joints), GROWTH) for row in trees])
    strengths = np.array([row["strength"] for row in trees])
    less = STEP * np.arange(STEPS + 1)
    cost = np.array([max(row["tree"], 1) for row in trees])[:, None] * np.exp(slope[:, None] * less) + overhead
    cost[:, 0] = 0

    def quota(tree: int, steps: int) -> Quota:
        row = trees[tree]
        return Quota(tuple(row["colours"]), row["order"], round(row["strength"] - STEP * steps, 4), CURVE)

    def drawn(stream: int) -> NDArray[np.float32]:
        strongest = joints.strongest(
            [quota(k, STEPS + 1) for k in range(len(trees))], draws, np.random.default_rng([seed, stream])
        )
        margin = strongest - strengths.astype(np.float32)
        return margin[(margin <= 0).all(axis=1)]

    fitted, other = drawn(0), drawn(1)
    bits = np.array([_packed(fitted > -one) for one in less]).transpose(1, 0, 2).copy()
    bits[:, 0] = 0
    level, spent = np.zeros(len(trees), dtype=np.int64), 0.0
    for last in (False, False, True):
        spent = _fill(bits, cost, level, placements, spent)
        order, yields = _ordered(bits, cost, level)
        if not last:
            level[order[yields < WORTH * np.median(yields)]] = 0
            spent = float(cost[np.arange(len(trees)), level].sum())
    met = (other > -less[level]) & (level > 0)
    guessed = [float(cost[tree, level[tree]]) for tree in order]
    quotas = [quota(tree, int(level[tree])) for tree in order]
    return Chosen(quotas, guessed, len(other) / draws, float(met.any(axis=1).mean()))


def _packed(some: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Columns as bits, shape (columns, words)."""
    padded = np.zeros((some.shape[1], -(-len(some) // 64) * 64), dtype=np.uint8)
    padded[:, : len(some)] = some.T
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


@njit(cache=True)
def _more(some, covered):  # type: ignore[no-untyped-def]
    """Number of bits of one set that the other lacks."""
    number = 0
    for word in range(len(some)):
        left = some[word] & ~covered[word]
        while left:
            left &= left - np.uint64(1)
            number += 1
    return number


@njit(cache=True)
def _fill(bits, cost, level, most, spent):  # type: ignore[no-untyped-def]
    """Raise levels, the most boards per cost first, until the budget is spent."""
    trees, levels, words = bits.shape
    covered = np.zeros(words, np.uint64)
    for tree in range(trees):
        covered |= bits[tree, level[tree]]
    while spent < most:
        best, of, to = 0.0, -1, 0
        for tree in range(trees):
            for one in range(level[tree] + 1, levels):
                worth = _more(bits[tree, one], covered) / (cost[tree, one] - cost[tree, level[tree]])
                if worth > best:
                    best, of, to = worth, tree, one
        if of < 0:
            break
        spent += cost[of, to] - cost[of, level[of]]
        level[of] = to
        covered |= bits[of, to]
    return spent


@njit(cache=True)
def _ordered(bits, cost, level):  # type: ignore[no-untyped-def]
    """Trees with a level, the most boards per cost first, and their number."""
    left = np.flatnonzero(level)
    covered = np.zeros(bits.shape[2], np.uint64)
    order, yields = np.zeros(len(left), np.int64), np.zeros(len(left))
    for place in range(len(left)):
        best, of = -1.0, 0
        for k in range(len(left) - place):
            tree = left[k]
            worth = _more(bits[tree, level[tree]], covered) / cost[tree, level[tree]]
            if worth > best:
                best, of = worth, k
        order[place], yields[place] = left[of], best
        covered |= bits[left[of], level[left[of]]]
        left[of] = left[len(left) - place - 1]
    return order, yields


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--placements", type=float, default=1e12)
    parser.add_argument("--draws", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chosen = choose(given.size, given.placements, given.draws, given.seed)
    print("| colours | order | strength | 10^9 placements |")
    print("| --- | --- | ---: | ---: |")
    for one, placements in zip(chosen.quotas, chosen.placements, strict=True):
        print(f"| {' '.join(map(str, one.colours))} | {one.order} | {one.strength} | {placements / 1e9:.1f} |")
    print(f"\n{chosen.new:.1%} of the boards drawn were in no tree so far; {chosen.met:.1%} of these are now.")


if __name__ == "__main__":
    main()
