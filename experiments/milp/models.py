"""Write instances of the models in `models/`, of a size that a solver does not end in a minute.

    python experiments/milp/models.py FOLDER --seed 11
    python experiments/milp/peers.py --files FOLDER/*.mps.gz --class-name models --tools matheur,backend \\
        --results experiments/milp/results/models.jsonl
    python experiments/milp/peers_report.py --results experiments/milp/results/models.jsonl \\
        --out docs/results-milp-models.md --title "models of planning"

The same seed writes the same files.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from run import matheur

SIZES = {
    "lot-sizing": ("30x30", {}),
    "assignment-d": ("20x200", {"type": "d"}),
    "assignment-e": ("20x200", {"type": "e"}),
    "facilities": ("40x150", {}),
    "unit-commitment": ("60x48", {}),
    "rostering": ("40x28", {}),
    "cutting-stock": ("30", {}),
    "job-shop": ("10x8", {}),
}


def main() -> None:
    """Write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, (size, said) in SIZES.items():
        kind = name.removesuffix("-d").removesuffix("-e") if "type" in said else name
        settings = [f"--set={key}={value}" for key, value in {"kind": kind, **said}.items()]
        out = options.folder / f"{name}-{size}-{options.seed}.mps.gz"
        matheur(
            "generate", "milp", *settings, "--size", size, "--seed", str(options.seed), "--out", str(out), limit=600.0
        )
        print(out)


if __name__ == "__main__":
    main()
