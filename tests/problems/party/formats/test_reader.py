"""Puzzles as the page of the format describes them, and all that can be wrong with them."""

from __future__ import annotations

import csv
import io
import json
import os
import unicodedata
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.party.formats.example import CARDS, PUZZLE, read, with_key
from problems.party.strategies import mutated

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.party import (
    UNBUYABLE,
    CountConstraint,
    DistinctConstraint,
    MaxSameConstraint,
    Party,
    SumConstraint,
    load,
)
from matheur.problems.party.formats import ReadOptions, claim, read_instance, read_texts

TEXT = json.dumps(PUZZLE, indent=1)


def test_the_objective_is_a_key_and_an_option() -> None:
    """The synergy may be what is wanted, if the puzzle has one; the option goes before the file."""
    assert read(PUZZLE).objective == "price"
    wanted = with_key("objective", "synergy")
    assert read(wanted).objective == "synergy"
    text = json.dumps(wanted).encode()
    cards = Source("<cards>", CARDS.encode())
    assert read_texts(Source("<puzzle>", text), cards, ReadOptions(objective="price")).objective == "price"
    bare = {key: value for key, value in PUZZLE.items() if key != "synergy"}
    with pytest.raises(InputError, match="objective asks for the greatest synergy"):
        read({**bare, "objective": "synergy"})
    with pytest.raises(ConfigurationError, match="no synergy that could be the objective"):
        read_texts(Source("<puzzle>", json.dumps(bare).encode()), cards, ReadOptions(objective="synergy"))
    with pytest.raises(ConfigurationError, match="Maybe 'synergy'"):
        ReadOptions(objective="synergie")  # type: ignore[arg-type]


def test_the_example_of_the_page() -> None:
    """Every key of the format arrives where it belongs; decimals are exact."""
    one = read(PUZZLE)
    assert (one.name, one.slots) == ("example", ("GK", "RB", "ANY"))
    assert list(one.catalogue.ids) == ["17", "5", "6", "7", "8", "9", "10"]
    assert one.catalogue.prices.tolist() == [100, 90, 90, UNBUYABLE, 250, 0, 10]
    assert one.fits.astype(int).tolist() == [[1, 1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 1, 0, 0], [1] * 7]
    assert one.edges.tolist() == [[0, 1], [1, 2]]
    assert one.synergy is not None
    assert one.synergy.minimum == Fraction(4, 5)
    assert [term.column for term in one.synergy.terms] == ["club", "league", "element"]
    assert [term.weight for term in one.synergy.terms] == [1, 2, 1]
    assert one.synergy.terms[2].pairs == {("fire", "water"): 0, ("fire", "air"): Fraction(1, 2)}
    assert one.constraints == (
        SumConstraint("rating", ">=", Fraction(225)),
        CountConstraint("league", ("Premier League", "La Liga"), ">=", Fraction(2)),
        DistinctConstraint("club", ">=", Fraction(2)),
        MaxSameConstraint("country", Fraction(2)),
    )
    assert one.fixed == {0: 0}
    assert one.excluded == {1, 2}
    assert set(one.catalogue.traits) == {"club", "league", "element", "country"}
    rating = one.catalogue.measures["rating"]
    assert rating.scale == 100
    assert rating.number(3) == Fraction("75.25")
    assert rating.number(5) == Fraction("74.5")
    assert rating.missing.tolist() == [False] * 6 + [True]
    assert one.catalogue.traits["element"].value(5) is None
    assert [items.tolist() for items in one.candidates] == [[0], [4], [4, 5]]


def test_the_smallest_puzzle() -> None:
    """Only format, version, cards and slots are needed; columns have their usual names."""
    one = read({"format": "matheur-party", "version": 1, "cards": "c", "slots": [{"name": "only"}]}, "price,id\n5,a\n")
    assert one.fits.tolist() == [[True]]
    assert one.synergy is None
    assert Party(one).evaluate(np.array([0])).feasible


@pytest.mark.parametrize(
    "cards",
    [
        CARDS.replace("\n", "\r\n"),
        "\ufeff" + CARDS,
        CARDS + "\n\n  \n",
        CARDS.rstrip("\n"),
        CARDS.replace("17,GK,", "  17 ,GK ,"),
        CARDS.replace("\n5,", "\n\n5,"),
        CARDS.replace("id,position", " id , position "),
        CARDS.replace(",100,", ",100.0,").replace(",250,", ",2.5e2,"),
    ],
)
def test_tables_in_other_dress(cards: str) -> None:
    """Line ends, a byte order mark, blank lines, blanks around cells and other forms of numbers change nothing."""
    assert Party(read(PUZZLE, cards)).fingerprint == Party(read(PUZZLE)).fingerprint


def test_ids_are_texts() -> None:
    """A JSON integer stands for its digits, a text is trimmed, and zeros in front count."""
    one = read(with_key("fixed.GK", 17))
    assert one.fixed == {0: 0}
    assert read(with_key("excluded", [5, " 6 "])).excluded == {1, 2}
    with pytest.raises(InputError, match=r"fixed\.GK is not an id of cards\.csv \('017'\)\. Maybe '17'\?"):
        read(with_key("fixed.GK", "017"))


def test_the_table_lies_beside_the_puzzle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its path is relative to the JSON file, or absolute, or given as an option; to the working directory for stdin."""
    folder = tmp_path / "sub"
    folder.mkdir()
    (folder / "cards.csv").write_text(CARDS)
    puzzle = folder / "puzzle.json"
    puzzle.write_text(TEXT)
    due = Party(read(PUZZLE)).fingerprint
    assert load(puzzle).fingerprint == due
    assert load(Source("<stdin>", json.dumps(with_key("cards", str(folder / "cards.csv"))).encode())).fingerprint == due
    with pytest.raises(InputError, match=r"cannot be read: .*No such file"):
        load(Source("<stdin>", TEXT.encode()))
    monkeypatch.chdir(tmp_path)
    puzzle.write_text(json.dumps(with_key("cards", "nowhere.csv"), indent=1))
    with pytest.raises(InputError, match=r"puzzle\.json:5: cards names a table that cannot be read: .*nowhere\.csv'"):
        load(puzzle)
    assert load(puzzle, cards="sub/cards.csv").fingerprint == due
    monkeypatch.chdir(folder)
    assert load(Source("<stdin>", TEXT.encode())).fingerprint == due
    with pytest.raises(InputError, match="cannot be read"):
        load(puzzle, cards=".")


def test_the_synergy_can_be_replaced() -> None:
    """The option is as exact as the file; a puzzle without synergy has none to replace."""
    for value in (0.7, "0.7", Fraction(7, 10)):
        one = read(PUZZLE, synergy=value)
        assert one.synergy is not None
        assert one.synergy.minimum == Fraction(7, 10)
    with pytest.raises(ConfigurationError, match="no synergy"):
        read(with_key("synergy"), synergy=0.5)


@pytest.mark.parametrize(
    "options", [{"synergy": 1.5}, {"synergy": "x"}, {"synergy": True}, {"cards": 3}, {"card": "x"}]
)
def test_options_that_make_no_sense(options: dict[str, Any]) -> None:
    """Unknown options, and values that they cannot have, are errors."""
    with pytest.raises(ConfigurationError):
        ReadOptions.from_mapping(options)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("name", 3, "name must be a text (3)"),
        ("version", 2, "version must be 1 (2)"),
        ("version", True, "version must be 1 (true)"),
        ("version", ..., "the puzzle has no key 'version'"),
        ("format", "other", "format must be 'matheur-party' ('other')"),
        ("slot", [], "slot is not a known key. Maybe 'slots'?"),
        ("cards", "", "cards must be a text that is not empty"),
        ("columns", [], "columns must be an object"),
        ("columns.prize", "cost", "columns.prize is not a known key. Maybe 'price'?"),
        ("columns.price", "coast", "speaks of the column 'coast', which cards.csv lacks. Maybe 'cost'?"),
        ("columns.price", ..., "columns.price speaks of the column 'price', which cards.csv lacks"),
        ("columns.position", "pos", "columns.position speaks of the column 'pos'"),
        ("slots", [], "slots must be a list of 1 to 1000 entries"),
        ("slots", ..., "the puzzle has no key 'slots'"),
        ("slots.0", "GK", "slots[0] must be an object"),
        ("slots.0.name", "RB", "slots[1].name is the second slot of the name 'RB'"),
        ("slots.0.name", " ", "slots[0].name must be a name of 1 to 100 printable characters"),
        ("slots.0.name", ..., "slots[0] has no key 'name'"),
        ("slots.0.accept", ["GK"], "slots[0].accept is not a known key. Maybe 'accepts'?"),
        ("slots.0.accepts", "GK", "slots[0].accepts must be a list ('GK')"),
        ("slots.0.accepts.0", None, "slots[0].accepts[0] must be a text that is not empty, or a whole number (null)"),
        ("edges.2", ["GK", "GK"], "edges[2] joins slot 'GK' with itself"),
        ("edges.2", ["RB", "GK"], "edges[2] is the second edge of slots 'RB' and 'GK'"),
        ("edges.2", ["RB", "GKK"], "edges[2][1] must be the name of a slot ('GKK'). Maybe 'GK'?"),
        ("edges.2", ["RB"], "edges[2] must be a list of 2 entries"),
        ("edges.2", ["RB", "GK", "ANY"], "edges[2] must be a list of 2 entries"),
        ("synergy.minimum", 1, "synergy.minimum is not a known key"),
        ("synergy.min", 1.01, "synergy.min must be a number from 0 to 1 (1.01)"),
        ("synergy.min", -0.1, "synergy.min must be a number from 0 to 1"),
        ("synergy.min", "0.8", "synergy.min must be a number"),
        ("synergy.terms", [], "synergy.terms must be a list of at least 1"),
        ("synergy.terms", ..., "synergy has no key 'terms'"),
        ("synergy.terms.0.column", "clubs", "synergy.terms[0].column speaks of the column 'clubs'"),
        ("synergy.terms.1.weight", 0, "synergy.terms[1].weight must be greater than 0 (0)"),
        ("synergy.terms.1.weight", -2, "synergy.terms[1].weight must be greater than 0 (-2)"),
        ("synergy.terms.1.wait", 1, "synergy.terms[1].wait is not a known key. Maybe 'weight'?"),
        ("synergy.terms.2.same", 2, "synergy.terms[2].same must be a number from 0 to 1 (2)"),
        ("synergy.terms.2.other", -1, "synergy.terms[2].other must be a number from 0 to 1 (-1)"),
        ("synergy.terms.2.pairs.0", ["fire", "water", 2], "synergy.terms[2].pairs[0][2] must be a number from 0 to 1"),
        ("synergy.terms.2.pairs.0", ["fire", "water"], "synergy.terms[2].pairs[0] must be a list of 3 entries"),
        ("synergy.terms.2.pairs.2", ["air", "fire", 0.4], "synergy.terms[2].pairs[2] gives the pair 'air', 'fire' a"),
        ("synergy.terms.2.pairs", [[f"a{n}", "b", 1] for n in range(2000)], "pairs uses more than 2000"),
        ("constraints", {}, "constraints must be a list"),
        ("constraints.0.type", "summ", "constraints[0].type must be a known type of constraint ('summ'). Maybe 'sum'?"),
        ("constraints.0.type", ["sum"], "constraints[0].type must be a known type"),
        ("constraints.0.type", ..., "constraints[0] has no key 'type'"),
        ("constraints.0.in", ["a"], "constraints[0].in is not a known key"),
        ("constraints.0.op", ">", "constraints[0].op must be one of '>=', '<=' and '==' ('>')"),
        ("constraints.0.op", ..., "constraints[0] has no key 'op'"),
        ("constraints.0.value", "225", "constraints[0].value must be a number"),
        ("constraints.0.value", 10**18, "constraints[0].value must be a number of at most 18 digits"),
        ("constraints.0.value", True, "constraints[0].value must be a number"),
        ("constraints.0.column", "ratign", "'ratign', which cards.csv lacks. Maybe 'rating'?"),
        ("constraints.0.column", "club", "cards.csv:2: column 'club': 'Reds' is not a number"),
        ("constraints.1.in", "La Liga", "constraints[1].in must be a list ('La Liga')"),
        ("constraints.1.in", [""], "constraints[1].in[0] must be a text that is not empty"),
        ("constraints.3.op", "<=", "constraints[3].op is not a known key"),
        ("fixed.GKK", "17", "fixed.GKK names no slot. Maybe 'GK'?"),
        ("fixed.GK", "1x", "fixed.GK is not an id of cards.csv ('1x')"),
        ("fixed.GK", 17.5, "fixed.GK must be a text that is not empty, or a whole number (17.5)"),
        ("fixed", ["17"], "fixed must be an object"),
        ("objective", "cost", "objective must be one of 'price', 'synergy', 'chemistry' ('cost')"),
        ("objective", ["price"], "objective must be one of"),
        ("excluded.2", "99", "excluded[2] is not an id of cards.csv ('99')"),
        ("excluded.2", 5, "excluded[2] names the id 5 a second time"),
    ],
)  # fmt: skip
def test_mistakes_in_the_puzzle(path: str, value: Any, message: str) -> None:
    """Each names the file, the line, the key and the value."""
    changed = with_key(path, value)
    with pytest.raises(InputError) as caught:
        read(changed)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    if caught.value.source == "puzzle.json" and value is not ...:
        assert caught.value.line is not None


def test_the_line_is_that_of_the_key() -> None:
    """A key deep in the file is found among others of the same name."""
    with pytest.raises(InputError) as caught:
        read(with_key("synergy.terms.1.weight", 0))
    assert caught.value.line is not None
    assert TEXT.split("\n")[caught.value.line - 1].strip() == '"weight": 2'


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "not JSON"),
        ("[]", None, "the puzzle must be an object"),
        (TEXT.replace("0.8", "NaN"), None, "NaN is not JSON"),
        (TEXT.replace("0.8", "-Infinity"), None, "-Infinity is not JSON"),
        (TEXT.replace("0.8", "1e999999999"), None, "the number 1e999999999 is too large or has too many digits"),
        (TEXT.replace("0.8", "0." + "1" * 30), None, "has too many digits"),
        (TEXT.replace("225", "9" * 5000), None, "a whole number has more than 100 digits"),
        (TEXT.replace('"other": 0', '"other": 0, "other": 0'), None, "the key 'other' appears twice in one object"),
        (TEXT[:-1], TEXT.count("\n") + 1, "not JSON"),
        ("[" * 100_000, None, "nested too deeply"),
        (TEXT.replace("0.8", "[" * 100_000), None, "nested too deeply"),
        (TEXT.replace('"Premier League"', '"\\ud800"'), None, "holds half a character"),
    ],
)
def test_what_is_not_json(text: str, line: int | None, message: str) -> None:
    """Broken JSON, numbers without a value or without a reasonable size, keys that appear twice, absurd nesting."""
    with pytest.raises(InputError, match=message) as caught:
        read(text)
    assert line is None or caught.value.line == line
    assert caught.value.source == "puzzle.json"


@pytest.mark.parametrize("text", ["NaN", "1e999999999", '0, "min": 0'])
def test_the_line_of_what_is_refused(text: str) -> None:
    """Numbers that are none, and keys that appear twice, have their line."""
    with pytest.raises(InputError) as caught:
        read(TEXT.replace("0.8", text))
    assert caught.value.line == next(number for number, line in enumerate(TEXT.split("\n"), 1) if "0.8" in line)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (CARDS, "", None, "the table is empty"),
        (CARDS, "\n\n", None, "the table is empty"),
        ("rating", "mark", None, "constraints[0].column speaks of the column 'rating', which cards.csv lacks"),
        ("remarks", "club", None, "synergy.terms[0].column speaks of the column 'club', which cards.csv has twice"),
        ("5,GK,80,", "5,GK,80,,", 3, "the row has 10 cells, the header has 9"),
        ("5,GK,80,", "5,80,", 3, "the row has 8 cells, the header has 9"),
        ("9,ST", "x\n9,ST", 8, "the row has 1 cell, the header has 9"),
        ("9,ST", "8,ST", 8, "the id '8' appears twice, first in line 6"),
        ("9,ST", " ,ST", 8, "the item has no id"),
        (",250,", ",-250,", 6, "column 'cost': '-250' is no price"),
        (",250,", ",2.5,", 6, "column 'cost': '2.5' is no price"),
        (",250,", ',"2,5",', 6, "Maybe a decimal comma? Write 2.5"),
        (",250,", ',"1,250",', 6, "Maybe a mark of thousands? Write 1250"),
        (",250,", ",1.000,", 6, "column 'cost': '1.000' may be 1 or 1000. Maybe a mark of thousands? Write 1000"),
        (",250,", ",1 250 000,", 6, "Maybe a mark of thousands? Write 1250000"),
        ("75.25", '"75,25"', 5, "column 'rating': '75,25' is not a number"),
        ("75.25", '"75,25"', 5, "Maybe a decimal comma? Write 75.25"),
        ("75.25", "\x1b[31m", 5, "column 'rating': '\\x1b[31m' is not a number"),
        (",250,", ",many,", 6, "column 'cost': 'many' is no price"),
        (",250,", ",nan,", 6, "column 'cost': 'nan' is no price"),
        (",250,", ",1_000,", 6, "column 'cost': '1_000' is no price"),
        (",250,", ",٣,", 6, "column 'cost': '٣' is no price"),
        (",250,", ",1e5000,", 6, "column 'cost': '1e5000' is no price"),
        (",250,", f",{10**15 + 1},", 6, "is no price"),
        ("75.25", "nan", 5, "column 'rating': 'nan' is not a number"),
        ("75.25", "inf", 5, "column 'rating': 'inf' is not a number"),
        ("75.25", "1e5000", 5, "column 'rating': '1e5000' is not a number, or one with too many digits"),
        ("75.25", "1e-5000", 5, "column 'rating'"),
        ("75.25", "0x10", 5, "column 'rating'"),
        ("75.25", "100000000000000.25", None, "column 'rating': its numbers have too many digits"),
        ("no price", "no\0price", 5, "holds a NUL byte"),
        ("no price", "no\udcff\1price", 5, "not UTF-8 text (byte '\\xff')"),
        ('of two lines"', "of two lines", 9, "not a CSV file: unexpected end of data"),
        ('"RB|GK"', '"RB|GK"x', 4, "not a CSV file"),
        ("no price", "x" * 200_000, 5, "not a CSV file: field larger than field limit"),
    ],
)
def test_mistakes_in_the_table(old: str, new: str, line: int | None, message: str) -> None:
    """Each names the line on which the row begins, also behind a cell of two lines, and the value."""
    data = CARDS.replace(old, new, 1).encode("utf-8", "surrogateescape")
    with pytest.raises(InputError) as caught:
        read(PUZZLE, data)
    assert message in str(caught.value)
    assert caught.value.line == line or line is None
    assert len(str(caught.value)) < 300


def test_weights_with_too_many_digits() -> None:
    """What cannot be computed in 62 bits is an error of the file, not of the program."""
    changed = with_key("synergy.terms.0.weight", 0.1234567890123457)
    changed["synergy"]["terms"][0]["same"] = 0.1234567890123459
    with pytest.raises(InputError, match=r"synergy cannot be computed exactly: .*too many digits"):
        read(changed)


def test_a_slot_without_items_is_no_mistake() -> None:
    """It makes the puzzle infeasible, with a reason; so does an item that is both fixed and excluded."""
    reason = Party(read(with_key("slots.1.accepts", ["CB"]))).infeasible_reason()
    assert reason == "no usable item fits slot 'RB': no item has a position that it accepts"
    reason = Party(read(with_key("excluded", ["17"]))).infeasible_reason()
    assert reason == "item '17', fixed in slot 'GK', is excluded"


def test_recognition() -> None:
    """By format in a JSON object, whatever else is wrong."""
    assert claim(Source("a", TEXT.encode()))
    assert claim(Source("a", b"\xef\xbb\xbf \n" + TEXT.encode()))
    assert claim(Source("a", b'{"format" : "matheur-party", broken'))
    for data in (b"", b"[]", b"\xff\xfe", b'{"format": "matheur-edge-matching"}', b'"format": "matheur-party"'):
        assert not claim(Source("a", data))


def rewritten(separator: str) -> str:
    """The table with another separator of cells."""
    rows = csv.reader(io.StringIO(CARDS, newline=""))
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator).writerows(rows)
    return text.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize(
    "table",
    [
        CARDS,
        CARDS.replace("\n", "\r\n"),
        CARDS.replace("\n", "\r"),
        rewritten(";"),
        rewritten("\t"),
        f"sep=;\r\n{rewritten(';')}",
        f"SEP=,\n{CARDS}\x1a",
        f"sep=|\n{rewritten('|')}",
        rewritten(";").replace("remarks", "remarks, by hand", 1),
        CARDS.replace("remarks", "remarks; by hand", 1),
        CARDS.replace(",100,", ',"100",').replace(",250,", ",250.0,"),
    ],
)
def test_tables_as_spreadsheets_write_them(table: str, encoding: str) -> None:
    """Other separators, ends of lines and encodings make no difference, and nothing is assumed."""
    source = Source("puzzle.json", TEXT.encode(encoding))
    one = read_texts(source, Source("cards.csv", table.encode(encoding)))
    assert Party(one).fingerprint == Party(read(PUZZLE)).fingerprint
    assert source.assumed == []
    assert claim(source) == Recognition.PROVED


def test_lines_count_behind_a_line_that_says_the_separator() -> None:
    """An error names the line of the file."""
    with pytest.raises(InputError, match=r"cards.csv:7: column 'cost': 'many' is no price"):
        read(PUZZLE, f"sep=;\n{rewritten(';')}".replace(";250;", ";many;"))


def test_what_is_assumed_of_the_table_is_noted_with_the_puzzle() -> None:
    """An older encoding, with the table's name; and values of a count that nearly no item has."""
    source = Source("puzzle.json", TEXT.replace("Premier", "Premierr").encode())
    read_texts(source, Source("a/cards.csv", CARDS.replace("no price", "kein Preis für").encode("cp1252")))
    assert source.assumed == [
        "cards.csv: encoding Windows-1252 in the lines that are not UTF-8",
        "no item has 'Premierr League' in the column 'league'. Maybe 'Premier League'?",
    ]


@pytest.mark.parametrize(
    ("cell", "note"),
    [
        ('"ST, LW"', "'ST, LW', not 'ST|LW',"),
        ("ST/CF", "'ST/CF', not 'ST|CF',"),
        ("ST LW", "'ST LW', not 'ST|LW',"),
        ("GK|st", "'st', not 'ST',"),
        ("ST|CF", None),
        ("CF", None),
        ("Left ST", None),
        ('"CF, RW"', None),
    ],
)
def test_positions_that_look_like_those_of_slots_are_noted(cell: str, note: str | None) -> None:
    """Several with another mark between them, and other letters: the item fits no slot."""
    puzzle = {"format": "matheur-party", "version": 1, "slots": [{"name": "a", "accepts": ["ST", "LW"]}]}
    source = Source("puzzle.json", json.dumps(puzzle).encode())
    read_texts(source, Source("cards.csv", f"id,position,price\n1,ST,5\n2,{cell},1\n".encode()))
    told = [] if note is None else [f"{note} is in the column 'position', but no slot takes it"]
    assert source.assumed == told


@pytest.mark.parametrize("name", ["héros.csv", "my table [1].csv", "表.csv", "a;b'c\".csv"])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_tables_may_have_any_name(name: str, form: str, tmp_path: Path) -> None:
    """Blanks, brackets, and accents composed or apart, on the disk or in the puzzle."""
    (tmp_path / unicodedata.normalize(form, name)).write_text(CARDS)
    puzzle = tmp_path / "puzzle.json"
    puzzle.write_text(json.dumps(with_key("cards", unicodedata.normalize("NFC", name))))
    assert Party(load(puzzle).instance).fingerprint == Party(read(PUZZLE)).fingerprint


def test_a_table_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """In one line, with advice for paths of Windows; a pipe that the puzzle names is not waited for."""
    puzzle = tmp_path / "puzzle.json"
    puzzle.write_text(json.dumps(with_key("cards", "tables\\cards.csv")))
    with pytest.raises(InputError, match=r"Maybe '/' instead of '\\'\?"):
        load(puzzle)
    os.mkfifo(tmp_path / "pipe.csv")
    puzzle.write_text(json.dumps(with_key("cards", "pipe.csv")))
    with pytest.raises(InputError, match=r"cannot be read: .*\(not a regular file"):
        load(puzzle)


def read_or_refuse(puzzle: bytes, cards: bytes) -> None:
    """Reading may refuse with an `InputError` of reasonable length, and nothing else."""
    refused = None
    try:
        read(puzzle, cards)
    except InputError as error:
        refused = error
    assert refused is None or (refused.source in ("puzzle.json", "cards.csv") and len(str(refused)) < 1000)


@settings(max_examples=300)
@given(st.one_of(st.binary(max_size=80), mutated(TEXT.encode()), mutated(json.dumps(PUZZLE).encode())))
def test_no_bytes_crash_the_reader_of_puzzles(data: bytes) -> None:
    """Random bytes and damaged files."""
    claim(Source("a", data))
    read_or_refuse(data, CARDS.encode())


@settings(max_examples=300)
@given(
    st.one_of(
        st.binary(max_size=80), mutated(CARDS.encode()), st.binary(max_size=30).map(lambda tail: CARDS.encode() + tail)
    )
)
def test_no_bytes_crash_the_reader_of_tables(data: bytes) -> None:
    """Random bytes and damaged files."""
    read_or_refuse(TEXT.encode(), data)


JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(["GK", "17", "club"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["name", "type", "x"]), inner)
    ),
    max_leaves=6,
)


PLACES = [
    *PUZZLE, "slots.0", "slots.0.accepts", "edges.0", "constraints.0", "constraints.1.in", "constraints.2.value",
    "excluded.0", "fixed.GK", "columns.id", "synergy.terms", "synergy.terms.0", "synergy.terms.2.pairs",
    "synergy.terms.2.pairs.1.2",
]  # fmt: skip


@settings(max_examples=300)
@given(st.sampled_from(PLACES), JSON)
def test_no_values_crash_the_reader(path: str, value: Any) -> None:
    """Well-formed JSON of the wrong shape anywhere."""
    read_or_refuse(json.dumps(with_key(path, value)).encode(), CARDS.encode())


def test_many_items() -> None:
    """Tables are read in blocks: the seams between them, and lines behind them, are right."""
    rows = [f"{number},ST,{number % 90},L{number % 7},C{number % 5},X,fire,{number}," for number in range(1000)]
    cards = CARDS.replace("17,GK", "g17,GK").split("\n")[0] + "\n" + "\n".join(rows) + "\n"
    puzzle = with_key("slots.0.accepts", ["ST"])
    one = read(puzzle, cards)
    assert one.catalogue.prices.tolist() == list(range(1000))
    assert one.catalogue.measures["rating"].amounts.tolist() == [number % 90 for number in range(1000)]
    assert [one.catalogue.traits["league"].value(item) for item in range(1000)] == [f"L{n % 7}" for n in range(1000)]
    with pytest.raises(InputError) as caught:
        read(puzzle, cards.replace("\n700,ST", "\n700,ST,"))
    assert caught.value.line == 702
    with pytest.raises(InputError) as caught:
        read(puzzle, cards.replace(",fire,701,", ",fire,x,"))
    assert caught.value.line == 703


def test_read_instance_is_read_texts(tmp_path: Path) -> None:
    """The two ways into an instance agree."""
    (tmp_path / "cards.csv").write_text(CARDS)
    source = Source(str(tmp_path / "p.json"), TEXT.encode())
    pair = read_texts(source, Source("cards.csv", CARDS.encode()))
    assert Party(read_instance(source)).fingerprint == Party(pair).fingerprint


@pytest.mark.parametrize(
    ("table", "position", "items"),
    [("cards_fifa23_10k.csv", "position", 10_001), ("cards_fc25_sample.csv", "positions", 5941)],
)
def test_tables_of_real_games(data: Path, table: str, position: str, items: int) -> None:
    """The public tables of cards on a public formation: every slot has hundreds of candidates."""
    folder = data / "assignment" / "sbc"
    formations = json.loads((folder / "formations_links.json").read_text())["formations"]
    formation = next(one for one in formations if one["name"] == "f442")
    puzzle = {
        "format": "matheur-party",
        "version": 1,
        "cards": str(folder / table),
        "columns": {"price": "cost", "position": position},
        "slots": [
            {"name": slot, "accepts": [place]}
            for slot, place in zip(formation["slots"], formation["position"], strict=True)
        ],
        "edges": [[formation["slots"][a], formation["slots"][b]] for a, b in formation["links"]],
        "synergy": {"terms": [{"column": "club"}, {"column": "league"}, {"column": "country"}], "min": 0.8},
        "constraints": [{"type": "sum", "column": "rating", "op": ">=", "value": 880}],
    }
    one = load(Source("<puzzle>", json.dumps(puzzle).encode())).instance
    assert len(one.catalogue) == items
    assert len(one.edges) >= 16
    assert min(map(len, one.candidates)) > 100
    assert Party(one).infeasible_reason() is None
