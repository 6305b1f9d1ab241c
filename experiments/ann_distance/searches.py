"""A* with the network compared with A* and IDA* with the 7-8 pattern databases (Table 1, Figs. 5 and 6), with times.

    python experiments/ann_distance/searches.py --size bench
    python experiments/ann_distance/searches.py --size bench --methods network-100 --less 0.5 1
    python experiments/ann_distance/searches.py --report

A row of `results/searches.jsonl` is a board and a method; existing rows are not repeated. The evaluator of the problem
replays every plan. `--less` is subtracted from the estimates of the network before they are rounded: larger values make
more plans optimal, but more nodes are expanded. A search with a network that reaches the limit of its size leaves a row
without a length, which only the first table counts. `--validation` searches other boards, which can guide such a
choice, and writes separate rows.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import protocol

from matheur.engine.budget import Budget
from matheur.methods.statespace import astar, batch_astar
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.heuristics import Heuristic
from matheur.problems.sliding_tile import Instance, SlidingTile

BATCHES = {f"network-{batch}": batch for batch in (10, 100, 1000)}
METHODS = ("ida-star", "pdb", "pdb-mirrored", "network", "network-mirrored", *BATCHES)
TITLES = {
    "ida-star": "`ida-star`, 7-8 databases, both views",
    "pdb": "A*, 7-8 databases",
    "pdb-mirrored": "A*, 7-8 databases, both views",
    "network": "A* with the network",
    "network-mirrored": "A* with the network, both views",
    **{name: f"A* with the network, {batch} at a time" for name, batch in BATCHES.items()},
}
MEMORY = 8 << 30
PAPER = {row["class"]: (int(row["ann"]), int(row["pdb78"])) for row in protocol.paper("table1")}
"""Nodes that A* expands by class, with the network and with the databases."""
Table = dict[int, protocol.Row]
Setting = tuple[str, str, float]
"""Size, method, what is taken off the estimates."""


def search(board: Instance, method: str, heuristic: Heuristic | None, nodes: int) -> SearchAnswer:
    """Run one search."""
    domain = protocol.domain_for(board)
    if heuristic is None:
        answer = domain.ida_star(protocol.PARTITION, budget=Budget(), memory=MEMORY)
        assert answer is not None
        return answer
    if method in BATCHES:
        budget = Budget(work=nodes)
        return batch_astar(domain, heuristic, batch=BATCHES[method], budget=budget, memory=MEMORY)
    budget = Budget(work=nodes) if method.startswith("network") else Budget()
    return astar(domain, heuristic, budget=budget, memory=MEMORY)


def run(size: str, methods: Iterable[str], less: Sequence[float], *, count: int, validation: bool) -> None:
    """Make the missing searches."""
    seed = protocol.VALIDATION_SEED if validation else protocol.TEST_SEED
    boards = protocol.boards(count, seed)
    domain = protocol.domain_for(boards[0])
    known = {key(row) for row in protocol.rows("searches")}
    for method in methods:
        neural = method.startswith("network")
        for shift in less if neural else [0.0]:
            one = {"size": size if neural else "", "method": method, "less": shift, "validation": validation}
            missing = [number for number in range(count) if key({**one, "board": number}) not in known]
            if not missing:
                continue
            heuristic = None
            if neural:
                heuristic = protocol.network(
                    domain, protocol.model_of(size, domain), less=shift, mirrored=method == "network-mirrored",
                    compiled=method not in BATCHES,
                )  # fmt: skip
            elif method != "ida-star":
                heuristic = protocol.database(domain, mirrored=method == "pdb-mirrored")
            nodes = protocol.SIZES[size].nodes
            search(boards[missing[0]], method, heuristic, min(nodes, 1000))  # compiles, loads tables
            for number in missing:
                begun = time.process_time()
                answer = search(boards[number], method, heuristic, nodes)
                spent = time.process_time() - begun
                if answer.plan is not None:
                    check = SlidingTile(boards[number]).evaluate(answer.plan)
                    if not check.feasible or check.objective != answer.cost:
                        raise RuntimeError(f"{method} on board {number}: {check}")
                row = {**one, "board": number, "length": answer.cost, "expanded": answer.expanded}
                protocol.append(
                    "searches",
                    size,
                    {**row, "generated": answer.generated, "cpu_seconds": round(spent, 5), **protocol.origin()},
                )


def key(row: protocol.Row) -> tuple[object, ...]:
    """Values that identify a row."""
    return row["size"], row["method"], row["less"], row["validation"], row["board"]


def tables(*, validation: bool) -> dict[Setting, Table]:
    """Rows of searches that found a plan, by setting and then by board."""
    found: dict[Setting, Table] = defaultdict(dict)
    for row in protocol.rows("searches"):
        if row["validation"] == validation and row["length"] is not None:
            found[row["size"], row["method"], row["less"]][row["board"]] = row
    return dict(sorted(found.items(), key=lambda item: (METHODS.index(item[0][1]), item[0])))


def classes(pdb: Table) -> dict[str, list[int]]:
    """Boards by the nodes that A* with the databases expands: the class of Table 1 with the nearest number."""
    figures = np.log([nodes for _, nodes in PAPER.values()])
    bounds = (figures[:-1] + figures[1:]) / 2
    found: dict[str, list[int]] = {name: [] for name in PAPER}
    for board, row in pdb.items():
        found[list(PAPER)[int(np.searchsorted(bounds, np.log(row["expanded"])))]].append(board)
    return found


def describe(row_of: Table, exact: Table, pdb: Table, unsolved: int) -> list[str]:
    """Cells of a method: boards, unsolved, optimal, mean excess, nodes, nodes with the databases, ratio, CPU."""
    common = [board for board in row_of if board in exact and board in pdb]
    if not common:
        return ["0", f"{unsolved}"] + [""] * 6
    excess = np.array([row_of[board]["length"] - exact[board]["length"] for board in common])
    nodes = np.mean([row_of[board]["expanded"] for board in common])
    theirs = np.mean([pdb[board]["expanded"] for board in common])
    seconds = np.mean([row_of[board]["cpu_seconds"] for board in common])
    return [
        f"{len(common)}", f"{unsolved}", f"{(excess == 0).mean():.1%}", f"{excess.mean():.3f}", f"{nodes:,.0f}",
        f"{theirs:,.0f}",
        f"{nodes / theirs:.3f}", f"{1000 * seconds:,.1f}",
    ]  # fmt: skip


def label(setting: Setting) -> str:
    """Description of a method."""
    size, method, less = setting
    more = [protocol.title(size)] if size else []
    more += [f"{less:g} less"] if less else []
    return TITLES[method] + (f" ({', '.join(more)})" if more else "")


def report() -> str:
    """All tables."""
    found = tables(validation=False)
    exact, pdb = found.get(("", "ida-star", 0.0)), found.get(("", "pdb", 0.0))
    if not exact or not pdb:
        return ""
    unsolved: Counter[Setting] = Counter(
        (row["size"], row["method"], row["less"])
        for row in protocol.rows("searches")
        if row["length"] is None and not row["validation"]
    )
    heads = "| method | boards | not solved | optimal | mean excess | nodes | nodes of A*, 7-8 | ratio | CPU ms |"
    lines = "| --- |" + " ---: |" * 8
    text = [
        "### A*: share of optimal plans, nodes, time (Table 1, Figs. 5 and 6)\n",
        "Nodes are expanded states (for `ida-star`, examined slides). Both numbers of nodes in a row are means over "
        "the same boards. The paper uses one view of the databases, the board itself; our searches also look at its "
        "mirror image, at no cost in memory. CPU milliseconds are those of one thread, after loading tables and "
        "networks.\n",
        heads, lines,
    ]  # fmt: skip
    text += [
        f"| {label(setting)} | " + " | ".join(describe(found.get(setting, {}), exact, pdb, unsolved[setting])) + " |"
        for setting in sorted({*found, *unsolved}, key=lambda one: (METHODS.index(one[1]), one))
    ]
    text += [
        "\nBy class. The paper names four classes (easy, medium, hard, extreme) and does not say how it drew them. "
        "Here a board belongs to the class whose number of nodes of A* with the 7-8 databases is nearest to the "
        "board's own, by ratio.\n",
        "| method | " + " | ".join(f"{name}: boards, nodes, 7-8, ratio" for name in PAPER) + " |",
        "| --- |" + " ---: |" * len(PAPER),
        "| paper | " + " | ".join(f"{net:,} of {nodes:,}, {net / nodes:.2f}" for net, nodes in PAPER.values()) + " |",
    ]
    for setting, own in found.items():
        if setting[1] in ("ida-star", "pdb"):
            continue
        cells = []
        for members in classes(pdb).values():
            common = [board for board in members if board in own]
            if common:
                nodes, theirs = (np.mean([table[board]["expanded"] for board in common]) for table in (own, pdb))
                cells.append(f"{len(common)}: {nodes:,.0f} of {theirs:,.0f}, {nodes / theirs:.2f}")
            else:
                cells.append("")
        text.append(f"| {label(setting)} | " + " | ".join(cells) + " |")
    text += [
        "\nBy optimal length, in quarters of the boards:\n",
        "| method | " + " | ".join(f"{name} quarter: ratio, optimal" for name in ("1st", "2nd", "3rd", "4th")) + " |",
        "| --- |" + " ---: |" * 4,
    ]
    bounds = np.percentile([row["length"] for row in exact.values()], [25, 50, 75])
    for setting, own in found.items():
        if setting[1] in ("ida-star", "pdb"):
            continue
        cells = []
        for quarter in range(4):
            common = [b for b in own if b in exact and np.searchsorted(bounds, exact[b]["length"]) == quarter]
            if common:
                nodes, theirs = (sum(table[board]["expanded"] for board in common) for table in (own, pdb))
                optimal = np.mean([own[board]["length"] == exact[board]["length"] for board in common])
                cells.append(f"{nodes / theirs:.2f}, {optimal:.1%}")
            else:
                cells.append("")
        text.append(f"| {label(setting)} | " + " | ".join(cells) + " |")
    text += [
        "\nNumber of boards by moves above the optimum (Fig. 5; the paper's figure ends at 4):\n",
        "| method | 0 | 2 | 4 | 6 or more |", "| --- |" + " ---: |" * 4,
    ]  # fmt: skip
    for setting, own in found.items():
        if setting[1].startswith("network"):
            excess = np.array([row["length"] - exact[board]["length"] for board, row in own.items() if board in exact])
            counts = [(excess == value).sum() for value in (0, 2, 4)] + [(excess >= 6).sum()]
            text.append(f"| {label(setting)} | " + " | ".join(map(str, counts)) + " |")
    bins = [0, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 1 << 60]
    text += [
        "\nNumber of boards by expanded nodes (Fig. 6):\n",
        "| method | " + " | ".join(f"below {high:,}" for high in bins[1:-1]) + " | more |",
        "| --- |" + " ---: |" * (len(bins) - 1),
    ]
    for setting, own in found.items():
        if setting[1] != "ida-star":
            counts = np.histogram([row["expanded"] for row in own.values()], bins)[0]
            text.append(f"| {label(setting)} | " + " | ".join(map(str, counts.tolist())) + " |")
    return "\n".join(text + _trials(heads, lines)) + "\n"


def _trials(heads: str, lines: str) -> list[str]:
    """Results of trials on separate boards."""
    found = tables(validation=True)
    exact, pdb = found.get(("", "ida-star", 0.0)), found.get(("", "pdb", 0.0))
    if not exact or not pdb:
        return []
    text = ["\nSeparate boards, used to choose how much is subtracted from the estimates:\n", heads, lines]
    return text + [
        f"| {label(setting)} | " + " | ".join(describe(rows, exact, pdb, 0)) + " |" for setting, rows in found.items()
    ]


if __name__ == "__main__":
    chosen = protocol.parser(__doc__)
    chosen.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    chosen.add_argument("--less", nargs="+", type=float, default=[0.0])
    chosen.add_argument("--boards", type=int, help="instead of those of the size")
    chosen.add_argument("--validation", action="store_true")
    options = chosen.parse_args()
    if not options.report:
        run(
            options.size, options.methods, options.less, validation=options.validation,
            count=options.boards or protocol.SIZES[options.size].boards,
        )  # fmt: skip
    print(report())
