"""Random solvable puzzles of the three types in section V-C of the paper, on tables of made-up heroes.

The paper gives the demands of its types, but not the table, the formations or the terms of the synergy. Here neighbours
are compared by race, guild and element, each with weight 1. Elements have a table of pairs: some match by half, and
shadow matches itself only by half. Religion and hometown are not terms: eight religions among eleven heroes and a
synergy of 0.9 would contradict each other. "Team level" is interpreted as the mean level.

The random heroes contain a hidden party that meets all demands with a margin. It is made expensive, so that better
parties exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.problems.party.constraints import (
    Constraint,
    CountConstraint,
    DistinctConstraint,
    MaxSameConstraint,
    SumConstraint,
)
from matheur.problems.party.formations import FORMATIONS, ROLES, Formation
from matheur.problems.party.formats.puzzle import FORMAT
from matheur.problems.party.formats.writer import constraint_object, json_text, synergy_object
from matheur.problems.party.heroes import (
    ELEMENTS,
    LEVEL_MAX,
    LEVEL_MIN,
    RACES,
    Heroes,
    heroes_of,
    rarities_of,
    set_prices,
    world_of,
)
from matheur.problems.party.synergy import Synergy, Term

__all__ = ["CARDS_MAX", "CARDS_MIN", "SLOTS", "TERMS", "TYPES", "Design", "design", "generate"]

CARDS_MIN, CARDS_MAX = 100, 1_000_000
SLOTS = tuple(sorted({len(formation.slots) for formation in FORMATIONS}))
TYPES = (1, 2, 3)
_HALF = Fraction(1, 2)
TERMS = (
    Term("race"),
    Term("guild"),
    Term(
        "element",
        pairs={
            ("fire", "air"): _HALF,
            ("fire", "light"): _HALF,
            ("water", "earth"): _HALF,
            ("water", "air"): _HALF,
            ("earth", "light"): _HALF,
            ("shadow", "shadow"): _HALF,
        },
    ),
)
_SPARE_SYNERGY = Fraction(1, 50)
_SPARE_LEVEL = Fraction(1, 2)
_CHANGES = 60


@dataclass(frozen=True, slots=True)
class Design:
    """A puzzle without its table.

    Attributes
    ----------
    name
        Display name.
    formation
        Slots and edges.
    synergy, constraints
        Demands of the puzzle.
    """

    name: str
    formation: Formation
    synergy: Synergy
    constraints: tuple[Constraint, ...]

    def text(self, cards: str) -> str:
        """Return the text of the JSON file; `cards` is the name of the table."""
        return json_text(
            {
                "format": FORMAT,
                "version": 1,
                "name": self.name,
                "cards": cards,
                "slots": [{"name": slot, "accepts": list(roles)} for slot, roles in self.formation.slots.items()],
                "edges": [list(edge) for edge in self.formation.edges],
                "synergy": synergy_object(self.synergy),
                "constraints": [
                    constraint_object(constraint, list(self.formation.slots)) for constraint in self.constraints
                ],
            }
        )


def design(kind: int, formation: Formation, name: str = "") -> Design:
    """Return a puzzle of a type for a formation; numbers of heroes shrink for formations of fewer than ten.

    Raises
    ------
    ConfigurationError
        If there is no such type.
    """
    if kind not in TYPES:
        raise ConfigurationError(f"type must be 1, 2 or 3 ({kind!r})")
    slots = len(formation.slots)
    level, least = (75, Fraction(9, 10)) if kind == 2 else (84, Fraction(4, 5))
    constraints: list[Constraint] = [SumConstraint("level", ">=", Fraction(level * slots))]
    if kind == 2:
        constraints += [
            DistinctConstraint("religion", ">=", Fraction(min(8, slots - 2))),
            DistinctConstraint("hometown", ">=", Fraction(min(6, slots - 2))),
            MaxSameConstraint("religion", Fraction(2)),
        ]
    if kind == 3:
        constraints.append(CountConstraint("race", ("Elf",), ">=", Fraction(min(8, slots - 2))))
    return Design(name, formation, Synergy(TERMS, least), tuple(constraints))


def generate(
    designs: Sequence[Design], cards: int, *, seed: int | SeedSequence = 0
) -> tuple[str, list[dict[str, str]]]:
    """Generate a table of heroes in which each of several puzzles has a hidden party.

    Parameters
    ----------
    designs
        Puzzles as returned by `design`.
    cards
        Number of heroes.
    seed
        Random seed; equal arguments and seeds give equal tables.

    Returns
    -------
    table
        Text of the CSV file.
    parties
        Hidden party of each puzzle, slot name -> id.

    Raises
    ------
    ConfigurationError
        If the number of heroes is out of range.
    """
    if type(cards) is not int or not CARDS_MIN <= cards <= CARDS_MAX:
        raise ConfigurationError(f"cards must be a whole number from {CARDS_MIN} to {CARDS_MAX} ({cards!r})")
    rng = np.random.default_rng(seed)
    heroes = heroes_of(world_of(rng), cards, rng)
    free, factors = rng.permutation(cards), np.ones(cards)
    parties = []
    for one in designs:
        members, free = np.split(free, [len(one.formation.slots)])
        _enlist(heroes, one, members, rng)
        factors[members] = rng.uniform(1.2, 1.8, len(members))
        parties.append(members.tolist())
    set_prices(heroes, factors, rng)
    return heroes.text(rng), [
        {slot: str(member + 1) for slot, member in zip(one.formation.slots, members, strict=True)}
        for one, members in zip(designs, parties, strict=True)
    ]


def _enlist(heroes: Heroes, one: Design, members: NDArray[np.int64], rng: Generator) -> None:
    """Turn these heroes, in the order of the slots, into a party that meets all demands: similar first, then varied."""
    world, codes, slots = heroes.world, heroes.codes, len(members)
    roles = list(ROLES)
    for member, accepted in zip(members.tolist(), one.formation.slots.values(), strict=True):
        heroes.roles[member] = roles.index(accepted[int(rng.integers(len(accepted)))]), -1
    elves = next((int(demand.value) for demand in one.constraints if isinstance(demand, CountConstraint)), 0)
    strong = np.argsort(-world.strength)
    if elves:
        strong = strong[world.race_of[strong] == list(RACES).index("Elf")]
    guild = int(strong[int(rng.integers(max(1, len(strong) // 3)))])
    race = int(world.race_of[guild])
    element = int(np.argmax(world.shares["element"][race, : ELEMENTS.index("shadow")]))
    for name, code in (("guild", guild), ("race", race), ("element", element)):
        codes[name][members] = code
    distinct = any(isinstance(demand, DistinctConstraint) for demand in one.constraints)
    for name in ("religion", "hometown"):
        shares = world.shares[name][race]
        codes[name][members] = rng.choice(len(shares), slots, replace=not distinct, p=shares)
    level = next(demand.value for demand in one.constraints if isinstance(demand, SumConstraint)) / slots
    levels = np.clip(np.rint(rng.normal(float(level) + 1, 3, slots)), LEVEL_MIN, LEVEL_MAX).astype(np.int64)
    while levels.sum() < (level + _SPARE_LEVEL) * slots:
        levels[np.argmin(levels)] += 1
    heroes.levels[members] = levels
    codes["rarity"][members] = rarities_of(levels, rng)
    assert one.synergy.minimum is not None
    for _ in range(_CHANGES):
        member, name = int(rng.choice(members)), ("race", "guild", "element")[int(rng.integers(3))]
        before = int(codes[name][member])
        codes[name][member] = rng.choice(len(world.values[name]))
        elvish = np.count_nonzero(codes["race"][members] == list(RACES).index("Elf"))
        if _synergy(heroes, one, members) < one.synergy.minimum + _SPARE_SYNERGY or elvish < elves:
            codes[name][member] = before


def _synergy(heroes: Heroes, one: Design, members: NDArray[np.int64]) -> Fraction:
    numbers = dict(zip(one.formation.slots, members.tolist(), strict=True))
    total = Fraction(0)
    for term in one.synergy.terms:
        values, codes = heroes.world.values[term.column], heroes.codes[term.column]
        for a, b in one.formation.edges:
            total += term.match(values[codes[numbers[a]]], values[codes[numbers[b]]])
    return total / len(one.synergy.terms) / len(one.formation.edges)
