"""What partial boards of edge matching are worth: two ways to learn it, beside the rule of rare colours.

    python experiments/eternity2/learnt_values.py completions --side 12 --seed 1 --boards 2000
    python experiments/eternity2/learnt_values.py worths --side 12 --seed 1 --seconds 60

The construction `beam` ranks partial boards by their mismatches, less a worth for each side with one of three rare
colours that is laid. `completions` takes partial boards from beams with random worths, completes each by a narrow beam,
and fits the mismatches that come by the sides of each colour that are left and those that the frontier asks for (ridge
regression): the share of the variance that it explains on boards kept apart is what a linear value could know. `worths`
learns the worth of every colour for one puzzle: by the cross-entropy method on the scores of narrow beams; then beams
of other seeds, also 32 times as wide, compare it with the rule. Puzzles are generated; seconds are those of a
processor.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.operators.edge_matching.beam_search import BeamSearch
from matheur.operators.edge_matching.slip_schedule import rare_colours
from matheur.operators.edge_matching.slip_tables import fill_order
from matheur.problems.edge_matching import EdgeMatching, Hint, generate
from matheur.problems.edge_matching.instance import EMPTY, Board

COLOURS = {10: (4, 10), 12: (4, 12), 14: (5, 15), 16: (5, 17)}
"""Of the frame, and others, as META 2010 has them."""

_UNTIL = 0.6  # of the board, as the construction has it
_RULE = 3.0
_NARROW, _WIDE, _SEEDS = 512, 16_384, 6
_POPULATION, _ELITE = 30, 8
_WORTH_MAX = 8.0

Worths = NDArray[np.float64]


class Puzzle:
    """A puzzle, and beams with any worth of its colours."""

    def __init__(self, side: int, seed: int) -> None:
        frame, inner = COLOURS[side]
        self.instance = generate(side, side, frame_colours=frame, inner_colours=inner, seed=seed)[0]
        self.problem = EdgeMatching(self.instance)
        self.order = fill_order(side, side, "rows")
        pieces = self.instance.pieces
        self.colours = np.array([colour for colour in np.unique(pieces) if colour > 0])
        self.sides = np.stack([(pieces == colour).sum(axis=1) for colour in self.colours], axis=1)
        self.rule = np.where(np.isin(self.colours, rare_colours(self.instance)), _RULE, 0.0)

    def beam(self, worths: Worths, width: int, rng: Generator, cells: int | None = None) -> list[Board]:
        """The best boards of a beam, or of its layer with so many cells filled."""
        of_pieces = self.sides @ np.rint(worths).astype(np.int64)
        search = BeamSearch(self.instance, self.order, until=_UNTIL, worths=of_pieces)
        layers = iter(range(1, self.instance.cells + 1))
        return search.run(width, rng, lambda _: next(layers) == cells)[0]

    def score(self, worths: Worths, width: int, seed: int) -> int:
        """Matched edges of the best board of a beam."""
        found = self.beam(worths, width, np.random.default_rng(seed))
        return max((int(self.problem.score(self.problem.evaluate(one).objective)) for one in found[:3]), default=0)

    def missed(self, board: Board) -> int:
        """Mismatches between pieces that are laid."""
        sides, side = self.instance.sides, self.instance.columns
        grid = board.reshape(-1, side)
        right = (grid[:, :-1] != EMPTY) & (grid[:, 1:] != EMPTY)
        below = (grid[:-1] != EMPTY) & (grid[1:] != EMPTY)
        across = sides[grid[:, :-1][right], 1] != sides[grid[:, 1:][right], 3]
        down = sides[grid[:-1][below], 2] != sides[grid[1:][below], 0]
        return int(across.sum() + down.sum())

    def completed(self, board: Board, width: int, rng: Generator) -> int | None:
        """Mismatches that a narrow beam adds; None if it finds nothing."""
        laid = np.flatnonzero(board != EMPTY)
        hints = tuple(Hint(int(cell), int(board[cell] >> 2), int(board[cell] & 3)) for cell in laid)
        search = BeamSearch(replace(self.instance, hints=hints), self.order)
        boards = [one for one in search.run(width, rng)[0] if (one != EMPTY).all()]
        return min(self.missed(one) for one in boards) - self.missed(board) if boards else None

    def features(self, board: Board) -> NDArray[np.int64]:
        """Sides of each colour that are left, those that the frontier shows, and mismatches."""
        laid = np.flatnonzero(board != EMPTY)
        left = self.sides.sum(axis=0) - self.sides[board[laid] >> 2].sum(axis=0)
        columns, frontier = self.instance.columns, []
        for cell in laid.tolist():
            row, column = divmod(cell, columns)
            if row + 1 < self.instance.rows and board[cell + columns] == EMPTY:
                frontier.append(self.instance.sides[board[cell], 2])
            if column + 1 < columns and board[cell + 1] == EMPTY:
                frontier.append(self.instance.sides[board[cell], 1])
        asked = np.array([frontier.count(colour) for colour in self.colours])
        return np.concatenate([left, asked, [self.missed(board)]])


def completions(puzzle: Puzzle, boards: int, share: float, width: int) -> None:
    """How much of what comes a linear value knows."""
    rng, rows, came = np.random.default_rng(1), [], []
    while len(rows) < boards:
        worths = rng.uniform(0, _WORTH_MAX, len(puzzle.colours)) * (rng.random(len(puzzle.colours)) < 0.3)
        for board in puzzle.beam(worths, 4096, rng, round(share * puzzle.instance.cells)):
            more = puzzle.completed(board, width, rng)
            if more is not None:
                rows.append(puzzle.features(board))
                came.append(more)
    features, target = np.array(rows, dtype=float), np.array(came, dtype=float)
    order = rng.permutation(len(target))
    features, target = features[order], target[order]
    spread = features.std(axis=0)
    features = (features - features.mean(axis=0))[:, spread > 0] / spread[spread > 0]
    cut = len(target) * 4 // 5
    train, mean = features[:cut], target[:cut].mean()
    weights = np.linalg.solve(train.T @ train + 30.0 * np.eye(train.shape[1]), train.T @ (target[:cut] - mean))
    rest = target[cut:] - mean - features[cut:] @ weights
    known = 1 - np.mean(rest**2) / np.mean((target[cut:] - mean) ** 2)
    print(
        f"{len(target)} boards, {share:.0%} filled: {target.mean():.1f} mismatches come (standard deviation "
        f"{target.std():.1f}); {known:.1%} of the variance is explained on boards kept apart"
    )


def worths(puzzle: Puzzle, seconds: float) -> None:
    """Worths by the cross-entropy method, and the rule."""
    rng, began, rounds = np.random.default_rng(5), time.process_time(), 0
    mean, spread = np.full(len(puzzle.colours), 0.7), np.full(len(puzzle.colours), 1.5)
    while time.process_time() - began < seconds:
        drawn = np.clip(rng.normal(mean, spread, (_POPULATION, len(mean))), 0, _WORTH_MAX)
        scores = [puzzle.score(one, _NARROW, 1000 + rounds * _POPULATION + i) for i, one in enumerate(drawn)]
        best = drawn[np.argsort(scores, kind="stable")[-_ELITE:]]
        mean = (mean + best.mean(axis=0)) / 2
        spread = np.maximum(0.3, (spread + best.std(axis=0)) / 2)
        rounds += 1
    print(f"{rounds} rounds of {_POPULATION} beams of {_NARROW}")
    settings = {"learnt": mean, "rule": puzzle.rule, "nothing": np.zeros_like(mean)}
    for width in (_NARROW, _WIDE):
        for name, one in settings.items():
            scores = [puzzle.score(one, width, seed) for seed in range(_SEEDS)]
            print(f"{width:6} {name:8} mean {np.mean(scores):6.2f}  {scores}")


def main() -> None:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trial", choices=("completions", "worths"))
    parser.add_argument("--side", type=int, choices=sorted(COLOURS), default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--boards", type=int, default=2000)
    parser.add_argument("--share", type=float, default=0.6)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    puzzle = Puzzle(options.side, options.seed)
    print(f"{options.side} x {options.side}, seed {options.seed}", end=": ")
    if options.trial == "completions":
        completions(puzzle, options.boards, options.share, options.width)
    else:
        worths(puzzle, options.seconds)


if __name__ == "__main__":
    main()
