"""Content of the JSON file of a puzzle, before its table of items is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.party.constraints import ChemistryConstraint, Constraint
from matheur.problems.party.formats.demands import (
    columns_named,
    read_constraint,
    read_scope,
    read_synergy,
    slot_number,
)
from matheur.problems.party.formats.document import Document, Node, described, hint
from matheur.problems.party.formats.functions import function_of, function_terms
from matheur.problems.party.formats.squads import Layout, fixed_items, read_layout
from matheur.problems.party.instance import OBJECTIVES, Objective
from matheur.problems.party.synergy import Synergy

__all__ = ["FORMAT", "Puzzle", "read_puzzle"]

FORMAT = "matheur-party"
_KEYS = (
    "format",
    "version",
    "name",
    "cards",
    "columns",
    "slots",
    "squads",
    "edges",
    "synergy",
    "constraints",
    "fixed",
    "required",
    "excluded",
    "owned",
    "objective",
    "maximise",
)
_COLUMNS = ("id", "price", "position")


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle whose items are not known yet. Nodes are kept where only the table shows whether they are valid.

    Attributes
    ----------
    root
        Outermost object.
    name
        Display name.
    layout
        Slots, for several squads those of one squad after another.
    edges
        Pairs of slot numbers, lower number first.
    synergy, constraints
        Demands of the puzzle.
    columns
        Columns of `id`, `price` and, if positions matter, `position`, each with the node that names it.
    traits, measures
        Other columns, each with the first node that names it.
    fixed
        Fixed items, slot number -> node with the id.
    required, excluded
        Nodes with the ids of required and excluded items.
    owned
        Nodes with the ids of owned items, or the column that marks them; None if no item is owned.
    objective
        Objective: `price`, `synergy`, `chemistry` or `total`.
    maximised
        Column whose total is maximised, if any.
    """

    root: Node
    name: str
    layout: Layout
    edges: NDArray[np.int32]
    synergy: Synergy | None
    constraints: tuple[Constraint, ...]
    columns: Mapping[str, tuple[str, Node]]
    traits: Mapping[str, Node]
    measures: Mapping[str, Node]
    fixed: Mapping[int, Node]
    required: Sequence[Node]
    excluded: Sequence[Node]
    owned: Sequence[Node] | Node | None
    objective: Objective = "price"
    maximised: str = ""


def read_puzzle(document: Document) -> Puzzle:
    """Read the content of the JSON file.

    Raises
    ------
    InputError
        If the content is invalid; the message names line, key and value.
    """
    root = document.root.entries()
    for key, due in (("format", FORMAT), ("version", 1)):
        if key not in root:
            raise root.error(f"has no key '{key}'. Maybe add it: {due!r}?")
        if root[key].value != due or type(root[key].value) is not type(due):
            raise root[key].wrong(f"{due!r}")
    root.entries(_KEYS)
    if "cards" in root:
        root["cards"].text()
    name = root["name"].value if "name" in root else ""
    if not isinstance(name, str):
        raise root["name"].wrong("a text")
    layout = read_layout(root)
    numbers = {slot: number for number, slot in enumerate(layout.slots)}
    synergy = read_synergy(root["synergy"]) if "synergy" in root else None
    asked = [(node, read_scope(node.entries(), numbers, None)) for node in _list(root, "constraints")]
    asked += [(node, scope) for squad in layout.squads for node, scope in squad.constraints]
    terms = [node["column"] for node in root["synergy"]["terms"].items() if "column" in node] if synergy else []
    read, summed = _read_by_functions(root) if synergy else ({}, {})
    constraints = tuple(read_constraint(node, scope) for node, scope in asked)
    named = [entry for node, _ in asked for entry in columns_named(node)]
    owned = _owned(root)
    told = [owned] if isinstance(owned, Node) else []
    chemistries = sum(isinstance(one, ChemistryConstraint) for one in constraints)
    objective, maximised = _objective(root, synergy, chemistries)
    totals = [root["maximise"]] if maximised else []
    return Puzzle(
        root,
        name,
        layout,
        _edges(root, numbers),
        synergy,
        constraints,
        _columns(root, layout.positioned),
        _first(terms + [node for node, text, _ in named if text] + told) | read,
        _first([node for node, _, number in named if number] + totals) | summed,
        _fixed(root, numbers, layout),
        _ids(root, "required"),
        _ids(root, "excluded"),
        owned,
        objective,
        maximised,
    )


def _owned(root: Node) -> Sequence[Node] | Node | None:
    if "owned" not in root:
        return None
    if isinstance(root["owned"].value, str):
        root["owned"].text()
        return root["owned"]
    return _ids(root, "owned")


def _objective(root: Node, synergy: Synergy | None, chemistries: int) -> tuple[Objective, str]:
    if "maximise" in root:
        if "objective" in root:
            raise root["maximise"].error("and 'objective' both set the objective. Maybe keep only one?")
        return "total", root["maximise"].text()
    if "objective" not in root:
        return "price", ""
    node = root["objective"]
    for known in OBJECTIVES:
        if node.value == known:
            if known == "synergy" and synergy is None:
                raise node.error("asks for the greatest synergy, and the puzzle has no key 'synergy'")
            if known == "chemistry" and chemistries != 1:
                raise node.error(f"asks for the greatest chemistry, and {chemistries} constraints are of this type")
            return known, ""
    raise node.wrong(f"one of {', '.join(map(repr, OBJECTIVES))}", hint(str(node.value), OBJECTIVES))


def _edges(root: Node, numbers: Mapping[str, int]) -> NDArray[np.int32]:
    edges: dict[tuple[int, int], None] = {}
    for entry in _list(root, "edges"):
        ends = entry.items(least=2, most=2)
        one, two = sorted(slot_number(end, numbers) for end in ends)
        if one == two:
            raise entry.error(f"joins slot {described(ends[0].value)} with itself")
        if (one, two) in edges:
            raise entry.error(f"is the second edge of slots {described(ends[0].value)} and {described(ends[1].value)}")
        edges[one, two] = None
    return np.array(list(edges), dtype=np.int32).reshape(-1, 2)


def _columns(root: Node, positions_matter: bool) -> dict[str, tuple[str, Node]]:
    """Return the columns with a fixed role; a column that is not named has the name of its role."""
    given = root["columns"].entries(_COLUMNS) if "columns" in root else Node(root.document, {}, ("columns",))
    found = {}
    for part in _COLUMNS:
        if part in given:
            found[part] = given[part].text(), given[part]
        elif (part != "position" or positions_matter) and (part != "price" or "maximise" not in root):
            found[part] = part, Node(root.document, part, ("columns", part))
    return found


def _fixed(root: Node, numbers: Mapping[str, int], layout: Layout) -> dict[int, Node]:
    """Return the items that the puzzle and its squads fix."""
    found = fixed_items(root["fixed"], numbers) if "fixed" in root else {}
    for squad in layout.squads:
        for slot, node in squad.fixed.items():
            if slot in found:
                raise found[slot].error("fixes a slot that its squad also fixes. Maybe keep only one?")
            found[slot] = node
    return found


def _ids(root: Node, key: str) -> list[Node]:
    """Return the ids in the list of a key, each of which may occur only once."""
    seen: set[str] = set()
    nodes = _list(root, key)
    for node in nodes:
        if node.label() in seen:
            raise node.error(f"names the id {described(node.value)} a second time")
        seen.add(node.label())
    return nodes


def _read_by_functions(root: Node) -> tuple[dict[str, Node], dict[str, Node]]:
    """Return the columns of text and of numbers that weight functions read, each with the first function's node."""
    texts: dict[str, Node] = {}
    numbers: dict[str, Node] = {}
    for _, node in function_terms(root):
        function = function_of(node)
        for column in function.columns:
            (numbers if column in function.numeric else texts).setdefault(column, node)
    return texts, numbers


def _first(nodes: Sequence[Node]) -> dict[str, Node]:
    """Return the columns that the nodes name, each with its first node."""
    found: dict[str, Node] = {}
    for node in nodes:
        found.setdefault(node.text(), node)
    return found


def _list(root: Node, key: str) -> list[Node]:
    return root[key].items() if key in root else []
