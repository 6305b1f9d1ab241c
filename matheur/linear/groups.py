"""Index sets of a model: which columns belong to which item, period, machine, site.

A *family* divides columns by the value at one place of their index: `x:1` is the second place of the variables `x`. The
places of other variables that have the same values belong to the same family, since models use an index set more than
once. This module depends on no solver or modelling language: labels come from names, or from the owner of a model.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError, nearest, printable
from matheur.linear.labels import Label

__all__ = ["BLOCKS", "Family", "Index", "columns_in_order"]

BLOCKS = "blocks"
"""Name of the family whose values are the blocks of a model."""

_ALIKE = 0.5  # share of common values above which two places are one index set
_OTHER_SET = 0.9  # factor for places known to be indexed by sets of different names
_COMPARED = 300  # families that are compared with a new place, for files with thousands of stems
_SAID = 40  # places examined for an error message
_NUMBERED = re.compile(r"(.*?)([+-]?[0-9]+(?:\.[0-9]+)?)")


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """Columns divided into groups.

    Attributes
    ----------
    name
        Its declaration, the name of its set, or its first place, such as `x:1`.
    values
        The values that divide the columns, a text for each group: in ascending order if they are numbers, else in order
        of appearance.
    of
        Index of the value of each column, -1 for columns that are in no group; int32.
    ordered
        Whether the values have an order of their own, as numbers and `week1`, `week2` have.
    places
        All its places, such as `x:1` and `y:0`.
    """

    name: str
    values: tuple[str, ...]
    of: NDArray[np.int32]
    ordered: bool = False
    places: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.of.setflags(write=False)


@dataclass(frozen=True, slots=True)
class _Place:
    """A place of the index of a stem, with the value of each column there."""

    name: str
    position: int
    from_end: int
    values: Mapping[int, str]
    set_name: str

    @property
    def distinct(self) -> frozenset[str]:
        return frozenset(self.values.values())


@dataclass(slots=True)
class _Joined:
    """Places that have the same index set; the first one gives its name."""

    first: _Place
    distinct: frozenset[str]
    places: list[_Place] = field(default_factory=list)

    def likeness(self, place: _Place, distinct: frozenset[str]) -> float:
        common = len(distinct & self.distinct)
        alike = common / max(1, len(distinct) + len(self.distinct) - common)
        if place.set_name and self.first.set_name:
            alike = 1.0 if place.set_name == self.first.set_name else _OTHER_SET * alike
        return alike


@dataclass(frozen=True, eq=False)
class Index:
    """Index sets derived from the labels of the columns.

    Attributes
    ----------
    labels
        Stem and index by column, see `matheur.linear.labels`.
    sets
        Names of the index sets of places, if known: `{"x:1": "periods"}`.
    """

    labels: Sequence[Label]
    sets: Mapping[str, str] = field(default_factory=dict)

    def __reduce__(self) -> tuple[type[Index], tuple[Sequence[Label], Mapping[str, str]]]:
        return Index, (self.labels, self.sets)  # without cached values

    @cached_property
    def _places(self) -> Mapping[str, _Place]:
        """Places by name, in order of appearance."""
        values: dict[tuple[str, int], dict[int, str]] = defaultdict(dict)
        length: dict[str, int] = defaultdict(int)
        for column, (stem, index) in enumerate(self.labels):
            for position, value in enumerate(index):
                values[stem, position][column] = value
            length[stem] = max(length[stem], len(index))
        order = sorted(values, key=lambda one: (next(iter(values[one])), one[1]))
        found = {}
        for stem, position in order:
            name = f"{stem}:{position}"
            from_end = length[stem] - position
            found[name] = _Place(name, position, from_end, values[stem, position], self.sets.get(name, ""))
        return found

    @cached_property
    def _joined(self) -> list[_Joined]:
        """Places by index set. The places of one stem are different sets."""
        stems: dict[str, list[_Place]] = defaultdict(list)
        for place in self._places.values():
            stems[place.name.rpartition(":")[0]].append(place)
        found: list[_Joined] = []
        for places in sorted(stems.values(), key=len, reverse=True):  # stable: in order of appearance
            pairs = []
            for number, place in enumerate(places):
                distinct = place.distinct
                for other, one in enumerate(found[:_COMPARED]):
                    alike = one.likeness(place, distinct)
                    if alike >= _ALIKE:
                        same = (place.from_end == one.first.from_end, place.position == one.first.position)
                        pairs.append((-alike, tuple(not it for it in same), number, other))
            chosen: dict[int, int] = {}
            for _, _, number, other in sorted(pairs):
                if number not in chosen and other not in chosen.values():
                    chosen[number] = other
            for number, place in enumerate(places):
                if number in chosen:
                    found[chosen[number]].places.append(place)
                else:
                    found.append(_Joined(place, place.distinct, [place]))
        return found

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """All families with at least two values."""
        order = {name: number for number, name in enumerate(self._places)}
        found = []
        for one in self._joined:
            places = sorted(one.places, key=lambda place: order[place.name])
            found.append(self._family(places[0].set_name or places[0].name, places))
        found.sort(key=lambda family: order[family.places[0]])
        blocks = self._blocks
        return tuple(family for family in (*found, *blocks) if len(family.values) > 1)

    @property
    def _blocks(self) -> list[Family]:
        """The family of blocks, by the part of a stem before its last dot; empty if there are no blocks."""
        block_of = {column: stem.rpartition(".")[0] for column, (stem, _) in enumerate(self.labels) if "." in stem}
        inside = {column: block for column, block in block_of.items() if block}
        return [_divided(BLOCKS, inside, len(self.labels), (BLOCKS,))] if inside else []

    def _family(self, name: str, places: Sequence[_Place]) -> Family:
        values: dict[int, str] = {}
        for place in places:
            for column, value in place.values.items():
                values.setdefault(column, value)
        return _divided(name, values, len(self.labels), tuple(place.name for place in places))

    def declared(self, wanted: Any, names: Sequence[str], absent: Set[str] = frozenset()) -> tuple[Family, ...]:
        """The families that a user names or declares.

        Parameters
        ----------
        wanted
            `x:1`: the family of this place; `periods`: the family of an index set; `x:1,y:0`: only these places;
            `blocks`; a list of such texts; or a mapping from groups to names of columns or stems. A mapping of such
            mappings declares several families.
        names
            Names of the columns.
        absent
            Names of variables that are no columns; they are left out of groups.

        Raises
        ------
        ConfigurationError
            If there is no such place or column.
        """
        if isinstance(wanted, str):
            return (self._named(wanted),)
        if isinstance(wanted, Mapping):
            if wanted and all(isinstance(inner, Mapping) for inner in wanted.values()):
                return tuple(self._listed(str(name), inner, names, absent) for name, inner in wanted.items())
            return (self._listed("groups", wanted, names, absent),)
        listed = list(wanted) if isinstance(wanted, Iterable) else []
        if listed and all(isinstance(one, str) for one in listed):
            return tuple(self._named(one) for one in listed)
        raise ConfigurationError(f"groups are a text such as 'x:1', a list of these, or a table ({wanted!r})")

    def _named(self, text: str) -> Family:
        parts = [part.strip() for part in text.split(",")]
        if len(parts) > 1:
            family = self._family(",".join(parts), [self._place(part) for part in parts])
            if len(family.values) > 1:
                return family
        else:
            named = [
                family for family in self.families if parts[0] in (family.name, *map(self.sets.get, family.places))
            ]
            place = "" if named else self._place(parts[0]).name
            for family in named or self.families:
                if named or place in family.places:
                    return family
        raise ConfigurationError(f"there is only one value at {printable(text)!r}, which makes no groups")

    def _place(self, text: str) -> _Place:
        if text in self._places:
            return self._places[text]
        stem = text.rpartition(":")[0] or text
        same = [name for name in self._places if name.rpartition(":")[0] == stem]
        if len(same) == 1 and stem == text:
            return self._places[same[0]]
        known = same or [*self.sets.values(), *self._places]
        if not known:
            raise ConfigurationError(f"no index {printable(text)!r}: the names of this model have none")
        raise ConfigurationError(f"no index {printable(text)!r}. {nearest(text, list(dict.fromkeys(known))[:_SAID])}")

    def _listed(self, name: str, wanted: Mapping[Any, Any], names: Sequence[str], absent: Set[str]) -> Family:
        columns: dict[str, list[int]] = defaultdict(list)
        for column, (label, _) in enumerate(self.labels):
            columns[label].append(column)
        for column, text in enumerate(names):
            columns[text] = [column]
        values: dict[int, str] = {}
        for value, members in wanted.items():
            listed = [members] if isinstance(members, str) else members
            if not isinstance(listed, Iterable):
                raise ConfigurationError(f"the group {str(value)!r} must be a list of names ({members!r})")
            for member in listed:
                inside = columns.get(str(member), ())
                if not inside and str(member) not in absent:
                    mark = f"{member}["  # a variable in a block with an index
                    inside = [column for column, text in enumerate(names) if text.startswith(mark)]
                    if not inside and not any(one.startswith(mark) for one in absent):
                        known = nearest(str(member), list(columns))
                        said = f"no column {printable(str(member))!r} (group {str(value)!r}). {known}"
                        raise ConfigurationError(said)
                for column in inside:
                    if values.setdefault(column, str(value)) != str(value):
                        both = f"{values[column]!r} and {str(value)!r}"
                        raise ConfigurationError(f"the column {printable(names[column])!r} is in two groups: {both}")
        if len(set(values.values())) < 2:
            raise ConfigurationError(f"groups must be at least two ({name})")
        family = _divided(name, values, len(self.labels), ())
        order = [str(value) for value in wanted if str(value) in family.values]  # in order of declaration
        place = np.array([order.index(value) for value in family.values] + [-1], dtype=np.int32)
        return replace(family, values=tuple(order), of=place[family.of], ordered=True)


def columns_in_order(chosen: NDArray[np.bool_]) -> Family:
    """The family of a model without informative names: each chosen column is a group, in their order."""
    of = np.where(chosen, np.cumsum(chosen) - 1, -1).astype(np.int32)
    return Family("columns", tuple(str(column) for column in np.flatnonzero(chosen).tolist()), of, ordered=True)


def _divided(name: str, values: Mapping[int, str], width: int, places: tuple[str, ...]) -> Family:
    """A family from the value of each column."""
    order, ordered = _sorted(dict.fromkeys(values[column] for column in sorted(values)))
    number = {value: place for place, value in enumerate(order)}
    of = np.full(width, -1, dtype=np.int32)
    of[list(values)] = [number[value] for value in values.values()]
    return Family(name, order, of, ordered, places)


def _sorted(values: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """The sorted values, and whether their order is numerical."""
    listed = list(values)
    matches = [_NUMBERED.fullmatch(value) for value in listed]
    if not all(matches) or len({match[1] for match in matches if match}) > 1:
        return tuple(listed), False
    key = {match[0]: float(match[2]) for match in matches if match}
    return tuple(sorted(listed, key=lambda value: key[value])), True
