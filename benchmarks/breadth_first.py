"""Speed and memory of exact breadth-first search.

    python benchmarks/breadth_first.py [--largest] [--layouts]

Complete distance distributions of cubical puzzles (goals of Merleau et al. 2024 and others), in each representation,
one thread. Every figure comes after a run that compiles. `--largest` adds the puzzles of dimension 5 with six rings,
`--layouts` the comparison of two layouts of the bit arrays on d = 5, k = 4, six rings, one state at a time: separate
arrays (3 bits) against one array of 2-bit codes.
"""

from __future__ import annotations

import argparse
import platform
import resource
import time
from datetime import UTC, datetime

import numba
import numpy as np
from numba import njit

import matheur
from matheur.engine.budget import Budget
from matheur.kernels.intrinsics import trailing_zeros
from matheur.statespace.breadth_first import bfs, bidirectional
from matheur.statespace.breadth_first.hashed import HashedLevels
from matheur.statespace.breadth_first.ranked import Indexing, RankedLevels
from matheur.statespace.breadth_first.symmetry import Quotient
from matheur.statespace.domains.cubical import CubicalDomain
from matheur.statespace.pointers import call_expand

PUZZLES = [
    (4, 1, (13, 7, 5, 4, 1)), (4, 3, (13, 7, 5, 4, 1)), (4, 2, (0, 1, 2, 3, 4, 5)), (5, 2, (17, 30, 0, 29, 4)),
    (6, 3, (0, 63, 7, 56)),
]  # fmt: skip
LARGEST = [(5, 4, (17, 30, 0, 29, 4, 1)), (5, 1, (17, 30, 0, 29, 4, 1))]


def levels_of(how: str, domain: CubicalDomain) -> RankedLevels | HashedLevels:
    """Levels in one of the representations, from the goal."""
    key = domain.packing.pack([domain.goal])[0]
    if how in ("hash", "quotient"):
        return HashedLevels(domain, key, memory=4 << 30, quotient=Quotient(domain) if how == "quotient" else None)
    if how != "words":
        domain.levels = None
    ranking = domain.ranking if how == "rank" else None
    return RankedLevels(domain, Indexing(domain.packing, ranking), key, depths=False)


def line(how: str, d: int, k: int, goal: tuple[int, ...]) -> str:
    """Count all states once and describe how it went."""
    wall, cpu = time.perf_counter(), time.process_time()
    levels = levels_of(how, CubicalDomain(d, k, goal, goal))
    while levels.counts[-1]:
        levels.advance(Budget())
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    states = sum(levels.counts)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{d:2} {k:2} {len(goal):5} {how:9} {states:11} {levels.depth - 1:5} {levels.stored:11} {wall:8.3f} {cpu:8.3f} "
        f"{states / cpu / 1e6:8.2f} {levels.nbytes / states:8.3f} {peak:8.0f}"
    )


@njit(nogil=True)
def expand_codes(address, data, codes, now, keys, moves, costs):  # type: ignore[no-untyped-def]
    """A whole level with 2-bit codes, 32 to a word: 0 unseen, 3 done, 1 and 2 this level and the next in turn."""
    fresh = 0
    key = np.zeros(1, dtype=np.uint64)
    three, low = np.uint64(3), np.uint64(0x5555555555555555)
    then = np.uint64(3 - now)
    for word in range(len(codes)):
        code = codes[word]
        # Pairs equal to `now` become 01, others 00.
        left = (code & ~(code >> np.uint64(1)) if now == 1 else (code >> np.uint64(1)) & ~code) & low
        while left != 0:
            place = trailing_zeros(left)
            left &= left - np.uint64(1)
            codes[word] |= three << np.uint64(place)
            key[0] = np.uint64(word * 32 + (place >> 1))
            for i in range(call_expand(address, key, data, keys, moves, costs)):
                target = np.int64(keys[i])
                shift = np.uint64(2 * (target & 31))
                if (codes[target >> 5] >> shift) & three == 0:
                    codes[target >> 5] |= then << shift
                    fresh += 1
    return fresh


def layouts() -> None:
    """Separate arrays against 2-bit codes."""
    d, k, goal = LARGEST[0]
    print(line("key", d, k, goal))
    for many in (3, len(goal)):
        domain = CubicalDomain(d, k, goal[:many], goal[:many])
        room = domain.branching
        keys, moves, costs = np.empty(room, np.uint64), np.empty(room, np.int32), np.empty(room, np.int32)
        wall, cpu = time.perf_counter(), time.process_time()
        codes = np.zeros((1 << domain.packing.bits) // 32, dtype=np.uint64)
        start = int(domain.packing.pack([domain.goal])[0, 0])
        codes[start >> 5] = np.uint64(1 << 2 * (start & 31))
        depth, level, states = 0, 1, 1
        while level:
            now = depth % 2 + 1
            level = expand_codes(domain.expander.address, domain.expander.data, codes, now, keys, moves, costs)
            states, depth = states + level, depth + 1
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(
        f"{d:2} {k:2} {len(goal):5} {'codes':9} {states:11} {depth - 1:5} {states:11} {wall:8.3f} {cpu:8.3f} "
        f"{states / cpu / 1e6:8.2f} {codes.nbytes / states:8.3f}"
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", action="store_true")
    parser.add_argument("--layouts", action="store_true")
    options = parser.parse_args()

    versions = f"matheur {matheur.__version__}, numba {numba.__version__}, numpy {np.__version__}"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {versions}, Python {platform.python_version()}, {platform.machine()}")
    print(" d  k rings how            states   ecc      stored     wall      cpu  M st./s  B/state  RSS MiB")
    for d in (3, 4, 5, 6):
        for how in ("words", "key", "rank", "hash", "quotient"):
            line(how, d, 1, (0, 1, 2) if d > 4 else (0, 1, 2, 4))
    for d, k, goal in PUZZLES:
        for how in (
            ("words", "key", "rank", "hash", "quotient") if len(goal) < 6 and d < 5 else ("words", "key", "rank")
        ):
            print(line(how, d, k, goal), flush=True)
    for d, k, goal in LARGEST if options.largest else []:
        print(line("words", d, k, goal), flush=True)
    if options.layouts:
        layouts()

    start, goal = (30, 29, 0, 17, 4, 1), (17, 30, 0, 29, 4, 1)
    domain = CubicalDomain(5, 4, start, goal)
    for search in (bfs, bidirectional):
        search(CubicalDomain(5, 4, start[:3], goal[:3]))
        cpu = time.process_time()
        answer = search(domain)
        print(
            f"d=5 k=4 level 0, {search.__name__}: {answer.cost} moves, {answer.seconds:.3f} s wall, "
            f"{time.process_time() - cpu:.3f} s CPU, {answer.stored} stored, {answer.memory >> 20} MiB"
        )


if __name__ == "__main__":
    main()
