"""Solve linear programs from public collections, as one JSON line per run.

    python experiments/milp/run.py easy                          # rows to prove, HiGHS, 300 s
    python experiments/milp/run.py easy --solver scip --minutes 30 --stretch 4
    python experiments/milp/run.py proofs                        # the same rows, default preset
    python experiments/milp/run.py all --seconds 20              # every instance: is there a solution, and is it valid?
    python experiments/milp/report.py                            # docs/results-milp.md

`easy`: `matheur solve` with the MILP solver alone, then the same solver called directly (`by_hand.py`: same gaps, limit
and seed, one thread), then a second proof by another solver (`matheur verify --certificate`). These are separate
processes, executed sequentially; seconds are those of the whole process, including its start and reading. CPU seconds
are also recorded, since other load on the machine affects them less. On a busy machine, `--stretch N` multiplies the
wall-clock limit of the processes by N; what counts then is whether the CPU time stays within the limit. A run that
reaches the wall-clock limit without most of its CPU seconds is `starved`, and is repeated when the command runs again.

`proofs`: the default preset up to its proof, compared with the same solver called directly.

`all`: the default preset with a short limit, and the verdict of `matheur verify` on the answer. `alone`: the same with
the preset `solver`, which is the MILP solver alone.

Instances are read from `MATHEUR_DATA` or `../shared/data` next to the checkout. Rows are appended to
`results/TABLE.jsonl`; existing runs are not repeated.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from matheur.engine.source import open_source
from matheur.problems.milp.operators.gaps import RELATIVE, absolute_gap
from matheur.problems.milp.problem_type import TYPE
from matheur.running.result import versions

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[2] / "shared" / "data")) / "mip"
GRACE = 30.0  # seconds beyond its limit after which a process is stopped
PROOF = 300.0  # seconds for the second proof


SEED_OPTIONS = {"highs": "random_seed", "scip": "randomization/randomseedshift"}

Row = dict[str, Any]


@dataclass(frozen=True)
class Ran:
    """A finished process: its output, exit status and seconds, and whether it had to be stopped."""

    text: str
    errors: str
    code: int
    seconds: float
    cpu_seconds: float
    stopped: bool

    @property
    def said(self) -> Row:
        """JSON object that it printed, ignoring earlier output of libraries; empty if there is none."""
        for text in (self.text, self.text.strip().rpartition("\n")[2]):
            try:
                found = json.loads(text)
            except ValueError:
                continue
            return found if isinstance(found, dict) else {}
        return {}


def ran(command: list[str], limit: float) -> Ran:
    """Run a command to its end; after `limit` seconds it is asked to stop, and 10 s later it is killed."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=out, stderr=errors, start_new_session=True)
        stopped = False
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            seconds = time.perf_counter() - began
            if ended:
                break
            if seconds > limit + 10:
                os.killpg(process.pid, signal.SIGKILL)
            elif seconds > limit and not stopped:
                process.send_signal(signal.SIGTERM)
                stopped = True
            time.sleep(0.01)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        return Ran(
            out.read().decode(errors="replace"),
            errors.read().decode(errors="replace"),
            code,
            round(seconds, 3),
            round(usage.ru_utime + usage.ru_stime, 3),
            stopped,
        )


def instances(classes: Iterable[str] = ()) -> list[Row]:
    """Rows of the list of instances, of all or some classes, the quick ones first."""
    with (DATA / "best_known.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if not classes or row["class"] in classes]

    def effort(row: Row) -> tuple[float, int]:
        seconds = 70.0
        if row["highs116_20s_status"] == "Optimal":
            seconds = float(row["highs116_20s_wall"])
        elif row["highs112_gap_300s"]:
            gaps = [(limit, row[f"highs112_gap_{limit}s"]) for limit in (20, 60, 300)]
            seconds = next((float(limit) for limit, gap in gaps if gap and float(gap) < 1e-4), 600.0)
        return seconds, int(row["nonzeros"])

    return sorted(rows, key=effort)


def matheur(*arguments: str, limit: float) -> Ran:
    """Run the command `matheur` of this checkout."""
    return ran([sys.executable, "-m", "matheur", *arguments], limit)


def alone(solver: str, seconds: float) -> str:
    """Configuration with the MILP solver alone and its default seed."""
    return "\n".join(
        [
            f"seconds = {seconds}",
            "neighbourhoods = []",
            "[construction]",
            'name = "solver"',
            "[solver]",
            f'name = "{solver}"',
            "[solver.options]",
            f'"{SEED_OPTIONS[solver]}" = 0',
        ]
    )


def kept(found: Row) -> Row:
    """Values of a result of `matheur solve` that are stored."""
    certificate = found.get("certificate") or {}
    keys = ("status", "score", "bound", "level", "worst", "stopped", "reason", "seconds", "work", "found_by")
    return {
        **{key: found[key] for key in keys if key in found},
        "solver_seconds": certificate.get("seconds"),
        "values": len(found.get("solution") or {}),
    }


def measured(run: Ran) -> Row:
    """Resources that a process used."""
    said = run.errors.strip().splitlines()
    failed = {"error": said[-1][:300] if said else f"exit {run.code}"} if run.code and not run.said else {}
    return {
        "wall": run.seconds,
        "cpu": run.cpu_seconds,
        "exit": run.code,
        **failed,
        **({"killed": True} if run.stopped else {}),
    }


def starved(run: Row, limit: float) -> bool:
    """Whether a run ended at its limit without having received most of the corresponding CPU seconds."""
    return run.get("status") not in ("optimal", "infeasible") and run["cpu"] < 0.8 * limit < run["wall"]


def easy(row: Row, solver: str, limit: float, stretch: float, folder: Path) -> Row:
    """Run the solver alone, the solver called directly, and a second proof."""
    seconds = limit * stretch
    path = str(DATA / row["file"])
    configuration, result = folder / "alone.toml", folder / "result.json"
    configuration.write_text(alone(solver, seconds))
    mine = matheur("solve", path, "--config", str(configuration), "--out", str(result), "--json", limit=seconds + GRACE)
    made = side_by_side(mine, path, solver, limit, stretch)
    if mine.said.get("status") in ("optimal", "infeasible"):
        again = matheur("verify", path, str(result), "--certificate", "--json", limit=PROOF * stretch)
        proof = again.said.get("certificate") or {}
        made["second"] = {
            **{key: proof[key] for key in ("backend", "method", "seconds", "nodes") if key in proof},
            **({"no_second": again.said["no_second"]} if "no_second" in again.said else {}),
            **measured(again),
        }
    return made


def side_by_side(mine: Ran, path: str, solver: str, limit: float, stretch: float) -> Row:
    """Run matheur, and the solver called directly."""
    seconds = limit * stretch
    gaps = ["--relative", str(RELATIVE), "--absolute", str(absolute_gap(TYPE.read(open_source(path)).model))]
    script = [sys.executable, str(HERE / "by_hand.py"), solver, path, "--seconds", str(seconds), *gaps]
    hand = ran(script, seconds + GRACE)
    made: Row = {
        "matheur": {**kept(mine.said), **measured(mine)},
        "by_hand": {**hand.said, **measured(hand)},
    }
    made["starved"] = any(starved(run, limit) for run in made.values())
    return made


def proofs(row: Row, solver: str, limit: float, stretch: float, folder: Path) -> Row:
    """Run the default preset, and the solver called directly."""
    path, seconds = str(DATA / row["file"]), limit * stretch
    limits = ["--seconds", str(seconds), "--solver", solver, "--preset", "default"]
    limits += ["--set", f"solver.options.{SEED_OPTIONS[solver]}=0"]  # the tree sizes for two seeds differ by factors
    return side_by_side(matheur("solve", path, *limits, "--json", limit=seconds + GRACE), path, solver, limit, stretch)


def everything(row: Row, solver: str, limit: float, stretch: float, folder: Path, preset: str = "default") -> Row:
    """Run a preset with a short limit, and check its answer."""
    seconds = limit * stretch
    path = str(DATA / row["file"])
    result = folder / "result.json"
    result.unlink(missing_ok=True)
    began = time.perf_counter()
    TYPE.read(open_source(path))
    read = time.perf_counter() - began
    limits = ["--seconds", str(seconds), "--solver", solver, "--preset", preset]
    mine = matheur("solve", path, *limits, "--out", str(result), "--json", limit=seconds + GRACE)
    made: Row = {"read": round(read, 3), "matheur": {**kept(mine.said), **measured(mine)}}
    if mine.said.get("solution") is not None:
        checked = matheur("verify", path, str(result), "--json", limit=120.0)
        said = checked.said
        made["verified"] = {key: said[key] for key in ("valid", "level", "worst", "score") if key in said}
        made["verified"] |= measured(checked)
    return made


TABLES: dict[str, tuple[Callable[[Row, str, float, float, Path], Row], tuple[str, ...], float]] = {
    "easy": (easy, ("easy",), 300.0),
    "proofs": (proofs, ("easy",), 300.0),
    "all": (everything, (), 20.0),
    "alone": (partial(everything, preset="solver"), (), 20.0),
}


def there(file: Path) -> Iterator[tuple[str, str, float]]:
    """Stored runs."""
    for line in file.read_text().splitlines() if file.exists() else ():
        row = json.loads(line)
        if not row.get("starved"):
            yield row["instance"], row["solver"], row["limit"]


def main() -> None:
    """Make the missing runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--solver", choices=SEED_OPTIONS, default="highs")
    parser.add_argument(
        "--instances", type=lambda text: text.split(","), help="names, in this order; all of the table if not given"
    )
    parser.add_argument("--seconds", type=float, help="limit of each run: 300 for easy and proofs, 20 for the others")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no run after this time")
    parser.add_argument("--stretch", type=float, default=1.0, help="seconds of the clock for each second of the limit")
    options = parser.parse_args()
    make, classes, usual = TABLES[options.table]
    seconds = usual if options.seconds is None else options.seconds
    began = time.monotonic()
    RESULTS.mkdir(exist_ok=True)
    results = RESULTS / f"{options.table}.jsonl"
    made = set(there(results))
    with tempfile.TemporaryDirectory() as folder, results.open("a") as file:
        rows = {row["name"]: row for row in instances(classes)}
        for name in options.instances or rows:
            row = rows[name]
            if (name, options.solver, seconds) in made:
                continue
            if time.monotonic() - began > 60 * options.minutes:
                print("the time is over")
                break
            machine = f"{os.cpu_count()} cores, {platform.machine()}, load {os.getloadavg()[0]:.1f}"
            head = {key: row[key] for key in ("class", "sense", "best_known", "nonzeros")}
            line = {
                "instance": name,
                **head,
                "solver": options.solver,
                "limit": seconds,
                "stretch": options.stretch,
                **make(row, options.solver, seconds, options.stretch, Path(folder)),
                "seed": 0,
                "date": date.today().isoformat(),
                "machine": machine,
                "versions": versions(),
            }
            file.write(json.dumps(line) + "\n")
            file.flush()
            mine = line["matheur"]
            shown = (name, mine.get("status", "-"), mine.get("score"), row["best_known"], f"{mine['wall']:.1f} s")
            print(*shown, line.get("by_hand", {}).get("wall", ""), flush=True)


if __name__ == "__main__":
    main()
