"""Party puzzles drawn at random, written as people write them, against all parties.

The oracle follows the page of the format and shares nothing with the package: plain dicts and exact numbers.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from differential.drawing import disagreements, drawn, exact_and_one_solver
from matheur import solve
from matheur.engine.source import Source
from matheur.errors import MatheurError
from matheur.problems.party import Party
from matheur.problems.party.formats import read_texts

__all__ = ["METHODS", "Drawn", "draw", "drawn", "section", "wrong"]

METHODS = ("branch-and-bound", "highs", "scip", "cp-sat", "pyomo:cbc", "pyomo:glpk")
TRAITS = {"club": ("Reds", "Blues", "Gr\u00fcne"), "league": ("X", "Y"), "element": ("fire", "water", "air")}
POSITIONS = ("GK", "CB", "ST")

Item = dict[str, str]


@dataclass(frozen=True)
class Drawn:
    """The object of the JSON file, with numbers as texts of decimals where they are not whole, and the rows."""

    puzzle: dict[str, Any]
    items: list[Item]

    def parties(self) -> Iterator[tuple[int, tuple[Item, ...]]]:
        """Price and items of every party that meets all demands."""
        slots = self.puzzle["slots"]
        able = [[item for item in self.items if _may_stand(self.puzzle, slot, item)] for slot in slots]
        for items in itertools.product(*able):
            if len({item["id"] for item in items}) == len(items) and self.meets(items):
                yield sum(int(item["price"]) for item in items), items

    def best(self) -> int | None:
        return min((price for price, _ in self.parties()), default=None)

    def meets(self, items: tuple[Item, ...]) -> bool:
        """Whether a party meets constraints and synergy."""
        holds = {">=": lambda a, b: a >= b, "<=": lambda a, b: a <= b, "==": lambda a, b: a == b}
        for demand in self.puzzle["constraints"]:
            cells = [item[demand["column"]] for item in items]
            value, kind = Fraction(demand["value"]), demand["type"]
            if kind == "sum":
                if "" in cells:
                    return False
                number: Fraction | int = sum(map(Fraction, cells))
            elif kind == "count":
                number = sum(cell in demand["in"] for cell in cells if cell)
            elif kind == "distinct":
                number = len({cell for cell in cells if cell})
            else:
                number = max(Counter(cell for cell in cells if cell).values(), default=0)
            if not holds[demand.get("op", "<=")](number, value):
                return False
        synergy = self.puzzle.get("synergy")
        if synergy is None or "min" not in synergy or not self.puzzle["edges"]:
            return True
        at = {slot["name"]: item for slot, item in zip(self.puzzle["slots"], items, strict=True)}
        weights = sum(Fraction(term.get("weight", 1)) for term in synergy["terms"])
        total = sum(
            Fraction(term.get("weight", 1)) * _match(term, at[a], at[b])
            for a, b in self.puzzle["edges"] for term in synergy["terms"]
        )  # fmt: skip
        return total >= Fraction(synergy["min"]) * weights * len(self.puzzle["edges"])


def _match(term: dict[str, Any], one: Item, two: Item) -> Fraction:
    a, b = one[term["column"]], two[term["column"]]
    if not a or not b:
        return Fraction(0)
    for left, right, value in term.get("pairs", []):
        if (a, b) in ((left, right), (right, left)):
            return Fraction(value)
    return Fraction(term.get("same", 1) if a == b else term.get("other", 0))


def _may_stand(puzzle: dict[str, Any], slot: dict[str, Any], item: Item) -> bool:
    if not item["price"] or item["id"] in puzzle["excluded"]:
        return False
    if puzzle["fixed"].get(slot["name"], item["id"]) != item["id"]:
        return False
    return "accepts" not in slot or bool(set(slot["accepts"]) & {one.strip() for one in item["position"].split("|")})


def draw(seed: int) -> Drawn:
    """One puzzle: all kinds of demands, also contradictory ones, prices up to 10**15."""
    roll = random.Random(seed)
    size = roll.choice((9, 9, 99, 10**4, 10**9, 10**12, 10**15))
    items = [_item(roll, number, size) for number in range(roll.randint(2, 8))]
    slots: list[dict[str, Any]] = []
    for name in ["S1", "two words", "\u00e9", "S4"][: roll.randint(1, min(4, len(items)))]:
        accepts = {"accepts": roll.sample(POSITIONS, roll.randint(1, 2))} if roll.random() < 0.5 else {}
        slots.append({"name": name, **accepts})
    names = [slot["name"] for slot in slots]
    pairs = list(itertools.combinations(names, 2))
    puzzle: dict[str, Any] = {
        "format": "matheur-party", "version": 1, "cards": "cards.csv", "slots": slots,
        "edges": [list(pair) for pair in pairs if roll.random() < 0.6],
        "constraints": [_constraint(roll, len(slots)) for _ in range(roll.choice((0, 0, 1, 1, 2, 3)))],
        "fixed": {roll.choice(names): roll.choice(items)["id"]} if roll.random() < 0.1 else {},
        "excluded": [roll.choice(items)["id"]] if roll.random() < 0.1 else [],
    }  # fmt: skip
    if roll.random() < 0.6:
        terms = [_term(roll) for _ in range(roll.randint(1, 3))]
        puzzle["synergy"] = {"terms": terms} | ({"min": _share(roll)} if roll.random() < 0.8 else {})
    return Drawn(puzzle, items)


def _item(roll: random.Random, number: int, size: int) -> Item:
    price = str(roll.choice((0, roll.randint(0, 3), *([roll.randint(size // 2, size)] * 4))))
    item = {"id": f"{number}" if number % 3 else f"n {number}", "price": price if roll.random() < 0.9 else ""}
    item["position"] = "|".join(roll.sample(POSITIONS, roll.choice((1, 1, 2))))
    for column, values in TRAITS.items():
        item[column] = roll.choice(values) if roll.random() < 0.9 else ""
    item["rating"] = (
        roll.choice((str(roll.randint(60, 99)), f"{roll.randint(60, 99)}.5")) if roll.random() < 0.95 else ""
    )
    item["salary"] = str(roll.randint(0, 10 ** roll.choice((1, 6, 12))))
    return item


def _constraint(roll: random.Random, slots: int) -> dict[str, Any]:
    kind, op = roll.choice(("sum", "sum", "count", "distinct", "max_same")), roll.choice((">=", ">=", "<=", "=="))
    if kind == "sum":
        column = roll.choice(("rating", "rating", "salary"))
        value = str(roll.randint(65, 90) * slots) + roll.choice(("", ".5")) if column == "rating" else str(10**6)
        return {"type": kind, "column": column, "op": roll.choice((">=", "<=")), "value": value}
    column = roll.choice(tuple(TRAITS))
    number = str(roll.randint(0, slots))
    if kind == "count":
        within = roll.sample(TRAITS[column], roll.randint(1, 2))
        return {"type": kind, "column": column, "in": within, "op": op, "value": number}
    if kind == "distinct":
        return {"type": kind, "column": column, "op": op, "value": number}
    return {"type": kind, "column": column, "value": str(roll.randint(1, slots))}


def _term(roll: random.Random) -> dict[str, Any]:
    column = roll.choice(tuple(TRAITS))
    term: dict[str, Any] = {"column": column}
    if roll.random() < 0.4:
        term["weight"] = roll.choice(("2", "0.5", "3"))
    if roll.random() < 0.3:
        term["same"], term["other"] = roll.choice(("1", "0.5", "0")), roll.choice(("0", "0.25", "1"))
    if roll.random() < 0.3:
        values = TRAITS[column]
        pairs = itertools.combinations_with_replacement(values, 2)
        term["pairs"] = [[*pair, _share(roll)] for pair in pairs if roll.random() < 0.4]
    return term


def _share(roll: random.Random) -> str:
    return roll.choice(("0", "1", "0.5", "0.25", "0.8", "0.9", "0.3333", "0.6"))


def texts(one: Drawn, seed: int) -> tuple[bytes, bytes]:
    """The two files, in one of the ways in which programs and people write them."""
    roll = random.Random(f"file {seed}")

    def plain(value: Any, key: str = "") -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{json.dumps(k)}: {plain(v, k)}" for k, v in value.items()) + "}"
        if isinstance(value, list):
            if key == "pairs" and value and isinstance(value[0], str):  # two values and a number
                return f"[{json.dumps(value[0])}, {json.dumps(value[1])}, {value[2]}]"
            return "[" + ",\n".join(plain(v, key) for v in value) + "]"
        return value if key in ("value", "min", "weight", "same", "other") else json.dumps(value)

    text = plain(one.puzzle)
    columns = list(one.items[0])
    roll.shuffle(columns)
    table, end = io.StringIO(newline=""), roll.choice(("\n", "\r\n", "\r"))
    writer = csv.writer(
        table, delimiter=roll.choice((",", ",", ";", "\t")), lineterminator=end,
        quoting=roll.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
    )  # fmt: skip
    writer.writerow([*columns, "remarks"])
    for item in one.items:
        writer.writerow([*(item[column] for column in columns), roll.choice(("", "a, b; c", f"two{end}lines"))])
    forms = ("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32")
    return text.encode(roll.choice(forms)), table.getvalue().encode(roll.choice((*forms, "cp1252")))


def wrong(one: Drawn, seed: int, methods: tuple[str, ...]) -> Iterator[str]:
    """What is wrong about reading this puzzle, or about solving it by some methods."""
    puzzle, table = texts(one, seed)
    problem = Party(read_texts(Source("puzzle.json", puzzle), Source("cards.csv", table)))
    best = one.best()
    slots = [slot["name"] for slot in one.puzzle["slots"]]
    for price, items in itertools.islice(one.parties(), 5):
        said = problem.evaluate(problem.decode({slot: item["id"] for slot, item in zip(slots, items, strict=True)}))
        if not said.feasible or said.objective != price:
            yield f"{[item['id'] for item in items]} costs {price}, not {said}"
    for method in methods:
        exact = method == "branch-and-bound"
        try:
            result = solve(
                problem, construction=method if exact else "milp-full", neighbourhoods=[], schedule="descent",
                solver="highs" if exact else method, seconds=20.0, seed=seed,
            )  # fmt: skip
        except MatheurError as error:
            yield f"{method}: {error}"
            continue
        if result.status == "infeasible":
            if best is not None:
                yield f"{method}: infeasible ({result.reason}), right is {best}"
        elif best is None:
            if result.status != "unknown":
                yield f"{method}: {result.status} {result.objective}, but there is no party"
        elif result.objective is not None and (
            result.objective < best or (result.status == "optimal" and result.objective != best)
        ):
            yield f"{method}: {result.status} {result.objective}, right is {best}"
        elif result.bound is not None and result.bound > best:
            yield f"{method}: bound {result.bound} above {best}"


def section(seed: int, count: int) -> list[str]:
    """Disagreements, a line each: branch and bound on every puzzle, and one MILP solver in turn."""
    return disagreements(
        (f"puzzle {number}", wrong(one, number, exact_and_one_solver(METHODS, number)))
        for number, one in drawn(draw, seed, count)
    )
