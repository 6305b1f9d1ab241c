"""What is written can be read again."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from problems.party.brute_force import tiny_instances
from problems.party.formats.example import PUZZLE, read
from problems.party.strategies import instances

from matheur.errors import InputError
from matheur.problems.party import Instance, Party, Synergy, Term, write_puzzle
from matheur.problems.party.formats.writer import json_text


def same_trait_columns(one: Instance, other: Instance) -> bool:
    """A column that nothing speaks of is written and not read."""
    return all(
        name not in other.catalogue.traits or trait.values == other.catalogue.traits[name].values
        for name, trait in one.catalogue.traits.items()
    )


@settings(max_examples=50)
@given(instances())
def test_any_puzzle_is_read_as_it_was_written(instance: Instance) -> None:
    """Awkward names, cells, numbers and tables come back; the content has the same fingerprint."""
    puzzle, table = write_puzzle(instance, 'a "table".csv')
    assert json.loads(puzzle)["cards"] == 'a "table".csv'
    again = read(puzzle, table)
    assert again.name == instance.name
    assert again.synergy == instance.synergy
    assert again.constraints == instance.constraints
    assert dict(again.fixed) == dict(instance.fixed)
    assert same_trait_columns(instance, again)
    assert Party(again).fingerprint == Party(instance).fingerprint


@settings(max_examples=30)
@given(tiny_instances())
def test_puzzles_keep_what_the_demands_need(instance: Instance) -> None:
    """Of an instance with idle columns everything else comes back, and written again it is the same text."""
    again = read(*write_puzzle(instance))
    assert same_trait_columns(instance, again)
    assert [items.tolist() for items in again.candidates] == [items.tolist() for items in instance.candidates]
    assert read(*write_puzzle(again)).constraints == instance.constraints
    assert write_puzzle(read(*write_puzzle(again))) == write_puzzle(again)


def test_the_text_is_for_people_too() -> None:
    """Short things stand on one line; what has its usual value is left out."""
    puzzle, table = write_puzzle(read(PUZZLE))
    assert '    {"column": "club"},\n    ' in puzzle.replace("      ", "    ")
    assert '  "fixed": {"GK": "17"},' in puzzle
    assert '"min": 0.8' in puzzle
    assert table.split("\n")[0].startswith("id,price,position,club")
    assert json_text({}, 0) == "{}"


def test_numbers_without_decimals_that_end() -> None:
    """A third cannot be written: an error, not a rounded number."""
    one = read(PUZZLE)
    third = Instance(one.catalogue, one.slots, one.fits, one.edges, Synergy((Term("club"),), Fraction(1, 3)))
    with pytest.raises(InputError, match="1/3 has no decimal form"):
        write_puzzle(third)
