"""Create puzzle files from the public tables of squad-building cards: a formation, a mean level and a synergy.

    python experiments/party_building/puzzles.py --formation f442 --level 75 80 --synergy 0.8 --out FOLDER

The script writes `FORMATION-LEVEL-SYNERGY.json` in the format of matheur, and next to it the table of cards under its
original name. The synergy compares club, league and country of players that are connected by a line of the formation.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "document", "write"]

FOLDER = (
    Path(os.environ.get("MATHEUR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")) / "assignment/sbc"
)
"""The public tables: `cards_*.csv` and `formations_links.json`."""
CARDS = {"fifa23": ("cards_fifa23_10k.csv", "position"), "fc25": ("cards_fc25_sample.csv", "positions")}
TERMS = ("club", "league", "country")


def document(formation: str, level: Decimal, synergy: Decimal, *, cards: str = "fifa23", folder: Path = FOLDER) -> Any:
    """The JSON document of a puzzle.

    Parameters
    ----------
    formation
        A name of `formations_links.json`, such as `f442`.
    level
        Minimum mean rating.
    synergy
        Minimum synergy, 0 to 1.
    cards
        `fifa23` or `fc25`.
    """
    table, position = CARDS[cards]
    known = {one["name"]: one for one in json.loads((folder / "formations_links.json").read_text())["formations"]}
    shape = known[formation]
    return {
        "format": "matheur-party",
        "version": 1,
        "name": f"{formation}, level {level}, synergy {synergy}, {cards}",
        "cards": table,
        "columns": {"id": "id", "price": "cost", "position": position},
        "slots": [
            {"name": name, "accepts": [role]} for name, role in zip(shape["slots"], shape["position"], strict=True)
        ],
        "edges": [[shape["slots"][one] for one in pair] for pair in shape["links"]],
        "synergy": {"terms": [{"column": column} for column in TERMS], "min": float(synergy)},
        "constraints": [
            {"type": "sum", "column": "rating", "op": ">=", "value": float(level * len(shape["slots"]))},
        ],
    }


def write(
    out: Path, formation: str, level: Decimal, synergy: Decimal, *, cards: str = "fifa23", folder: Path = FOLDER
) -> Path:
    """Write a puzzle, and its table if it is missing; return the path of the JSON file."""
    out.mkdir(parents=True, exist_ok=True)
    puzzle = document(formation, level, synergy, cards=cards, folder=folder)
    if not (out / puzzle["cards"]).exists():
        shutil.copyfile(folder / puzzle["cards"], out / puzzle["cards"])
    path = out / f"{'' if cards == 'fifa23' else cards + '-'}{formation}-{level}-{synergy}.json"
    path.write_text(json.dumps(puzzle, indent=1) + "\n")
    return path


def main() -> None:
    """Write the requested puzzles."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", choices=list(CARDS), default="fifa23")
    parser.add_argument("--formation", nargs="+", default=["f442"])
    parser.add_argument("--level", nargs="+", type=Decimal, default=[Decimal(80)])
    parser.add_argument("--synergy", nargs="+", type=Decimal, default=[Decimal("0.8")])
    parser.add_argument("--data", type=Path, default=FOLDER, help="folder of the public tables")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    for formation in options.formation:
        for level in options.level:
            for synergy in options.synergy:
                print(write(options.out, formation, level, synergy, cards=options.cards, folder=options.data))


if __name__ == "__main__":
    main()
