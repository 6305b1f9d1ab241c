"""Made-up names of people, places, faiths and guilds, from syllables."""

from __future__ import annotations

from collections.abc import Callable

from numpy.random import Generator

__all__ = ["different", "faith_name", "guild_name", "hero_names", "place_name"]


def _words(text: str) -> list[str]:
    return text.split()


_ONSETS = _words("b br c d dr f g gr h j k l m n p r s sh st t th tr v w z")
_VOWELS = _words("a e i o u ae ei ia o u a e")
_CODAS = _words("l m n r s th nd rn sk ld x")
_PLACES = _words("holt mere fen crag gate wick dale spire hollow ford barrow reach moor well")
_FAITHS = ("Way of {}", "Children of {}", "Temple of {}", "Oath of {}", "Circle of {}", "{} Rite", "Lamp of {}")
_KINDS = _words("Copper Silent Crimson Hollow Winter Gilded Ashen Wandering Thorned Salt Lantern Verdant")
_CREATURES = _words("Ravens Hammers Wolves Lanterns Keys Herons Foxes Wardens Blades Moths Antlers Crowns")
_BYNAMES = _words("Ash Bell Brook Cinder Dusk Ember Flint Frost Gale Harrow Iron Marsh Oak Rime Stone Thorn Vale Wren")
_ENDINGS = _words("bow brand foot hand heart mantle shade song step walker")


def _word(rng: Generator, syllables: int) -> str:
    parts = []
    for _ in range(syllables):
        parts += [_pick(rng, _ONSETS), _pick(rng, _VOWELS)]
    return ("".join(parts) + _pick(rng, _CODAS)).capitalize()


def _pick(rng: Generator, words: list[str]) -> str:
    return words[int(rng.integers(len(words)))]


def place_name(rng: Generator) -> str:
    """Return the name of a town."""
    return _word(rng, 1) + _pick(rng, _PLACES)


def faith_name(rng: Generator) -> str:
    """Return the name of a religion."""
    return _FAITHS[int(rng.integers(len(_FAITHS)))].format(_word(rng, 2))


def guild_name(rng: Generator) -> str:
    """Return the name of a guild."""
    return f"{_pick(rng, _KINDS)} {_pick(rng, _CREATURES)}"


def different(make: Callable[[Generator], str], count: int, rng: Generator) -> tuple[str, ...]:
    """Return `count` different names; the number of possible names must be clearly larger."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[make(rng)] = None
    return tuple(found)


def hero_names(count: int, rng: Generator) -> list[str]:
    """Return names of people, possibly with duplicates."""
    given = [_word(rng, 1 + number % 2) for number in range(min(count, 900))]
    firsts, kinds, endings = (rng.integers(0, len(words), count).tolist() for words in (given, _BYNAMES, _ENDINGS))
    return [
        f"{given[first]} {_BYNAMES[kind]}{_ENDINGS[ending]}"
        for first, kind, ending in zip(firsts, kinds, endings, strict=True)
    ]
