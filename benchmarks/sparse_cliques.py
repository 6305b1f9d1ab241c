"""Maximum clique of sparse graphs compared with igraph and networkx: seconds, memory, size.

    python benchmarks/sparse_cliques.py run [--graphs NAME ...] [--programs NAME ...] [--seconds 60]
    python benchmarks/sparse_cliques.py report

Each program reads the same edge list (numbers from 0, one pair per line) in a separate process, which is stopped after
`--seconds` of CPU time; imports and compilation are not counted. matheur reads it like any user's file. `run` replaces
the rows of the same graph and program in `benchmarks/results/sparse_cliques.jsonl`; `report` writes the section "Sparse
graphs" of docs/results-max-clique.md. The four BioGRID graphs are read from `MATHEUR_DATA` or `../shared/data` next to
the checkout; the others are generated from seeds.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[1] / "shared" / "data"))
RESULTS = HERE / "results" / "sparse_cliques.jsonl"
PAGE = HERE.parent / "docs" / "results-max-clique.md"
TITLE = "## Sparse graphs"
PROGRAMS = ("matheur", "igraph", "networkx")

Pairs = NDArray[np.int64]
Row = dict[str, Any]


def uniform(n: int, m: int, seed: int) -> Pairs:
    """Draw pairs uniformly."""
    return np.random.default_rng(seed).integers(0, n, (m, 2))


def power_law(n: int, m: int, clique: int, seed: int) -> Pairs:
    """Draw pairs by weights that decrease as a power (Chung, Lu 2002), and add a clique of random vertices."""
    rng = np.random.default_rng(seed)
    weight = (np.arange(n) + 10.0) ** -0.6
    pairs = rng.choice(n, (m, 2), p=weight / weight.sum())
    planted = np.array(list(combinations(rng.choice(n, clique, replace=False).tolist(), 2)))
    return np.concatenate((pairs, planted))


def biogrid(name: str) -> Pairs:
    """Read pairs from a BioGRID file: two lines of counts, then `u,v`."""
    data = (DATA / "clique" / "sparse" / f"biogrid-{name}.gz").read_bytes()
    lines = gzip.decompress(data).split()[2:]
    return np.array([line.split(b",") for line in lines], dtype=np.int64)


GRAPHS: dict[str, Callable[[], Pairs]] = {
    **{f"biogrid-{name}": (lambda name=name: biogrid(name)) for name in ("worm", "fruitfly", "human", "yeast")},
    "random-20000": lambda: uniform(20_000, 100_000, 1),
    "random-200000": lambda: uniform(200_000, 1_000_000, 2),
    "random-10000": lambda: uniform(10_000, 1_000_000, 3),
    "power-law-50000": lambda: power_law(50_000, 100_000, 12, 4),
    "power-law-300000": lambda: power_law(300_000, 1_000_000, 20, 5),
    "power-law-30000": lambda: power_law(30_000, 1_000_000, 20, 6),
}


def by_matheur(path: str) -> Iterator[Any]:
    """Read, then search exactly; yields the results so far after each step."""
    from matheur.methods.clique import SparseGraph, solve_exact
    from matheur.problems.max_clique import load_graph

    warm = solve_exact(SparseGraph.from_edges(4, [0, 1, 2], [1, 2, 0]))
    assert warm.size == 3
    yield None
    graph = load_graph(path)
    yield graph.n, graph.edges
    found = solve_exact(graph)
    assert found.proved
    assert graph.is_clique(found.vertices)
    yield found.size


def by_igraph(path: str) -> Iterator[Any]:
    """The same with igraph's reader and its `clique_number`."""
    import igraph

    yield None
    graph = igraph.Graph.Read_Edgelist(path, directed=False).simplify()
    yield graph.vcount(), graph.ecount()
    yield graph.clique_number()


def by_networkx(path: str) -> Iterator[Any]:
    """The same with networkx: the largest of all maximal cliques, which is faster than its `max_weight_clique`."""
    import networkx

    yield None
    graph = networkx.read_edgelist(path, nodetype=int)
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    yield graph.number_of_nodes(), graph.number_of_edges()
    yield max(map(len, networkx.find_cliques(graph)))


def peak() -> int:
    """Peak memory of this process in kB (`ru_maxrss` would include the peak of its parent)."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) if found else 0


def one(program: str, path: str) -> None:
    """Run a program in this process, and print its resource use as JSON after each step."""
    steps = {"matheur": by_matheur, "igraph": by_igraph, "networkx": by_networkx}[program](path)
    next(steps)
    base = peak()
    row: Row = {}
    for name in ("read", "solve"):
        began = time.process_time()
        value = next(steps)
        row[name] = round(time.process_time() - began, 3)
        row["megabytes"] = round((peak() - base) / 1000)
        if name == "read":
            row["vertices"], row["edges"] = value
        else:
            row["size"] = value
        print(json.dumps(row), flush=True)


def run(graphs: list[str], programs: list[str], seconds: int) -> None:
    """Run the programs and store the rows."""
    with tempfile.TemporaryDirectory() as folder:
        for name in graphs:
            path = Path(folder, f"{name}.edges")
            np.savetxt(path, GRAPHS[name](), fmt="%d")
            for program in programs:
                limit = f"ulimit -t {seconds + 5}; exec "  # five seconds for imports
                words = f"{sys.executable} {Path(__file__).resolve()} one {program} {path}"
                answer = subprocess.run(["bash", "-c", limit + words], capture_output=True, text=True, check=False)
                said = answer.stdout.strip().split("\n")[-1]
                row: Row = json.loads(said) if said else {}
                if "solve" not in row and answer.returncode >= 0:
                    raise SystemExit(f"{program} failed: {answer.stderr[-400:]}")
                row = {"graph": name, "program": program, "limit": seconds, **row, "date": str(date.today())}
                row["machine"] = f"{os.cpu_count()} cores, {platform.machine()}"
                print(json.dumps(row), flush=True)
                kept = [other for other in rows() if (other["graph"], other["program"]) != (name, program)]
                RESULTS.write_text("".join(json.dumps(other) + "\n" for other in [*kept, row]))


def rows() -> list[Row]:
    """Stored rows."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def section() -> str:
    """Section of the page; empty without rows."""
    found = {(row["graph"], row["program"]): row for row in rows()}
    if not found:
        return ""
    last = max(found.values(), key=lambda row: row["date"])
    lines = [
        "| graph | vertices | edges | clique | " + " | ".join(f"{program} s | MB" for program in PROGRAMS) + " |",
        "| --- | ---: | ---: | ---: | " + " | ".join("---: | ---:" for _ in PROGRAMS) + " |",
    ]
    for name in GRAPHS:
        if (name, "matheur") not in found:
            continue
        own = found[name, "matheur"]
        cells = [name, f"{own['vertices']:,}", f"{own['edges']:,}", str(own["size"])]
        for program in PROGRAMS:
            row = found.get((name, program))
            if row is None:
                cells += ["", ""]
            elif "solve" not in row:
                cells += [f"> {row['limit']}", f"{row['megabytes']:,}" if "megabytes" in row else ""]
            else:
                other = "" if row["size"] == own["size"] else f" ({row['size']})"
                cells += [f"{row['read']:.2f} + {row['solve']:.2f}{other}", f"{row['megabytes']:,}"]
        lines.append("| " + " | ".join(cells) + " |")
    table = "\n".join(lines)
    return f"""{TITLE}

Written by `benchmarks/sparse_cliques.py report`. Seconds are CPU seconds of one thread, after imports and compilation:
those for reading the edge list + those for the proof. MB is the additional peak memory. Every program read the same
file in its own process and was stopped after the seconds shown. igraph is `clique_number()`, networkx the largest of
`find_cliques()`. The `biogrid` graphs are protein interactions. `random-N` has N vertices and uniformly drawn edges. In
`power-law-N`, the ends of edges are drawn with weights that follow a power law, and a clique is planted.
{last["date"]}; {last["machine"]}, with other programs running.

{table}
"""


def report() -> None:
    """Replace the section in the page."""
    text = PAGE.read_text()
    text = re.sub(rf"\n{TITLE}\n.*?(?=\n## |\Z)", "", text, flags=re.DOTALL).rstrip("\n")
    PAGE.write_text(f"{text}\n\n{section()}")


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("run", "report", "one"))
    parser.add_argument("words", nargs="*")
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS), choices=list(GRAPHS))
    parser.add_argument("--programs", nargs="+", default=list(PROGRAMS), choices=PROGRAMS)
    parser.add_argument("--seconds", type=int, default=60)
    said = parser.parse_args()
    if said.task == "one":
        one(*said.words)
    elif said.task == "run":
        run(said.graphs, said.programs, said.seconds)
    else:
        report()


if __name__ == "__main__":
    main()
