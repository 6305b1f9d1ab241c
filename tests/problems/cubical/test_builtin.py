"""Built-in puzzles are those of the paper."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from matheur.errors import InputError
from matheur.problems.cubical import BUILTINS, Cubical, builtin


def test_they_are_the_published_ones(data: Path) -> None:
    """Every published configuration is there and no other, and the known optimal plans solve them."""
    names = {"demo"}
    with (data / "state_space/cubic_instances.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            level = row["level"] if row["level"].startswith("row") else f"level{row['level']}"
            name = f"d{row['d']}-k{row['k']}-{level}"
            names.add(name)
            one = builtin(name)
            assert (one.dimension, one.k, one.empty) == (int(row["d"]), int(row["k"]), int(row["l"]))
            assert one.rings == tuple(row["colours"].split())
            assert " ".join(map(str, one.start)) == row["start"]
            assert " ".join(map(str, one.target)) == row["target"]
            if row["exact_optimal_len"] == "unreachable":
                continue
            problem = Cubical(one)
            assert problem.infeasible_reason() is None
            evaluation = problem.evaluate(problem.decode(row["exact_optimal_plan"].split()))
            assert (evaluation.objective, evaluation.violations) == (int(row["exact_optimal_len"]), ())
    assert names == set(BUILTINS)
    assert len(names) == 37


def test_the_demonstration_is_one_of_them() -> None:
    """`demo` is level 4 of dimension 4 with faces of dimension 3."""
    assert Cubical(builtin("demo")).fingerprint == Cubical(builtin("d4-k3-level4")).fingerprint


def test_an_unknown_name_gets_a_suggestion() -> None:
    """A near miss names the nearest puzzle."""
    with pytest.raises(InputError, match="Maybe 'd4-k3-level4'"):
        builtin("d4-k3-levl4")
