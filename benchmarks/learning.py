"""Networks at work: evaluations and generated states a second by batch, engine and threads, and memory.

    python benchmarks/learning.py [--puzzle sliding-tile/4x4] [--presets small medium deepcubea] [--threads 1 2]
        [--seconds 1] [--out FILE.md]

Networks are untrained, with the weights that a training begins with: about half of the units are 0, as after it. Each
row is a process of its own, bound to so many processors. Evaluations are of states on random walks; searches are
`batch-astar` with weight 0.6; no estimate is remembered. Rates are by processor second with one thread, and by second
with more; `used` is the processor time by second, which tells how much of the machine there was. Memory is the peak of
the process, of which Python, JAX and numba take the most.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

BATCHES = (1, 16, 128, 1024, 8192)
SEARCHED = (100, 1000, 10_000)
ENGINES = (
    ("compiled", "float32"),
    ("compiled", "int8"),
    ("jax", "float32"),
    ("jax", "bfloat16"),
)
COMPILED_MAX = 2_000_000  # parameters: what is larger is for JAX


def rates(action: Callable[[], int], seconds: float) -> tuple[float, float]:
    """What is done by processor second and by second; the first call is not counted."""
    action()
    begun, spent, done = time.perf_counter(), time.process_time(), 0
    while time.process_time() - spent < seconds and time.perf_counter() - begun < 4 * seconds:
        done += action()
    return done / (time.process_time() - spent), done / (time.perf_counter() - begun)


def measure(puzzle: str, preset: str, engine: str, precision: str, seconds: float) -> dict[str, Any]:
    """All figures of a row, in this process."""
    import numpy as np

    from matheur.engine import Budget
    from matheur.learning import PRESETS, Encoding, Model, NetworkSpec, Use, learnt_heuristic
    from matheur.learning.networks import initial
    from matheur.learning.sampling import walks
    from matheur.loading import load_instance
    from matheur.statespace import batch_astar
    from matheur.statespace.domains import domain_of

    rng = np.random.default_rng(0)
    domain = domain_of(load_instance(puzzle)[1])
    encoding = Encoding.of(domain)
    spec = NetworkSpec(encoding.units, 1, **PRESETS[preset])
    arrays = initial(spec, rng)
    arrays["output.weight"] *= 10
    arrays["output.bias"] += 40
    model = Model(spec, arrays, encoding, "distance", domain.name, domain.fingerprint, domain.goal)
    if engine == "compiled" and model.parameters > COMPILED_MAX:
        return {"parameters": model.parameters}
    heuristic = learnt_heuristic(domain, model, Use(precision=precision, engine=engine, cache=0))  # type: ignore[arg-type]
    keys = rng.permutation(walks(domain, 100, 100, rng).keys)

    def evaluate(batch: int) -> int:
        return len(heuristic.estimate(keys[:batch]))

    def search(batch: int) -> int:
        work = max(3 * batch, 2000) if model.parameters < COMPILED_MAX else min(max(batch, 500), 2000)
        return batch_astar(domain, heuristic, weight=0.6, batch=batch, budget=Budget(work=work)).generated

    evaluated = {batch: rates(lambda batch=batch: evaluate(batch), seconds) for batch in BATCHES}  # type: ignore[misc]
    generated = {batch: rates(lambda batch=batch: search(batch), seconds) for batch in SEARCHED}  # type: ignore[misc]
    return {
        "parameters": model.parameters,
        "evaluated": evaluated,
        "generated": generated,
        "weights": heuristic.memory,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def in_a_process(threads: int, arguments: list[str]) -> dict[str, Any]:
    """A row, by another process with so many threads."""
    flags = f"--xla_cpu_multi_thread_eigen={str(threads > 1).lower()} intra_op_parallelism_threads={threads}"
    code = [sys.executable, __file__, "--row", *arguments]
    many = str(threads)
    surroundings = {**os.environ, "XLA_FLAGS": flags, "OMP_NUM_THREADS": many, "MATHEUR_BENCHMARK_THREADS": many}
    done = subprocess.run(code, env=surroundings, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def short(rate: float) -> str:
    """Three digits."""
    return f"{rate / 1e6:.2f} M" if rate >= 1e6 else f"{rate / 1e3:.3g} k" if rate >= 1e3 else f"{rate:.3g}"


def main() -> None:
    """Read the command line, measure, print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--puzzle", default="sliding-tile/4x4")
    parser.add_argument("--presets", nargs="+", default=["small", "medium", "deepcubea"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--row", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row:
        puzzle, preset, engine, precision, seconds = options.row
        processors = sorted(os.sched_getaffinity(0))[: int(os.environ["MATHEUR_BENCHMARK_THREADS"])]
        os.sched_setaffinity(0, processors)
        print(json.dumps(measure(puzzle, preset, engine, precision, float(seconds))))
        return
    lines = [
        f"`{options.puzzle}`, {platform.processor() or platform.machine()}, Python {platform.python_version()}",
        "",
        "| network | parameters | engine | threads | "
        + " | ".join(f"evaluations/s, batch {batch:,}" for batch in BATCHES)
        + " | "
        + " | ".join(f"generated/s, batch {batch:,}" for batch in SEARCHED)
        + " | used | weights, MB | peak, MB |",
        "| --- | ---: | --- | ---: |" + " ---: |" * (len(BATCHES) + len(SEARCHED) + 3),
    ]
    for preset in options.presets:
        for engine, precision in ENGINES:
            for threads in options.threads:
                if engine == "compiled" and threads > 1:
                    continue  # one thread, whatever there is
                arguments = [options.puzzle, preset, engine, precision, str(options.seconds)]
                row = in_a_process(threads, arguments)
                if "evaluated" not in row:
                    continue
                which = 0 if threads == 1 else 1
                cells = [pair[which] for part in ("evaluated", "generated") for pair in row[part].values()]
                used = max(pair[1] / pair[0] for pair in row["evaluated"].values())
                lines.append(
                    f"| {preset} | {row['parameters']:,} | {engine}, {precision} | {threads} | "
                    + " | ".join(short(cell) for cell in cells)
                    + f" | {used:.2f} | {row['weights'] / 1e6:.1f} | {row['peak'] / 1e6:.0f} |"
                )
                print(lines[-1], file=sys.stderr, flush=True)
    text = "\n".join(lines) + "\n"
    print(text)
    if options.out:
        options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
