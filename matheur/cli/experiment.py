"""Command line of the `run.py` of experiments, which runs one of their tables in one of their sizes as a campaign."""

from __future__ import annotations

import argparse
import csv
import io
import platform
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median

from rich.table import Table
from rich.text import Text

from matheur.campaign import RunRecord, Store, read_campaign, read_records
from matheur.cli import run as command
from matheur.cli.output import plain_console
from matheur.engine.files import write_atomic, write_json
from matheur.errors import MatheurError
from matheur.running.result import versions

__all__ = ["experiment", "summary", "write_rows"]

_COLUMNS = (
    "instance", "group", "variant", "seed", "status", "stopped", "objective", "bound", "score", "score_max",
    "reference_score", "seconds", "cpu_seconds", "work", "time_limit", "solver", "finished", "reason", "key",
)  # fmt: skip

_WIDTH = 160  # characters per line without a terminal


def experiment(
    folder: Path,
    description: str,
    arguments: Sequence[str] | None = None,
    *,
    scripts: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Produce a table or a plot of an experiment and exit.

    Parameters
    ----------
    folder
        Folder of the experiment: campaigns are `campaigns/TABLE.toml`, rows of finished runs go to `results/`.
    description
        Text for `--help`.
    arguments
        Arguments of the command line; `sys.argv` if None.
    scripts
        Tables that are not campaigns, by name: scripts of the folder that are called in order with `--size`.

    Notes
    -----
    When no runs are left, `results/TABLE-SIZE.csv` gets a row per run, and `results/TABLE-SIZE.about.json` the machine
    and the dates of the runs. For the size `smoke`, which does not measure quality, this requires `--keep`.
    """
    scripts = scripts or {}
    parser = _parser(folder, description, scripts)
    given = parser.parse_args(arguments)
    if given.table in scripts:
        others = [
            name
            for name, value in vars(given).items()
            if name not in ("table", "size") and value != parser.get_default(name)
        ]
        if others:
            parser.error(f"{given.table} is not a campaign: it has no --{others[0].replace('_', '-')}")
        sys.exit(_call(folder, scripts[given.table], given.size))
    config = folder / "campaigns" / f"{given.table}.toml"
    options = [f"--size={given.size}", f"--jobs={given.jobs}", f"--executor={given.executor}"]
    options += [f"--set=base.solver.name={given.solver}"] if given.solver else []
    options += [f"--{name}={getattr(given, name)}" for name in ("data", "scheduler", "only") if getattr(given, name)]
    options += [f"--set={setting}" for setting in given.set]
    options += ["--retry-failed"] if given.retry_failed else []
    try:
        out = given.out or _out(config, given)
    except MatheurError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)
    code = command(["campaign", "run", str(config), f"--out={out}", *options])
    if code in (0, 1) and given.executor != "list":
        records = read_records(out)
        plain_console(width=None if sys.stdout.isatty() else _WIDTH).print(summary(records))
        if len({record.key for record in records}) == len(Store(out).load_plan().keys) and _kept(given):
            name = f"{given.table}-{given.size}" + (f"-{given.solver}" if given.solver else "")
            write_rows(records, folder / "results" / f"{name}.csv")
    sys.exit(code)


def _call(folder: Path, scripts: Sequence[str], size: str) -> int:
    """Call scripts; return the exit code of the first one that fails, else 0."""
    for script in scripts:
        done = subprocess.run([sys.executable, str(folder / script), "--size", size], check=False)
        if done.returncode:
            return done.returncode
    return 0


def _parser(folder: Path, description: str, scripts: Mapping[str, Sequence[str]]) -> argparse.ArgumentParser:
    tables = sorted([*scripts, *(path.stem for path in (folder / "campaigns").glob("*.toml"))])
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=tables)
    parser.add_argument("--size", default="smoke", help="smoke (a minute), bench (minutes), full (as the paper)")
    parser.add_argument("--solver", help="MILP solver of all variants that do not name one")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--only", help="variants, separated by commas")
    parser.add_argument("--data", help="folder of the public data (MATHEUR_DATA)")
    parser.add_argument("--out", type=Path, help="folder of all results")
    parser.add_argument("--executor", default="processes", help="processes, dask or list")
    parser.add_argument("--scheduler", help="address of a Dask scheduler")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting over the campaign")
    parser.add_argument("--retry-failed", action="store_true")
    parser.add_argument("--keep", action="store_true", help="write rows of smoke runs and with --only, too")
    return parser


def _out(config: Path, given: argparse.Namespace) -> Path:
    out = read_campaign(config, size=given.size).out
    return out.with_name(f"{out.stem}-{given.solver}.campaign") if given.solver else out


def _kept(given: argparse.Namespace) -> bool:
    return given.keep or (given.size != "smoke" and not given.set and not given.only)


def summary(records: Sequence[RunRecord]) -> Table:
    """Scores and times by instance and variant."""
    groups: dict[tuple[str, str], list[RunRecord]] = defaultdict(list)
    for record in records:
        groups[record.instance, record.variant].append(record)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("instance")
    table.add_column("variant")
    for name in ("runs", "failed", "proved", "best", "mean", "worst", "reference", "median s"):
        table.add_column(name, justify="right")
    for (instance, variant), runs in groups.items():
        scores = [float(one.score) for one in runs if one.score is not None]
        high = runs[0].score_sense == "max"
        ends = (max(scores), min(scores)) if scores else (None, None)
        best, worst = ends if high else ends[::-1]
        table.add_row(
            Text(instance),
            Text(variant),
            str(len(runs)),
            str(sum(one.status == "failed" for one in runs)),
            str(sum(one.status in ("optimal", "infeasible") for one in runs)),
            _number(best),
            f"{fmean(scores):.2f}" if scores else "-",
            _number(worst),
            _number(runs[0].reference_score),
            f"{median(one.seconds for one in runs):.2f}",
        )
    return table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def write_rows(records: Sequence[RunRecord], path: Path) -> None:
    """Write a row for each run as CSV, and next to it (`.about.json`) the machine, dates and versions."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows([getattr(record, name) for name in _COLUMNS] for record in records)
    path.parent.mkdir(exist_ok=True)
    write_atomic(path, text.getvalue().encode())
    first = next((record for record in records if record.status != "failed"), None)
    own = {} if first is None else first.load()
    about = {
        "dates": sorted({record.finished[:10] for record in records}),
        "machine": {name: own.get("campaign", {}).get(name) for name in ("machine", "cores", "system")},
        "versions": own.get("versions", versions()),
        "written_with": platform.python_version(),
    }
    write_json(path.with_suffix(".about.json"), about, indent=1)
