"""Inject faults into the `matheur` command, and count trials and losses.

    python benchmarks/faults.py [--trials N] [--seed S] [--only SECTION] [--folder DIR]

Sections: `signals` (SIGINT and SIGTERM at random moments), `files` (full disks, hostile names, broken caches), `bytes`
(damaged files of every format), `packages` (optional packages hidden), `properties` (the property tests of readers and
of the command line with other seeds, in rounds of several thousand examples). The table is written to standard output,
and one JSON line for each of its rows to `benchmarks/results/faults.jsonl`; `--table` prints the table of that file.
The same seed makes the same faults; the line of the program at which a signal arrives depends on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any

from fault_injection import LOSSES, SECTIONS

RESULTS = Path(__file__).resolve().parent / "results" / "faults.jsonl"
TRIALS = {"signals": 400, "files": 1, "bytes": 4000, "packages": 1, "properties": 1}


def table(lines: list[dict[str, Any]]) -> str:
    """Format the counts as Markdown, one row for each group, with totals of the sections."""
    rows = ["| section | what | trials | faults met | losses | slowest |", "| --- | --- | --: | --: | --: | --: |"]
    for section in dict.fromkeys(line["section"] for line in lines):
        mine = [line for line in lines if line["section"] == section]
        total = {key: sum(line[key] for line in mine) for key in ("trials", "faults")}
        lost = sum(len(line["losses"]) for line in mine)
        slowest = max(line["slowest"] for line in mine)
        for line in mine:
            rows.append(
                f"| `{section}` | {line['group']} | {line['trials']} | {line['faults']} | {len(line['losses'])} "
                f"| {line['slowest']:.1f} s |"
            )
        rows.append(
            f"| `{section}` | **all** | **{total['trials']}** | **{total['faults']}** | **{lost}** | {slowest:.1f} s |"
        )
    return "\n".join(rows)


def main() -> int:
    """Run the selected sections; return 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, help="of each section")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=SECTIONS, help="one section")
    parser.add_argument("--names", help="of signals: commands, separated by semicolons")
    parser.add_argument(
        "--minutes", type=float, help="of signals, bytes, properties: no further trial begins after that"
    )
    parser.add_argument("--folder", type=Path, help="to work in; trials with losses stay there")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true", help="print the table of what was measured before")
    options = parser.parse_args()
    lines: list[dict[str, Any]] = []
    if options.table:
        lines = [json.loads(line) for line in options.results.read_text().splitlines()]
        latest = {(line["section"], line["group"]): line for line in lines}
        print(table(list(latest.values())))
        return 0
    folder = options.folder or Path(tempfile.mkdtemp(prefix="faults-"))
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("MATHEUR_CACHE", str(folder / "cache"))
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    machine = (
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    for section in [options.only] if options.only else SECTIONS:
        more: dict[str, Any] = {}
        if options.names and section == "signals":
            more["names"] = options.names.split(";")
        if options.minutes is not None and section in ("signals", "bytes", "properties"):
            more["until"] = time.monotonic() + 60 * options.minutes
        trials = TRIALS[section] if options.trials is None else options.trials
        for count in SECTIONS[section](folder, trials, options.seed, told=report, **more):
            line = {**count.line(), "seed": options.seed, "date": f"{date.today()}", "machine": machine}
            lines.append(line)
            with options.results.open("a") as file:
                file.write(json.dumps(line) + "\n")
    print(table(lines))
    lost = [loss for line in lines for loss in line["losses"]]
    for kind, meaning in LOSSES.items():
        if any(loss[0] == kind for loss in lost):
            print(f"{sum(loss[0] == kind for loss in lost)} x {kind}: {meaning}")
    return 1 if lost else 0


def report(sentence: str) -> None:
    """Report progress on standard error."""
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
