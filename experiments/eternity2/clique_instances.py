"""Write clique instances of a family of edge-matching boards: graphs, node tables, checksums, and results of solvers.

    python experiments/eternity2/clique_instances.py --out FOLDER [--config FILE.toml] [--sizes 3-9] [--solve SECONDS]

For each size: the graph (ASCII or binary DIMACS), the node table, the board as a piece list, the hidden clique as
vertices from 1, and a line in `FOLDER/manifest.jsonl` with vertices, edges, bytes, SHA-256 sums and the optimum. A size
whose files exist with matching sums is skipped, so that the command can be interrupted and restarted. With `--solve`,
each missing search gets the given CPU seconds and one seed; the table of `FOLDER/README.md` shows the results. A graph
of 16 x 16 cells takes 3 GB of memory, 9 GB for a search, and 1.5 GB on disk.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from matheur.engine.files import write_atomic
from matheur.methods.clique import LocalSearch, PartitionSearch
from matheur.methods.clique.portfolio import Searching
from matheur.problems.edge_matching import EMPTY, Board, Hint, Instance, generate, write_piece_list
from matheur.problems.edge_matching.clique_graph import PlacementGraph, build
from matheur.problems.edge_matching.clique_nodes import NodeTable
from matheur.problems.edge_matching.operators.scanning import Scan
from matheur.problems.max_clique import save_graph

HERE = Path(__file__).resolve().parent
METHODS = ("structured", "partition", "local-search")


def made(config: dict[str, Any], size: int) -> tuple[Instance, Board, PlacementGraph]:
    """Board of a size, its hidden solution, and the graph."""
    instance, solution = generate(size, size, seed=config["seed"] + size, name=f"{config['name']}-{size:02d}")
    hints = [Hint(0, int(solution[0]) >> 2, int(solution[0]) & 3)] if config["pin_corner"] else []
    return instance, solution, build(instance, hints=hints)


def vertices_of(placements: PlacementGraph, board: Board) -> list[int]:
    """Vertices of a board's pieces, from 1."""
    own = 4 * placements.piece.astype(np.int64) + placements.rotation
    return (np.flatnonzero(own == board[placements.cell]) + 1).tolist()


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def export(config: dict[str, Any], size: int, out: Path) -> dict[str, Any]:
    """Write the files of a size; return its entry for the manifest."""
    instance, solution, placements = made(config, size)
    graph, form = placements.graph, "ascii" if size <= config["ascii_up_to"] else "binary"
    stem = f"{config['name']}-{size:02d}"
    paths = {
        "graph": out / (stem + (".clq" if form == "ascii" else ".clq.b")),
        "nodes": out / f"{stem}-nodes.csv",
        "pieces": out / f"{stem}-pieces.txt",
        "clique": out / f"{stem}-clique.txt",
    }
    comment = f"edge matching {stem}: a clique of {instance.cells} is a perfect board"
    save_graph(paths["graph"], graph, form, comment=comment)  # type: ignore[arg-type]
    NodeTable.of(placements, instance.columns).save(paths["nodes"])
    write_atomic(paths["pieces"], write_piece_list(instance).encode())
    hidden = vertices_of(placements, solution)
    if not graph.is_clique(np.array(hidden) - 1) or len(hidden) != instance.cells:
        raise SystemExit(f"the hidden board of {stem} is no clique")
    write_atomic(paths["clique"], (" ".join(map(str, hidden)) + "\n").encode())
    return {
        "name": stem,
        "size": size,
        "vertices": graph.n,
        "edges": graph.edges,
        "density": round(graph.density, 6),
        "optimum": instance.cells,
        "format": form,
        "bytes": paths["graph"].stat().st_size,
        "files": {kind: {"name": path.name, "sha256": checksum(path)} for kind, path in paths.items()},
    }


def solve(config: dict[str, Any], size: int, seconds: float, known: dict[str, Any]) -> dict[str, Any]:
    """Tiles without a conflict after the given CPU seconds, for each of `METHODS` without a result."""
    if all(name in known for name in METHODS):
        return known
    instance, _, placements = made(config, size)
    found = dict(known)
    for name in METHODS:
        if name not in known:
            tiles, reached = (
                by_cells(instance, seconds) if name == "structured" else by_graph(name, placements, instance, seconds)
            )
            found[name] = {"tiles": tiles, "seconds": round(reached, 2), "limit": seconds}
    return found


def by_cells(instance: Instance, seconds: float) -> tuple[int | None, float]:
    """Structured search: few empty cells at first, more if a tenth of the time yields no filling."""
    rng = np.random.default_rng(0)
    every, empty = np.arange(instance.cells), np.full(instance.cells, EMPTY, dtype=np.int32)
    slips, tiles, reached = max(1, instance.rows // 3), None, 0.0
    began = time.process_time()
    while tiles is None and time.process_time() - began < seconds:
        scan = Scan(instance, empty, every, every, rng, slips=slips, holes=True, opening=0.6)
        tried = time.process_time()
        while not scan.done and time.process_time() - began < seconds:
            # One call ends with a filling that needs fewer mismatches; its empty cells are counted here.
            if scan.advance(200_000) and instance.cells - scan.slips > (tiles or 0):
                tiles, reached = instance.cells - scan.slips, time.process_time() - began
            if tiles is None and time.process_time() - tried > seconds / 10:
                break
        slips += max(1, slips // 2)
    return tiles, reached


def by_graph(name: str, placements: PlacementGraph, instance: Instance, seconds: float) -> tuple[int, float]:
    """Generic search: one vertex for each cell, or iterated local search."""
    rng = np.random.default_rng(0)
    one: Searching
    if name == "partition":
        label = np.unique(placements.cell, return_inverse=True)[1].astype(np.int32)
        one = PartitionSearch(placements.graph, rng, classes=label)
    else:
        one = LocalSearch(placements.graph, rng)
    one.advance(1)
    began, reached, best = time.process_time(), 0.0, 0
    while one.size < instance.cells and time.process_time() - began < seconds:
        one.advance(1000, instance.cells)
        if one.size > best:
            best, reached = one.size, time.process_time() - began
    return one.size, reached


def read(path: Path) -> dict[int, dict[str, Any]]:
    """Lines of a file by size; the last line of a size counts."""
    if not path.exists():
        return {}
    return {row["size"]: row for row in map(json.loads, path.read_text().splitlines())}


def whole(row: dict[str, Any] | None, out: Path) -> bool:
    """Whether the files of a line exist and match their sums."""
    if row is None:
        return False
    files = [(out / file["name"], file["sha256"]) for file in row["files"].values()]
    return all(path.exists() and checksum(path) == sha for path, sha in files)


def table(rows: dict[int, dict[str, Any]]) -> str:
    """Table of the instances and the results."""
    lines = [
        "| board | vertices | edges | density | optimum | file | bytes | " + " | ".join(METHODS) + " |",
        "| --- | ---: | ---: | ---: | ---: | --- | ---: |" + " --- |" * len(METHODS),
    ]
    for size, row in sorted(rows.items()):
        cells = []
        for name in METHODS:
            one = row.get("reached", {}).get(name)
            shown = "" if one is None else f"{one['tiles'] or '-'} ({one['seconds']:g} s)"
            cells.append(shown)
        lines.append(
            f"| {size} x {size} | {row['vertices']:,} | {row['edges']:,} | {row['density']:.4f} | {row['optimum']} | "
            f"{row['format']} | {row['bytes']:,} | " + " | ".join(cells) + " |"
        )
    return "\n".join(lines)


def page(config: dict[str, Any], rows: dict[int, dict[str, Any]]) -> str:
    """README of the folder."""
    return f"""# Clique instances `{config["name"]}`

Written by `experiments/eternity2/clique_instances.py`. A vertex is a piece in a cell in a rotation; two are joined
unless they share the piece or the cell, or touch with different colours. Every graph has a hidden perfect board, so its
largest clique is the number of its cells. The corner piece of the top-left cell is fixed. Node tables say what each
vertex means (vertices and tiles from 1, rows and columns from 0); `-clique.txt` is the hidden clique. Sums of all files
stand in `manifest.jsonl`.

The last columns: tiles of the best clique, and the CPU seconds to it, for one seed and 5 seconds (10 up to 7 x 7).
Answers of other programs: `matheur import clique NODES ANSWER --out board.json`.

{table(rows)}
"""


def sizes_of(text: str | None, known: list[int]) -> list[int]:
    """Parse `3-9` or `3,5` into numbers."""
    if text is None:
        return known
    chosen: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        chosen += range(int(first), int(last or first) + 1)
    return [size for size in known if size in chosen]


def main() -> None:
    """Export, solve, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--config", type=Path, default=HERE / "clique_instances.toml")
    parser.add_argument("--sizes")
    parser.add_argument("--solve", type=float, default=0.0)
    options = parser.parse_args()
    config = tomllib.loads(options.config.read_text())
    options.out.mkdir(parents=True, exist_ok=True)
    manifest = options.out / "manifest.jsonl"
    rows = read(manifest)
    for size in sizes_of(options.sizes, config["sizes"]):
        if not whole(rows.get(size), options.out):
            rows[size] = export(config, size, options.out)
        if options.solve:
            rows[size]["reached"] = solve(config, size, options.solve, rows[size].get("reached", {}))
        text = "".join(json.dumps(row) + "\n" for _, row in sorted(rows.items()))
        write_atomic(manifest, text.encode())
        write_atomic(options.out / "README.md", page(config, rows).encode())
        print(f"{size} x {size}: {rows[size]['vertices']} vertices, {rows[size]['edges']} edges", flush=True)


if __name__ == "__main__":
    main()
