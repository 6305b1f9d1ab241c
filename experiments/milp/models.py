"""Write instances of the models in `models/` that are too large for a solver to finish within a minute.

    python experiments/milp/models.py FOLDER --seed 11
    python experiments/milp/peers.py --files FOLDER/*.mps.gz --class-name models --tools matheur,backend \\
        --results experiments/milp/results/models.jsonl
    python experiments/milp/peers_report.py --results experiments/milp/results/models.jsonl \\
        --out docs/results-milp-models.md --title "models of planning"
    python experiments/milp/models.py FOLDER --growth             # three models with 10^4, 10^5 and 10^6 nonzeros

The same seed writes the same files.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from run import matheur

Sizes = dict[str, tuple[str, dict[str, str]]]

SIZES: Sizes = {
    "lot-sizing": ("30x30", {}),
    "assignment-d": ("20x200", {"type": "d"}),
    "assignment-e": ("20x200", {"type": "e"}),
    "facilities": ("40x150", {}),
    "unit-commitment": ("60x48", {}),
    "rostering": ("40x28", {}),
    "cutting-stock": ("30", {}),
    "job-shop": ("10x8", {}),
}
GROWING: dict[str, Sizes] = {
    "10000-nonzeros": {
        "lot-sizing": ("36x40", {}),
        "assignment-e": ("20x250", {"type": "e"}),
        "facilities": ("40x80", {}),
    },
    "100000-nonzeros": {
        "lot-sizing": ("120x120", {}),
        "assignment-e": ("50x1000", {"type": "e"}),
        "facilities": ("130x250", {}),
    },
    "1000000-nonzeros": {
        "lot-sizing": ("380x380", {}),
        "assignment-e": ("250x2000", {"type": "e"}),
        "facilities": ("400x800", {}),
    },
}


def write(sizes: Sizes, folder: Path, seed: int) -> None:
    """Write one model of each kind."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (size, said) in sizes.items():
        kind = name.removesuffix("-d").removesuffix("-e") if "type" in said else name
        settings = [f"--set={key}={value}" for key, value in {"kind": kind, **said}.items()]
        out = folder / f"{name}-{size}-{seed}.mps.gz"
        matheur("generate", "milp", *settings, "--size", size, "--seed", str(seed), "--out", str(out), limit=600.0)
        print(out)


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--growth", action="store_true", help="models of growing size, a folder for each size")
    options = parser.parse_args()
    for folder, sizes in GROWING.items() if options.growth else [("", SIZES)]:
        write(sizes, options.folder / folder, options.seed)


if __name__ == "__main__":
    main()
