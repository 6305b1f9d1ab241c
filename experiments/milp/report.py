"""Write `docs/results-milp.md` from the rows of `run.py` and `lot_sizing.py`.

python experiments/milp/report.py
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
OUT = HERE.parents[1] / "docs" / "results-milp.md"
SAME = 1e-6  # relative tolerance; the last digits of best known values are noise of solvers
SHARE, CONSTANT = 1.05, 0.5  # target for CPU seconds: this ratio to the solver by hand, plus this number of seconds
LONG = 5.0  # seconds by hand above which the start of a command hardly matters
TRAINING = 100  # last number of the lot-sizing models on which options were tuned
LATE = 1.0  # seconds by which a run may exceed its limit
Row = dict[str, Any]


def rows_of(table: str) -> list[Row]:
    """Rows of a table; only the last one of each run."""
    file = HERE / "results" / f"{table}.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    found: dict[tuple[str, str, float], Row] = {}
    for row in map(json.loads, lines):
        found[row["instance"], row["solver"], row["limit"]] = row
    return list(found.values())


def versions_of(rows: Iterable[Row]) -> str:
    """All versions of each program with which the rows were measured."""
    used = [row["versions"] for row in rows]
    names = ("matheur", "highspy", "pyscipopt", "python")
    return ", ".join(f"{name} {' and '.join(sorted({one[name] for one in used}))}" for name in names)


def gap(row: Row, score: float | None) -> float:
    """Relative distance to the best known value; negative if better, 1 without a solution."""
    if score is None:
        return 1.0
    best = float(row["best_known"])
    sign = -1 if row["sense"] == "max" else 1
    return sign * (score - best) / max(abs(score), abs(best), 1e-9)


def number(value: float | None) -> str:
    """Format an objective value."""
    return "-" if value is None else f"{value:.10g}"


def lines_of(head: list[str], cells: Iterable[list[str]], right: int = 1) -> Iterator[str]:
    """Markdown table; columns from `right` on are right-aligned."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * right + " ---: |" * (len(head) - right)
    for row in cells:
        yield "| " + " | ".join(row) + " |"
    yield ""


def second_of(row: Row) -> str:
    """Name of the solver that confirmed the proof."""
    second = row.get("second")
    if second is None:
        return "-"
    if "method" in second:
        return str(second.get("backend", second["method"]))
    return "not in time" if second.get("killed") else f"failed: {second.get('error', second.get('no_second', '?'))}"


def why(row: Row) -> list[str]:
    """Reason why a row of `easy` misses its target."""
    mine, hand = row["matheur"], row["by_hand"]
    found = []
    if mine.get("status") != "optimal":
        hand_too = "" if hand.get("status") == "optimal" else ", nor by hand"
        starved = f" in {mine['cpu']:.0f} CPU seconds of a busy machine" if row.get("starved") else ""
        found.append(f"no proof{hand_too}{starved}")
    elif abs(gap(row, mine["score"])) > SAME:
        found.append(f"another optimum than {row['best_known']}")
    elif "method" not in row.get("second", {}):
        found.append(f"second proof {second_of(row)}")
    if mine["cpu"] > row["limit"] and mine.get("status") == "optimal":
        found.append(f"{mine['cpu']:.0f} CPU seconds")
    both = mine.get("status") == "optimal" == hand.get("status")
    if both and mine["cpu"] > SHARE * hand["cpu"] + CONSTANT:
        found.append(f"{mine['cpu'] - hand['cpu']:.1f} CPU seconds more than by hand")
    return found


def proved_by_both(rows: Iterable[Row]) -> list[Row]:
    """Rows proved both by matheur and by the solver by hand."""
    return [row for row in rows if row["matheur"].get("status") == "optimal" == row["by_hand"].get("status")]


def ratio(row: Row) -> float:
    """CPU seconds of matheur per CPU second of the solver by hand."""
    return float(row["matheur"]["cpu"] / row["by_hand"]["cpu"])


def easy_page(rows: list[Row]) -> Iterator[str]:
    """Table of proofs."""
    yield "## To a proof"
    yield ""
    yield (
        "The *easy* instances, with the MILP solver alone (construction `solver`) and a limit of 300 s, compared with "
        "the same solver called by hand in a script: same gaps, limit and seed, one thread. Seconds are CPU seconds of "
        "the whole process, including its start and the reading of the file. Where the nodes differ, the search "
        "differs: some files list the coefficients of a column in an order other than that of the rows, and the solver "
        "then makes other choices. For SCIP, both runs pass the columns in the order of the file; SCIP's own reader "
        "orders integer columns differently."
    )
    yield ""
    for solver in dict.fromkeys(row["solver"] for row in rows):
        mine = [row for row in rows if row["solver"] == solver]
        cells = []
        for row in mine:
            one, hand = row["matheur"], row["by_hand"]
            cells.append(
                [
                    row["instance"], one.get("status", "-"), one.get("level", "-"), second_of(row),
                    number(one.get("score")), number(float(row["best_known"])),
                    f"{one['cpu']:.1f}", f"{hand['cpu']:.1f}", f"{one['cpu'] - hand['cpu']:+.1f}",
                    f"{one.get('work', '-')}", f"{hand.get('nodes', '-')}",
                ]
            )  # fmt: skip
        yield f"### {solver}"
        yield ""
        head = ["instance", "status", "level", "second proof", "value", "best known", "CPU s", "by hand", "more"]
        yield from lines_of([*head, "nodes", "nodes by hand"], cells, right=4)
        both = proved_by_both(mine)
        if both:
            more = median(row["matheur"]["cpu"] - row["by_hand"]["cpu"] for row in both)
            kept = sum(row["matheur"]["cpu"] <= SHARE * row["by_hand"]["cpu"] + CONSTANT for row in both)
            yield (
                f"Both prove {len(both)} of {len(mine)}. In the median, matheur differs by {more:+.2f} CPU seconds; "
                f"{kept} are within 5 % + 0.5 s of the solver by hand."
            )
            yield ""
        missed = [(row["instance"], why(row)) for row in mine if why(row)]
        if missed:
            yield "Rows that miss a target:"
            yield ""
            yield from (f"- {name}: {'; '.join(words)}" for name, words in missed)
            yield ""


def proofs_page(rows: list[Row]) -> Iterator[str]:
    """Table of the default preset up to the proof."""
    yield "## The default preset, to a proof"
    yield ""
    yield (
        "The same instances with the preset `default` and a limit of 300 s, compared with the same solver called by "
        "hand right afterwards with the same random seed. Seconds are CPU seconds of the whole process."
    )
    yield ""
    for solver in dict.fromkeys(row["solver"] for row in rows):
        mine = [row for row in rows if row["solver"] == solver]
        cells = [
            [
                row["instance"], row["matheur"].get("status", "-"), number(row["matheur"].get("score")),
                number(float(row["best_known"])), f"{row['matheur']['cpu']:.1f}", f"{row['by_hand']['cpu']:.1f}",
                f"{ratio(row):.2f}",
            ]
            for row in mine
        ]  # fmt: skip
        yield f"### {solver}, default"
        yield ""
        yield from lines_of(["instance", "status", "value", "best known", "CPU s", "by hand", "ratio"], cells, right=2)
        both = proved_by_both(mine)
        long = [ratio(row) for row in both if row["by_hand"]["cpu"] >= LONG]
        if both:
            more = f", and {median(long):.2f} on the {len(long)} that take {LONG:g} s or more by hand" if long else ""
            yield f"Both prove {len(both)} of {len(mine)}. On these, the median ratio of CPU seconds is"
            yield f"{median(map(ratio, both)):.2f}{more}."
            yield ""


def all_page(rows: list[Row], preset: str) -> Iterator[str]:
    """Table of all instances."""
    yield f"## Every instance, a short limit, preset `{preset}`"
    yield ""
    limits = ", ".join(f"{limit:g}" for limit in sorted({row["limit"] for row in rows}))
    yield (
        f"{limits} s with HiGHS. `matheur verify` checked every answer again in exact arithmetic. *Late* is the time "
        "that a run reports, minus its limit; *read* is the time to read the file. Both are wall-clock times on a busy "
        "machine, without the start of the process."
    )
    yield ""
    solvable = [row for row in rows if row["class"] != "infeasible"]
    found = [row for row in solvable if row["matheur"].get("score") is not None]
    refuted = [row["instance"] for row in found if not row.get("verified", {}).get("valid")]
    wrong = [
        row["instance"] for row in rows if row["class"] == "infeasible" and row["matheur"].get("score") is not None
    ]
    levels = Counter(row["matheur"].get("level", "-") for row in found)
    late = [row["matheur"]["seconds"] - row["limit"] for row in rows if "seconds" in row["matheur"]]
    limited = [one for one in late if one > 0]
    failed = [f"{row['instance']} ({row['matheur']['error']})" for row in rows if "error" in row["matheur"]]
    yield f"- {len(rows)} instances, {len(solvable)} of them solvable: {len(found)} with a solution."
    yield f"- Refuted by the exact check: {', '.join(refuted) or 'none'}."
    yield f"- Levels: {', '.join(f'{level} {count}' for level, count in levels.most_common())}."
    yield f"- Infeasible instances with a solution: {', '.join(wrong) or 'none'}."
    if limited:
        over = sum(one > LATE for one in limited)
        yield f"- {len(limited)} runs reached their limit. They ended {median(limited):.2f} s after it in the median,"
        yield f"  and {max(limited):.2f} s at most ({over} later than {LATE:g} s)."
    if failed:
        yield f"- Ended with an error: {'; '.join(failed)}."
    yield ""
    cells = []
    for row in rows:
        one = row["matheur"]
        value = one.get("score")
        known = row["best_known"]
        shown = "-" if value is None or not known else f"{100 * gap(row, value):.2f} %"
        over = f"{one['seconds'] - row['limit']:.2f}" if one.get("seconds", 0) > row["limit"] else ""
        cells.append(
            [
                row["instance"], row["class"], one.get("status", "error"), one.get("level", "-"), number(value),
                number(float(known)) if known else "-", shown, f"{row['read']:.2f}", over, f"{one['cpu']:.1f}",
            ]
        )  # fmt: skip
    head = ["instance", "class", "status", "level", "value", "best known", "gap", "read, s", "late, s", "CPU s"]
    yield from lines_of(head, cells, right=4)


def lot_sizing_page(rows: list[Row]) -> Iterator[str]:
    """Medians of each instance over seeds for which both methods have run."""
    yield "## Lot sizing by groups"
    yield ""
    first = rows[0]
    yield (
        "A Pyomo user's model ([`models/lot_sizing.py`](../models/lot_sizing.py), "
        f"{first['seconds']:g} s, one thread): the solver ({first['solver']}) alone, compared with "
        "`matheur.solve(model, groups=[...])` and the same solver. Values are medians over the seeds that both have "
        "run; *seeds* counts those for which the groups beat the solver alone. Measured by "
        "`experiments/milp/lot_sizing.py`, on instances that were not used to tune options."
    )
    yield ""
    found: dict[tuple[int, str, int], dict[str, dict[int, Row]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        found[int(row["size"].partition("x")[0]), row["size"], row["instance"]][row["method"]][row["seed"]] = row
    cells = []
    for (_, size, instance), methods in sorted(found.items()):
        bound = max(row["bound"] for rows in methods.values() for row in rows.values() if row["bound"] is not None)
        both = methods["solver"].keys() & methods["groups"].keys()
        if not both:
            continue
        alone, grouped = (median(methods[name][seed]["objective"] for seed in both) for name in ("solver", "groups"))
        won = sum(methods["groups"][seed]["objective"] < methods["solver"][seed]["objective"] for seed in both)
        cells.append(
            [
                size, str(instance), f"{alone:,.0f}", f"{grouped:,.0f}", f"{100 * (alone - grouped) / alone:+.2f} %",
                f"{won} of {len(both)}", f"{bound:,.0f}",
            ]
        )  # fmt: skip
    head = ["items x periods", "instance", "solver", "groups", "groups better by", "seeds", "best bound"]
    yield from lines_of(head, cells)
    better = sum(not cell[4].startswith("-") for cell in cells)
    yield f"The groups are better on {better} of {len(cells)} instances."


def lot_sizing_rows() -> list[Row]:
    """Rows of lot sizing with wall-clock limits, for report instances."""
    file = HERE / "results" / "lot_sizing.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return [row for row in rows if not row["stretch"] and row["instance"] > TRAINING]


def main() -> None:
    """Read the rows and write the page."""
    easy, everything, alone = rows_of("easy"), rows_of("all"), rows_of("alone")
    proofs = [row for row in rows_of("proofs") if not row["starved"]]  # starved runs are repeated
    lots = lot_sizing_rows()
    rows = [*easy, *proofs, *everything, *alone]
    if not rows:
        raise SystemExit("there are no rows. Maybe run experiments/milp/run.py?")
    last = rows[-1]
    machine = last["machine"].partition(", load")[0]
    loads = [float(row["machine"].rpartition(" ")[2]) for row in rows]
    page = [
        "# Results: linear programs",
        "",
        "Written by `experiments/milp/report.py` from `experiments/milp/results`. The instances are public: MIPLIB",
        "2017 and 3, generalised assignment, Distributional MIPLIB. Runs use one process at a time and one thread.",
        "",
        f"{last['date']}; {machine}, load {min(loads):.0f} to {max(loads):.0f} from other programs, so compare CPU",
        f"seconds; {versions_of(rows)}.",
        "",
    ]
    if easy:
        page += easy_page(easy)
    if proofs:
        page += proofs_page(proofs)
    if lots:
        page += [*lot_sizing_page(lots), ""]
    if everything:
        page += all_page(everything, "default")
    if alone:
        page += all_page(alone, "solver")
    OUT.write_text("\n".join(page).rstrip() + "\n")


if __name__ == "__main__":
    main()
