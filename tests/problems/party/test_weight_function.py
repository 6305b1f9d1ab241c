"""Weight functions given as expressions."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from matheur.engine import Budget
from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.party import Party
from matheur.problems.party.formats import read_texts, write_puzzle
from matheur.problems.party.operators.milp_full import MilpFull
from matheur.problems.party.weight_function import WeightFunction

CARDS = "id,price,race,level,eye colour\n1,5,Orc,80,red\n2,4,Orc,84,blue\n3,6,Elf,81,red\n4,1,Elf,60,\n5,2,Imp,81,red\n"
ONE = {"race": "Orc", "level": Fraction(80), "eye colour": "red"}
TWO = {"race": "Elf", "level": Fraction(84), "eye colour": "red"}


def puzzle(*terms: Any, least: float = 0.5) -> dict[str, Any]:
    """Two neighbours from five items, with these terms of the synergy."""
    return {
        "format": "matheur-party", "version": 1, "cards": "cards.csv", "slots": [{"name": "A"}, {"name": "B"}],
        "edges": [["A", "B"]], "synergy": {"terms": list(terms), "min": least},
    }  # fmt: skip


def read(document: dict[str, Any]) -> Party:
    """The puzzle on the table of five."""
    return Party(read_texts(Source("<puzzle>", json.dumps(document).encode()), Source("<cards>", CARDS.encode())))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.race == b.race", 0),
        ("0.1 + 0.2", Fraction(3, 10)),
        ("0.5 * (a.race == b.race) + 0.5 * (abs(a.level - b.level) <= 4)", Fraction(1, 2)),
        ("1 / (1 + abs(a.level - b.level))", Fraction(1, 5)),
        ('1 if {a.race, b.race} == {"Elf", "Orc"} else 0', 1),
        ('a["eye colour"] == b["eye colour"] and not a.race == "Imp"', 1),
        ('a.race in {"Elf", "Orc"} or 1 / 0', 1),
        ("max(0, min(1, (a.level + b.level - 120) / 100))", Fraction(44, 100)),
        ("80 <= a.level < 84 != b.race", 1),
        ("-a.level + 80", 0),
    ],
)
def test_expressions_have_exact_values(text: str, expected: Any) -> None:
    """Decimals are fractions, comparisons 1 or 0, and only what is needed is evaluated."""
    assert WeightFunction.parse(text)(ONE, TWO) == expected


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')", "a.race.upper()", "().__class__", "a", "c.race", "lambda: 1", "[x for x in a]", "2 ** 9",
        "a.level // 2", "f'{a.race}'", "print(1)", "abs(1, 2)", "abs()", "min(*a)", "max(1, key=2)", "a[0]", "True",
        "None", "1j", "a.race is b.race", "-" * 1900 + "1",
        "1e999", "(x := 1)", "b'x'", "...", "a.level; 1", "1 +", "", "(" * 300 + "1" + ")" * 300, "1" * 3000, "not (a)",
    ],
)  # fmt: skip
def test_what_is_not_of_the_language_is_refused(text: str) -> None:
    """No name, call, attribute of a value or operator but the few that are told, and no long or deep text."""
    with pytest.raises(ValueError, match=r"holds|is not an expression|nested|more than"):
        WeightFunction.parse(text)(ONE, TWO)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a.race", "is not a number ('Orc')"), ("a.level", "is 80, not from 0 to 1"), ("0 - 1", "is -1, not"),
        ("1 / (a.level - 80)", "divides by 0"), ("a.race < b.level", "compares a text with a number by size"),
        ("a.race in b.race", "not a set"), ("abs(a.race)", "calculates with a text"),
    ],
)  # fmt: skip
def test_values_that_are_no_weight_are_refused(text: str, message: str) -> None:
    """A weight is a number from 0 to 1."""
    with pytest.raises(ValueError, match=re.escape(message)):
        WeightFunction.parse(text)(ONE, TWO)


def test_a_puzzle_with_a_function_is_read_evaluated_solved_and_written() -> None:
    """The synergy is the function's value, an empty cell gives 0, and the puzzle comes back from its own text."""
    near = "0.5 * (a.race == b.race) + 0.5 * (abs(a.level - b.level) <= 1)"
    problem = read(puzzle({"function": near, "weight": 3}, {"column": "race"}))
    assert problem.synergy(np.array([0, 1], dtype=np.int32)) == Fraction(3 * Fraction(1, 2) + 1, 4)
    assert problem.synergy(np.array([0, 2], dtype=np.int32)) == Fraction(3 * Fraction(1, 2), 4)
    assert problem.synergy(np.array([1, 4], dtype=np.int32)) == 0
    outcome = MilpFull().build(problem, Budget(), np.random.default_rng(1))
    assert (outcome.objective, sorted(outcome.solution.tolist())) == (7, [2, 3])
    text, table = write_puzzle(problem.instance)
    again = Party(read_texts(Source("<puzzle>", text.encode()), Source("<cards>", table.encode())))
    assert json.loads(text)["synergy"]["terms"][0] == {"function": near, "weight": 3}
    assert table.splitlines()[0].count("=") == 0
    for party in ([0, 1], [2, 4], [3, 1]):
        assert again.evaluate(np.array(party, dtype=np.int32)) == problem.evaluate(np.array(party, dtype=np.int32))
    eyes = read(puzzle({"function": 'a["eye colour"] == b["eye colour"]'}))
    assert eyes.synergy(np.array([0, 2], dtype=np.int32)) == 1
    assert eyes.synergy(np.array([3, 3], dtype=np.int32)) == 0


@pytest.mark.parametrize(
    ("term", "message"),
    [
        ({"function": "a.rase == b.rase"}, "speaks of the column 'rase', which <cards> lacks. Maybe 'race'?"),
        ({"function": "a.level <= 80"}, "terms[0].function is not symmetric: it gives"),
        ({"function": "a.level - b.level"}, "not from 0 to 1, for (level"),
        ({"function": "1"}, "reads no column of a or b"),
        ({"function": "open(2)"}, "terms[0].function holds 'open(2)'"),
        ({"function": 3}, "terms[0].function must be a text"),
        ({"function": "a.race == b.race", "column": "race"}, "terms[0].column is not a known key"),
        ({"function": "abs(a.race - b.race) < 1"}, "'Orc' is not a number"),
    ],
)
def test_wrong_functions_are_errors_of_the_file(term: dict[str, Any], message: str) -> None:
    """They name the key and what is wrong."""
    with pytest.raises(InputError) as error:
        read(puzzle(term))
    assert message in str(error.value)
