"""Files of party puzzles: the JSON file of a puzzle, the CSV table of its items, and parties."""

from matheur.problems.party.formats.options import ReadOptions
from matheur.problems.party.formats.puzzle import FORMAT
from matheur.problems.party.formats.reader import claim, read_instance, read_texts
from matheur.problems.party.formats.solutions import read_solution
from matheur.problems.party.formats.writer import write_puzzle

__all__ = [
    "FORMAT",
    "ReadOptions",
    "claim",
    "read_instance",
    "read_solution",
    "read_texts",
    "write_puzzle",
]
