"""Quadratic assignment drawn at random, written in every way people write it, against all permutations.

The oracle and the writer share nothing with the package: exact numbers (`Fraction`), plain loops.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from differential.drawing import disagreements, drawn, exact_and_one_solver
from matheur import solve
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError, SolverError
from matheur.problems.quadratic_assignment import TYPE, QuadraticAssignment
from matheur.running.loading import recognise

__all__ = ["METHODS", "Drawn", "draw", "drawn", "section", "text_of", "wrong"]

METHODS = ("branch-and-bound", "highs", "scip", "cp-sat", "pyomo:cbc", "pyomo:glpk")
TOO_LARGE = 1 << 60

Matrix = list[list[Fraction]]


@dataclass(frozen=True)
class Drawn:
    """An instance, and by how many decimals its matrices are written."""

    flows: Matrix
    distances: Matrix
    decimals: tuple[int, int]

    @property
    def n(self) -> int:
        return len(self.flows)

    def cost(self, places: tuple[int, ...]) -> Fraction:
        every = range(self.n)
        return sum((self.flows[i][j] * self.distances[places[i]][places[j]] for i in every for j in every), Fraction(0))

    def best(self) -> Fraction:
        a, b = (
            [[int(value * 10**behind) for value in row] for row in matrix]
            for matrix, behind in zip((self.flows, self.distances), self.decimals, strict=True)
        )
        pairs = [(i, j, a[i][j]) for i in range(self.n) for j in range(self.n) if a[i][j]]
        every = itertools.permutations(range(self.n))
        least = min(sum(flow * b[places[i]][places[j]] for i, j, flow in pairs) for places in every)
        return Fraction(least, 10 ** sum(self.decimals))

    @property
    def refused(self) -> bool:
        """Whether sums may exceed what the page of the problem promises to compute."""
        a, b = (
            [abs(value) * 10**behind for row in matrix for value in row]
            for matrix, behind in zip((self.flows, self.distances), self.decimals, strict=True)
        )
        return min(sum(a) * max(b), sum(b) * max(a)) >= TOO_LARGE or max(a + b) >= 1 << 63


def draw(seed: int) -> Drawn:
    """One instance: sparse or full, any symmetry, signs, zeros, numbers up to 2**60, some with decimals."""
    roll = random.Random(seed)
    n = roll.choice((1, 2, 3, 4, 5, 5, 6, 6, 7))
    fine = roll.random() < 0.2
    matrices, decimals = [], []
    for _ in range(2):
        behind = roll.choice((0, 1, 2, 4)) if fine else 0
        size = roll.choice((1, 9, 9, 99, 1 << 20, 1 << 25, 1 << 28) + (() if fine else (1 << 40, 1 << 52)))
        low = roll.choice((0, 0, 0, -size))
        sparse = roll.choice((0, 0, 0.3, 0.7, 1))
        matrix = [[0 if roll.random() < sparse else roll.randint(low, size) for _ in range(n)] for _ in range(n)]
        if roll.random() < 0.5:
            matrix = [[matrix[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
        if roll.random() < 0.5:
            matrix = [[0 if i == j else matrix[i][j] for j in range(n)] for i in range(n)]
        matrices.append([[Fraction(value, 10**behind) for value in row] for row in matrix])
        decimals.append(max((_decimals(value) for row in matrices[-1] for value in row), default=0))
    return Drawn(matrices[0], matrices[1], (decimals[0], decimals[1]))


def _decimals(value: Fraction) -> int:
    return next(behind for behind in range(30) if (value * 10**behind).denominator == 1)


def _word(roll: random.Random, value: Fraction) -> str:
    behind = _decimals(value)
    digits = str(abs(value * 10**behind)).rjust(behind + 1, "0")
    text = f"{digits[:-behind]}.{digits[-behind:]}" if behind else digits
    chance = roll.random()
    if chance < 0.02:
        text = f"0{text}"
    elif chance < 0.04 and abs(value) < 10**15:
        text += "00" if behind else ".0"
    elif chance < 0.05 and behind:
        text = text.removeprefix("0") if text.startswith("0.") else text
    sign = "-" if value < 0 else "+" if chance > 0.98 else ""
    return sign + text


def text_of(one: Drawn, seed: int) -> tuple[bytes, bool]:
    """A file of the instance, and whether it must be recognised without being told."""
    roll = random.Random(f"file {seed}")
    n = one.n
    blocks = [[[_word(roll, value) for value in row] for row in matrix] for matrix in (one.flows, one.distances)]
    layout = roll.choice(("rows", "rows", "rows", "matrices", "wrapped", "line", "column"))
    known = [str(roll.choice((-1, 1, 1)) * roll.randint(3, 10**6)) for _ in range(2)]
    front = known[: roll.choice((0, 0, 1, 1, 2))] if layout in ("rows", "matrices") and n > 2 else []
    back = known[: roll.choice((0, 0, 1))] if layout in ("rows", "matrices") and n > 2 else []
    between = roll.choice((" ", "  ", "\t", ",", ", ", ";", " ; ") if layout == "rows" else (" ", "\t", ";"))
    gap = roll.choice(([""], [], ["", ""]))
    lines = [between.join([str(n), *front]), *gap]
    if layout == "rows":
        for block in blocks:
            lines += [between.join(row) for row in block] + gap
    elif layout == "matrices":
        for block in blocks:
            lines += [between.join(itertools.chain(*block)), ""]
    else:
        words = [str(n), *itertools.chain(*itertools.chain(*blocks))]
        width = {"line": len(words), "column": 1, "wrapped": roll.randint(6, 20)}[layout]
        lines = [between.join(words[start : start + width]) for start in range(0, len(words), width)]
    lines += back
    if roll.random() < 0.2:
        lines.insert(0, roll.choice(("# 12 a comment", "// 7", "% x", "c made by hand", "! 3 4")))
    if roll.random() < 0.1:
        lines[-1] += "   # the end"
    if roll.random() < 0.2:
        lines = [f"  {line} " for line in lines]
    text = roll.choice(("\n", "\n", "\r\n", "\r")).join(lines) + roll.choice(("", "\n", "\n\n", "\n\x1a"))
    clear = layout == "rows" and (n > 3 if front or back else n > 1)
    return text.encode(roll.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32"))), clear


def solution_of(one: Drawn, seed: int) -> tuple[bytes, tuple[int, ...]]:
    """A file of a permutation, and what it means."""
    roll = random.Random(f"solution {seed}")
    places = tuple(roll.sample(range(one.n), one.n))
    inverse = tuple(places.index(location) for location in range(one.n))
    value, base = _word(random.Random(0), one.cost(places)), roll.choice((0, 1))
    stated = roll.choice(("both", "value", "behind", "size", "none"))
    listed = inverse if stated in ("both", "value") and roll.random() < 0.3 else places
    words = [str(place + base) for place in listed]
    words = {"both": [str(one.n), value, *words], "value": [value, *words], "behind": [str(one.n), *words, value],
             "size": [str(one.n), *words], "none": words}[stated]  # fmt: skip
    between = roll.choice((" ", "\n", ",", ", ", ";", "\r\n"))
    return between.join(words).encode(), places


def wrong(one: Drawn, seed: int, methods: tuple[str, ...]) -> Iterator[str]:
    """What is wrong about reading this instance, or about solving it by some methods."""
    data, clear = text_of(one, seed)
    source = Source("drawn.dat", data)
    try:
        if clear and not one.refused and recognise(source) is not TYPE:
            yield "recognised as another problem"
        problem = TYPE.read(source, {})
    except InputError as error:
        if not (one.refused and ("could overflow" in str(error) or "too large" in str(error))):
            yield f"refused: {error}"
        return
    if one.refused:
        yield "not refused"
        return
    best, unit = one.best(), 10 ** sum(problem.instance.decimals)
    yield from _solution_wrong(one, problem, seed)
    for method in methods:
        exact = method == "branch-and-bound"
        try:
            result = solve(
                problem, construction=method if exact else "milp-full", neighbourhoods=[], schedule="descent",
                solver="highs" if exact else method, seconds=20.0, seed=seed,
            )  # fmt: skip
        except (ConfigurationError, SolverError) as error:
            if "takes no costs as large as these" not in str(error) and "too many digits" not in str(error):
                yield f"{method}: {error}"
            continue
        if result.objective is None or result.status not in ("optimal", "feasible"):
            yield f"{method}: {result.status}"
            continue
        objective = Fraction(result.objective, unit)
        if (result.status == "optimal" and objective != best) or objective < best:
            yield f"{method}: {result.status} {objective}, right is {best}"
        if result.bound is not None and Fraction(result.bound) / unit > best:
            yield f"{method}: bound {result.bound} / {unit} above {best}"
        if result.score != (int(objective) if objective.denominator == 1 else float(objective)):
            yield f"{method}: score {result.score} of {objective}"


def _solution_wrong(one: Drawn, problem: QuadraticAssignment, seed: int) -> Iterator[str]:
    data, places = solution_of(one, seed)
    try:
        found = TYPE.read_solution(problem, Source("drawn.sln", data))
    except InputError as error:
        if "may be two permutations" not in str(error):
            yield f"solution refused: {error}"
        return
    if found.tolist() != list(places) and one.cost(tuple(found.tolist())) != one.cost(places):
        yield f"solution {data!r} read as {found.tolist()}"


def section(seed: int, count: int) -> list[str]:
    """Disagreements, a line each: branch and bound on every instance, and one MILP solver in turn."""
    return disagreements(
        (f"instance {number} (n = {one.n})", wrong(one, number, exact_and_one_solver(METHODS, number)))
        for number, one in drawn(draw, seed, count)
    )
