"""Which methods are implemented as operators of which problems, and how well they perform there.

    python benchmarks/operator_matrix.py run --seconds 5 --seeds 3      # appends to results/operator_matrix.jsonl
    python benchmarks/operator_matrix.py report                         # writes the tables of docs/operator-matrix.md

A cell is a run of a few seconds with one operator of the family: a construction alone, or a neighbourhood after a cheap
construction. Networks are trained beforehand for a fixed number of steps; this time is not counted. Existing results
are not run again.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rows import Rows

import matheur
from matheur.engine import Budget
from matheur.engine.operators import operator_entries
from matheur.methods.learning import TrainingOptions, train, write_model
from matheur.methods.statespace.domains import domain_of
from matheur.problems import problem_types
from matheur.problems.plans.training import suggested_longest
from matheur.running.loading import load_instance

PAGE = Path(__file__).resolve().parents[1] / "docs" / "operator-matrix.md"
NETWORK = "NETWORK"  # placeholder for the file of the trained network
STEPS, BATCH = 100, 100

FAMILIES: dict[str, tuple[str, ...]] = {
    "MILP": ("milp-full", "milp-greedy", "milp-backtracking", "border", "milp-window", "region", "merge"),
    "clique search": (
        "clique", "structured-clique", "local-search", "phased", "vertex-cover", "partition", "hubs",
        "edge-matching.region", "edge-matching.merge",
    ),
    "assignment": ("assignment", "checkerboard"),
    "moves": ("swap", "swap-rotate", "exchange", "replace", "robust-tabu", "annealing", "shortcut"),
    "tree search": ("branch-and-bound", "exact", "backtracking", "ida-star", "two-phase",
                    "edge-matching.region", "quadratic-assignment.region"),
    "A*, beams": ("astar", "batch-astar", "beam", "learnt-beam", "push-astar", "feature-search", "guided-beam", "bfs",
                  "bidirectional", "window", "guided-window", "refill"),
    "evolution": ("evolution", "genetic", "islands", "map-elites"),
    "reinforcement": ("q-learning",),
}  # fmt: skip
"""Operators by family; `PROBLEM.NAME` where only those of one problem belong to it."""

NETWORKS = frozenset({"astar", "batch-astar", "beam", "learnt-beam", "guided-beam", "window", "guided-window"})
"""Operators with an option for a trained network."""


@dataclass(frozen=True)
class Cell:
    """One operator of a family on the instance of its problem.

    Attributes
    ----------
    family
        Family in the table.
    construction, neighbourhoods
        Operators of the run.
    options
        Options as for `--set`.
    """

    family: str
    construction: str
    neighbourhoods: tuple[str, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """Name in the table."""
        extra = ", network" if any(value == NETWORK for _, value in self.options) else ""
        return f"`{self.neighbourhoods[0]}`" if self.neighbourhoods else f"`{self.construction}`{extra}"

    @property
    def kind(self) -> str:
        """Kind: C (construction) or N (neighbourhood)."""
        return "N" if self.neighbourhoods else "C"


@dataclass(frozen=True)
class Column:
    """A problem with an instance and its cells to measure."""

    problem: str
    instance: str
    best: str
    cells: tuple[Cell, ...]


def _column(problem: str, instance: str, best: str, start: str, families: dict[str, str]) -> Column:
    """Build cells from `FAMILY: C:NAME N:NAME ...`; `C:NAME*` is a construction with a network."""
    cells = []
    for family, words in families.items():
        for kind, _, name in (word.partition(":") for word in words.split()):
            learnt = (("construction.heuristic", NETWORK),) if name.endswith("*") else ()
            cell = Cell(family, name.rstrip("*"), options=learnt) if kind == "C" else Cell(family, start, (name,))
            cells.append(cell)
    return Column(problem, instance, best, tuple(cells))


COLUMNS = (
    _column("edge-matching", "8x8", "112 of 112", "random", {
        "MILP": "C:milp-greedy N:border", "clique search": "C:structured-clique N:region", "assignment": "N:assignment",
        "moves": "N:swap-rotate N:exchange", "tree search": "C:backtracking",
        "A*, beams": "C:astar C:batch-astar C:beam C:learnt-beam N:refill", "evolution": "C:evolution N:evolution",
        "reinforcement": "C:q-learning", "network": "C:learnt-beam* C:astar*",
    }),
    _column("party", "type2", "3,840, proved", "constructive", {
        "MILP": "C:milp-full N:region", "moves": "C:annealing N:replace N:swap", "tree search": "C:branch-and-bound",
        "A*, beams": "C:astar C:batch-astar C:beam N:refill", "evolution": "C:genetic C:islands N:evolution",
        "reinforcement": "C:q-learning", "network": "C:beam* C:astar*",
    }),
    _column("quadratic-assignment", "grid30", "not proved", "random", {
        "MILP": "C:milp-full N:region", "assignment": "N:assignment", "moves": "N:swap N:robust-tabu",
        "tree search": "C:branch-and-bound", "A*, beams": "C:astar C:batch-astar C:beam N:refill",
        "evolution": "C:genetic N:evolution", "reinforcement": "C:q-learning", "network": "C:beam* C:astar*",
    }),
    _column("max-clique", "random200", "not proved", "partition", {
        "MILP": "C:milp-full", "clique search": "C:local-search C:vertex-cover C:partition", "tree search": "C:exact",
        "evolution": "C:evolution N:evolution",
    }),
)  # fmt: skip


def run(seconds: float, seeds: int) -> None:
    """Run the missing cells."""
    rows = Rows("operator_matrix", quiet=("best",))
    with tempfile.TemporaryDirectory() as folder:
        for column in COLUMNS:
            network = Path(folder) / f"{column.problem}.npz"
            for cell in column.cells:
                for seed in range(1, seeds + 1):
                    about = {
                        "problem": column.problem, "instance": column.instance, "family": cell.family,
                        "operator": cell.name, "kind": cell.kind, "seconds": seconds, "seed": seed,
                    }  # fmt: skip
                    if not rows.has(about):
                        options = {
                            key: str(_trained(column, network)) if value == NETWORK else value
                            for key, value in cell.options
                        }
                        rows.append(about | _score(column, cell, options, seconds, seed))


def _trained(column: Column, file: Path) -> Path:
    """Train a network for the instance for a few steps."""
    if not file.exists():
        _, problem = load_instance(f"{column.problem}/{column.instance}", None, {})
        options = TrainingOptions(method="davi", batch=BATCH, longest=suggested_longest(problem), every=10 * STEPS)
        write_model(file, train(domain_of(problem), options, Budget(iterations=STEPS), 0))
    return file


def _score(column: Column, cell: Cell, options: dict[str, Any], seconds: float, seed: int) -> dict[str, Any]:
    found = matheur.solve(
        f"{column.problem}/{column.instance}", construction=cell.construction, seed=seed, seconds=seconds,
        neighbourhoods=list(cell.neighbourhoods), settings=[f"{key}={value}" for key, value in options.items()],
    )  # fmt: skip
    return {"score": found.score, "status": found.status}


def report() -> None:
    """Write both tables into the page."""
    text = PAGE.read_text(encoding="utf-8")
    for mark, table in (("who", _who()), ("worth", _worth(list(Rows("operator_matrix"))))):
        text = re.sub(
            rf"(<!-- {mark} -->\n).*?(<!-- end -->)", lambda m, table=table: f"{m[1]}\n{table}\n\n{m[2]}", text,
            flags=re.DOTALL,
        )  # fmt: skip
    PAGE.write_text(text, encoding="utf-8")


def _table(head: list[str], body: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *body))


def _who() -> str:
    """Letters by problem and family."""
    body = []
    for problem in problem_types.names():
        cells = []
        for family in FAMILIES:
            letters = [
                letter
                for letter, kind in (("C", "construction"), ("N", "neighbourhood"))
                if any(_belongs(family, problem, entry.name) for entry in operator_entries(problem, kind))  # type: ignore[arg-type]
            ]
            cells.append(" ".join(letters) or "-")
        learnt = [
            letter
            for letter, kind in (("C", "construction"), ("N", "neighbourhood"))
            if any(entry.name in NETWORKS for entry in operator_entries(problem, kind))  # type: ignore[arg-type]
            and problem != "max-clique"
        ]
        body.append([f"`{problem}`", *cells, " ".join(learnt) or "-"])
    return _table(["problem", *FAMILIES, "network"], body)


def _belongs(family: str, problem: str, name: str) -> bool:
    return name in FAMILIES[family] or f"{problem}.{name}" in FAMILIES[family]


def _worth(rows: list[dict[str, Any]]) -> str:
    """One line per cell: scores of all seeds and their median."""
    return _table(
        ["problem", "family", "operator", "", "median", "seeds", "proved"], [list(line) for line in _lines(rows)]
    )


def _lines(rows: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    for column in COLUMNS:
        shown = f"`{column.problem}/{column.instance}` (best: {column.best})"
        for cell in column.cells:
            about = {
                "problem": column.problem, "instance": column.instance, "operator": cell.name, "kind": cell.kind,
                "family": cell.family,
            }  # fmt: skip
            mine = [row for row in rows if about.items() <= row.items()]
            scores = [row["score"] for row in mine if row["score"] is not None]
            middle = f"{median(scores):g}" if scores else "none"
            every = ", ".join("none" if row["score"] is None else f"{row['score']:g}" for row in mine)
            proved = sum(row["status"] == "optimal" for row in mine)
            yield shown, cell.family, cell.name, cell.kind, middle, every, str(proved or "-")
            shown = ""


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    if asked.what == "run":
        run(asked.seconds, asked.seeds)
    else:
        report()


if __name__ == "__main__":
    main()
