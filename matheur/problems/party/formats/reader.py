"""Reader of a puzzle and its table of items."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source, open_source
from matheur.errors import ConfigurationError, InputError, shown
from matheur.problems.decimals import fraction_of
from matheur.problems.party.catalogue import Catalogue, Trait
from matheur.problems.party.constraints import ChemistryConstraint, Constraint, CountConstraint
from matheur.problems.party.formats.document import BYTES_MAX, Document, Node, hint
from matheur.problems.party.formats.functions import with_functions
from matheur.problems.party.formats.options import ReadOptions
from matheur.problems.party.formats.puzzle import Puzzle, read_puzzle
from matheur.problems.party.formats.table import Table
from matheur.problems.party.instance import Instance
from matheur.problems.party.synergy import Synergy

__all__ = ["claim", "read_instance", "read_texts"]

_PLACES_MAX = 300_000_000
_STRANGERS_MAX = 5
_NOT_OWNED = frozenset({"0", "no", "false", "n", "f"})
_LISTED = re.compile("[,;/]")
_START = re.compile(rb"[ \t\r\n]*\{")
_TELLING = re.compile(rb'"format"\s*:\s*"matheur-party"')


def claim(source: Source) -> Recognition:
    """Recognise a JSON object that declares itself a party puzzle; never raises."""
    try:
        data = b"" if len(source.data) > BYTES_MAX else source.plain
    except InputError:
        return Recognition.NO
    return Recognition.PROVED if _START.match(data) and _TELLING.search(data) else Recognition.NO


def read_instance(source: Source, options: ReadOptions | None = None) -> Instance:
    """Read the puzzle in a JSON file with the table of items that it names.

    The path of the table is relative to the folder of the JSON file, or to the working directory if the JSON text is
    not in a file.

    Raises
    ------
    InputError
        If one of the two files is invalid; the message names file, line, key and value.
    ConfigurationError
        If the options demand a synergy in a puzzle without synergy.
    """
    source.single("one puzzle")
    options = options or ReadOptions()
    puzzle = read_puzzle(Document(source))
    return _with_options(_with_table(puzzle, _table(puzzle.root, options), _synergy(puzzle.synergy, options)), options)


def read_texts(puzzle: Source, table: Source, options: ReadOptions | None = None) -> Instance:
    """Do the same as `read_instance` from the content of the two files; the name of the table is ignored.

    Raises
    ------
    InputError, ConfigurationError
        As in `read_instance`.
    """
    parsed, options = read_puzzle(Document(puzzle)), options or ReadOptions()
    return _with_options(_with_table(parsed, table, _synergy(parsed.synergy, options)), options)


def _with_options(instance: Instance, options: ReadOptions) -> Instance:
    """Return the instance with the objective from the options."""
    if options.objective is None or options.objective == instance.objective:
        return instance
    if options.objective == "synergy" and instance.synergy is None:
        raise ConfigurationError("the puzzle has no synergy that could be the objective (objective)")
    chemistries = sum(isinstance(one, ChemistryConstraint) for one in instance.constraints)
    if options.objective == "chemistry" and chemistries != 1:
        raise ConfigurationError(f"{chemistries} constraints are of the type chemistry, not one (objective)")
    return replace(instance, objective=options.objective, maximised="")


def _with_table(puzzle: Puzzle, source: Source, synergy: Synergy | None) -> Instance:
    """Return the instance; assumptions about the table are recorded in the source of the puzzle."""
    needed = {name for name, _ in puzzle.columns.values()} | set(puzzle.traits) | set(puzzle.measures)
    instance = _resolved(puzzle, Table(source, needed), synergy)
    for phrase in source.assumed:
        puzzle.root.document.source.assume(f"{Path(source.name).name}: {phrase}")
    _note_strangers(puzzle, instance)
    return instance


def _note_strangers(puzzle: Puzzle, instance: Instance) -> None:
    """Note values of a count that no item has but that resemble an existing value: allowed, but probably misspelt."""
    for demand in instance.constraints:
        if isinstance(demand, CountConstraint):
            column, values = demand.column, demand.values
        elif isinstance(demand, ChemistryConstraint) and demand.full is not None:
            column, values = demand.full
        else:
            continue
        known = dict.fromkeys(instance.catalogue.traits[column].values)
        for value in [value for value in values if value not in known][:_STRANGERS_MAX]:
            advice = hint(value, known)
            if advice.startswith("Maybe '"):
                said = f"no item has {shown(value)} in the column {shown(column)}. {advice}"
                puzzle.root.document.source.assume(said)


def _note_positions(puzzle: Puzzle, column: str, positions: Trait) -> None:
    """Note positions of items that no slot accepts, except in another spelling or when split into several."""
    wanted = {value for one in (*puzzle.layout.accepts, *puzzle.layout.plays) for value in one or ()}
    letters = {value.casefold(): value for value in wanted}
    notes: dict[str, str] = {}
    for value in dict.fromkeys(part.strip() for cell in positions.values for part in cell.split("|")):
        if value in wanted:
            continue
        listed, blanks = [part.strip() for part in _LISTED.split(value)], value.split()
        if value.casefold() in letters:
            notes.setdefault("letters", f"{shown(value)}, not {shown(letters[value.casefold()])},")
        elif len(listed) > 1 and not wanted.isdisjoint(listed):
            notes.setdefault("several", f"{shown(value)}, not {shown('|'.join(listed))},")
        elif len(blanks) > 1 and wanted.issuperset(blanks):
            notes.setdefault("several", f"{shown(value)}, not {shown('|'.join(blanks))},")
    for said in notes.values():
        puzzle.root.document.source.assume(f"{said} is in the column {shown(column)}, but no slot takes it")


def _synergy(synergy: Synergy | None, options: ReadOptions) -> Synergy | None:
    if options.synergy is None:
        return synergy
    if synergy is None:
        raise ConfigurationError("the puzzle has no synergy, so it cannot demand a minimum of it (synergy)")
    return replace(synergy, minimum=options.synergy)


def _table(root: Node, options: ReadOptions) -> Source:
    """Return the table of items from the options, or else from the puzzle."""
    source = root.document.source
    if options.cards is None and "cards" not in root:
        raise root.error("has no key 'cards', the path of the table of items")
    name = root["cards"].text() if options.cards is None else options.cards
    try:
        return source.companion(name) if options.cards is None or source.confined else open_source(name)
    except InputError as error:
        said = re.sub(r"^cannot read \((.*)\)$", r"\1", error.message)
    windows = " Maybe '/' instead of '\\'?" if "\\" in name else ""
    message = f"names a table that cannot be read: {shown(name, 200)} ({said}).{windows}".removesuffix(".")
    raise InputError(f"cards {message}") if options.cards is not None else root["cards"].error(message)


def _resolved(puzzle: Puzzle, table: Table, synergy: Synergy | None) -> Instance:
    columns = {part: name for part, (name, _) in puzzle.columns.items()}
    named = [*puzzle.columns.values(), *puzzle.traits.items(), *puzzle.measures.items()]
    if "price" not in columns and "price" in table.header:
        columns["price"] = "price"
        named.append(("price", Node(puzzle.root.document, "price", ("columns", "price"))))
    for name, node in named:
        times = table.header.count(name)
        if times != 1:
            file = Path(table.source.name).name
            wrong = (
                f"{file} has twice. Maybe rename one of them?" if times else f"{file} lacks. {hint(name, table.header)}"
            )
            raise node.error(f"speaks of the column {shown(name)}, which {wrong}".rstrip())
    priced = columns.get("price")
    traits = dict.fromkeys([*puzzle.traits, *([columns["id"]] if puzzle.required else [])])
    catalogue, positions = table.read(
        columns["id"], priced, columns.get("position"), list(traits), list(puzzle.measures)
    )
    if positions is not None:
        _note_positions(puzzle, columns["position"], positions)
    catalogue = _with_owned(puzzle, catalogue, priced, table)
    synergy, catalogue = with_functions(puzzle.root, synergy, catalogue)
    layout = puzzle.layout
    if len(layout.slots) * len(catalogue) > _PLACES_MAX:
        raise puzzle.root["squads" if layout.squads else "slots"].error(
            f"are too many for this many items: {len(layout.slots)} times {len(catalogue)}, at most {_PLACES_MAX}"
        )
    numbers = _numbers([*puzzle.fixed.values(), *puzzle.excluded, *puzzle.required], catalogue.ids)
    for node in puzzle.required:
        _item(node, numbers, catalogue.ids, table)
    plays = _fits(layout.plays, positions, len(catalogue)) if any(one is not None for one in layout.plays) else None
    instance = Instance(
        catalogue,
        layout.slots,
        _fits(layout.accepts, positions, len(catalogue)),
        puzzle.edges,
        synergy,
        (*(_ranged(one, catalogue) for one in puzzle.constraints), *_required(puzzle.required, columns["id"])),
        {slot: _item(node, numbers, catalogue.ids, table) for slot, node in puzzle.fixed.items()},
        frozenset(_item(node, numbers, catalogue.ids, table) for node in puzzle.excluded),
        puzzle.name,
        puzzle.objective,
        puzzle.maximised,
        plays,
    )
    try:
        instance.points  # noqa: B018 - computed here so that numbers with too many digits are an error of the file
    except OverflowError as error:
        raise puzzle.root["synergy"].error(f"cannot be computed exactly: {error}") from None
    return instance


def _numbers(nodes: Sequence[Node], ids: Sequence[str]) -> dict[str, int]:
    """Return the row of each named id that exists."""
    spoken_of = {node.label() for node in nodes}
    return {text: number for number, text in enumerate(ids) if text in spoken_of} if spoken_of else {}


def _required(nodes: Sequence[Node], identity: str) -> tuple[Constraint, ...]:
    """Return the demand that all these items are in the party, as a count of their ids."""
    ids = tuple(node.label() for node in nodes)
    return (CountConstraint(identity, ids, ">=", Fraction(len(ids))),) if ids else ()


def _ranged(constraint: Constraint, catalogue: Catalogue) -> Constraint:
    """Return a count by a range of numbers, with the values of the table that lie in the range."""
    if not isinstance(constraint, CountConstraint) or constraint.span is None:
        return constraint
    least, most = constraint.span
    inside = []
    for value in catalogue.traits[constraint.column].values:
        number = fraction_of(value)
        if number is not None and (least is None or least <= number) and (most is None or number <= most):
            inside.append(value)
    return replace(constraint, values=tuple(inside))


def _with_owned(puzzle: Puzzle, catalogue: Catalogue, priced: str | None, table: Table) -> Catalogue:
    """Set the price of owned items to 0, also in the measure of the price column."""
    if puzzle.owned is None:
        return catalogue
    owned = np.zeros(len(catalogue), dtype=np.bool_)
    if isinstance(puzzle.owned, Node):
        trait = catalogue.traits[puzzle.owned.text()]
        said = np.array([*(value.casefold() not in _NOT_OWNED for value in trait.values), False])
        owned = said[trait.codes]
    else:
        numbers = _numbers(puzzle.owned, catalogue.ids)
        owned[[_item(node, numbers, catalogue.ids, table) for node in puzzle.owned]] = True
    measures = dict(catalogue.measures)
    if priced in measures:
        measure = measures[priced]
        measures[priced] = replace(
            measure, amounts=np.where(owned, 0, measure.amounts), missing=measure.missing & ~owned
        )
    prices = np.where(owned, 0, catalogue.prices)
    return replace(catalogue, prices=prices, measures=measures)


def _item(node: Node, numbers: Mapping[str, int], ids: Sequence[str], table: Table) -> int:
    text = node.label()
    if text not in numbers:
        raise node.error(f"is not an id of {Path(table.source.name).name} ({shown(text)}). {hint(text, ids)}".rstrip())
    return numbers[text]


def _fits(accepts: tuple[tuple[str, ...] | None, ...], positions: Trait | None, items: int) -> NDArray[np.bool_]:
    """Whether an item fits a slot. Shape (slots, items)."""
    takers: dict[str, list[int]] = {}
    for slot, values in enumerate(accepts):
        for value in values or ():
            takers.setdefault(value, []).append(slot)
    cells = () if positions is None else positions.values
    taken = np.zeros((len(accepts), len(cells) + 1), dtype=np.bool_)  # the last column is for the empty cell, -1
    for number, cell in enumerate(cells):
        for value in cell.split("|"):
            taken[takers.get(value.strip(), []), number] = True
    for slot, values in enumerate(accepts):
        if values is None:
            taken[slot] = True
    codes = np.zeros(items, dtype=np.int32) - 1 if positions is None else positions.codes
    return np.ascontiguousarray(taken[:, codes])
