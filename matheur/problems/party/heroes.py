"""Tables of made-up heroes whose columns are correlated as in real games.

A guild recruits mostly from one race, and good guilds have good heroes. Each race has its own long-tailed mixtures of
religions, hometowns and elements. The distribution of levels is bell-shaped with few high levels; prices grow faster
than linearly with the level.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.party.catalogue import UNBUYABLE
from matheur.problems.party.formations import ROLES
from matheur.problems.party.formats.writer import table_text
from matheur.problems.party.names import different, faith_name, guild_name, hero_names, place_name

__all__ = [
    "ELEMENTS",
    "LEVEL_MAX",
    "LEVEL_MIN",
    "RACES",
    "Heroes",
    "World",
    "heroes_of",
    "rarities_of",
    "set_prices",
    "world_of",
]

LEVEL_MIN, LEVEL_MAX = 45, 93
RACES = {
    "Human": 0.23, "Elf": 0.15, "Dwarf": 0.12, "Orc": 0.11, "Gnome": 0.09, "Goblin": 0.08, "Halfling": 0.07,
    "Giant": 0.06, "Merfolk": 0.05, "Drakeborn": 0.04,
}  # fmt: skip
ELEMENTS = ("fire", "water", "earth", "air", "light", "shadow")
_RARITIES = ("common", "uncommon", "rare", "legendary")
_GUILDS, _RELIGIONS, _HOMETOWNS = 60, 40, 150

Shares = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """Names of all values, and the correlations between traits.

    Attributes
    ----------
    values
        Names of the values of each trait.
    race_of
        Race from which each guild mostly recruits. Shape (guilds,).
    strength
        Offset of the levels of each guild from the average. Shape (guilds,).
    shares
        Shares of the values of each trait among the heroes of each race. Shape (races, values).
    """

    values: Mapping[str, tuple[str, ...]]
    race_of: NDArray[np.int64]
    strength: Shares
    shares: Mapping[str, Shares]


@dataclass(frozen=True, slots=True, eq=False)
class Heroes:
    """Mutable columns of a table of heroes.

    Attributes
    ----------
    world
        Names of the values.
    codes
        Value number of each hero for each trait; -1 for none.
    roles
        Role of each hero, and a second role or -1. Shape (heroes, 2).
    levels
        Levels from `LEVEL_MIN` to `LEVEL_MAX`.
    prices
        Prices, whole numbers or `UNBUYABLE`.
    """

    world: World
    codes: Mapping[str, NDArray[np.int64]]
    roles: NDArray[np.int64]
    levels: NDArray[np.int64]
    prices: NDArray[np.int64]

    def text(self, rng: Generator) -> str:
        """Return the table as CSV; heroes are numbered from 1."""
        roles, count = [*ROLES, ""], len(self.levels)
        positions = [f"{roles[one]}|{roles[two]}".rstrip("|") for one, two in self.roles.tolist()]
        named = {name: [*values, ""] for name, values in self.world.values.items()}
        traits = {name: [named[name][code] for code in codes.tolist()] for name, codes in self.codes.items()}
        table = {
            "id": list(map(str, range(1, count + 1))),
            "name": hero_names(count, rng),
            "position": positions,
            "level": list(map(str, self.levels.tolist())),
            **traits,
            "price": ["" if price == UNBUYABLE else str(price) for price in self.prices.tolist()],
        }
        return table_text(list(table), zip(*table.values(), strict=True))


def world_of(rng: Generator) -> World:
    """Create a world with random names and mixtures."""
    races = len(RACES)
    values = {
        "race": tuple(RACES),
        "guild": different(guild_name, _GUILDS, rng),
        "element": ELEMENTS,
        "religion": different(faith_name, _RELIGIONS, rng),
        "hometown": different(place_name, _HOMETOWNS, rng),
        "rarity": _RARITIES,
    }
    race_of = rng.choice(races, _GUILDS, p=list(RACES.values()))
    race_of[:races] = range(races)  # every race has a guild
    # Large guilds are good guilds, like rich clubs.
    sizes = rng.permutation(_long_tail(_GUILDS, 0.5))
    strength = 5.0 * (np.log(sizes) - np.log(sizes).mean()) / np.log(sizes).std() * 0.7 + rng.normal(0, 1.5, _GUILDS)
    guilds = np.where(race_of == np.arange(races)[:, None], 0.75, 0.25 / races) * sizes
    shares = {"guild": guilds / guilds.sum(axis=1, keepdims=True)}
    for name, exponent, own in (("religion", 0.8, 14), ("hometown", 0.7, 35), ("element", 0.9, len(ELEMENTS))):
        count = len(values[name])
        mixture = np.full((races, count), 0.06 / count)
        for race in range(races):
            mixture[race, rng.permutation(count)[:own]] += 0.94 * _long_tail(own, exponent)
        shares[name] = mixture / mixture.sum(axis=1, keepdims=True)
    return World(values, race_of, strength, shares)


def heroes_of(world: World, count: int, rng: Generator) -> Heroes:
    """Create `count` heroes of a world, without prices."""
    races = rng.choice(len(RACES), count, p=list(RACES.values()))
    codes = {"race": races}
    for name in ("guild", "element", "religion", "hometown"):
        codes[name] = np.empty(count, dtype=np.int64)
        for race, shares in enumerate(world.shares[name]):
            members = np.flatnonzero(races == race)
            codes[name][members] = rng.choice(len(shares), len(members), p=shares)
    levels = rng.normal(64.5, 6.0, count) + world.strength[codes["guild"]] + rng.exponential(1.5, count)
    codes["guild"][rng.random(count) < 0.03] = -1
    codes["religion"][rng.random(count) < 0.03] = -1
    whole = np.clip(np.rint(levels), LEVEL_MIN, LEVEL_MAX).astype(np.int64)
    codes["rarity"] = rarities_of(whole, rng)
    roles = np.full((count, 2), -1, dtype=np.int64)
    roles[:, 0] = rng.choice(len(ROLES), count, p=list(ROLES.values()))
    second = np.flatnonzero(rng.random(count) < 0.15)
    roles[second, 1] = (roles[second, 0] + rng.integers(1, len(ROLES), len(second))) % len(ROLES)
    return Heroes(world, codes, roles, whole, np.full(count, UNBUYABLE, dtype=np.int64))


def rarities_of(levels: NDArray[np.int64], rng: Generator) -> NDArray[np.int64]:
    """Draw the rarity of each hero, which roughly increases with the level."""
    grades = (levels - 62) / 9 + rng.normal(0, 0.5, len(levels))
    return np.clip(grades, 0, len(_RARITIES) - 1).astype(np.int64)


def set_prices(heroes: Heroes, factors: Shares, rng: Generator) -> None:
    """Set prices by level, rarity and chance, rounded to typical price steps; one hero in a hundred is not for sale.

    `factors` scale the prices; heroes with a factor other than 1 are always for sale. Shape (heroes,).
    """
    levels, count = heroes.levels, len(heroes.levels)
    steep = 0.045 * (levels - 55) + 0.2 * np.maximum(levels - 76, 0) + 0.12 * np.maximum(levels - 84, 0)
    exact = 200 * factors * np.exp(steep + 0.08 * heroes.codes["rarity"] + rng.normal(0, 0.3, count))
    unit = np.where(exact < 1000, 10, np.where(exact < 10_000, 50, np.where(exact < 100_000, 500, 5000)))
    heroes.prices[:] = np.maximum(unit, np.rint(exact / unit) * unit)
    heroes.prices[(rng.random(count) < 0.01) & (factors == 1)] = UNBUYABLE


def _long_tail(count: int, exponent: float) -> Shares:
    weights = 1.0 / np.arange(1, count + 1) ** exponent
    return weights / weights.sum()
