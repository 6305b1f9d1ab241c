"""Estimate the probability that a perfect board meets quotas of rare colours when it is scanned.

    python experiments/eternity2/hunt/perfect_odds.py quotas --size 8 --later 1.0 1.15 1.3 --strengths 0.6 0.65
    python experiments/eternity2/hunt/perfect_odds.py tried --size 9

If only the number of joints of each colour is known of a board, all arrangements of these joints are equally likely:
`--draws` arrangements are drawn.

`quotas` prints the probabilities for given curves and strengths, for one colour of the frame and two others. If
`complete.jsonl` has boards of that size, it also prints how many scans of them, from all four corners, by rows and by
columns, meet the quota, for all sets together, and the expected number.

`tried` considers everything that `perfect_boards.py run` has tried. It prints the share of boards that lie in a tree of
each family, from any corner, and would therefore have been found, and the share that lies in no tree of another family.

Puzzles are Brendan Owen's set 2 (META 2010), read from `MATHEUR_DATA`.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np
from complete import ORDERS, puzzle
from complete import ROWS as COUNTED
from numba import njit
from numpy.typing import NDArray
from perfect_boards import ALL, ROWS

from matheur.problems.edge_matching import Instance
from matheur.problems.edge_matching.backtracking.quotas import (
    BLACKWOOD,
    LATER,
    Curve,
    exhaustion_curve,
    quota_shares,
    rare_sets,
    sides_along_the_frame,
)


@dataclass(frozen=True)
class Quota:
    """A quota with its order of cells."""

    colours: tuple[int, ...]
    order: str
    strength: float
    curve: Curve


class Joints:
    """Joints of a square puzzle: their places, and their colours in any arrangement."""

    def __init__(self, instance: Instance) -> None:
        size = instance.rows
        pieces, along = instance.pieces, sides_along_the_frame(instance.pieces)
        grid = np.arange(size * size).reshape(size, size)
        edge = np.isin(grid // size, [0, size - 1]), np.isin(grid % size, [0, size - 1])
        joints = [(grid[:, :-1], grid[:, 1:], edge[0][:, 1:]), (grid[:-1], grid[1:], edge[1][1:])]
        self.instance = instance
        self.places = [
            np.concatenate([np.column_stack([one[at == framed], other[at == framed]]) for one, other, at in joints])
            for framed in (True, False)
        ]
        self.colours = [np.sort(pieces[kind & (pieces > 0)])[::2] for kind in (along, ~along & (pieces > 0))]

    def scans(self, corners: int) -> NDArray[np.int64]:
        """Cells by rows and by columns from the given number of corners, shape (corners, 2, cells)."""
        grid = np.arange(self.instance.cells).reshape(self.instance.rows, -1)
        turned = [np.rot90(grid, quarters) for quarters in range(corners)]
        return np.array([[one.ravel(), one.T.ravel()] for one in turned])

    def met(self, quotas: list[Quota], draws: int, corners: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Number of corners from which each drawn board meets each quota, shape (draws, quotas)."""
        instance = self.instance
        wanted = [
            exhaustion_curve(instance, np.array(quota.colours), instance.cells, quota.strength, quota.curve)[:-1]
            for quota in quotas
        ]
        met = np.zeros((draws, len(quotas)), dtype=np.uint8)
        colours = [kind.copy() for kind in self.colours]
        _meet(*self.places, *colours, self.scans(corners), *self._kinds(quotas), np.array(wanted), met, rng)
        return met

    def strongest(self, quotas: list[Quota], draws: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """Limit of the strength up to which each drawn board meets each quota from some corner, shape (draws, quotas).

        The limit itself is not met; if the board does not even meet the quota, the result is the quota's strength.
        """
        instance = self.instance
        sides = [np.isin(instance.pieces, quota.colours).sum() for quota in quotas]
        shares = [quota_shares(instance.cells, quota.curve)[:-1] for quota in quotas]
        asked, least = np.array(sides)[:, None] * np.array(shares), np.array([quota.strength for quota in quotas])
        best = np.zeros((draws, len(quotas)), dtype=np.float32)
        colours = [kind.copy() for kind in self.colours]
        _strongest(*self.places, *colours, self.scans(4), *self._kinds(quotas), asked, least, best, rng)
        return best

    def _kinds(self, quotas: list[Quota]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Colours of each quota as flags, and the number of its order."""
        carried = np.zeros((len(quotas), self.instance.colours + 1), dtype=np.bool_)
        for number, quota in enumerate(quotas):
            carried[number, list(quota.colours)] = True
        return carried, np.array([ORDERS.index(quota.order) for quota in quotas])


@njit(cache=True)
def _draw(frame, others, of_frame, of_others, laid, rng):  # type: ignore[no-untyped-def]
    """Shuffle the colours of the joints, and store the number of sides of each colour in each cell."""
    laid[:] = 0
    for places, colours in ((frame, of_frame), (others, of_others)):
        for k in range(len(colours)):
            j = rng.integers(k, len(colours))
            colour = colours[j]
            colours[j] = colours[k]
            colours[k] = colour
            laid[places[k, 0], colour] += 1
            laid[places[k, 1], colour] += 1


@njit(cache=True)
def _meet(frame, others, of_frame, of_others, scans, carried, order, wanted, met, rng):  # type: ignore[no-untyped-def]
    """Count for each draw the corners from which it meets each quota."""
    cells = wanted.shape[1]
    laid = np.zeros((cells, carried.shape[1]), np.int64)
    for draw in range(len(met)):
        _draw(frame, others, of_frame, of_others, laid, rng)
        for quota in range(len(wanted)):
            chosen = np.flatnonzero(carried[quota])
            for corner in range(len(scans)):
                total = 0
                meets = True
                for cell in range(cells):
                    for colour in chosen:
                        total += laid[scans[corner, order[quota], cell], colour]
                    if total < wanted[quota, cell]:
                        meets = False
                        break
                met[draw, quota] += meets


@njit(cache=True)
def _strongest(frame, others, of_frame, of_others, scans, carried, order, asked, least, best, rng):  # type: ignore[no-untyped-def]
    """Store, for each draw, the strongest quota of each kind that it meets from some corner, at least `least`."""
    laid = np.zeros((asked.shape[1], carried.shape[1]), np.int64)
    for draw in range(len(best)):
        _draw(frame, others, of_frame, of_others, laid, rng)
        for kind in range(len(asked)):
            chosen = np.flatnonzero(carried[kind])
            end = np.flatnonzero(asked[kind])[-1] + 1
            most = least[kind]
            for corner in range(len(scans)):
                total = 0
                strength = np.inf
                for cell in range(end):
                    for colour in chosen:
                        total += laid[scans[corner, order[kind], cell], colour]
                    if asked[kind, cell] <= 0:
                        continue
                    strength = min(strength, (total + 1) / asked[kind, cell])  # required sides are rounded down
                    if strength <= most:
                        break
                most = max(most, strength)
            best[draw, kind] = most


def family_of(colours: list[int], joints: Joints) -> tuple[int, int]:
    """Number of colours of the frame, and number of others."""
    framed = len(set(colours) & set(joints.colours[0].tolist()))
    return framed, len(colours) - framed


def quotas(given: argparse.Namespace) -> None:
    """Print how likely quotas are met, and how many scans of known boards meet them."""
    size, joints = given.size, Joints(puzzle(given.size))
    pieces = joints.instance.pieces
    boards = [np.array(row["board"]) // 4 for row in COUNTED if row["size"] == size and row["board"]]
    places = joints.scans(4).reshape(8, -1)
    scans = np.array([board[scan] for board in boards for scan in places])
    sets = [tuple(colours.tolist()) for colours in rare_sets(joints.instance, ALL)]
    rng = np.random.default_rng(given.seed)
    print(
        "| curve, times Blackwood's depths | strength | probability, mean of all sets | scans that meet it | expected |"
    )
    print("| ---: | ---: | ---: | ---: | ---: |")
    for later in given.later:
        curve = tuple((later * depth, share) for depth, share in BLACKWOOD)
        for strength in given.strengths:
            asked = [Quota(colours, ORDERS[0], strength, curve) for colours in sets]
            probability = float(joints.met(asked, given.draws, 1, rng).mean())
            met = 0
            for colours in sets if len(scans) else []:
                quota = exhaustion_curve(joints.instance, np.array(colours), joints.instance.cells, strength, curve)
                laid = np.cumsum(np.isin(pieces, colours).sum(axis=1)[scans], axis=1)
                met += int((laid >= quota[:-1]).all(axis=1).sum())
            many = len(scans) * len(sets)
            expected = f"{met} of {many} | {probability * many:.1f}" if many else "- | -"
            print(f"| {later} | {strength} | {probability:.2g} | {expected} |", flush=True)


def tried(given: argparse.Namespace) -> None:
    """Print what the trees with rows would have found, by family."""
    joints = Joints(puzzle(given.size))
    instance = joints.instance
    rows: list[dict[str, Any]] = [row for row in ROWS if row["size"] == given.size]
    asked = [Quota(tuple(row["colours"]), row["order"], row["strength"], LATER) for row in rows]
    if not asked:
        raise SystemExit(f"no tree of {given.size} x {given.size} was tried")
    met = joints.met(asked, given.draws, 4, np.random.default_rng(given.seed))
    family = np.array(["{} + {}".format(*family_of(row["colours"], joints)) for row in rows])
    placements = np.array([row["placements"] for row in rows]) / 1e12
    print(f"{instance.rows} x {instance.columns}, {given.draws} boards drawn\n")
    print("| colours | trees | 10^12 placements | boards met | by 10^12 | by no other family | by 10^12 |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in [*np.unique(family).tolist(), "all"]:
        chosen = (family == name) | (name == "all")
        many = placements[chosen].sum()
        found = met[:, chosen].any(axis=1)
        alone = found & ~met[:, ~chosen].any(axis=1)
        print(
            f"| {name} | {chosen.sum()} | {many:.3f} | {found.mean():.2%} | {found.mean() / many:.2%} | "
            f"{alone.mean():.2%} | {alone.mean() / many:.2%} |"
        )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, size, draws in (("quotas", 8, 100_000), ("tried", 9, 20_000)):
        command = commands.add_parser(name)
        command.add_argument("--size", type=int, default=size)
        command.add_argument("--draws", type=int, default=draws)
        command.add_argument("--seed", type=int, default=1)
        if name == "quotas":
            command.add_argument("--later", type=float, nargs="+", default=[1.0, 1.15, 1.3])
            command.add_argument("--strengths", type=float, nargs="+", default=[0.6, 0.65, 0.7])
    given = parser.parse_args()
    (quotas if given.command == "quotas" else tried)(given)


if __name__ == "__main__":
    main()
