"""The party building puzzle as the command line sees it: recognise, read, make and draw."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from matheur.engine.problem_type import STEM, Generated
from matheur.engine.source import Source
from matheur.errors import ConfigurationError
from matheur.problems.builtin_instances import Builtins
from matheur.problems.party.builtin import BUILTINS, builtin
from matheur.problems.party.formations import FORMATIONS
from matheur.problems.party.formats import (
    ReadOptions,
    claim,
    read_instance,
    read_solution,
    read_texts,
)
from matheur.problems.party.generator import SLOTS, design, generate
from matheur.problems.party.problem import Party
from matheur.problems.simple_type import Format, SimpleType
from matheur.problems.type_options import whole

__all__ = ["TYPE", "PartyType"]


class PartyType(SimpleType[Party]):
    """Implements `matheur.engine.problem_type.ProblemType` for party building puzzles."""

    name = "party"
    summary = "choose an item for every slot of a formation so that neighbours match, at the least price"
    problem = Party
    formats = (Format(claim, read_instance),)
    options = ReadOptions
    instances = Builtins("party", BUILTINS, builtin)
    generator_options = ("size", "cards", "slots", "type")

    def builtin(self, name: str, options: Mapping[str, Any] = MappingProxyType({})) -> Party:
        """Return a built-in puzzle by name; the option `synergy` changes the demanded minimum."""
        return Party(builtin(name, ReadOptions.from_mapping(options)))

    def read_solution(self, problem: Party, source: Source) -> NDArray[np.int32]:
        """Read a party: a JSON object slot name -> item id, or lines `slot,item`."""
        return read_solution(problem, source)

    def make(self, options: Mapping[str, Any], seed: int) -> Generated:
        """Generate a random solvable puzzle with its table; its score is the price of the hidden party, not optimal.

        Options are `type` (1, 2 or 3, see the module `generator`; 1 by default), `cards` (10,000 by default; `size` is
        a synonym) and `slots` (6, 10 or 11; 11 by default).

        Raises
        ------
        ConfigurationError
            If the value of an option is invalid.
        """
        size, cards, slots = (whole(options, key) for key in ("size", "cards", "slots"))
        if None not in (size, cards) and size != cards:
            raise ConfigurationError(f"the size says {size} cards, the option {cards}")
        kind = whole(options, "type") or 1
        formations = [formation for formation in FORMATIONS if len(formation.slots) == (slots or 11)]
        if not formations:
            raise ConfigurationError(f"slots must be one of {', '.join(map(str, SLOTS))} ({slots})")
        choice, table = SeedSequence(seed).spawn(2)
        formation = formations[int(choice.generate_state(1)[0]) % len(formations)]
        one = design(kind, formation, f"random, type {kind}, {formation.name}, seed {seed}")
        text, (party,) = generate([one], size or cards or 10_000, seed=table)
        name = f"{STEM}-cards.csv"
        puzzle = one.text(name)
        problem = Party(read_texts(Source("<puzzle>", puzzle.encode()), Source("<cards>", text.encode())))
        price = int(problem.evaluate(problem.decode(party)).objective)
        return Generated(puzzle, party, price, {name: text})

    def picture(self, problem: Party, solution: NDArray[np.int32] | None, kind: str) -> bytes:
        """Draw the formation, with the party if there is one, as `svg`, `png`, `html` or `text`."""
        from matheur.problems.party.picture import picture

        return picture(problem, solution, kind)


TYPE = PartyType()
