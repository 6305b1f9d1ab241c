"""First impressions: defaults on instances where a version did badly, for two versions one after the other.

    python benchmarks/first_answers.py run                      # this tree
    python benchmarks/first_answers.py run --tree ../before     # another checkout, shown as a separate column
    python benchmarks/first_answers.py report                   # the table, as Markdown

Each row is a separate command with a wall-clock limit. Kernels are compiled beforehand; *cold* rows begin with an empty
folder of tables. Rows are appended to `results/first_answers.jsonl`; existing rows are not run again.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

from rows import Rows

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("MATHEUR_DATA", ROOT.parent / "shared" / "data")) / "state_space"
CUBES = 12
_EARLIER = {"--seconds": "--time", "--construction": "--construct"}
"""How options were spelt before version 0.2."""
_RINGS = ("green", "purple", "red", "blue", "yellow", "orange")


@dataclass
class Runner:
    """Calls the command of a source tree.

    Attributes
    ----------
    tree
        Root of the checkout.
    folder
        Folder for instance files.
    warm
        Folder of tables that is kept for all rows.
    """

    tree: Path
    folder: Path
    warm: Path = field(init=False)

    def __post_init__(self) -> None:
        self.warm = self.folder / "tables"

    def file(self, name: str, text: str) -> str:
        """Write an instance or a start to a file."""
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def start(self, arguments: tuple[str, ...], cache: Path) -> subprocess.Popen[str]:
        """Start a command."""
        environment = {**os.environ, "PYTHONPATH": str(self.tree), "MATHEUR_CACHE": str(cache)}
        if not (self.tree / "matheur" / "cli" / "earlier_options.py").exists():
            arguments = tuple(_EARLIER.get(word, word) for word in arguments)
        return subprocess.Popen(
            [sys.executable, "-m", "matheur", *arguments, "--json"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment, cwd=self.folder,
        )  # fmt: skip

    def ask(self, *arguments: str, cold: bool = False) -> tuple[dict[str, Any], float]:
        """Output of a command, and the seconds until its end."""
        with tempfile.TemporaryDirectory(dir=self.folder) as empty:
            began = time.monotonic()
            said = self.start(arguments, Path(empty) if cold else self.warm).communicate()[0]
            return json.loads(said or "{}"), time.monotonic() - began


def solved(answer: dict[str, Any], seconds: float) -> str:
    """Format score, proof and seconds."""
    if answer.get("score") is None:
        return f"none, {answer.get('status', 'error')}, {seconds:.1f} s"
    return f"{answer['score']:g}{', proved' if answer['status'] == 'optimal' else ''}, {seconds:.1f} s"


def cubical(run: Runner) -> str:
    """Solve two random arrangements."""
    found = []
    for number, (start, target) in enumerate((
        ((28, 27, 17, 30, 24, 14), (30, 24, 27, 28, 14, 17)), ((13, 14, 16, 22, 15, 28), (15, 16, 22, 28, 13, 14)),
    )):  # fmt: skip
        parts = ["dimension = 5", "k = 4", "[start]", *(f"{n} = {v}" for n, v in zip(_RINGS, start, strict=True))]
        parts += ["[target]", *(f"{n} = {v}" for n, v in zip(_RINGS, target, strict=True))]
        found.append(solved(*run.ask("solve", run.file(f"rings{number}.toml", "\n".join(parts)), "--seconds", "60")))
    return "; ".join(found)


def hardest_tiles(run: Runner) -> str:
    """Solve two of the boards that need 80 moves."""
    lines = list(csv.DictReader((DATA / "puzzle15_hardest_17.csv").open()))
    found = []
    for number in (0, 8):
        tiles = lines[number]["tiles_goal_blank_last"].split()
        text = "\n".join(" ".join(tiles[at : at + 4]) for at in range(0, 16, 4)) + "\n"
        found.append(solved(*run.ask("solve", run.file(f"tiles{number}.txt", text), "--seconds", "60")))
    return "; ".join(found)


def cubes(run: Runner) -> str:
    """Solve random cubes."""
    lines = list(csv.DictReader((DATA / "deepcubea_cube3_test.csv").open()))[2 : 2 + CUBES]
    scores = []
    for number, line in enumerate(lines):
        file = run.file(f"cube{number}.txt", line["facelets_urfdlb"] + "\n")
        scores.append(run.ask("solve", file, "--problem", "rubik", "--seconds", "2")[0].get("score"))
    known = [score for score in scores if score is not None]
    return f"{mean(known):.1f} turns, {CUBES - len(known)} of {CUBES} without a plan" if known else "none"


def solved_cube(run: Runner) -> str:
    """Use the goal as the start."""
    file = run.file("solved.txt", "".join(face * 9 for face in "URFDLB") + "\n")
    return solved(*run.ask("solve", file, "--problem", "rubik", "--seconds", "5", cold=True))


def keller(run: Runner) -> str:
    """Search keller6, whose best known clique has 59 vertices."""
    answer, seconds = run.ask("clique", "max-clique/keller6", "--seconds", "60")
    return f"{answer.get('score')}, {seconds:.1f} s"


def first_level(run: Runner) -> str:
    """Solve the first level of XSokoban."""
    level: list[str] = []
    for line in (DATA / "sokoban_collections" / "XSokoban_90.xsb").read_text().splitlines():
        if line.lstrip().startswith("#"):
            level.append(line)
        elif level:
            break
    return solved(*run.ask("solve", run.file("level.xsb", "\n".join(level) + "\n"), "--seconds", "10", cold=True))


def long_starts(run: Runner) -> str:
    """Start from an optimal plan preceded by needless moves."""
    found = []
    for name, padded in (("lights-out/random-5x5", _pressed_twice), ("sokoban/demo", _to_and_fro)):
        best = run.ask("solve", name, "--seconds", "10")[0]
        for padding in padded(best["solution"]):
            file = run.file("start.json", json.dumps({**best, "solution": padding}))
            answer, seconds = run.ask("solve", name, "--start", file, "--seconds", "10")
            if answer.get("score") is not None:
                found.append(f"{len(padding)} -> {solved(answer, seconds)}")
                break
    return "; ".join(found)


def _pressed_twice(plan: list[int]) -> list[list[int]]:
    return [[press for cell in range(19) for press in (cell, cell)] + plan]


def _to_and_fro(plan: str) -> list[str]:
    return [20 * there + plan for there in ("lr", "rl", "ud", "du")]


def large_tiles(run: Runner) -> str:
    """Apply a limit and a signal while tables are missing."""
    answer, seconds = run.ask("solve", "sliding-tile/6x6", "--seconds", "3", cold=True)
    with tempfile.TemporaryDirectory(dir=run.folder) as empty:
        child = run.start(("solve", "sliding-tile/6x6", "--seconds", "600"), Path(empty))
        time.sleep(6)
        child.send_signal(signal.SIGTERM)
        began = time.monotonic()
        try:
            child.communicate(timeout=60)
            after = f"{time.monotonic() - began:.1f} s"
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            after = "not in 60 s"
    return f"{solved(answer, seconds)}; SIGTERM: {after}"


def neighbourhoods(run: Runner) -> str:
    """Count calls of the selected neighbourhood, where the construction could run without end."""
    found = []
    for name, construction, wanted in (
        ("party/type1", "islands", "replace"), ("party/type1", "genetic", "replace"),
        ("edge-matching/8x8", "evolution", "swap-rotate"),
    ):  # fmt: skip
        answer, _ = run.ask("solve", name, "--construction", construction, "--neighbourhoods", wanted, "--seconds", "6")
        calls = answer.get("operators", {}).get(wanted, {}).get("calls", 0)
        found.append(f"{construction}: {calls} calls")
    return "; ".join(found)


TABLE: dict[str, Callable[[Runner], str]] = {
    "two cubical puzzles, d=5, k=4, six rings, 60 s": cubical,
    "two of the hardest 15-puzzles (80 moves), 60 s": hardest_tiles,
    f"{CUBES} random cubes, 2 s each": cubes,
    "a solved cube, cold, 5 s": solved_cube,
    "keller6, `matheur clique`, 60 s": keller,
    "XSokoban 1, cold, 10 s": first_level,
    "a start with needless moves (Lights Out; Sokoban), 10 s": long_starts,
    "6 x 6 tiles, cold, 3 s; and SIGTERM after 6 s": large_tiles,
    "a neighbourhood next to a construction without an end, 6 s": neighbourhoods,
}


def _commit(tree: Path) -> str:
    return subprocess.run(
        ["git", "-C", str(tree), "log", "-1", "--format=%h of %ad", "--date=short"], capture_output=True, text=True,
        check=True,
    ).stdout.strip()  # fmt: skip


def _run(asked: argparse.Namespace) -> None:
    rows, version = Rows("first_answers"), _commit(asked.tree)
    with tempfile.TemporaryDirectory(prefix="matheur-first-") as place:
        runner = Runner(asked.tree.resolve(), Path(place))
        for name, measure in TABLE.items():
            if not rows.has({"row": name, "version": version}):
                measure(runner)  # compiles, and builds the cached tables
                rows.append({"row": name, "version": version, "answer": measure(runner)})


def table(rows: list[dict[str, Any]]) -> str:
    """Table of rows by version, the oldest first."""
    versions = sorted({row["version"] for row in rows}, key=lambda one: one.split(" of ")[-1])
    lines = ["| what was asked | " + " | ".join(versions) + " |", "| --- |" + " --- |" * len(versions)]
    for name in TABLE:
        answers = {row["version"]: row["answer"] for row in rows if row["row"] == name}
        lines.append(f"| {name} | " + " | ".join(answers.get(version, "") for version in versions) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the measurements, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("run", help="measure what is not in the results yet")
    run.add_argument("--tree", type=Path, default=ROOT)
    run.set_defaults(act=_run)
    report = commands.add_parser("report", help="print the table")
    report.set_defaults(act=lambda _: print(table(list(Rows("first_answers")))))
    asked = parser.parse_args()
    asked.act(asked)


if __name__ == "__main__":
    main()
