"""What the JSON file of a puzzle says by itself, before its table of items is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.party.constraints import Constraint, SumConstraint
from matheur.problems.party.formats.demands import read_constraint, read_synergy
from matheur.problems.party.formats.document import Document, Node, described, hint
from matheur.problems.party.formats.functions import function_of, function_terms
from matheur.problems.party.instance import OBJECTIVES, Objective
from matheur.problems.party.synergy import Synergy

__all__ = ["FORMAT", "SLOTS_MAX", "Puzzle", "read_puzzle"]

FORMAT = "matheur-party"
SLOTS_MAX = 1000
_KEYS = (
    "format",
    "version",
    "name",
    "cards",
    "columns",
    "slots",
    "edges",
    "synergy",
    "constraints",
    "fixed",
    "excluded",
    "objective",
)
_COLUMNS = ("id", "price", "position")


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle whose items are not known yet. Nodes are kept where only the table can tell whether they are right.

    Attributes
    ----------
    root
        The whole object.
    name
        For people.
    slots
        Their names.
    accepts
        For each slot the positions that it takes; None if it takes any item.
    edges
        Pairs of slot numbers, lower number first.
    synergy, constraints
        Demands.
    columns
        Columns of `id`, `price` and, if positions matter, `position`, each with the node that names it.
    traits, measures
        Other columns, each with the node that names it first.
    fixed
        Slot number -> id.
    excluded
        Ids.
    objective
        `price` or `synergy`.
    """

    root: Node
    name: str
    slots: tuple[str, ...]
    accepts: tuple[tuple[str, ...] | None, ...]
    edges: NDArray[np.int32]
    synergy: Synergy | None
    constraints: tuple[Constraint, ...]
    columns: Mapping[str, tuple[str, Node]]
    traits: Mapping[str, Node]
    measures: Mapping[str, Node]
    fixed: Mapping[int, Node]
    excluded: Sequence[Node]
    objective: Objective = "price"


def read_puzzle(document: Document) -> Puzzle:
    """Everything in the JSON file.

    Raises
    ------
    InputError
        With the line, the key and the value of what is wrong.
    """
    root = document.root.entries()
    for key, due in (("format", FORMAT), ("version", 1)):
        if key not in root:
            raise root.error(f"has no key '{key}'. Maybe add it: {due!r}?")
        if root[key].value != due or type(root[key].value) is not type(due):
            raise root[key].wrong(f"{due!r}")
    root.entries(_KEYS, ("slots",))
    if "cards" in root:
        root["cards"].text()
    name = root["name"].value if "name" in root else ""
    if not isinstance(name, str):
        raise root["name"].wrong("a text")
    slots, accepts = _slots(root["slots"])
    synergy = read_synergy(root["synergy"]) if "synergy" in root else None
    constraints = [(read_constraint(node), node["column"]) for node in _list(root, "constraints")]
    terms = [node["column"] for node in root["synergy"]["terms"].items() if "column" in node] if synergy else []
    texts, numbers = _read_by_functions(root) if synergy else ({}, {})
    sums = [node for demand, node in constraints if isinstance(demand, SumConstraint)]
    others = [node for demand, node in constraints if not isinstance(demand, SumConstraint)]
    return Puzzle(
        root,
        name,
        slots,
        accepts,
        _edges(root, slots),
        synergy,
        tuple(demand for demand, _ in constraints),
        _columns(root, any(values is not None for values in accepts)),
        _first(terms + others) | texts,
        _first(sums) | numbers,
        _fixed(root, slots),
        _excluded(root),
        _objective(root, synergy),
    )


def _objective(root: Node, synergy: Synergy | None) -> Objective:
    if "objective" not in root:
        return "price"
    node = root["objective"]
    for known in OBJECTIVES:
        if node.value == known:
            if known == "synergy" and synergy is None:
                raise node.error("asks for the greatest synergy, and the puzzle has no key 'synergy'")
            return known
    raise node.wrong(f"one of {', '.join(map(repr, OBJECTIVES))}", hint(str(node.value), OBJECTIVES))


def _slots(node: Node) -> tuple[tuple[str, ...], tuple[tuple[str, ...] | None, ...]]:
    names: dict[str, None] = {}
    accepts: list[tuple[str, ...] | None] = []
    for entry in node.items(least=1, most=SLOTS_MAX):
        entry.entries(("name", "accepts"), ("name",))
        name = entry["name"].name()
        if name in names:
            raise entry["name"].error(f"is the second slot of the name {described(name)}")
        names[name] = None
        accepts.append(tuple(value.label() for value in entry["accepts"].items()) if "accepts" in entry else None)
    return tuple(names), tuple(accepts)


def _edges(root: Node, slots: tuple[str, ...]) -> NDArray[np.int32]:
    numbers = {name: number for number, name in enumerate(slots)}
    edges: dict[tuple[int, int], None] = {}
    for entry in _list(root, "edges"):
        ends = entry.items(least=2, most=2)
        one, two = sorted(_slot(end, numbers) for end in ends)
        if one == two:
            raise entry.error(f"joins slot {described(ends[0].value)} with itself")
        if (one, two) in edges:
            raise entry.error(f"is the second edge of slots {described(ends[0].value)} and {described(ends[1].value)}")
        edges[one, two] = None
    return np.array(list(edges), dtype=np.int32).reshape(-1, 2)


def _slot(node: Node, numbers: Mapping[str, int]) -> int:
    if not isinstance(node.value, str) or node.value not in numbers:
        raise node.wrong("the name of a slot", hint(str(node.value), numbers))
    return numbers[node.value]


def _columns(root: Node, positions_matter: bool) -> dict[str, tuple[str, Node]]:
    """The columns that have a part of their own; one that is not named has the name of its part."""
    given = root["columns"].entries(_COLUMNS) if "columns" in root else Node(root.document, {}, ("columns",))
    found = {}
    for part in _COLUMNS:
        if part in given:
            found[part] = given[part].text(), given[part]
        elif part != "position" or positions_matter:
            found[part] = part, Node(root.document, part, ("columns", part))
    return found


def _fixed(root: Node, slots: tuple[str, ...]) -> dict[int, Node]:
    numbers = {name: number for number, name in enumerate(slots)}
    found = {}
    for name in root["fixed"].entries().value if "fixed" in root else ():
        node = root["fixed"][name]
        if name not in numbers:
            raise node.error(f"names no slot. {hint(name, numbers)}")
        node.label()
        found[numbers[name]] = node
    return found


def _excluded(root: Node) -> list[Node]:
    seen: set[str] = set()
    nodes = _list(root, "excluded")
    for node in nodes:
        if node.label() in seen:
            raise node.error(f"excludes the id {described(node.value)} a second time")
        seen.add(node.label())
    return nodes


def _read_by_functions(root: Node) -> tuple[dict[str, Node], dict[str, Node]]:
    """Columns of texts and of numbers that weight functions read, each with the first that does."""
    texts: dict[str, Node] = {}
    numbers: dict[str, Node] = {}
    for _, node in function_terms(root):
        function = function_of(node)
        for column in function.columns:
            (numbers if column in function.numeric else texts).setdefault(column, node)
    return texts, numbers


def _first(nodes: Sequence[Node]) -> dict[str, Node]:
    """The columns that the nodes name, each with its first node."""
    found: dict[str, Node] = {}
    for node in nodes:
        found.setdefault(node.text(), node)
    return found


def _list(root: Node, key: str) -> list[Node]:
    return root[key].items() if key in root else []
