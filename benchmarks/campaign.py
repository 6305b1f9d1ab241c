"""What a campaign costs beside its runs, and how fast many finished runs are listed.

    python benchmarks/campaign.py overhead --runs 40 --seconds 5 --jobs 2
    python benchmarks/campaign.py list --runs 10000

`overhead`: wall-clock seconds of a campaign over those of its searches shared by the jobs, and CPU seconds of all
processes (parent, start of workers, reading, writing) over those of the runs. `list`: seconds and memory to read the
records of finished runs, without and with the index, and of `matheur campaign status`.
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
    """A campaign of timed runs."""
    values = {
        "instances": ["edge-matching/demo"],
        "seeds": arguments.runs,
        "base": {"construct": "random", "neighbourhoods": ["assignment", "swap-rotate"], "time": arguments.seconds},
    }
    with tempfile.TemporaryDirectory() as folder:
        plan = make_plan(campaign_of(values))
        before, began = _cpu(), time.perf_counter()
        run_campaign(plan, folder, jobs=arguments.jobs)
        wall, cpu = time.perf_counter() - began, _cpu() - before
        records = read_records(folder)
    searching = sum(record.seconds for record in records)
    work = sum(record.cpu_seconds or 0.0 for record in records)
    print(f"runs {len(records)}, jobs {arguments.jobs}, {arguments.seconds:g} s each, load {os.getloadavg()[0]:.1f}")
    print(f"wall: campaign {wall:.2f} s, searches / jobs {searching / arguments.jobs:.2f} s", end="")
    print(f", overhead {100 * (wall / (searching / arguments.jobs) - 1):.2f} %")
    print(f"CPU: all processes {cpu:.2f} s, the runs themselves {work:.2f} s, overhead {100 * (cpu / work - 1):.2f} %")


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def listing(arguments: argparse.Namespace) -> None:
    """Finished runs, copies of one with other keys."""
    values = {
        "instances": ["edge-matching/demo"],
        "seeds": arguments.runs // 2,
        "base": {"construct": "random", "neighbourhoods": ["swap-rotate"]},
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
        print(f"{len(plan)} runs, result files of {len(text) / 1000:.1f} kB, load {os.getloadavg()[0]:.1f}")
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
    one.add_argument("--seconds", type=float, default=5.0)
    one.add_argument("--jobs", type=int, default=1)
    two = commands.add_parser("list")
    two.set_defaults(function=listing)
    two.add_argument("--runs", type=int, default=10_000)
    arguments = parser.parse_args()
    arguments.function(arguments)


if __name__ == "__main__":
    main()
