"""Learnt values of pairs of tiles, which guide beams on large sliding-tile boards: training, and their files."""

from matheur.problems.sliding_tile.pair_values.model import PairModel, averaged, read_pairs, write_pairs
from matheur.problems.sliding_tile.pair_values.training import PairOptions, PairProgress, train_pairs

__all__ = ["PairModel", "PairOptions", "PairProgress", "averaged", "read_pairs", "train_pairs", "write_pairs"]
