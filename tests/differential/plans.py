"""Plan puzzles from drawn files: what the package reads, finds and proves, against exhaustive search."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np

import matheur
from differential.plan_puzzles import DRAWN, Puzzle
from matheur.engine.source import Source
from matheur.errors import InputError, MatheurError
from matheur.running.loading import problem_type, recognise

__all__ = ["drawn", "section", "wrong"]


def drawn(seed: int, number: int) -> Puzzle:
    """A puzzle; kinds take turns."""
    return DRAWN[number % len(DRAWN)](random.Random(f"{seed} {number}"))


def wrong(puzzle: Puzzle, seed: int) -> str:
    """What is read, found or proved wrongly; empty if all is right."""
    roll = random.Random(seed)
    source = Source(puzzle.name, puzzle.data, puzzle.part)
    try:
        try:
            kind = recognise(source)
        except InputError as error:
            # Rows of small numbers may be instances of several kinds: then the kinds are named.
            if "may be an instance of" not in str(error) or puzzle.kind not in str(error):
                raise
            kind = problem_type(puzzle.kind)
        if kind.name != puzzle.kind:
            return f"read as {kind.name}"
        problem = kind.read(source, puzzle.options)
        name, heuristic = roll.choice(puzzle.searches)
        settings = [f"construction.heuristic={heuristic}"] if heuristic else []
        result = matheur.solve(problem, construction=name, neighbourhoods=[], settings=settings, seconds=60)
    except MatheurError as error:
        return f"{type(error).__name__}: {error}"
    if puzzle.right is None:
        return "" if result.status == "infeasible" else f"{name} says {result.status} {result.objective}, none exists"
    if (result.status, result.objective) != ("optimal", puzzle.right):
        return f"{name} says {result.status} {result.objective}, it is {puzzle.right}"
    plan = result.solution
    assert puzzle.plan is not None
    text = puzzle.plan(roll, problem.encode(plan))
    try:
        again = kind.read_solution(
            problem, Source("plan.txt", text.encode(roll.choice(("utf-8", "utf-8-sig", "utf-16"))))
        )
    except InputError as error:
        return f"the plan {text!r}: {error}"
    return "" if np.array_equal(again, plan) else f"the plan {text!r} is read as {problem.encode(again)}"


def section(seed: int, count: int) -> list[str]:
    """For `benchmarks/differential.py`: what is wrong with `count` puzzles."""
    found = []
    for number in range(count):
        puzzle = drawn(seed, number)
        fault = wrong(puzzle, number)
        if fault:
            text = replace(puzzle, searches=(), plan=None)
            found.append(f"puzzle {number}: {fault}: {text.data!r} part {text.part} {text.options}")
    return found
