"""Maximum weight clique on the DIMACS graphs, compared with cliquer and networkx.

    python benchmarks/weighted_cliques.py [--seconds 4] [--graphs NAME ...]

Vertex v (from 1) weighs v mod 200 + 1, as in the weighted versions of these graphs in the literature. All times are CPU
seconds of one thread after compilation, also for other programs, which are stopped after the same time. The script
writes docs/results-weighted-cliques.md. Public graphs are read from `MATHEUR_DATA` or `../shared/data` next to the
checkout.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from matheur.methods.clique import Portfolio, WeightedExactSearch
from matheur.problems.max_clique import Graph, load_graph, save_graph

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[1] / "shared" / "data"))
PAGE = HERE.parent / "docs" / "results-weighted-cliques.md"
MODULO = 200
GRAPHS = (
    "brock200_1", "brock200_4", "brock400_4", "C125.9", "C250.9", "C500.9", "c-fat200-5", "DSJC500_5", "gen200_p0.9_44",
    "hamming6-4", "hamming8-4", "johnson8-4-4", "johnson16-2-4", "keller4", "keller5", "MANN_a9", "MANN_a27",
    "p_hat300-1", "p_hat300-3", "p_hat700-1", "san200_0.7_2", "san400_0.7_1", "sanr200_0.9",
)  # fmt: skip
_NETWORKX = """
import sys, networkx
graph = networkx.Graph()
for kind, *numbers in map(str.split, open(sys.argv[1])):
    if kind == "n":
        graph.add_node(numbers[0], weight=int(numbers[1]))
    elif kind == "e":
        graph.add_edge(*numbers)
print(networkx.max_weight_clique(graph)[1])
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """Weight found, whether it is proved, CPU seconds, and their limit: 0 for a program that is not installed."""

    weight: int | None
    proved: bool
    seconds: float
    limit: float

    def __str__(self) -> str:
        if self.proved:
            return f"{self.seconds:.3f}"
        return f"> {self.limit:g}" if self.limit else ""


def by_portfolio(graph: Graph, weights: np.ndarray, seconds: float) -> tuple[int, float, int, float]:
    """Best weight and the time at which it was found, bound, and total time."""
    began = time.process_time()
    members = Portfolio(
        graph, np.random.default_rng(1), timed=True, weights=weights, clock=time.process_time,
        left=lambda: seconds - (time.process_time() - began),
    )  # fmt: skip
    best, at = -1, 0.0
    while members.value < members.bound and time.process_time() - began < seconds:
        members.advance(None)
        if members.value > best:
            best, at = members.value, time.process_time() - began
    return best, at, members.bound, time.process_time() - began


def by_exact(graph: Graph, weights: np.ndarray, seconds: float) -> Answer:
    """Branch and bound alone, without a starting solution."""
    began = time.process_time()
    search = WeightedExactSearch(graph, weights)
    while not search.done and time.process_time() - began < seconds:
        search.advance(1_000)
    return Answer(search.value, search.done, time.process_time() - began, seconds)


def limited(command: list[str], seconds: float) -> tuple[str, float]:
    """Output of a program within this many CPU seconds, and the seconds used."""
    limit = int(np.ceil(seconds))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (done.stdout if done.returncode == 0 else ""), took


def by_cliquer(graph: Graph, weights: np.ndarray, seconds: float) -> Answer:
    """Run `cliquer -qq`; its time includes reading the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "g.clq.b")
        save_graph(path, graph, "binary", weights=[str(weight) for weight in weights])
        text, took = limited(["cliquer", "-qq", str(path)], seconds)
    found = re.search(r"weight=(\d+)", text)
    return Answer(int(found[1]) if found else None, found is not None, took, seconds)


def by_networkx(graph: Graph, weights: np.ndarray, seconds: float) -> Answer:
    """Run `max_weight_clique`; its time includes the start of Python and reading the graph."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "g.clq")
        save_graph(path, graph, weights=[str(weight) for weight in weights])
        text, took = limited([sys.executable, "-c", _NETWORKX, str(path)], seconds)
    return Answer(int(text) if text else None, bool(text), took, seconds)


def path_of(name: str) -> Path | None:
    """File of a graph; None if it is missing."""
    places = (DATA / "clique/ascii" / f"{name}.clq", DATA / "clique/binary" / f"{name}.clq.b")
    return next((place for place in places if place.exists()), None)


def main() -> None:
    """Run all comparisons and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--graphs", nargs="*", default=GRAPHS)
    given = parser.parse_args()
    warm = Graph.from_edges(3, [0, 1], [1, 2])
    by_portfolio(warm, np.arange(1, 4), 1.0)
    by_exact(warm, np.arange(1, 4), 1.0)
    rows = []
    for name in given.graphs:
        path = path_of(name)
        if path is None:
            continue
        graph = load_graph(path)
        weights = np.arange(1, graph.n + 1) % MODULO + 1
        best, at, bound, ended = by_portfolio(graph, weights, given.seconds)
        exact = by_exact(graph, weights, given.seconds)
        cliquer = (
            by_cliquer(graph, weights, given.seconds) if shutil.which("cliquer") else Answer(None, False, 0.0, 0.0)
        )
        networkx = by_networkx(graph, weights, given.seconds)
        proved = {answer.weight for answer in (exact, cliquer, networkx) if answer.proved}
        if len(proved) > 1 or (proved and best > max(proved)):
            raise SystemExit(f"{name}: weights disagree ({best}, {exact}, {cliquer}, {networkx})")
        end = f"{ended:.3f}" if best == bound else f"> {given.seconds:g}"
        rows.append(f"| {name} | {best} | {at:.3f} | {bound} | {end} | {exact} | {cliquer} | {networkx} |")
        print(rows[-1], flush=True)
    text = f"""# Results: weighted cliques

Written by `benchmarks/weighted_cliques.py` on {date.today()}, one run each. Vertex v (from 1) of a DIMACS graph weighs
v mod {MODULO} + 1 (`--weights modulo-{MODULO}`). Times are CPU seconds of one thread; runs are stopped
after {given.seconds:g}. The columns *weight*, *found after*, *bound* and *portfolio* are those of the default of
`matheur solve`: its final weight, the time at which it found this weight, its bound, and the time of its proof. `exact`
is branch and bound without a starting solution; `cliquer` is `cliquer -qq`; `networkx` is `max_weight_clique`, and its
time includes the start of Python and reading the file. Where several programs prove a weight, they agree.

| graph | weight | found after | bound | portfolio | exact | cliquer | networkx |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""
    PAGE.write_text(text + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
