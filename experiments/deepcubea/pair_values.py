"""Beams with and without learnt values of tile pairs, on boards that no training has seen; one line per size.

    python experiments/deepcubea/pair_values.py
    python experiments/deepcubea/pair_values.py --sizes 6x6 --patterns 6-6-6-6-6-5 --width 10000 --boards 16

Boards come from random walks of 1,500 tries. Sizes without their own file use the values of 7 x 7 for pairs in
corresponding places. A beam that finds no plan within three times the taxicab distance plus 60 slides counts as a plan
of that length.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from matheur.engine.budget import Budget
from matheur.problems.sliding_tile.operators.guiding import guide_for, values_for
from matheur.problems.sliding_tile.pair_values.samples import walk
from matheur.problems.sliding_tile.search.beam import beam_tiles
from matheur.problems.sliding_tile.search.geometry import geometry

SIZES = ("5x5", "5x6", "4x8", "3x10", "6x6", "6x7", "7x7", "8x8")


def main() -> None:
    """Solve the boards of every size with and without the values."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=list(SIZES))
    parser.add_argument("--patterns", default="auto")
    parser.add_argument("--width", type=int, default=3000)
    parser.add_argument("--boards", type=int, default=10)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=31)
    options = parser.parse_args()
    print("size   boards  without  with values  shorter  CPU s without  with")
    for size in options.sizes:
        rows, columns = (int(side) for side in size.split("x"))
        board = geometry(rows, columns, "blank-first")
        rng = np.random.default_rng(options.seed)
        boards = [walk(board, options.steps, rng) for _ in range(options.boards)]
        lengths, seconds = [], []
        for values in ("none", "auto"):
            guide = guide_for(board, options.patterns, values_for(board, values), budget=Budget())
            assert guide is not None
            beam_tiles(guide, boards[0], width=10)
            begun = time.process_time()
            own = []
            for tiles in boards:
                most = 3 * int(guide.distance[tiles, np.arange(board.cells)].sum()) + 60
                plan = beam_tiles(guide, tiles, width=options.width, most=most, seed=1).plan
                own.append(most if plan is None else len(plan))
            lengths.append(np.array(own))
            seconds.append(time.process_time() - begun)
        shorter = np.mean(lengths[1] < lengths[0])
        print(
            f"{size:5} {options.boards:7} {lengths[0].mean():8.1f} {lengths[1].mean():12.1f} {shorter:8.0%} "
            f"{seconds[0] / options.boards:14.2f} {seconds[1] / options.boards:5.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
