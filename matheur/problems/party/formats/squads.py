"""Reader of the slots in the JSON file of a puzzle: the slots of one party, or of several squads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from matheur.problems.party.constraints import Scope
from matheur.problems.party.formats.demands import read_scope
from matheur.problems.party.formats.document import Node, described, hint

__all__ = ["SLOTS_MAX", "Layout", "Squad", "fixed_items", "read_layout"]

SLOTS_MAX = 1000

Positions = tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Squad:
    """Demands on one of several squads.

    Attributes
    ----------
    constraints
        Constraints on slots of the squad.
    fixed
        Fixed items, slot number -> node with the id.
    """

    constraints: Sequence[tuple[Node, Scope]] = ()
    fixed: Mapping[int, Node] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layout:
    """All slots of a puzzle.

    Attributes
    ----------
    slots
        Names of the slots; with squads, they begin with the name of the squad.
    accepts
        Positions that each slot accepts; None if it accepts any item.
    plays
        Positions that count as in position in each slot; None if all accepted ones do.
    squads
        Squads; empty if all slots belong to one party.
    """

    slots: tuple[str, ...]
    accepts: tuple[Positions, ...]
    plays: tuple[Positions, ...]
    squads: tuple[Squad, ...] = ()

    @property
    def positioned(self) -> bool:
        """Whether the positions of items matter."""
        return any(values is not None for values in (*self.accepts, *self.plays))


class _Slots:
    """Builder of a list of slots with distinct names."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.accepts: list[Positions] = []
        self.plays: list[Positions] = []

    def add(self, node: Node, squad: str) -> dict[str, int]:
        """Add the slots in a list; return their numbers by their names without the name of the squad."""
        own: dict[str, int] = {}
        for entry in node.items(least=1, most=SLOTS_MAX):
            entry.entries(("name", "accepts", "plays"), ("name",))
            name = entry["name"].name()
            full = f"{squad} {name}" if squad else name
            if full in self.numbers:
                raise entry["name"].error(f"is the second slot of the name {described(full)}")
            own[name] = self.numbers[full] = len(self.numbers)
            self.accepts.append(_positions(entry, "accepts"))
            self.plays.append(_positions(entry, "plays"))
        if len(self.numbers) > SLOTS_MAX:
            raise node.error(f"makes {len(self.numbers)} slots in all, at most {SLOTS_MAX}")
        return own

    def layout(self, squads: Sequence[Squad] = ()) -> Layout:
        return Layout(tuple(self.numbers), tuple(self.accepts), tuple(self.plays), tuple(squads))


def read_layout(root: Node) -> Layout:
    """Read the slots in the key `slots`, or the slots of all squads in the key `squads`.

    Raises
    ------
    InputError
        If both keys or neither are present, or one of them is invalid.
    """
    slots = _Slots()
    if "squads" not in root:
        root.entries(None, ("slots",))
        slots.add(root["slots"], "")
        return slots.layout()
    if "slots" in root:
        raise root["slots"].error("and 'squads' both list slots. Maybe keep only one?")
    squads: list[Squad] = []
    names: set[str] = set()
    for node in root["squads"].items(least=1):
        node.entries(("name", "copies", "slots", "constraints", "fixed"), ("name", "slots"))
        copies = int(node["copies"].number()) if "copies" in node else 1
        if "copies" in node and (type(node["copies"].value) is not int or copies < 1):
            raise node["copies"].wrong("a whole number from 1")
        for copy in range(1, copies + 1):
            name = node["name"].name() + ("" if copies == 1 else f" {copy}")
            if name in names:
                raise node["name"].error(f"is the second squad of the name {described(name)}")
            names.add(name)
            own = slots.add(node["slots"], name)
            scope = Scope(name, tuple(own.values()))
            constraints = [
                (one, read_scope(one.entries(), own, scope) or scope)
                for one in (node["constraints"].items() if "constraints" in node else ())
            ]
            squads.append(Squad(constraints, fixed_items(node["fixed"], own) if "fixed" in node else {}))
    return slots.layout(squads)


def fixed_items(node: Node, numbers: Mapping[str, int]) -> dict[int, Node]:
    """Convert an object slot -> id to slot number -> node with the id."""
    found = {}
    for name in node.entries().value:
        entry = node[name]
        if name not in numbers:
            raise entry.error(f"names no slot. {hint(name, numbers)}")
        entry.label()
        found[numbers[name]] = entry
    return found


def _positions(entry: Node, key: str) -> Positions:
    return tuple(value.label() for value in entry[key].items()) if key in entry else None
