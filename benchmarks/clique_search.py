"""Speed and quality of the maximum clique searches.

    python benchmarks/clique_search.py FILE... [--seeds 5] [--seconds 5] [--rules random degree] [--deltas 4]
    python benchmarks/clique_search.py --pieces pieces_06x06.txt pieces_08x08.txt

Prints selections per second, sizes, and the time to the target: the best size of all runs, or a clique of all cells
for piece lists (a puzzle whose first piece is pinned in the top-left corner, as in Salassa et al. 2017, table 1).
"""

from __future__ import annotations

import argparse
import platform
import statistics
from datetime import UTC, datetime
from pathlib import Path

import numba
import numpy as np

import matheur
from matheur.clique import CliqueResult, build, search
from matheur.problems.edge_matching.instance import Hint, Instance
from matheur.problems.max_clique import Graph, load_graph


def puzzle(path: Path) -> tuple[Graph, int]:
    """The graph of a piece list `ROWS COLUMNS`, then one piece per line, and the number of cells."""
    numbers = np.array(path.read_text().split(), dtype=np.int16)
    instance = Instance(int(numbers[0]), int(numbers[1]), numbers[2:].reshape(-1, 4))
    return build(instance, hints=[Hint(cell=0, piece=0)]).graph, instance.cells


def line(name: str, graph: Graph, rule: str, delta: int, goal: int | None, runs: list[CliqueResult]) -> str:
    """One line of the table."""
    best = max(run.size for run in runs) if goal is None else goal
    hits = [run.seconds * run.reached_at / max(run.selections, 1) for run in runs if run.size >= best]
    speed = statistics.median(run.selections / max(run.seconds, 1e-9) for run in runs)
    sizes = " ".join(str(run.size) for run in runs)
    reach = f"{statistics.median(hits):8.2f}" if hits else "       -"
    return (
        f"{name[:24]:24} {graph.n:6} {graph.density:7.4f} {rule:8} {delta:5} {speed / 1e6:6.2f} "
        f"{best:5} {len(hits):3}/{len(runs)} {reach}  {sizes}"
    )


def main() -> None:
    """Run the searches that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--pieces", nargs="*", type=Path, default=[])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rules", nargs="+", default=["random"])
    parser.add_argument("--deltas", nargs="+", type=int, default=[4])
    options = parser.parse_args()

    versions = f"matheur {matheur.__version__}, numba {numba.__version__}, numpy {np.__version__}"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {versions}, Python {platform.python_version()}, {platform.machine()}")
    print(f"seeds 0 to {options.seeds - 1}, at most {options.seconds:g} s each, one thread")
    print(f"{'graph':24} {'n':>6} {'density':>7} {'rule':8} {'delta':>5} {'M/s':>6} {'goal':>5} hits  seconds  sizes")
    tasks = [(path.name, load_graph(path), None) for path in options.files]
    tasks += [(path.name, *puzzle(path)) for path in options.pieces]
    for name, graph, goal in tasks:
        for rule in options.rules:
            for delta in options.deltas:
                search(graph, np.random.default_rng(0), max_selections=10, rule=rule, delta=delta)
                runs = []
                for seed in range(options.seeds):
                    rng = np.random.default_rng(seed)
                    runs.append(search(graph, rng, seconds=options.seconds, target=goal, rule=rule, delta=delta))
                print(line(name, graph, rule, delta, goal, runs), flush=True)


if __name__ == "__main__":
    main()
