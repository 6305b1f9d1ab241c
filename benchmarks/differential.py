"""Compare random instances of every problem with oracles that share no code with the package.

    python benchmarks/differential.py milp --models 2000 --seed 1

The script prints every disagreement and exits with code 1 if there is one. The tests run a fixed share of the same
checks (`tests/differential`). To add a section, add a line to `SECTIONS`: name -> function(seed, count) ->
disagreements.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

Section = Callable[[int, int], list[str]]


def _of(module: str) -> Section:
    """Function `section` of a module in `tests/differential`, imported when it is called."""

    def run(seed: int, count: int) -> list[str]:
        found: list[str] = import_module(f"differential.{module}").section(seed, count)
        return found

    return run


SECTIONS: dict[str, Section] = {name: _of(name) for name in ("boards", "graphs", "milp", "party", "plans", "qap")}


def main() -> int:
    """Run one section, or all."""
    parser = argparse.ArgumentParser(description="Random instances against independent oracles.")
    parser.add_argument("section", choices=[*SECTIONS, "all"])
    parser.add_argument("--models", type=int, default=200, help="how many instances")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    names = list(SECTIONS) if options.section == "all" else [options.section]
    wrong = 0
    for name in names:
        started = time.perf_counter()
        found = SECTIONS[name](options.seed, options.models)
        for line in found:
            print(f"{name}: {line}")
        seconds = time.perf_counter() - started
        print(f"{name}: {options.models} instances from seed {options.seed}, {len(found)} wrong ({seconds:.0f} s)")
        wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
