"""Shared parts of the scripts of this folder: sizes, boards, models, rows of results."""

from __future__ import annotations

import os

# One thread, so that processor seconds are comparable. JAX reads this variable when it is loaded.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import argparse
import csv
import json
import platform
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import matheur
from matheur.methods.learning import Model, Use, learnt_heuristic, shipped_model
from matheur.methods.statespace.heuristics import Heuristic
from matheur.problems.sliding_tile import Instance, SlidingTile, uniform
from matheur.problems.sliding_tile.domain import SlidingTileDomain, sliding_tile_domain

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
WORK = Path(os.environ.get("MATHEUR_SCRATCH", HERE / "scratch"))
"""Labels and checkpoints, which are too large to be kept with the results."""

PLANS = WORK / "labels.npz"
"""Plans of random boards, for sizes that learn from all states on them."""
CHUNK, CHUNK_SEED = 20_000, 1_000
"""Random boards of a file for sizes that learn from them alone, and the seed of the first file."""

TEST_SEED, VALIDATION_SEED, LABEL_SEED = 20_241, 20_242, 1
PARTITION = "7-8"

Row = dict[str, Any]


@dataclass(frozen=True)
class Size:
    """Extent of an experiment.

    Attributes
    ----------
    plans
        Number of random boards that are solved for labels.
    alone
        Whether the training uses only the random boards, as in the paper, or all states on their plans.
    heuristic
        Heuristic that solves them.
    network, minutes, halving
        Training: its preset, processor minutes, and number of steps in which the learning rate is halved.
    boards
        Number of test boards.
    nodes
        Maximum number of nodes that a search with a network may expand.
    """

    plans: int
    heuristic: str
    network: str
    minutes: float
    halving: int
    boards: int
    nodes: int
    alone: bool = False


SIZES = {
    "smoke": Size(200, "6-6-3", "compact", 0.25, 150, 10, 5_000),
    "bench": Size(120_000, PARTITION, "compact", 50, 22_000, 1600, 10_000_000),
    "ann-distance": Size(300_000, PARTITION, "ann-distance", 60, 4_500, 1600, 1_000_000, alone=True),
    "full": Size(6_000_000, PARTITION, "ann-distance", 660, 50_000, 1600, 10_000_000, alone=True),
}
"""`ann-distance` is the paper's network on as many boards as an hour teaches, `full` has the paper's 6 million."""


def paper(name: str) -> list[dict[str, str]]:
    """Rows of a table of the paper."""
    with (HERE / "paper" / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


def parser(text: str | None, sizes: Iterable[str] = SIZES) -> argparse.ArgumentParser:
    """Parser with the options that all scripts share."""
    made = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--size", choices=list(sizes), default="smoke")
    made.add_argument("--report", action="store_true", help="only say what the rows say, in Markdown")
    return made


def boards(count: int, seed: int = TEST_SEED) -> list[Instance]:
    """Random boards whose goal has the blank in the last cell; the first ones are the same for every count."""
    rng = np.random.default_rng([seed, 4, 4])
    return [uniform(4, 4, rng) for _ in range(count)]


def domain_for(instance: Instance) -> SlidingTileDomain:
    """State space of a board."""
    return sliding_tile_domain(SlidingTile(instance))


def chunks(plans: int) -> list[tuple[Path, int]]:
    """Files of random boards for sizes that learn from these alone, each with its seed."""
    return [(WORK / f"boards-{number:03}.npz", CHUNK_SEED + number) for number in range(-(-plans // CHUNK))]


def database(domain: SlidingTileDomain, *, mirrored: bool) -> Heuristic:
    """Sum of the databases of 7 and 8 tiles: of the board, or the maximum over it and its mirror image."""
    assert domain.board is not None
    return domain.additive(domain.board, PARTITION, mirrored=mirrored)


def model_path(size: str) -> Path:
    """File of the network that a size trains."""
    return WORK / f"{size}.npz"


def model_of(size: str, domain: SlidingTileDomain) -> Model | Path:
    """Network of a size; for `bench`, the one that comes with matheur."""
    return shipped_model(domain, "distance") if size == "bench" else model_path(size)


def network(
    domain: SlidingTileDomain, model: Model | Path, *, less: float = 0.0, mirrored: bool = False, compiled: bool = False
) -> Heuristic:
    """Heuristic from a network, with estimates reduced by `less`: of the board, or the minimum over both views.

    JAX evaluates a large network in batches, unless it is to be `compiled`, which A* needs.
    """
    return learnt_heuristic(
        domain, model, Use(less=less, images=2 if mirrored else 1, engine="compiled" if compiled else "auto")
    )


def title(size: str) -> str:
    """Description of the network of a size."""
    network = f"`{SIZES[size].network}`"
    return f"{network}, 6 million boards" if size == "full" else f"{network}, {size}" if size == "smoke" else network


def folder_of(size: str) -> Path:
    """Folder for the rows of a size; those of `smoke` are not kept."""
    return WORK if size == "smoke" else RESULTS


def rows(name: str) -> list[Row]:
    """Stored rows of a script."""
    paths = [folder / f"{name}.jsonl" for folder in (RESULTS, WORK)]
    return [json.loads(line) for path in paths if path.exists() for line in path.read_text().splitlines()]


def append(name: str, size: str, row: Row) -> None:
    """Write a row of a run of a size immediately."""
    folder = folder_of(size)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.jsonl").open("a") as file:
        file.write(json.dumps(row) + "\n")


def processor() -> str:
    """Vendor and model of the processor, from `/proc/cpuinfo`."""
    try:
        names = re.findall(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        names = []
    return names[0] if names else platform.machine()


def origin() -> Row:
    """Place and time at which a row was made."""
    return {
        "version": matheur.__version__,
        "processor": processor(),
        "load": round(os.getloadavg()[0], 1),
        "date": f"{date.today():%Y-%m-%d}",
    }


def histogram(values: NDArray[np.integer]) -> Iterator[tuple[int, int]]:
    """Each value with its frequency."""
    found, counts = np.unique(values, return_counts=True)
    yield from zip(found.tolist(), counts.tolist(), strict=True)
