"""Repeat the property tests of readers, formats and the command line with other seeds."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from fault_injection.counting import Count, Loss

__all__ = ["try_properties"]

_ROOT = Path(__file__).resolve().parents[2]
_PLACES = {
    "problems": ("tests/problems",),
    "other files": ("tests/methods/clique", "tests/methods/learning/test_model_file.py", "tests/engine/test_cache.py"),
    "command line": ("tests/cli/test_bad_plan_puzzles.py",),
    "demands": ("tests/designing",),
}
_EXAMPLES = re.compile(r"(\d+) passing[ a-z]*, (\d+) failing[ a-z]*, (?:and )?(\d+) invalid")
_PATIENCE = 900.0


def try_properties(
    folder: Path, trials: int, seed: int, *, until: float = float("inf"), told: Callable[[str], None] = print
) -> Iterator[Count]:
    """Run the given number of rounds of all tests; the counts are examples made by Hypothesis."""
    # Hypothesis stores failing examples in this folder, not in the source tree.
    environment = {**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis")}
    counts = {name: Count("properties", name) for name in _PLACES}
    for number in range(trials):
        for name, places in _PLACES.items():
            if time.monotonic() > until:
                break
            count, began = counts[name], time.monotonic()
            chosen = 1000 * seed + number
            command = [
                sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "hypothesis",
                f"--hypothesis-seed={chosen}", "--hypothesis-show-statistics", *places,
            ]  # fmt: skip
            try:
                run = subprocess.run(
                    command, cwd=_ROOT, env=environment, capture_output=True, text=True, timeout=_PATIENCE, check=False
                )
            except subprocess.TimeoutExpired:
                count.losses.append(Loss("hang", f"{name}, seed {chosen}: {_PATIENCE:.0f} s"))
                continue
            tried = Counter[str]()
            for passing, failing, invalid in _EXAMPLES.findall(run.stdout):
                tried += Counter(passing=int(passing), failing=int(failing), invalid=int(invalid))
            if not tried:
                raise RuntimeError(f"{' '.join(command)}: {run.stdout[-2000:]}{run.stderr[-2000:]}")
            count.trials += tried.total()
            count.faults += tried.total() - tried["invalid"]
            count.outcomes += tried
            count.seconds.append(time.monotonic() - began)
            if run.returncode:
                count.losses.append(Loss("answer", f"--hypothesis-seed={chosen} {run.stdout}"))
                told(f"{name}, seed {chosen}: {run.stdout[-3000:]}")
    yield from (count for count in counts.values() if count.trials)
