"""Maximum clique: quality, proofs, other programs, edge matching and regions.

    python benchmarks/max_clique.py run [--sections quick exact peers edge regions long hard] [--seeds 5]
                                        [--graphs NAME ...] [--methods NAME ...]
    python benchmarks/max_clique.py report

`run` appends one JSON line per task to `benchmarks/results/max_clique.jsonl` and skips existing ones, so that it can be
interrupted and restarted. All times are CPU seconds of one thread after compilation, also for other programs, which are
stopped after `PEER_SECONDS`. `report` writes docs/results-max-clique.md. Public graphs and puzzles are read from
`MATHEUR_DATA` or `../shared/data` next to the checkout.

Sections, run in the order given:

`quick`    public graphs that the portfolio should solve within 2 and 10 seconds
`exact`    proofs by our branch and bound
`peers`    the same graphs by cliquer, networkx and igraph (`pip install igraph`)
`edge`     edge-matching boards by the structured clique search and by the generic ones
`regions`  holes in solved boards, refilled by each method
`long`     MANN, keller6 and the smaller graphs of BHOSLIB: seconds per run
`hard`     BHOSLIB and similar graphs from 1,100 vertices: up to two minutes per run
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from max_clique_page import write_page

from matheur.engine.budget import Budget
from matheur.methods.clique import ExactSearch, HubSearch, LocalSearch, PartitionSearch, Portfolio, VertexCover, search
from matheur.methods.clique.portfolio import Searching
from matheur.problems.edge_matching import EdgeMatching, Hint, generate, load
from matheur.problems.edge_matching.clique_graph import build
from matheur.problems.edge_matching.instance import EMPTY
from matheur.problems.edge_matching.operators.board_tools import count_mismatches
from matheur.problems.edge_matching.operators.region import Region
from matheur.problems.edge_matching.operators.region_methods import CliqueOptions, refill
from matheur.problems.edge_matching.operators.scanning import Scan
from matheur.problems.edge_matching.operators.structured_clique import StructuredClique
from matheur.problems.max_clique import Graph, load_graph, save_graph
from matheur.problems.max_clique.generator import gnp, model_rb

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[1] / "shared" / "data"))
RESULTS = HERE / "results" / "max_clique.jsonl"
PEER_SECONDS = {"cliquer": 5, "networkx": 5, "igraph": 2}
LONGER = {
    ("networkx", "DSJC500_5"): 25,
    ("networkx", "san400_0.7_1"): 15,
    ("networkx", "sanr200_0.9"): 120,
    ("cliquer", "sanr200_0.9"): 30,
}  # twenty times the time that we need, for networkx
HOLE_SECONDS = 3.0
WALL = 8  # wall-clock seconds per CPU second, where only wall-clock time can be limited

QUICK = {
    "C125.9": 34, "C250.9": 44, "C500.9": 57, "DSJC500_5": 13, "MANN_a9": 16, "brock200_1": 21, "brock200_2": 12,
    "brock200_4": 17, "c-fat200-5": 58, "gen200_p0.9_44": 44, "gen400_p0.9_55": 55, "hamming6-2": 32, "hamming6-4": 4,
    "hamming8-4": 16, "johnson16-2-4": 8, "johnson8-2-4": 4, "johnson8-4-4": 14, "keller4": 11, "p_hat300-1": 8,
    "p_hat300-3": 36, "san200_0.7_2": 18, "sanr200_0.9": 42,
}  # fmt: skip
TEN = {"brock800_4": 26, "keller5": 27}
LONG: dict[str, tuple[int, float, str]] = {
    "frb30-15-1": (30, 120, "portfolio"),
    "rb35-17 (generated)": (35, 120, "portfolio"),
    "frb40-19-1": (40, 120, "portfolio"),
    "keller6": (59, 60, "portfolio"),
    "MANN_a45": (345, 60, "portfolio"),
    "MANN_a81": (1100, 60, "portfolio"),
}
HARD: dict[str, tuple[int, float, str]] = {
    "rb50-23 (generated)": (50, 120, "portfolio"),
    "frb53-24-1": (53, 120, "portfolio"),
    "rb59-26 (generated)": (59, 120, "portfolio"),
    "rb53-24-1 (generated)": (53, 120, "portfolio"),
    "rb53-24-2 (generated)": (53, 120, "portfolio"),
    "rb59-26-1 (generated)": (59, 120, "portfolio"),
    "rb59-26-2 (generated)": (59, 120, "portfolio"),
}
EXACT = ("brock200_2", "keller4", "hamming8-4", "C125.9", "random200-0.7", "brock200_1", "brock200_4", "p_hat300-3",
         "DSJC500_5", "san400_0.7_1", "sanr200_0.9")  # fmt: skip

Row = dict[str, Any]
Task = tuple[Row, Callable[[], Row]]


@lru_cache(maxsize=100)
def graph(name: str) -> Graph | None:
    """A public, random or Model RB graph (`rbVARIABLES-DOMAIN-SEED`, seed 1993 if omitted); None without the file."""
    if name.startswith("random"):
        vertices, density = name.removeprefix("random").split("-")
        return gnp(int(vertices), float(density), np.random.default_rng(1993))[0]
    if name.startswith("rb"):
        variables, domain, *seed = map(int, name.removeprefix("rb").split()[0].split("-"))
        return model_rb(variables, domain, np.random.default_rng(seed or 1993))[0]
    for place in (f"ascii/{name}.clq", f"binary/{name}.clq.b", f"bhoslib/{name}.mis"):
        if (DATA / "clique" / place).exists():
            return load_graph(DATA / "clique" / place)
    return None


def puzzle(size: int) -> EdgeMatching:
    """Puzzle of Brendan Owen's set 2 (META 2010)."""
    return load(DATA / "edge_matching" / "brendan_set2_meta2010" / f"pieces_{size:02d}x{size:02d}.txt")


def sought(one: Searching, seconds: float, goal: int) -> Row:
    """Search until the goal or the end of the CPU seconds; return size, seconds to the last gain, and speed."""
    one.advance(0)
    began, best, reached, done = time.process_time(), one.size, 0.0, one.selections
    chunk = 1000
    while one.size < goal and time.process_time() - began < seconds:
        at, before = time.process_time(), one.selections
        one.advance(chunk, goal)
        now = time.process_time()
        if one.selections == before:
            break
        if one.size > best:
            best, reached = one.size, now - began
        chunk = int(min(4 * chunk, max(100, chunk * 0.03 / max(now - at, 1e-6))))
    took = time.process_time() - began
    return {
        "size": best,
        "goal": goal,
        "seconds": reached,
        "spent": took,
        "rate": (one.selections - done) / max(took, 1e-9),
    }


def heuristic(one: Graph, method: str, seconds: float, goal: int, seed: int) -> Row:
    """Run a heuristic."""
    rng = np.random.default_rng(seed)
    if method == "portfolio":
        began, best, reached = time.process_time(), 0, 0.0
        members = Portfolio(one, rng, timed=True, clock=time.process_time)
        while members.size < min(goal, members.bound) and time.process_time() - began < seconds:
            members.advance(None, goal)
            if members.size > best:
                best, reached = members.size, time.process_time() - began
        took = time.process_time() - began
        return {
            "size": best,
            "goal": goal,
            "seconds": reached,
            "spent": took,
            "rate": members.selections / max(took, 1e-9),
        }
    make: dict[str, Callable[[], Searching]] = {
        "local-search": lambda: LocalSearch(one, rng),
        "penalty": lambda: LocalSearch(one, rng, rule="penalty"),
        "vertex-cover": lambda: VertexCover(one, rng),
        "partition": lambda: PartitionSearch(one, rng),
    }
    return sought(make[method](), seconds, goal)


def proof(one: Graph, seed: int) -> Row:
    """Run local search, then branch and bound to the proof."""
    began = time.process_time()
    found = search(one, np.random.default_rng(seed), max_selections=3_000)
    tree = ExactSearch(one, found.vertices)
    while not tree.done and time.process_time() - began < 60:
        tree.advance(5000)
    return {"size": tree.size, "proved": tree.done, "nodes": tree.nodes, "spent": time.process_time() - began}


_PEERS = {
    "networkx": "import networkx as nx, numpy as np, time\n{graph}\n"
    "G = nx.Graph(); G.add_nodes_from(range(g.n))\n"
    "for first, block in g.blocks():\n"
    "    r, c = np.nonzero(block); G.add_edges_from(zip((r + first).tolist(), c.tolist()))\n"
    "t = time.process_time(); size = len(nx.max_weight_clique(G, weight=None)[0])\n",
    "igraph": "import igraph, numpy as np, time\n{graph}\n"
    "pairs = [(i + first, j) for first, block in g.blocks() for i, j in zip(*np.nonzero(block)) if j < i + first]\n"
    "G = igraph.Graph(g.n, pairs)\n"
    "t = time.process_time(); size = G.clique_number()\n",
}


def peer(program: str, name: str) -> Row:
    """Run another program in a separate process; seconds are None if it was stopped."""
    one = graph(name)
    assert one is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "g.clq.b")
        save_graph(path, one, "binary")
        limit = LONGER.get((program, name), PEER_SECONDS[program])

        def bounded() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (limit + 3, limit + 4))

        if program == "cliquer":
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(
                ["cliquer", "-qq", str(path)], capture_output=True, text=True, check=False, preexec_fn=bounded
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            if done.returncode:
                return {"size": None, "spent": None, "limit": limit}
            return {"size": int(done.stdout.split("size=")[1].split(",")[0]), "spent": spent}
        read = f"from matheur.problems.max_clique import load_graph\ng = load_graph({str(path)!r})"
        code = _PEERS[program].format(graph=read) + "print(size, time.process_time() - t)"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False, preexec_fn=bounded
        )
        if done.returncode:
            return {"size": None, "spent": None, "limit": limit}
        size, spent = done.stdout.split()
        return {"size": int(size), "spent": float(spent)}


def tiles_without_conflict(problem: EdgeMatching, board: np.ndarray) -> int:
    """Largest clique among a board's own placements: mismatched joints covered by as few tiles as possible."""
    instance = problem.instance
    pairs = []
    for cell in range(instance.cells):
        for side in (1, 2):
            other = int(instance.neighbours[cell, side])
            if other >= 0 and instance.sides[board[cell], side] != instance.sides[board[other], (side + 2) % 4]:
                pairs.append((cell, other))
    if not pairs:
        return instance.cells
    own = Graph.from_complement(instance.cells, [a for a, _ in pairs], [b for _, b in pairs])
    tree = ExactSearch(own)
    while not tree.done:
        tree.advance(1000)
    return tree.size


def structured(size: int, seconds: float, seed: int, *, goal_tiles: int, goal_edges: int) -> Row:
    """Solve a board by the structured search until one filling reaches its goals; from 8 x 8 on with one empty cell."""
    problem = puzzle(size)
    instance = problem.instance
    every, empty = np.arange(instance.cells), np.full(instance.cells, EMPTY, dtype=np.int32)
    default = StructuredClique()
    options: dict[str, Any] = {"slips": default.slips, "opening": default.opening}
    if size >= 8:
        options = {"slips": size - 7, "holes": True, "opening": 0.8}
    scan = Scan(instance, empty, every, every, np.random.default_rng(seed), restart=default.restart, **options)
    tiles = edges = 0
    first = reached = None
    began = time.process_time()
    while not scan.done and time.process_time() - began < seconds:
        if scan.advance(1_000_000) and scan.best is not None:
            matched = instance.joints - count_mismatches(instance, scan.best)
            clique = tiles_without_conflict(problem, scan.best)
            tiles, edges = max((tiles, edges), (clique, matched))
            first = time.process_time() - began if first is None and clique >= goal_tiles else first
            if clique >= goal_tiles and matched >= goal_edges:
                reached = time.process_time() - began
                break
    took = time.process_time() - began
    return {
        "size": tiles, "goal": goal_tiles, "edges": edges, "goal_edges": goal_edges, "of": instance.joints,
        "seconds": reached, "tiles_at": first, "spent": took, "rate": scan.nodes / max(took, 1e-9),
    }  # fmt: skip


def generic(size: int, method: str, seconds: float, seed: int) -> Row:
    """Solve the same boards as graphs (first tile pinned) by a generic search."""
    placements = build(puzzle(size).instance, hints=[Hint(cell=0, piece=0)])
    rng = np.random.default_rng(seed)
    one: Searching
    if method == "partition":
        one = PartitionSearch(placements.graph, rng, classes=np.unique(placements.cell, return_inverse=True)[1])
    else:
        one = LocalSearch(placements.graph, rng)
    return {**sought(one, seconds, size * size), "vertices": placements.graph.n}


def hole(size: int, method: str, seed: int, seconds: float) -> Row:
    """Refill a hole of `size` x `size` cells in the middle of a solved 12 x 12 board."""
    instance, solved = generate(12, 12, seed=100 + seed)
    top = (12 - size) // 2
    cells = np.array([row * 12 + column for row in range(top, top + size) for column in range(top, top + size)])
    board = solved.copy()
    rng = np.random.default_rng(seed)
    inside = board[cells] >> 2
    board[cells] = 4 * rng.permutation(inside) + rng.integers(0, 4, len(cells))  # its pieces in random order
    if method == "branch-and-bound":
        options = Region(method="exact", rows=6, columns=6, seconds=WALL * seconds)
    elif method == "milp":
        options = Region(method="milp", rows=size, columns=size, seconds=WALL * seconds)
    elif method == "structured":
        options = Region(method="structured", rows=size, columns=size, seconds=seconds, nodes=10**10)
    else:
        clique = CliqueOptions(selections=10**9, search=method, rule="random", tries=1)  # type: ignore[arg-type]
        options = Region(method="clique", rows=size, columns=size, seconds=WALL * seconds, clique=clique)
    began, children = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    # Some methods check the wall clock: they get more wall time, and are stopped by CPU seconds.
    budget = Budget(seconds=WALL * seconds, interrupt=lambda: time.process_time() - began >= seconds)
    if method == "structured":
        scan = Scan(instance, board, cells, inside, rng, slips=0, restart=None)
        while not scan.done and not budget.exhausted:
            scan.advance(500_000)
        left = None if scan.best is None else scan.mismatches
    else:
        left = count_mismatches(instance, refill(instance, board, cells, options, budget, rng).board)
    spent = time.process_time() - began + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - children
    return {"mismatches": left, "perfect": left == 0, "spent": spent}


def tasks(seeds: int) -> Iterator[Task]:
    """All tasks, as the identifier and the function; ordered by seed, so that a prefix of them is balanced."""
    for seed in range(seeds):
        key: Row = {"section": "edge", "seed": seed}
        yield (
            {**key, "graph": "6x6", "method": "structured"},
            lambda s=seed: structured(6, 20, s, goal_tiles=36, goal_edges=60),
        )
        yield (
            {**key, "graph": "7x7", "method": "structured"},
            lambda s=seed: structured(7, 60, s, goal_tiles=49, goal_edges=84),
        )
        yield (
            {**key, "graph": "8x8", "method": "structured"},
            lambda s=seed: structured(8, 60, s, goal_tiles=63, goal_edges=110),
        )
        yield (
            {**key, "graph": "9x9", "method": "structured"},
            lambda s=seed: structured(9, 60, s, goal_tiles=79, goal_edges=140),
        )
    for seed in range(seeds):
        key = {"section": "edge", "seed": seed}
        for size, seconds in ((6, 10.0), (7, 10.0), (8, 20.0), (9, 20.0)):
            for method in ("partition", "local-search"):
                yield (
                    {**key, "graph": f"{size}x{size}", "method": method},
                    lambda z=size, t=seconds, m=method, s=seed: generic(z, m, t, s),
                )
    for seed in range(seeds):
        for limit, goals in ((2.0, QUICK), (10.0, TEN)):
            for name, goal in goals.items():
                yield (
                    {"section": "quick", "graph": name, "method": "portfolio", "seed": seed, "limit": limit},
                    lambda n=name, g=goal, t=limit, s=seed: heuristic(graph(n), "portfolio", t, g, s),  # type: ignore[arg-type]
                )
    for name in EXACT:
        for seed in range(seeds):
            yield (
                {"section": "exact", "graph": name, "method": "exact", "seed": seed},
                lambda n=name, s=seed: proof(graph(n), s),
            )  # type: ignore[arg-type]
    for program in ("cliquer", *_PEERS):
        for name in EXACT:
            yield (
                {"section": "peers", "graph": name, "method": program, "seed": 0},
                lambda n=name, p=program: peer(p, n),
            )
    for seed in range(seeds):
        for size in (6, 7, 8):
            for method in ("structured", "branch-and-bound", "partition", "local-search", "milp"):
                yield (
                    {"section": "regions", "graph": f"{size}x{size}", "method": method, "seed": seed},
                    lambda z=size, m=method, s=seed: hole(z, m, s, HOLE_SECONDS),
                )
    for section, graphs in (("long", LONG), ("hard", HARD)):
        for seed in range(seeds):
            for name, (goal, limit, methods) in graphs.items():
                for method in methods.split():
                    yield (
                        {"section": section, "graph": name, "method": method, "seed": seed, "limit": limit},
                        lambda n=name, g=goal, t=limit, m=method, s=seed: heuristic(graph(n), m, t, g, s),  # type: ignore[arg-type]
                    )


def rows() -> list[Row]:
    """Read the measured rows."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def key_of(row: Row) -> tuple[Any, ...]:
    """Identifier of a task."""
    return row["section"], row["graph"], row["method"], row["seed"]


def warm() -> None:
    """Compile everything on small instances."""
    small = model_rb(6, 4, np.random.default_rng(0))[0]
    for method in ("portfolio", "local-search", "vertex-cover", "partition"):
        heuristic(small, method, 0.2, 99, 0)
    hubs = Graph.from_complement(6, [3, 3, 4, 0, 1, 2], [4, 5, 5, 3, 4, 5])
    HubSearch(hubs, np.random.default_rng(0)).advance(10)
    proof(small, 0)
    instance, _ = generate(4, 4, seed=1)
    every = np.arange(16)
    Scan(instance, np.full(16, EMPTY, dtype=np.int32), every, every, np.random.default_rng(0)).advance(100)
    build(instance)
    hole(2, "branch-and-bound", 0, 1.0)


def run(sections: list[str], seeds: int, graphs: list[str] | None, methods: list[str] | None) -> None:
    """Run missing tasks, for all or for selected graphs and methods."""
    have = {key_of(row) for row in rows()}
    warm()
    facts = {"date": date.today().isoformat(), "machine": f"{os.cpu_count()} cores, {platform.machine()}"}
    for key, do in sorted(
        (task for task in tasks(seeds) if task[0]["section"] in sections),
        key=lambda task: sections.index(task[0]["section"]),
    ):
        if key_of(key) in have:
            continue
        if (graphs and key["graph"] not in graphs) or (methods and key["method"] not in methods):
            continue
        if key["section"] not in ("edge", "regions") and graph(key["graph"]) is None:
            continue
        row = {**key, **do(), **facts, "load": round(os.getloadavg()[0], 1)}
        row = {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}
        with RESULTS.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)


def main() -> None:
    """Run or report."""
    sections = ["quick", "exact", "peers", "edge", "regions", "long", "hard"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument("--sections", nargs="+", default=sections, choices=sections)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--graphs", nargs="+")
    parser.add_argument("--methods", nargs="+")
    options = parser.parse_args()
    if options.what == "run":
        run(options.sections, options.seeds, options.graphs, options.methods)
    else:
        write_page(rows(), EXACT, PEER_SECONDS, HOLE_SECONDS)


if __name__ == "__main__":
    main()
