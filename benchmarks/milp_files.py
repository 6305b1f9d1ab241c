"""Files of linear programs: damaged ones, generated ones that all readers accept, and a large one.

    python benchmarks/milp_files.py damaged --files 3000
    python benchmarks/milp_files.py agreement --models 500
    python benchmarks/milp_files.py large --nonzeros 1000000

`damaged`: MPS, LP and `.sol` files with nine kinds of damage. Each must be read, or rejected with one line, in less
than two CPU seconds, and the memory of the process must not grow. `agreement`: generated models, written as free and
fixed MPS and as LP, and read by HiGHS, SCIP, GLPK, CBC and matheur. Known changes by a reader are listed with the
reason; every other difference is an error. `large`: CPU seconds and memory of a process that reads a file. The exit
code is 1 after any error. The tests run a share of the first two (`tests/linear`).
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from linear.agreement import EXPLAINED, compared
from linear.damage import damaged, tried

from matheur.linear.building import ModelBuilder
from matheur.linear.lp_writer import write_lp
from matheur.linear.mps_writer import write_mps

SLOW = 2.0  # maximum CPU seconds per file
GROWTH = 300.0  # maximum growth in MB
PROGRAMS = {"glpk": "glpsol", "cbc": "cbc"}

_READ = """
import json, re, sys, time
from matheur.engine.source import open_source
from matheur.problems.milp.problem_type import TYPE

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024

before, began = peak(), time.process_time()
problem = TYPE.read(open_source(sys.argv[1]))
found = {"seconds": round(time.process_time() - began, 2), "nonzeros": len(problem.model.data)}
print(json.dumps({**found, "mb": peak() - before}))
"""


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def check_damaged(seed: int, count: int) -> int:
    """Count the damaged files that are not handled as they should be."""
    counts: Counter[tuple[str, str, str]] = Counter()
    wrong, slowest, before = 0, 0.0, 0.0
    for number, file in enumerate(damaged(seed, count)):
        one = tried(*file)
        said = one.wrong or (f"{one.seconds:.1f} s" if one.seconds > SLOW else "")
        if said:
            print(f"{one.form} {one.kind} {one.turn}: {said}")
            wrong += 1
        counts[one.form, one.kind, "read" if one.read else "refused"] += 1
        slowest = max(slowest, one.seconds)
        if number == 200:
            before = _peak()
    print("| damage | mps | lp | sol |\n| --- | --: | --: | --: |")
    for kind in dict.fromkeys(kind for _, kind, _ in counts):
        cells = [
            f"{counts[form, kind, 'read']} read, {counts[form, kind, 'refused']} refused"
            for form in ("mps", "lp", "sol")
        ]
        print(f"| {kind} | {' | '.join(cells)} |")
    grown = _peak() - before if before else 0.0
    print(f"{count} files, seed {seed}: {wrong} wrong; slowest {slowest:.2f} CPU s; {grown:.0f} MB more than after 200")
    return wrong + (grown > GROWTH)


def check_agreement(seed: int, count: int) -> int:
    """Count the models that some reader reads differently from others without a known reason."""
    readers = ["ours", "highs", "scip", *(name for name, program in PROGRAMS.items() if shutil.which(program))]
    counts: Counter[tuple[str, str, str]] = Counter()
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + count):
            for one in compared(number, Path(folder), readers):
                state = "wrong" if one.wrong else "explained" if one.explained else "same"
                counts[one.form, one.reader, state] += 1
                for word in one.explained:
                    reasons[word][one.reader] += 1
                if one.wrong:
                    wrong += 1
                    print(f"{one.seed} {one.form} {one.reader}: {'; '.join(one.wrong[:3])}")
    print("| form | reader | the same | explained | wrong |\n| --- | --- | --: | --: | --: |")
    for form, reader in dict.fromkeys((form, reader) for form, reader, _ in counts):
        cells = [str(counts[form, reader, state]) for state in ("same", "explained", "wrong")]
        print(f"| {form} | {reader} | {' | '.join(cells)} |")
    for word, by_reader in reasons.items():
        print(f"- {word} ({', '.join(f'{reader} {times}' for reader, times in by_reader.items())}): {EXPLAINED[word]}")
    print(f"{count} models from seed {seed}: {wrong} wrong")
    return wrong


def check_large(nonzeros: int) -> int:
    """Measure the cost of reading a large model."""
    rng = np.random.default_rng(0)
    width, height = max(1, nonzeros // 50), max(50, nonzeros // 20)
    made = ModelBuilder()
    for row in range(height):
        made.add_row(f"r{row}", -np.inf, 100.0)
    for column in range(width):
        made.add_column(f"x{column}", integral=column % 3 == 0)
        made.put("cost", column, column % 97 + 0.5)
        made.put("upper", column, 1.0)
        for row in rng.choice(height, 50, replace=False).tolist():
            made.add_entry(row, column, row % 13 + 1.25)
    model = made.made()
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in (("large.mps", write_mps(model)), ("large.lp", write_lp(model))):
            path = Path(folder) / name
            path.write_text("\n".join(lines) + "\n")
            said = subprocess.run([sys.executable, "-c", _READ, str(path)], capture_output=True, text=True, check=True)
            print(name, f"{path.stat().st_size / 1e6:.1f} MB", json.loads(said.stdout))
    return 0


def main() -> int:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["damaged", "agreement", "large"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--models", type=int, default=500)
    parser.add_argument("--nonzeros", type=int, default=1_000_000)
    options = parser.parse_args()
    warnings.simplefilter("ignore", DeprecationWarning)  # raised for forks in a process with threads
    if options.part == "damaged":
        return int(check_damaged(options.seed, options.files) > 0)
    if options.part == "agreement":
        return int(check_agreement(options.seed, options.models) > 0)
    return check_large(options.nonzeros)


if __name__ == "__main__":
    raise SystemExit(main())
