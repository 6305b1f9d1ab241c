"""Write the test boards as instance files, with their optimal lengths.

    python experiments/ann_distance/instances.py --boards 1600

`protocol.py` draws the boards, the same as in `searches.py`; a smaller set is a prefix of a larger one. Optima come
from `ida-star` with the 7-8 databases (288 MB, built once and kept in the user's cache).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import protocol

from matheur.engine.budget import Budget

MEMORY = 8 << 30


def main() -> None:
    """Write boards and optima."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=1600)
    parser.add_argument("--out", type=Path, default=protocol.HERE / "instances")
    parser.add_argument("--no-optima", action="store_true", help="boards only; no databases are needed")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    rows = ["instance,objective"]
    for number, board in enumerate(protocol.boards(given.boards), start=1):
        name = f"board-{number:04d}"
        lines = [" ".join(map(str, board.tiles[start : start + 4])) for start in range(0, 16, 4)]
        (given.out / f"{name}.txt").write_text("\n".join(["# goal: blank-last", *lines]) + "\n")
        if given.no_optima:
            continue
        answer = protocol.domain_for(board).ida_star(protocol.PARTITION, budget=Budget(), memory=MEMORY)
        assert answer is not None
        assert answer.plan is not None
        rows.append(f"{name},{len(answer.plan)}")
    (given.out / "optima.csv").write_text("\n".join(rows) + "\n")
    print(f"{given.boards} boards in {given.out}")


if __name__ == "__main__":
    main()
