"""Cubes as they lie there: orders of faces and nets, written by a cube that knows nothing of the package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from problems.rubik.test_turn_text import Turn, facelets, solved, turned

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.rubik import TYPE
from matheur.running.loading import load_instance

Faces = dict[str, str]


def rows(face: str) -> list[str]:
    return [face[:3], face[3:6], face[6:]]


def side_by_side(faces: Faces, order: str, between: str = "") -> list[str]:
    return [between.join(rows(faces[face])[i] for face in order) for i in range(3)]


def net(faces: Faces, between: str = "") -> str:
    return "\n".join([*rows(faces["U"]), *side_by_side(faces, "LFRB", between), *rows(faces["D"])])


LAYOUTS: dict[str, Callable[[Faces], str]] = {
    "faces of Kociemba": lambda f: " ".join(f[one] for one in "URFDLB"),
    "in the order of a net": lambda f: "".join(f[one] for one in "ULFRBD"),
    "a face a line": lambda f: "\n".join(" ".join(rows(f[one])) for one in "UFRBLD"),
    "rows of a net in one word": lambda f: net(f).replace("\n", ""),
    "a net": net,
    "a net with bars and rules": lambda f: "---\n" + net(f, "|").replace("\n", "\n\n") + "\n---",
    "stickers between commas": lambda f: "\n".join(",".join(row) for row in net(f).split("\n")),
    "a list of words": lambda f: "[" + ", ".join(f"'{one}'" for face in "URFDLB" for one in f[face]) + "]",
    "B below D": lambda f: "\n".join([*rows(f["U"]), *side_by_side(f, "LFR"), *rows(f["D"]), *rows(f["B"][::-1])]),
    "B above U": lambda f: "\n".join([*rows(f["B"][::-1]), *rows(f["U"]), *side_by_side(f, "LFR", " "), *rows(f["D"])]),
    "B below D, upright": lambda f: "\n".join([*rows(f["U"]), *side_by_side(f, "LFR"), *rows(f["D"]), *rows(f["B"])]),
    "with names": lambda f: "\n".join(f"{face}: {' '.join(rows(f[face]))}" for face in "FBUDLR"),
    "names in words": lambda f: "\n".join(
        f"{word}=\n" + "\n".join(rows(f[word[0].replace("T", "U")]))
        for word in ("Top", "Front", "Right", "Back", "Left", "Down")
    ),
}


def cube_of(text: str) -> tuple[str, tuple[str, ...]]:
    kind, problem = TYPE, TYPE.read(Source("cube", text.encode()), {})
    assert kind.recognises(Source("cube", text.encode()))
    return problem.instance.facelets, problem.assumptions


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str) -> None:
    """The same cube from each, in letters of faces and in colours."""
    for turns in ([("R", 1)], [("R", 1), ("U", 3), ("F", 2), ("D", 1), ("B", 1), ("L", 3), ("U", 1)]):
        wanted = facelets(turned(solved(), turns))
        for colours in ("URFDLB", "WRGYOB", "wrgyob", "123456"):
            shown = wanted.translate(str.maketrans("URFDLB", colours))
            faces = {face: shown[9 * i : 9 * i + 9] for i, face in enumerate("URFDLB")}
            if colours == "123456" and "with" in layout:
                continue
            found, notes = cube_of(LAYOUTS[layout](faces))
            assert found == wanted
            assert ("colours by the centres" in " ".join(notes)) == (colours != "URFDLB")


@pytest.mark.parametrize("sides", ["LFRB", "FRBL", "BLFR", "RBLF"])
def test_nets_with_other_faces_first(sides: str) -> None:
    """U is above F, wherever F is in the row."""
    turns: list[Turn] = [("R", 1), ("U", 3), ("F", 2), ("D", 1), ("B", 1)]
    wanted = facelets(turned(solved(), turns))
    faces = {face: wanted[9 * i : 9 * i + 9] for i, face in enumerate("URFDLB")}
    found, notes = cube_of("\n".join([*rows(faces["U"]), *side_by_side(faces, sides), *rows(faces["D"])]))
    assert found == wanted
    assert notes == (() if sides == "LFRB" else (f"the net has {' '.join(sides)} side by side",))


def test_a_cube_held_otherwise() -> None:
    """Colours are named by the centres in every layout."""
    wanted = facelets(turned(solved(), [("R", 1), ("U", 1), ("x", 1), ("y", 3)]))
    centres = "FRDBLU"
    painted = wanted.translate(str.maketrans("URFDLB", centres))
    assert cube_of(painted)[0] == wanted


@pytest.mark.parametrize("side", [2, 4, 5])
@pytest.mark.parametrize("between", ["", " ", "\n", ", "])
@pytest.mark.parametrize("colours", ["URFDLB", "urfdlb", "WRGYOB"])
def test_cubes_of_other_sizes_are_refused(side: int, between: str, colours: str) -> None:
    """Although their letters could be turns, also in groups and in another order."""
    text = between.join(colour * side**2 for colour in colours)
    if side == 2:
        for other in (text, "DLRRFULLUBFDURDBFBRBFLUD", "UU\nUU\nLLFFRRBB\nLLFFRRBB\nDD\nDD"):
            with pytest.raises(InputError, match="24 stickers: a cube of 2 x 2 x 2, which is not read"):
                TYPE.read(Source("cube", other.encode()), {})
    with pytest.raises(InputError, match=f"a cube of {side} x {side} x {side}, which is not read"):
        TYPE.read(Source("cube", text.encode()), {})


def test_turns_that_are_no_stickers() -> None:
    """A sign behind one of them, or brackets around them, say so."""
    turns: list[Turn] = [(face, 1) for face in "RUFDLB"] * 4
    wanted = facelets(turned(solved(), turns))
    for text in ("R1 U F D L B" + 3 * " R U F D L B", "(R U F D L B)4", "(RUFDLB) " * 4):
        assert cube_of(text)[0] == wanted


def test_small_letters_of_the_faces() -> None:
    """In every layout, with a note; faults are those of capital letters."""
    wanted = facelets(turned(solved(), [("R", 1), ("U", 3), ("F", 2)]))
    small = wanted.lower()
    faces = {face: small[9 * i : 9 * i + 9] for i, face in enumerate("URFDLB")}
    for layout in LAYOUTS.values():
        found, notes = cube_of(layout(faces))
        assert found == wanted
        assert "small letters are those of the faces" in notes
    with pytest.raises(InputError, match="10 stickers of colour B"):
        cube_of("b" + small[1:])
    held = facelets(turned(solved(), [("R", 1), ("U", 1)])).translate(str.maketrans("URFDLB", "FRDBLU"))
    assert cube_of(held.lower())[0] == cube_of(held)[0]


def test_faults_are_those_of_the_usual_reading() -> None:
    """Whatever else was tried; a shape that is no net is refused with those that are known."""
    solved_cube = "".join(face * 9 for face in "URFDLB")
    with pytest.raises(InputError, match="the centre of face U shows R"):
        cube_of(solved_cube[:4] + "R" + solved_cube[5:13] + "U" + solved_cube[14:])
    blocks = ["UUU"] * 3 + ["LLLFFF"] * 3 + ["RRRBBB"] * 3 + ["DDD"] * 3
    with pytest.raises(InputError, match="a net has rows of 3 stickers"):
        cube_of("\n".join(blocks))
    with pytest.raises(InputError, match="10 stickers of colour W"):
        cube_of("U: WWW WWW WWW\nR: RRR RRR RRR\nF: GGG GGG GGG\nD: YYY YYY YYY\nL: OOO OOO OOO\nB: BBB BBB BBW")


def test_the_kind_is_recognised(tmp_path: Path) -> None:
    """Among all kinds of problems."""
    wanted = facelets(turned(solved(), [("R", 1), ("U", 3), ("F", 2)]))
    shown = wanted.translate(str.maketrans("URFDLB", "WRGYOB"))
    faces = {face: shown[9 * i : 9 * i + 9] for i, face in enumerate("URFDLB")}
    for number, layout in enumerate(LAYOUTS.values()):
        path = tmp_path / f"{number}.txt"
        path.write_text(layout(faces))
        assert load_instance(str(path))[1].instance.facelets == wanted
