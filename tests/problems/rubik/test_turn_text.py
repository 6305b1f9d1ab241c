"""Turns as people write them, against a cube of stickers in space that knows nothing of the package."""

from __future__ import annotations

import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matheur.cli import run
from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.rubik import TYPE, parse_moves
from matheur.problems.rubik.turn_text import parse_turns, resemble_turns

Sticker = tuple[tuple[int, ...], tuple[int, ...]]
Cube = dict[Sticker, str]

NORMALS = {"U": (0, 1, 0), "R": (1, 0, 0), "F": (0, 0, 1), "D": (0, -1, 0), "L": (-1, 0, 0), "B": (0, 0, -1)}
# Row by row as seen from outside: the way down, and the way to the right.
WAYS = {
    "U": ((0, 0, 1), (1, 0, 0)), "R": ((0, -1, 0), (0, 0, -1)), "F": ((0, -1, 0), (1, 0, 0)),
    "D": ((0, 0, -1), (1, 0, 0)), "L": ((0, -1, 0), (0, 0, 1)), "B": ((0, -1, 0), (-1, 0, 0)),
}  # fmt: skip
# Axis, layers along it, and whether the turn is clockwise as seen from its positive end.
LAYERS: dict[str, tuple[int, tuple[int, ...], bool]] = {
    "R": (0, (1,), True), "L": (0, (-1,), False), "U": (1, (1,), True), "D": (1, (-1,), False),
    "F": (2, (1,), True), "B": (2, (-1,), False), "M": (0, (0,), False), "E": (1, (0,), False), "S": (2, (0,), True),
    "x": (0, (-1, 0, 1), True), "y": (1, (-1, 0, 1), True), "z": (2, (-1, 0, 1), True),
    "2R": (0, (0,), True), "2D": (1, (0,), False), "3F": (2, (-1,), True), "3U": (1, (-1,), True),
}  # fmt: skip
for _face in "URFDLB":
    _axis, (_outer,), _way = LAYERS[_face]
    for _name in (f"{_face}w", _face.lower(), f"2{_face}w", f"2{_face.lower()}"):
        LAYERS[_name] = (_axis, (_outer, 0), _way)
    for _name in (f"3{_face}w", f"3{_face.lower()}", f"[{_face.lower()}]"):
        LAYERS[_name] = (_axis, (-1, 0, 1), _way)

Turn = tuple[str, int]


def solved() -> Cube:
    """Each sticker of a place and a direction, in the colour of its face."""
    cube = {}
    for place in product((-1, 0, 1), repeat=3):
        for face, normal in NORMALS.items():
            if sum(a * b for a, b in zip(place, normal, strict=True)) == 1:
                cube[place, normal] = face
    return cube


def turned(cube: Cube, turns: list[Turn]) -> Cube:
    """The cube after turns of layers."""
    for name, quarters in turns:
        axis, layers, clockwise = LAYERS[name]
        for _ in range(quarters if clockwise else 4 - quarters):
            i, j = (axis + 1) % 3, (axis + 2) % 3

            def moved(vector: tuple[int, ...], i: int = i, j: int = j) -> tuple[int, ...]:
                there = list(vector)
                there[i], there[j] = vector[j], -vector[i]
                return tuple(there)

            cube = {
                (moved(place), moved(normal)) if place[axis] in layers else (place, normal): colour
                for (place, normal), colour in cube.items()
            }
    return cube


def facelets(cube: Cube) -> str:
    """In Kociemba's order, each colour called after the face that has it in the centre."""
    names = {cube[normal, normal]: face for face, normal in NORMALS.items()}
    found = ""
    for face, (down, right) in WAYS.items():
        for row, column in product((-1, 0, 1), repeat=2):
            place = tuple(n + row * d + column * r for n, d, r in zip(NORMALS[face], down, right, strict=True))
            found += names[cube[place, NORMALS[face]]]
    return found


def back(turns: list[Turn]) -> list[Turn]:
    return [(name, 4 - quarters) for name, quarters in reversed(turns)]


SUFFIXES = {1: ["", "1"], 2: ["2", "2'", "'2"], 3: ["'", "3", "i", "\u2019"]}


@st.composite
def texts(draw: Any, depth: int = 0) -> tuple[str, list[Turn]]:
    """A text, and the turns that it means."""
    kind = draw(st.sampled_from(["turn", "turn", "group", "commutator", "conjugate"] if depth < 3 else ["turn"]))
    if kind == "turn":
        name, quarters = draw(st.sampled_from(sorted(LAYERS))), draw(st.integers(1, 3))
        suffix = draw(st.sampled_from(SUFFIXES[quarters]))
        return (f"[{name[1]}{suffix}]" if name[0] == "[" else name + suffix), [(name, quarters)]
    parts = [[draw(texts(depth + 1)) for _ in range(draw(st.integers(1, 2)))] for _ in range(2)]
    (one, first), (two, second) = (
        (
            draw(st.sampled_from([" ", "  ", "\n"])).join(text for text, _ in part),
            [t for _, turns in part for t in turns],
        )
        for part in parts
    )
    gap = draw(st.sampled_from(["", " "]))
    if kind == "group":
        text, turns = f"({gap}{one}{gap})", first
    elif kind == "commutator":
        text, turns = f"[{one}{gap},{gap}{two}]", first + second + back(first) + back(second)
    else:
        text, turns = f"[{one}{gap}:{gap}{two}]", first + second + back(first)
    suffix, times = draw(
        st.sampled_from([("", 1), ("3", 3), ("'", -1), ("2'", -2), ("'2", -2), ("^2", 2), ("^-1", -1), (" * 2", 2),
                         ("x2", 2), (" 2", 2), ("-1", -1), ("0", 0)])
    )  # fmt: skip
    return text + suffix, (turns if times >= 0 else back(turns)) * abs(times)


@settings(max_examples=40)
@given(st.lists(texts(), min_size=1, max_size=3))
def test_groups_commutators_and_conjugates(parts: list[tuple[str, list[Turn]]]) -> None:
    """Scrambles make the cube that real turns make, and the text in reverse is a plan that solves it."""
    text, turns = "R U ' ".replace(" '", "'") + " ".join(text for text, _ in parts), [("R", 1), ("U", 3)]
    turns += [turn for _, some in parts for turn in some]
    cube = turned(solved(), turns)
    problem = TYPE.read(Source("s", text.encode()), {})
    assert problem.instance.facelets == facelets(cube)
    for plan in (f"({text})'", f"(({text})2)' {text}"):
        found = TYPE.read_solution(problem, Source("p", plan.encode()))
        assert problem.evaluate(found).feasible
    assert problem.evaluate(problem.decode(text)).feasible == (len(set(facelets(turned(cube, turns))[::9])) == 6) & (
        facelets(turned(cube, turns)) == facelets(solved())
    )


def test_what_groups_are_worth() -> None:
    """Known orders and identities."""
    for text in ("(R U R' U')6", "[R U R' U', R U R' U']", "(R2 U2)^6", "[F: (R)4]", "M' R L' x'", "(R U)105"):
        assert TYPE.read(Source("s", text.encode()), {}).given_solution() is not None
    assert parse_moves("[F: [R, U]]") == parse_moves("F R U R' U' F'")
    assert parse_moves("r U") == parse_moves("Rw U") == parse_moves("L F")


@pytest.mark.parametrize(
    "text",
    ["R U // x", "R U % cut", "R /* one */ U /* two */", "R U ; first two layers done", "R; U", "R. U", "R, U (2f)"],
)
def test_remarks_and_separators(text: str) -> None:
    """What stands between and behind turns."""
    assert TYPE.read(Source("s", text.encode()), {}).instance.facelets == facelets(
        turned(solved(), [("R", 1), ("U", 1)])
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("F2L: R U", "s:1: a ':' outside of brackets. Maybe [A: B] for a conjugate, or // before a comment?"),
        ("R (U R", "s:1: a '(' without its ')'"),
        ("R\n(U\nR]", "s:2: a '(' without its ')'"),
        ("R\nU) R", "s:2: a ')' without its '('"),
        ("[R, U", "s:1: a '[' without its ']'"),
        ("[R, U, F]", "a commutator or conjugate has two parts. Maybe [A, B], [A: B], or [A: [B, C]]?"),
        ("[R, ]", "one side of the ',' is missing"),
        ("(R, U)", "a comma in round brackets. Maybe [A, B] for a commutator, or blanks between turns?"),
        ("R {U F}", "move 2 cannot be read ('{U F}'). Maybe round brackets for a group?"),
        ("r u r' u'", "move 1 cannot be read (\"r u r' u'\"). Maybe R for the face, or Rw for two layers?"),
        ("R m", "move 2 cannot be read ('m'). Maybe M for the slice?"),
        ("R U 4Rw", "move 3 cannot be read ('4Rw'). Maybe a cube with more layers than three?"),
        ("R 2M", "move 2 cannot be read ('2M')"),
        ("(R U)999999", "a sequence has at most 100,000 turns"),
        ("((((R)999)999)999)999", "a sequence has at most 100,000 turns"),
        ("(" * 100 + "R" + ")" * 100, "more than 50 nested brackets"),
    ],
)
def test_bad_texts(text: str, words: str) -> None:
    """One line with the place and what may be meant, of scrambles and of plans."""
    with pytest.raises(InputError) as caught:
        TYPE.read(Source("s", text.encode()), {})
    assert words in str(caught.value)
    problem = TYPE.read(Source("s", b"R"), {})
    if not text.startswith("[R, ]"):
        with pytest.raises(InputError) as caught:
            TYPE.read_solution(problem, Source("s", text.encode()))
        assert words in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["1. R U' F", "12) R U' F", "Scramble: R U' F", "scramble 3 =R U' F", "Scramble:\nR U'\nF", "1.R U' F // one"],
)
def test_labels_of_scrambles(text: str) -> None:
    """Their word or their number in a list; a second one is another cube."""
    source = Source("s", text.encode())
    assert TYPE.recognises(source)
    assert TYPE.read(source, {}).instance.facelets == facelets(turned(solved(), [("R", 1), ("U", 3), ("F", 1)]))
    newlines = "\n" * (3 - text.count("\n"))
    with pytest.raises(InputError, match=r"s:4: a second scramble, the first is in line 1"):
        TYPE.read(Source("s", f"{text}{newlines}2. R U".encode()), {})
    assert TYPE.recognises(Source("s", b"1. R U\n2. R' F"))
    assert not TYPE.recognises(Source("s", b"1. one\n2. two\n"))
    with pytest.raises(InputError, match="s:1: neither facelets nor a scramble"):
        TYPE.read(Source("s", b"1."), {})


@pytest.mark.parametrize(
    "text",
    ["R^2 U^-1 F³", "R^{2} U^{-1} F^3", "R2 U-1 F^{-1}", '["R2", "U\'", "F\'"]', "\"R2 U' F'\"", "Solution: R2 U' F'"],
)
def test_powers_labels_and_lists_in_scrambles_and_plans(text: str) -> None:
    """Exponents as in group theory, and JSON, are read wherever turns are."""
    turns = [("R", 2), ("U", 3), ("F", 3)]
    source = Source("s", text.encode())
    assert TYPE.recognises(source)
    assert TYPE.read(source, {}).instance.facelets == facelets(turned(solved(), turns))
    problem = TYPE.read(Source("s", b"F U R2"), {})
    assert problem.evaluate(TYPE.read_solution(problem, source)).feasible


def test_lists_that_may_be_plans_of_other_puzzles_are_no_cubes() -> None:
    """Letters of four directions alone; a second numbered plan is refused."""
    assert not TYPE.recognises(Source("s", b'["U", "L", "R"]'))
    assert not TYPE.recognises(Source("s", b'"UDLR"'))
    problem = TYPE.read(Source("s", b"R"), {})
    with pytest.raises(InputError, match="s:2: a second plan, the first is in line 1"):
        TYPE.read_solution(problem, Source("s", b"1. R'\n2. R' U U'"))


@pytest.mark.parametrize("pair", ["R U' ", "R'U'", "(R U') ", "M' U "])
def test_long_scrambles_are_no_stickers(pair: str) -> None:
    """A quote behind a turn is no sign between stickers, however many turns there are."""
    for times in (20, 27, 400):
        source = Source("s", (pair * times).encode())
        assert resemble_turns([(1, pair * times)])
        assert TYPE.recognises(source)
        repeated = Source("s", f"({pair}){times}".encode())
        assert TYPE.read(source, {}).instance.facelets == TYPE.read(repeated, {}).instance.facelets


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("R /* ; all done % */ U", 2),
        ("R % /* F", 1),
        ("R ; F; then U", 1),
        ("R; F /* x */ B", 3),
        ("R /* F */ U /* D", 0),
    ],
)
def test_remarks_next_to_each_other(text: str, turns: int) -> None:
    """The first mark counts; a comment without its end is none."""
    if turns:
        assert len(parse_turns(text)) == turns
    else:
        with pytest.raises(InputError):
            parse_turns(text)


def test_time_grows_with_the_length() -> None:
    """Turns are not copied for every further one: a tenth of a second, not half a minute."""
    begun = time.process_time()
    assert len(parse_turns("R U' " * 30_000)) == 60_000
    assert len(parse_turns("R" + ";" * 100_000 + "U")) == 2
    assert time.process_time() - begun < 5


def test_small_letters_in_lists() -> None:
    """A list of turns is one text: with capital letters, small ones turn two layers."""
    problem = TYPE.read(Source("s", b"R"), {})
    assert problem.encode(problem.decode(["R", "r'", "[u]"])) == problem.encode(problem.decode("R Rw' y"))
    for wrong in (["r"], ["R", "(R U)"], ["R", ""]):
        with pytest.raises(InputError):
            problem.decode(wrong)


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A scramble held otherwise at its end is verified with its own inverse, which begins with a bracket."""
    scramble, plan = tmp_path / "scramble.txt", tmp_path / "plan.txt"
    scramble.write_text("[F: [R, U]] Rw2 y // held otherwise\n")
    plan.write_text("[y'] Rw2\n[F: [U, R]]\n")
    assert run(["verify", str(scramble), str(plan)]) == 0
    assert "assumed: held as the scramble leaves it, with " in "".join(capsys.readouterr())
