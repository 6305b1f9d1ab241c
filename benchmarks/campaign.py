"""Overhead of a campaign over its runs, and speed of listing many finished runs.

    python benchmarks/campaign.py overhead --runs 40 --jobs 2
    python benchmarks/campaign.py list --runs 10000

`overhead`: CPU seconds of the same deterministic runs executed sequentially in this process, and as a campaign (all
processes: parent, start of workers, imports, reading, writing); also the wall-clock time of the campaign relative to
that of its runs. `list`: time and memory to read the records of finished runs, without and with the index, and of
`matheur campaign status`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from matheur.campaign import Store, make_plan, read_records
from matheur.campaign.configuration import campaign_of
from matheur.campaign.running import run_campaign
from matheur.campaign.worker import make_run


def overhead(arguments: argparse.Namespace) -> None:
    """Execute the same work-limited runs sequentially in this process and as a campaign."""
    options = {"k": 16, "iterations": arguments.work}
    values = {
        "instances": ["edge-matching/demo"],
        "seeds": arguments.runs,
        "base": {
            "construction": "random",
            "neighbourhoods": ["assignment"],
            "neighbourhood": {"assignment": options},
            "iterations": 2,
        },
    }
    plan = make_plan(campaign_of(values))
    with tempfile.TemporaryDirectory() as folder:
        Store(folder).prepare()
        make_run(folder, next(plan.orders()).to_dict())  # compiles
    with tempfile.TemporaryDirectory() as folder:
        Store(folder).prepare()
        before = _cpu()
        for order in plan.orders():
            make_run(folder, order.to_dict())
        alone = _cpu() - before
    with tempfile.TemporaryDirectory() as folder:
        before, began = _cpu(), time.perf_counter()
        run_campaign(make_plan(campaign_of(values)), folder, jobs=arguments.jobs)
        wall, together = time.perf_counter() - began, _cpu() - before
        inside = sum(record.wall_seconds or 0.0 for record in read_records(folder)) / arguments.jobs
    print(f"{arguments.runs} runs, {alone / arguments.runs:.2f} CPU s each, jobs {arguments.jobs}, load {_load()}")
    print(
        f"CPU: one after another {alone:.2f} s, as a campaign {together:.2f} s: {100 * (together / alone - 1):+.2f} %"
    )
    print(f"wall: campaign {wall:.2f} s, its runs / jobs {inside:.2f} s: {100 * (wall / inside - 1):+.2f} %")


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def listing(arguments: argparse.Namespace) -> None:
    """Time the listing of finished runs, which are copies of one run with other keys."""
    values = {
        "instances": ["edge-matching/demo"],
        "seeds": arguments.runs // 2,
        "base": {"construction": "random", "neighbourhoods": ["swap-rotate"]},
        "variants": {"a": {"iterations": 20}, "b": {"iterations": 21}},
    }
    with tempfile.TemporaryDirectory() as folder:
        plan, store = make_plan(campaign_of(values)), Store(folder)
        store.prepare()
        store.save_plan(plan)
        order = plan.order(0)
        make_run(folder, order.to_dict())
        text, events = store.result_path(order.key).read_text(), store.events_path(order.key).read_bytes()
        for key, _, variant, _, seed, _ in plan.runs:
            result = json.loads(text)
            result["campaign"] |= {"key": key, "seed": seed, "variant": variant}
            store.result_path(key).write_text(json.dumps(result))
            store.events_path(key).write_bytes(events)
        print(f"{len(plan)} runs, result files of {len(text) / 1000:.1f} kB, load {_load()}")
        for what in ("without index", "with index"):
            code = "import sys, time, resource; from matheur.campaign import read_records; "
            code += "w, c = time.perf_counter(), time.process_time(); found = read_records(sys.argv[1]); "
            code += "print(len(found), f'{time.perf_counter() - w:.2f} s wall, {time.process_time() - c:.2f} s CPU, "
            code += "{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB')"
            done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True)
            print(f"read_records, {what}: {done.stdout.strip()}")
        before, began = _cpu(), time.perf_counter()
        matheur = shutil.which("matheur", path=str(Path(sys.executable).parent))
        assert matheur is not None
        subprocess.run([matheur, "campaign", "status", folder], capture_output=True, check=True)
        wall, cpu = time.perf_counter() - began, _cpu() - before
        print(f"matheur campaign status: {wall:.2f} s wall, {cpu:.2f} s CPU (start-up included)")


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("overhead")
    one.set_defaults(function=overhead)
    one.add_argument("--runs", type=int, default=40)
    one.add_argument("--work", type=int, default=300_000, help="reassignments of a call")
    one.add_argument("--jobs", type=int, default=1)
    two = commands.add_parser("list")
    two.set_defaults(function=listing)
    two.add_argument("--runs", type=int, default=10_000)
    arguments = parser.parse_args()
    arguments.function(arguments)


if __name__ == "__main__":
    main()
