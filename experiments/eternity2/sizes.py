"""Sizes in Table 1 of Salassa et al. 2017: nodes and edges of clique graphs, variables and constraints of MILPs.

    python experiments/eternity2/sizes.py --sizes 3-8

The graphs have tile 1 in the top-left corner. Boards are read from `MATHEUR_DATA`, else `../shared/data` next to the
checkout; lines are appended to `results/table1.jsonl`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from datetime import date
from pathlib import Path
from typing import Any

from pyomo.environ import Constraint, Var

from matheur.models.edge_matching import full
from matheur.problems.edge_matching import Hint, load
from matheur.problems.edge_matching.clique_graph import build
from matheur.running.result import versions

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[2] / "shared" / "data"))


def sizes_of(size: int) -> dict[str, Any]:
    """Numbers of one board."""
    instance = load(DATA / "edge_matching" / "brendan_set2_meta2010" / f"pieces_{size:02d}x{size:02d}.txt").instance
    graph = build(instance, hints=[Hint(cell=0, piece=0)]).graph
    model = full.build(instance, "gap", frame_filter=False).model
    return {
        "table": "sizes",
        "size": size,
        "nodes": graph.n,
        "edges": graph.edges,
        "variables": sum(1 for _ in model.component_data_objects(ctype=Var)),
        "constraints": sum(1 for _ in model.component_data_objects(ctype=Constraint)),
        "date": date.today().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "versions": versions(),
    }


def main() -> None:
    """Count and append."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="3-6", help="first and last")
    first, _, last = parser.parse_args().sizes.partition("-")
    with (HERE / "results" / "table1.jsonl").open("a") as file:
        for size in range(int(first), int(last or first) + 1):
            row = sizes_of(size)
            file.write(json.dumps(row) + "\n")
            print(*(f"{name} {row[name]}" for name in ("size", "nodes", "edges", "variables", "constraints")))


if __name__ == "__main__":
    main()
