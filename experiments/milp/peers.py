"""Run matheur and other solvers on the same linear programs, as one JSON line per run.

    python experiments/milp/peers.py --classes hard,feasibility-hard --seeds 0,1,2 --seconds 60 --minutes 60
    python experiments/milp/peers.py --instances gisp_102,mis_2 --tools matheur,highs --seconds 300
    python experiments/milp/peers.py --files generated/*.mps --set neighbourhood_share=0.3 --label share-0.3
    python experiments/milp/peers_report.py                      # docs/results-milp-peers.md

The runs are separate processes (`one_peer.py`), executed sequentially with one thread and the same limit, which counts
from the start of the process. matheur's evaluator checks all solutions, including its own: values that violate a row by
more than 1e-6 are not a solution, unless a continuous column that occurs only in this row can correct them. Runs in
`results/peers.jsonl` are not repeated, so that an interrupted command can be continued; `--minutes` starts no run that
could not end in time. Before its first run, the kernels of matheur are compiled (`matheur warm milp`); a fresh clone
would do that during its first runs.

Tools: `matheur` (default preset; `matheur-2` in two processes, `matheur-scip` and `matheur-cp-sat` with other solvers),
`backend` (preset `solver`; also `backend-scip`, `backend-cp-sat`), `highs`, `scip`, `cp-sat` (if all columns are
bounded integers), `localmip`, `balans`, and `highs-primal`, `scip-primal` with more effort in heuristics. Tools whose
package is missing are skipped. Balans may use another interpreter: `--python balans=PATH`, or the variable
PEER_PYTHON_BALANS.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import random
import re
import shutil
import sys
import tempfile
import time
from array import array
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from run import DATA, RESULTS, Ran, Row, instances, matheur, ran

from matheur.engine.source import open_source
from matheur.errors import InputError
from matheur.linear.evaluation import settled
from matheur.linear.mps_writer import write_mps
from matheur.linear.solutions import values_of
from matheur.problems.milp.problem import Milp
from matheur.problems.milp.problem_type import TYPE
from matheur.running.result import versions

HERE = Path(__file__).resolve().parent
OVER = 20.0  # seconds beyond its limit after which a process is stopped
SAME = 1e-6  # relative tolerance between the value that a solver reports and the checked one


@dataclass(frozen=True)
class Tool:
    """A solver of `one_peer.py` with its settings."""

    solver: str
    given: dict[str, Any] = field(default_factory=dict)


TOOLS = {
    "matheur": Tool("matheur"),
    "backend": Tool("matheur", {"preset": "solver"}),
    "matheur-2": Tool("matheur", {"jobs": 2}),
    "matheur-scip": Tool("matheur", {"solver": "scip"}),
    "matheur-cp-sat": Tool("matheur", {"solver": "cp-sat"}),
    "backend-scip": Tool("matheur", {"preset": "solver", "solver": "scip"}),
    "backend-cp-sat": Tool("matheur", {"preset": "solver", "solver": "cp-sat"}),
    "highs": Tool("highs"),
    "highs-primal": Tool("highs", {"primal": True}),
    "scip": Tool("scip"),
    "scip-primal": Tool("scip", {"primal": True}),
    "cp-sat": Tool("cp-sat"),
    "localmip": Tool("localmip"),
    "balans": Tool("balans"),
}
USUAL = ("matheur", "highs", "scip", "cp-sat", "localmip", "balans")


def plain_file(path: Path, folder: Path) -> Path:
    """Path of the file without compression, which some solvers cannot read."""
    target = folder / path.name.removesuffix(".gz")
    if not target.exists():
        for old in folder.glob("*.*"):
            old.unlink()
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as source, target.open("wb") as copy:
            shutil.copyfileobj(source, copy)
    return target


def as_mps(problem: Milp, path: Path) -> Path:
    """Write the model as an MPS file, since CP-SAT's reader uses another LP dialect."""
    if path.suffix == ".mps":
        return path
    target = path.with_suffix(".mps")
    if not target.exists():
        target.write_text("".join(f"{line}\n" for line in write_mps(problem.model)))
    return target


def fits(name: str, problem: Milp) -> bool:
    """Whether a tool accepts the model: CP-SAT needs integers with bounds."""
    model = problem.model
    bounded = bool(np.isfinite(model.lower).all() and np.isfinite(model.upper).all())
    return "cp-sat" not in name or (bool(model.integral.all()) and bounded)


def checked(problem: Milp, folder: Path) -> Row:
    """Evaluation of the last values in a folder."""
    if not (folder / "values.bin").exists() or not (folder / "names.json").exists():
        return {}
    values = array("d", (folder / "values.bin").read_bytes()).tolist()
    names = json.loads((folder / "names.json").read_text())
    if len(names) != len(values):
        return {"refuted": f"{len(values)} values of {len(names)} columns"}
    try:
        solution = settled(problem.model, values_of(problem.model, dict(zip(names, values, strict=True)))[0])
    except InputError as error:
        return {"refuted": error.message}
    found = problem.evaluate(solution)
    if not found.feasible:
        return {"refuted": found.violations[0][:200]}
    return {"value": problem.score(found.objective), "level": problem.assessed(solution).level.value}


def trace_of(folder: Path) -> list[list[float]]:
    """Seconds and values of better solutions, as reported by the tool."""
    file = folder / "trace.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    return [[row["seconds"], row["value"]] for row in map(json.loads, lines)]


def solved(tool: Tool, problem: Milp, path: Path, seconds: float, seed: int, python: str, given: Row) -> Row:
    """Make one run, and check its solution."""
    path = as_mps(problem, path) if tool.solver == "cp-sat" else path
    told = {**tool.given, **given, "sense": -1 if problem.maximised else 1}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [
            "env", f"PEER_BEGAN={time.monotonic()}", "OMP_NUM_THREADS=1", python, str(HERE / "one_peer.py"),
            tool.solver, str(path), "--seconds", str(seconds), "--seed", str(seed), "--folder", str(folder),
            "--given", json.dumps(told),
        ]  # fmt: skip
        run = ran(command, seconds + OVER)
        end = folder / "end.json"
        said = json.loads(end.read_text()) if end.exists() else {}
        made: Row = {"trace": trace_of(folder), **checked(problem, folder), **said, **_took(run, said)}
    trace = made["trace"]
    if trace and "value" not in made and "refuted" not in made:
        made["refuted"] = "it told no values"
    if trace and "value" in made:
        claim, value = trace[-1][1], made["value"]
        if abs(claim - value) > SAME * max(1.0, abs(claim), abs(value)):
            made["claim"] = claim  # the solution that it reported last has another value
    return made


def _took(run: Ran, said: Row) -> Row:
    failed = run.code and not said
    lines = run.errors.strip().splitlines() or [f"exit {run.code}"]
    named = [line for line in lines if re.match(r"[\w.]+Error: ", line)]  # notes follow after it
    error = {"error": (named or lines)[-1][:300]} if failed else {}
    return {
        "wall": run.seconds,
        "cpu": run.cpu_seconds,
        "exit": run.code,
        **error,
        **({"killed": 1} if run.stopped else {}),
    }


def listed(options: argparse.Namespace) -> list[Row]:
    """Instances to solve, in a fixed order that mixes the classes."""
    if options.files:
        rows = [
            {
                "name": path.name.split(".")[0],
                "class": options.class_name or path.parent.name,
                "path": str(path),
                "best_known": "",
            }
            for path in options.files
        ]
    else:
        rows = [{**row, "path": str(DATA / row["file"])} for row in instances(options.classes)]
        if options.instances:
            known = {row["name"]: row for row in rows}
            unknown = [name for name in options.instances if name not in known]
            if unknown:
                raise SystemExit(f"no instance {', '.join(unknown)} in best_known.csv (of these classes)")
            return [known[name] for name in options.instances]
    random.Random(0).shuffle(rows)
    return rows


def there(file: Path) -> set[tuple[str, str, int, float]]:
    """Stored runs."""
    rows = map(json.loads, file.read_text().splitlines() if file.exists() else ())
    return {(row["instance"], row["tool"], row["seed"], row["limit"]) for row in rows}


def words(text: str) -> list[str]:
    """Split a text at commas."""
    return text.split(",")


def main() -> None:
    """Make the missing runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", type=words, default=[], help="of best_known.csv; all if not given")
    parser.add_argument("--instances", type=words, help="names, in this order")
    parser.add_argument("--files", type=Path, nargs="+", help="MPS or LP files instead")
    parser.add_argument("--class-name", help="class of these files; the name of their folder if not given")
    parser.add_argument("--tools", type=words, default=list(USUAL), help=f"of {', '.join(TOOLS)}")
    parser.add_argument("--seeds", type=lambda text: [int(word) for word in words(text)], default=[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no run that could end after this")
    parser.add_argument("--python", type=words, default=[], help="interpreters, such as balans=PATH")
    parser.add_argument("--set", action="append", default=[], help="a setting of matheur, KEY=VALUE; needs --label")
    parser.add_argument("--label", help="goes to the name of matheur in the results")
    parser.add_argument("--results", type=Path, default=RESULTS / "peers.jsonl")
    options = parser.parse_args()
    unknown = [name for name in options.tools if name not in TOOLS]
    if unknown:
        parser.error(f"no tool {', '.join(unknown)}; there are {', '.join(TOOLS)}")
    if options.set and not options.label:
        parser.error("--set needs a --label, so that rows can be told apart")
    pythons = {name: os.environ.get(f"PEER_PYTHON_{name.upper().replace('-', '_')}", sys.executable) for name in TOOLS}
    pythons |= dict(text.partition("=")[::2] for text in options.python)
    began = time.monotonic()
    options.results.parent.mkdir(parents=True, exist_ok=True)
    made = there(options.results)
    missing: set[str] = set()
    warmed = False
    machine = f"{os.cpu_count()} cores, {platform.machine()}"
    with tempfile.TemporaryDirectory() as name, options.results.open("a") as file:
        for seed in options.seeds:
            for row in listed(options):
                problem: Milp | None = None
                for name_of_tool in options.tools:
                    tool = TOOLS[name_of_tool]
                    ours = tool.solver == "matheur"
                    shown = f"{name_of_tool}+{options.label}" if options.label and ours else name_of_tool
                    if (row["name"], shown, seed, options.seconds) in made or name_of_tool in missing:
                        continue
                    if time.monotonic() - began + options.seconds + 5 > 60 * options.minutes:
                        print("the time is over")
                        return
                    if ours and not warmed:
                        warmed = True
                        matheur("warm", "milp", limit=1800.0)
                    path = plain_file(Path(row["path"]), Path(name))
                    problem = TYPE.read(open_source(str(path))) if problem is None else problem
                    if not fits(name_of_tool, problem):
                        continue
                    given = {"settings": options.set} if options.set and ours else {}
                    found = solved(tool, problem, path, options.seconds, seed, pythons[name_of_tool], given)
                    if "missing" in found:
                        print(f"{name_of_tool} is left out: {found['missing']}")
                        missing.add(name_of_tool)
                        continue
                    line = {
                        "instance": row["name"], "class": row["class"], "tool": shown, "seed": seed,
                        "limit": options.seconds, "sense": "max" if problem.maximised else "min",
                        "best_known": row["best_known"], "nonzeros": len(problem.model.data),
                        "columns": problem.model.width, "integers": int(problem.model.integral.sum()), **found,
                        "date": date.today().isoformat(), "machine": f"{machine}, load {os.getloadavg()[0]:.1f}",
                        "versions": versions(),
                    }  # fmt: skip
                    file.write(json.dumps(line) + "\n")
                    file.flush()
                    value = found.get("value", found.get("refuted", found.get("error", "-")))
                    print(
                        row["name"],
                        shown,
                        seed,
                        value,
                        f"best {row['best_known']}",
                        f"cpu {found['cpu']:.0f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
