"""Write the test sets of the DeepCubeA paper as instance files, with the proved lengths as reference values.

    python experiments/deepcubea/instances.py --data DIR

Reads `DIR/state_space/deepcubea_SET_test.csv` and `boxoban_unfiltered_test.txt` (`MATHEUR_DATA`, else
`../shared/data` next to the checkout) and writes `instances/SET/SET-NNNN.txt` and `instances/optima.csv` next to this
file, for the campaigns in `campaigns/`.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Iterator
from pathlib import Path

from matheur.problems.rubik.generator import generate
from matheur.problems.sokoban import split_levels

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[2] / "shared" / "data"))
TILES = {"puzzle15": 4, "puzzle24": 5, "puzzle35": 6, "puzzle48": 7}


def tile_boards(data: Path, name: str) -> Iterator[tuple[str, str]]:
    """Board and optimal length, as texts, of each position of a set of sliding tiles."""
    side = TILES[name]
    for row in csv.DictReader((data / f"deepcubea_{name}_test.csv").open()):
        tiles = row["tiles"].split()
        lines = [" ".join(tiles[start : start + side]) for start in range(0, side * side, side)]
        yield "\n".join(["# goal: blank-last", *lines]), row.get("optimal_len", "")


def cubes(data: Path) -> Iterator[tuple[str, str]]:
    """Facelets and optimal length of each cube."""
    for row in csv.DictReader((data / "deepcubea_cube3_test.csv").open()):
        yield row["facelets_urfdlb"], row["optimal_len_qtm"]


def lights(data: Path) -> Iterator[tuple[str, str]]:
    """Board and minimum number of presses of each state of Lights Out."""
    for row in csv.DictReader((data / "deepcubea_lightsout7_test.csv").open()):
        board = row["lights"]
        yield "\n".join(board[start : start + 7] for start in range(0, 49, 7)), row["optimal_len"]


def levels(data: Path) -> Iterator[tuple[str, str]]:
    """Sokoban levels; the paper's lengths are not proved, so there are no references."""
    for level in split_levels((data / "boxoban_unfiltered_test.txt").read_text()):
        yield "\n".join(level.rows), ""


def own_cubes(count: int) -> Iterator[tuple[str, str]]:
    """Our own cubes for parameter tuning, separate from the test set as in the paper."""
    for seed in range(1, count + 1):
        yield generate(seed=seed, moves=1000)[0].facelets, ""


def main() -> None:
    """Write all sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path, default=HERE / "instances")
    given = parser.parse_args()
    data = given.data / "state_space"
    sets = {name: tile_boards(data, name) for name in TILES}
    sets |= {"cube3": cubes(data), "lightsout7": lights(data), "sokoban": levels(data), "own-cubes": own_cubes(100)}
    rows = ["instance,objective"]
    for name, states in sets.items():
        folder = given.out / name
        folder.mkdir(parents=True, exist_ok=True)
        count = 0
        for count, (text, optimum) in enumerate(states, start=1):
            (folder / f"{name}-{count:04d}.txt").write_text(text + "\n")
            rows.append(f"{name}-{count:04d},{optimum}")
        print(f"{name}: {count} instances")
    (given.out / "optima.csv").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
