"""Squads with the constraint sets of public squad-building programs, compared with CP-SAT: prices and times.

    python benchmarks/squads.py make FOLDER [--cards 1000] [--seed 1] [--small]  # puzzles and their table of cards
    python benchmarks/squads.py cp-sat PUZZLE ... [--seconds 60] [--workers 2]
    python benchmarks/squads.py compare FOLDER [--seconds 60] [--workers 2]   # both, as a table

All cards are invented. `position` has the constraints of programs that solve challenges with every card in position
(counts of values, at most and at least k of the same, mean rating, chemistry). `rating` has those of programs that use
up a collection (the game's rating formula, cards out of position, owned, required and excluded cards, one version of a
player). `points` has those of team builders (maximum points under a budget with a minimum chemistry). `pair` asks for
two squads from one collection. CP-SAT uses a separate formulation that shares no code with the package; it runs in a
separate process, since OR-Tools and highspy cannot be loaded into one process.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

CHEMISTRY = [
    {"column": "club", "steps": [2, 4, 7]},
    {"column": "league", "steps": [3, 5, 8]},
    {"column": "nation", "steps": [2, 5, 8]},
]
FORMATION = ("GK", "LB", "CB", "CB", "RB", "LM", "CM", "CM", "RM", "ST", "ST")
SHARES = {"GK": 0.1, "CB": 0.18, "LB": 0.08, "RB": 0.08, "CM": 0.22, "LM": 0.08, "RM": 0.08, "ST": 0.18}
NEAR = {"LB": "LM", "LM": "LB", "RB": "RM", "RM": "RB", "CM": "CB", "CB": "CM", "ST": "CM", "GK": "GK"}


def cards(count: int, seed: int) -> str:
    """A table of invented cards: good ones are expensive, clubs play in leagues, some players have two versions."""
    rng = np.random.default_rng(seed)
    leagues, nations = 6, 24
    clubs = [(club, int(rng.integers(leagues))) for club in range(60)]
    weights = 1 / np.arange(1, nations + 1) ** 0.8
    out = io.StringIO(newline="")
    table = csv.writer(out, lineterminator="\n")
    table.writerow(
        ["id", "name", "rating", "club", "league", "nation", "rarity", "position", "points", "owned", "price"]
    )
    for number in range(1, count + 1):
        club, league = clubs[int(rng.integers(len(clubs)))]
        rating = int(np.clip(round(rng.normal(75, 6)), 60, 91))
        rarity = "icon" if rating > 86 and rng.random() < 0.3 else "rare" if rng.random() < 0.5 else "common"
        first = str(rng.choice(list(SHARES), p=list(SHARES.values())))
        places = first if rng.random() < 0.7 else "|".join(dict.fromkeys([first, NEAR[first]]))
        price = int(200 * math.exp(0.05 * (rating - 60) + 0.22 * max(0, rating - 78) + rng.normal(0, 0.35)) // 50 * 50)
        points = round(rating / 2 + rng.normal(0, 3), 1)
        name = number if rng.random() < 0.95 else max(1, number - 1)
        nation = int(rng.choice(nations, p=weights / weights.sum()))
        owned = "yes" if rng.random() < 0.1 else ""
        cells = [number, f"P{name}", rating, f"C{club}", f"L{league}", f"N{nation}", rarity, places, points]
        table.writerow([*cells, owned, max(200, price)])
    return out.getvalue()


LARGE = {
    "places": FORMATION, "mean": 77, "rare": 6, "good": 2, "leagues": 3, "nation": 4, "club": 3, "chemistry": 20,
    "rating": 81, "nations": 6, "league": 4, "loose": 12, "budget": 12000, "strict": 18, "each": 1,
}  # fmt: skip
SMALL = {
    "places": ("GK", "CB", "CM", "CM", "ST"), "mean": 76, "rare": 3, "good": 1, "leagues": 2, "nation": 2, "club": 2,
    "chemistry": 4, "rating": 79, "nations": 4, "league": 2, "loose": 3, "budget": 3000, "strict": 3, "each": 0,
}  # fmt: skip


def puzzles(cards_name: str, small: bool = False) -> dict[str, dict[str, Any]]:
    """Content of each puzzle's file, with eleven slots or five."""
    demand: dict[str, Any] = SMALL if small else LARGE
    places = demand["places"]
    head = {"format": "matheur-party", "version": 1, "cards": cards_name}
    numbered = [f"{place}{places[:slot].count(place) + 1}" for slot, place in enumerate(places)]
    strict = [{"name": name, "accepts": [place]} for name, place in zip(numbered, places, strict=True)]
    loose = [{"name": name, "plays": [place]} for name, place in zip(numbered, places, strict=True)]

    def same(kind: str, column: str, value: int) -> dict[str, Any]:
        return {"type": kind, "column": column, "value": value}

    def chemistry(value: int, **more: Any) -> dict[str, Any]:
        return {"type": "chemistry", "groups": CHEMISTRY, "op": ">=", "value": value, **more}

    def total(column: str, op: str, value: int) -> dict[str, Any]:
        return {"type": "sum", "column": column, "op": op, "value": value}

    def rated(value: int) -> dict[str, Any]:
        return {"type": "squad_rating", "column": "rating", "op": ">=", "value": value}

    def from_on(least: int, value: int) -> dict[str, Any]:
        return {"type": "count", "column": "rating", "from": least, "op": ">=", "value": value}

    position = [
        total("rating", ">=", demand["mean"] * len(places)),
        {"type": "count", "column": "rarity", "in": ["rare", "icon"], "op": ">=", "value": demand["rare"]},
        from_on(82, demand["good"]),
        {"type": "distinct", "column": "league", "op": ">=", "value": demand["leagues"]},
        same("min_same", "nation", demand["nation"]),
        same("max_same", "club", demand["club"]),
        chemistry(demand["chemistry"]),
    ]
    rating = [
        rated(demand["rating"]),
        from_on(85, 1),
        {"type": "distinct", "column": "nation", "op": "<=", "value": demand["nations"]},
        same("min_same", "league", demand["league"]),
        same("max_same", "club", demand["club"]),
        same("max_same", "name", 1),
        chemistry(demand["loose"], full={"column": "rarity", "in": ["icon"]}),
    ]
    points = [
        total("price", "<=", demand["budget"]),
        same("max_same", "club", demand["club"]),
        chemistry(demand["strict"], each=demand["each"]),
    ]
    first = [rated(demand["rating"] - 3), same("min_same", "league", demand["league"] + 1)]
    second = [total("rating", ">=", (demand["mean"] - 2) * len(places)), chemistry(demand["loose"])]
    ids = {"owned": "owned", "required": ["5"], "excluded": ["7", "8"]}
    squads = [
        {"name": "first", "slots": loose, "constraints": first},
        {"name": "second", "slots": strict, "constraints": second},
    ]
    return {
        "position": {**head, "slots": strict, "constraints": position},
        "rating": {**head, "slots": loose, "constraints": rating, **ids},
        "points": {**head, "slots": strict, "constraints": points, "owned": "owned", "maximise": "points"},
        "pair": {**head, "squads": squads},
    }


def make(folder: Path, count: int, seed: int, small: bool = False) -> list[Path]:
    """Write the table of cards and the puzzles."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cards.csv").write_text(cards(count, seed))
    paths = []
    for name, content in puzzles("cards.csv", small).items():
        paths.append(folder / f"{name}.json")
        paths[-1].write_text(json.dumps(content, indent=1))
    return paths


class Native:
    """CP-SAT model of a puzzle of this script, built from its two files."""

    def __init__(self, path: Path) -> None:
        from ortools.sat.python import cp_model

        puzzle = json.loads(path.read_text())
        with (path.parent / puzzle["cards"]).open() as file:
            self.rows = list(csv.DictReader(file))
        self.model = cp_model.CpModel()
        squads = puzzle.get("squads") or [{"slots": puzzle["slots"], "constraints": []}]
        left_out = set(puzzle.get("excluded", []))
        self.slots: list[dict[str, Any]] = []
        self.x: list[dict[int, Any]] = []
        members = []
        for squad in squads:
            members.append(range(len(self.slots), len(self.slots) + len(squad["slots"])))
            for slot in squad["slots"]:
                self.slots.append(slot)
                self.x.append(
                    {i: self.model.new_bool_var("") for i in range(len(self.rows))
                     if self.rows[i]["id"] not in left_out and self._at(i, slot.get("accepts"))}
                )  # fmt: skip
        chosen = defaultdict(list)
        for own in self.x:
            self.model.add_exactly_one(own.values())
            for i, literal in own.items():
                chosen[i].append(literal)
        for literals in chosen.values():
            self.model.add_at_most_one(literals)
        for i, row in enumerate(self.rows):
            if row["id"] in puzzle.get("required", []):
                self.model.add_exactly_one(chosen[i])
        owned = puzzle.get("owned")
        for row in self.rows:
            row["price"] = "0" if owned and row[owned] == "yes" else row["price"]
        for one in puzzle.get("constraints", []):
            self.demand(one, range(len(self.slots)))
        for squad, own in zip(squads, members, strict=True):
            for one in squad["constraints"]:
                self.demand(one, own)
        self.wanted = puzzle.get("maximise")
        scaled = [round(10 * float(row[self.wanted or "price"])) for row in self.rows]
        total = sum(scaled[i] * literal for own in self.x for i, literal in own.items())
        self.model.maximize(total) if self.wanted else self.model.minimize(total)

    def _at(self, i: int, places: list[str] | None) -> bool:
        return places is None or bool(set(places) & set(self.rows[i]["position"].split("|")))

    def by_value(self, column: str, slots: range, placed: bool = False) -> dict[str, list[Any]]:
        """Literals of each value, optionally only of cards in position."""
        groups = defaultdict(list)
        for slot in slots:
            for i, literal in self.x[slot].items():
                if not placed or self._at(i, self.slots[slot].get("plays")):
                    groups[self.rows[i][column]].append(literal)
        return groups

    def limit(self, total: Any, op: str, value: float) -> None:
        self.model.add(total >= math.ceil(value) if op == ">=" else total <= math.floor(value))

    def demand(self, one: dict[str, Any], slots: range) -> None:
        """Add one constraint."""
        model, kind = self.model, one["type"]
        if kind == "sum":
            pairs = [(int(self.rows[i][one["column"]]), lit) for s in slots for i, lit in self.x[s].items()]
            self.limit(sum(number * lit for number, lit in pairs), one["op"], one["value"])
        elif kind == "count":
            groups = self.by_value(one["column"], slots)
            inside = one.get("in") or [value for value in groups if int(value) >= one["from"]]
            self.limit(sum(lit for value in inside for lit in groups.get(value, ())), one["op"], one["value"])
        elif kind == "distinct":
            used = []
            for literals in self.by_value(one["column"], slots).values():
                used.append(model.new_bool_var(""))
                model.add_max_equality(used[-1], literals)
            self.limit(sum(used), one["op"], one["value"])
        elif kind == "max_same":
            for literals in self.by_value(one["column"], slots).values():
                model.add(sum(literals) <= one["value"])
        elif kind == "min_same":
            reached = []
            for literals in self.by_value(one["column"], slots).values():
                reached.append(model.new_bool_var(""))
                model.add(sum(literals) >= one["value"]).only_enforce_if(reached[-1])
            model.add_bool_or(reached)
        elif kind == "squad_rating":
            count, top = len(slots), 100 * len(slots) ** 2
            own = [sum(int(self.rows[i][one["column"]]) * lit for i, lit in self.x[s].items()) for s in slots]
            excess = []
            for rating in own:
                excess.append(model.new_int_var(0, top, ""))
                model.add_max_equality(excess[-1], [count * rating - sum(own), 0])
            model.add(count * sum(own) + sum(excess) >= one["value"] * count * count)
        else:
            self.chemistry(one, slots)

    def chemistry(self, one: dict[str, Any], slots: range) -> None:
        """Chemistry points card by card, limited by the steps that its values have reached."""
        model, steps = self.model, defaultdict(list)
        for group in one["groups"]:
            for value, literals in self.by_value(group["column"], slots, placed=True).items():
                for step in group["steps"]:
                    reached = model.new_bool_var("")
                    model.add(sum(literals) >= step).only_enforce_if(reached)
                    model.add(sum(literals) < step).only_enforce_if(~reached)
                    steps[group["column"], value].append(reached)
        full = one.get("full")
        placed = defaultdict(list)
        for slot in slots:
            for i, literal in self.x[slot].items():
                if self._at(i, self.slots[slot].get("plays")):
                    placed[i].append(literal)
        points = []
        for i, literals in placed.items():
            points.append(model.new_int_var(0, 3, ""))
            model.add(points[-1] <= 3 * sum(literals))
            model.add(points[-1] >= one.get("each", 0) * sum(literals))
            if not (full and self.rows[i][full["column"]] in full["in"]):
                own = [
                    reached
                    for group in one["groups"]
                    for reached in steps[group["column"], self.rows[i][group["column"]]]
                ]
                model.add(points[-1] <= sum(own))
        model.add(sum(points) >= one["value"])

    def solve(self, seconds: float, workers: int) -> dict[str, Any]:
        """Solve the model; return status, value and time."""
        from ortools.sat.python import cp_model

        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = seconds
        solver.parameters.num_workers = workers
        began = time.monotonic()
        status = solver.solve(self.model)
        found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
        row = {"status": solver.status_name(status).lower(), "seconds": round(time.monotonic() - began, 1)}
        row["score"] = solver.objective_value / 10 if found else None
        row["bound"] = solver.best_objective_bound / 10
        return row


def compare(folder: Path, seconds: float, workers: int) -> None:
    """Print one line per puzzle: the default preset of this package, then CP-SAT."""
    from matheur import solve

    print("| puzzle | score | bound | seconds | first after | CP-SAT | bound | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for path in sorted(folder.glob("*.json")):
        first: list[float] = []

        def watch(event: Any, first: list[float] = first) -> None:
            if event["event"] == "incumbent" and not first:
                first.append(float(event["seconds"]))

        began = time.monotonic()
        result = solve(path, seconds=seconds, observers=[watch])
        taken = time.monotonic() - began
        command = [sys.executable, __file__, "cp-sat", str(path), "--seconds", str(seconds), "--workers", str(workers)]
        peer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        bound = None if result.bound is None else result.problem.score(result.bound)
        cells = (
            path.stem, f"{result.score} {result.status}", bound, f"{taken:.1f}", f"{first[0]:.1f}" if first else "-",
            f"{peer['score']} {peer['status']}", peer["bound"], peer["seconds"],
        )  # fmt: skip
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("make", "cp-sat", "compare"))
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--cards", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--small", action="store_true", help="squads of five")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    if given.task == "make":
        make(given.paths[0], given.cards, given.seed, given.small)
    elif given.task == "cp-sat":
        for path in given.paths:
            print(json.dumps({"puzzle": path.stem, **Native(path).solve(given.seconds, given.workers)}), flush=True)
    else:
        compare(given.paths[0], given.seconds, given.workers)


if __name__ == "__main__":
    main()
