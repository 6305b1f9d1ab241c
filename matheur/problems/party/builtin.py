"""Puzzles of the paper's three types on one table of 10,000 made-up heroes, and small ones to try things out."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from types import MappingProxyType

from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError, nearest
from matheur.problems.party.constraints import Constraint, DistinctConstraint, SumConstraint
from matheur.problems.party.formations import FORMATIONS, Formation
from matheur.problems.party.formats import ReadOptions, read_texts
from matheur.problems.party.generator import TERMS, Design, design, generate
from matheur.problems.party.instance import Instance
from matheur.problems.party.synergy import Synergy

__all__ = ["BUILTINS", "builtin"]

_FORMATION: Mapping[str, Formation] = {formation.name: formation for formation in FORMATIONS}
_SMALL = _FORMATION["patrol"]
_CONTRADICTION: tuple[Constraint, ...] = (
    SumConstraint("level", ">=", Fraction(65 * len(_SMALL.slots))),
    DistinctConstraint("race", ">=", Fraction(5)),
    DistinctConstraint("hometown", ">=", Fraction(2)),
)
_LARGE = {
    "type1": design(1, _FORMATION["arrowhead"], "type1"),
    "type2": design(2, _FORMATION["ring"], "type2"),
    "type3": design(3, _FORMATION["lozenge"], "type3"),
}
_DEMO = design(2, _SMALL, "demo")
_SMALL_ONES = {
    "demo": _DEMO,
    "impossible": Design("impossible", _SMALL, Synergy(TERMS, Fraction(4, 5)), _CONTRADICTION),
}

BUILTINS: Mapping[str, str] = MappingProxyType(
    {
        "demo": "6 slots, 300 heroes: synergy 0.9, mean level 75, 4 religions and hometowns; solved in a second",
        "impossible": "6 slots, 300 heroes: synergy 0.8 or 5 races, but not both",
        "type1": "11 slots, 10,000 heroes: synergy 0.8, mean level 84 (type 1 of the paper, on a table of its own)",
        "type2": "11 slots, the same heroes: synergy 0.9, mean level 75, 8 religions, 6 hometowns (type 2)",
        "type3": "10 slots, the same heroes: synergy 0.8, mean level 84, 8 elves (type 3)",
    }
)
"""Names of the built-in puzzles, each with a one-line description."""


def builtin(name: str, options: ReadOptions | None = None) -> Instance:
    """Return a built-in puzzle; the options may change the minimum synergy.

    Raises
    ------
    InputError
        If there is no puzzle of this name.
    ConfigurationError
        If the options name a table.
    """
    if name not in BUILTINS:
        raise InputError(f"party has no built-in instance {name!r}. {nearest(name, BUILTINS)}")
    options = options or ReadOptions()
    if options.cards is not None:
        raise ConfigurationError("a built-in puzzle has its own table (cards)")
    one = _LARGE.get(name) or _SMALL_ONES[name]
    table = _large_table() if name in _LARGE else _small_table()
    return read_texts(Source(f"<party/{name}>", one.text("STEM-cards.csv").encode()), table, options)


@cache
def _large_table() -> Source:
    return Source("<heroes>", generate(tuple(_LARGE.values()), 10_000, seed=11)[0].encode())


@cache
def _small_table() -> Source:
    return Source("<heroes>", generate((_DEMO,), 300, seed=6)[0].encode())
