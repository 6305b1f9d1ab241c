"""Broken and unsolvable plan puzzles give one line or a proof, never a traceback or an endless run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cli.conftest import Command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.running.loading import problem_type

SOLVED = "".join(face * 9 for face in "URFDLB")
PUZZLES = ("sliding-tile", "rubik", "lights-out", "sokoban")


def exchanged(*stickers: int) -> bytes:
    """Return the solved cube with some stickers moved in a cycle."""
    facelets = list(SOLVED)
    for here, there in zip(stickers, stickers[1:] + stickers[:1], strict=True):
        facelets[there] = SOLVED[here]
    return "".join(facelets).encode()


def tiles(rows: int, columns: int) -> bytes:
    """Return a board in order, with the blank first."""
    numbers = np.arange(rows * columns).reshape(rows, columns)
    return "\n".join(" ".join(map(str, row)) for row in numbers).encode()


ANY: dict[str, bytes] = {
    "empty": b"",
    "blank": b" \n\n",
    "zeros": bytes(100),
    "binary": bytes(range(256)) * 4,
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(50),
    "JSON": b'{"rows": 3}',
    "deep JSON": b"[" * 100_000,
    "prose": "Über allen Gipfeln ist Ruh.\n".encode(),
    "a broken graph": b"p edge 3 1\ne 1 7\n",
}
"""Files that are not an instance of any plan puzzle."""


@pytest.mark.parametrize("puzzle", PUZZLES)
@pytest.mark.parametrize("case", ANY)
def test_files_of_something_else(matheur: Command, tmp_path: Path, puzzle: str, case: str) -> None:
    """One line names the file, with and without the name of the puzzle."""
    path = tmp_path / "instance.txt"
    path.write_bytes(ANY[case])
    for options in (("--problem", puzzle), ()):
        assert "instance.txt" in matheur("solve", path, *options).error
    assert "instance.txt" in matheur("show", path, "--problem", puzzle).error
    assert "<stdin>" in matheur("solve", "-", "--problem", puzzle, stdin=ANY[case]).error


BROKEN: dict[str, tuple[str, bytes, str]] = {
    "a tile twice": ("sliding-tile", b"1 2 3\n4 5 6\n7 7 0\n", ":3: tile 7 is there twice"),
    "a tile twice in different rows": ("sliding-tile", b"1 2\n3 1\n", ":2: tile 1 is there twice, first in line 1"),
    "no blank": ("sliding-tile", b"1 2 3\n4 5 6\n7 8 9\n", ":3: tile 9 does not belong on a board of 9 cells"),
    "a short row": ("sliding-tile", b"1 2 3\n4 5\n6 7 8 0\n", ":2: 2 tiles, the first row has 3"),
    "a word for a tile": ("sliding-tile", b"1 2 3\n4 x 6\n7 8 0\n", ":2: not the number of a tile ('x')"),
    "a negative tile": ("sliding-tile", b"1 2 3\n4 -5 6\n7 8 0\n", ":2: not the number of a tile ('-5')"),
    "a huge tile": ("sliding-tile", b"1 2\n3 9999999999999\n", ":2: not the number of a tile ('9999999999999')"),
    "a huge header of tiles": ("sliding-tile", b"1000000 1000000\n1 2 3\n", ":1: not the number of a tile ('1000000')"),
    "a board of one cell": ("sliding-tile", b"0\n", "1 x 1"),
    "a board of 9 x 9": ("sliding-tile", tiles(9, 9), "9 x 9"),
    "a board of 100 x 100": ("sliding-tile", tiles(100, 100), "at most 8 x 8 tiles"),
    "an unknown goal": ("sliding-tile", b"# goal: middle\n1 2\n3 0\n", ":1: unknown goal 'middle'"),
    "53 stickers": ("rubik", SOLVED[:-1].encode(), ":1: a cube has 54 stickers (53)"),
    "55 stickers": ("rubik", b"\n" + SOLVED.encode() + b"U\n", ":2: a cube has 54 stickers (55)"),
    "a wrong letter": ("rubik", SOLVED.replace("B", "X", 1).encode(), ":1: sticker 46 is 'X', not one of U R F D L B"),
    "a small letter": ("rubik", SOLVED.replace("U", "u", 1).encode(), ":1: sticker 1 is 'u'"),
    "ten of a colour": ("rubik", b"R" + SOLVED[1:].encode(), "10 stickers of colour R, a cube has 9 of each"),
    "centres exchanged": ("rubik", exchanged(4, 13), "the centre of face U shows R"),
    "a mirrored corner": ("rubik", exchanged(9, 20), "the corner at URF shows UFR"),
    "an edge of one colour": ("rubik", exchanged(5, 46), "the edge at UB shows UU"),
    "an unknown turn": ("rubik", b"R U\nF Q2\n", ":2: move 4 cannot be read ('Q2')"),
    "an unknown metric": ("rubik", b"# metric: third\nR U\n", ":1: unknown metric 'third'"),
    "a scramble without end": ("rubik", b"R U " * 100_000, "at most 100,000 bytes (400,000)"),
    "a light of 2": ("lights-out", b"010\n002\n", ":2: a row has only 0 and 1 ('2')"),
    "a short row of lights": ("lights-out", b"010\n01\n", ":2: 2 lights, the first row has 3"),
    "an unknown pattern": ("lights-out", b"# pattern: cross\n01\n10\n", ":1: unknown pattern 'cross'"),
    "200 x 200 lights": ("lights-out", (b"01" * 100 + b"\n") * 200, "1 to 4096 cells (200 x 200)"),
    "a million lights": ("lights-out", b"0" * 10**6 + b"\n", "at most 4096 cells has at most 262,144 bytes"),
    "a huge header of lights": ("lights-out", b"1000000 1000000\n01\n10\n", ":2: 2 lights, the first row has 14"),
    "no player": (
        "sokoban",
        b"#####\n# $.#\n#####\n",
        ":1: a level has one player (@, or + on a goal), this one has no player",
    ),
    "two players": (
        "sokoban",
        b"\n#####\n#@@$.#\n#####\n",
        ":2: a level has one player (2: row 1, column 1 and row 1, column 2)",
    ),
    "no box": ("sokoban", b"####\n#@.#\n####\n", ":1: the level has no boxes"),
    "an open level": ("sokoban", b"#####\n#@$.\n#####\n", ":1: the level is open: the player can walk off it (row 1"),
    "no walls": ("sokoban", b"@$.\n", "not a level: its rows begin with #"),
    "no upper wall": ("sokoban", b"1000000 1000000\n#@$.#\n", ":2: the level is open"),
    "an unknown sign": ("sokoban", b"######\n#@$x.#\n######\n", ":2: not part of a level ('x')"),
    "an unknown sign below": ("sokoban", b"#####\n#@$.#\n#?###\n", ":3: not part of a level ('?')"),
    "a very wide level": (
        "sokoban",
        b"#" * 10**6 + b"\n#@$.#\n",
        ":1: a level has at most 10000 cells, row 0 alone has more",
    ),
    "a very high level": ("sokoban", b"#@$.#\n" * 10**5, ":1: a level has at most 10000 cells (100000 x 5)"),
}
"""Files that are almost an instance: puzzle, content, message."""


@pytest.mark.parametrize("case", BROKEN)
def test_broken_instances(matheur: Command, tmp_path: Path, case: str) -> None:
    """One line names the file, the line if possible, and the wrong value."""
    puzzle, content, message = BROKEN[case]
    path = tmp_path / "instance.txt"
    path.write_bytes(content)
    line = matheur("solve", path, "--problem", puzzle).error
    assert "instance.txt" in line
    assert message in line
    assert len(line) < 400
    assert "instance.txt" in matheur("solve", path, "--problem", puzzle, "--json").error


UNSOLVABLE: dict[str, tuple[str, bytes, str]] = {
    "two tiles exchanged": ("sliding-tile", b"1 2 3\n4 5 6\n8 7 0\n", "'blank-last' is odd, but the blank is 0 steps"),
    "14 and 15 exchanged": (
        "sliding-tile",
        b"# goal: blank-last\n1 2 3 4\n5 6 7 8\n9 10 11 12\n13 15 14 0\n",
        "every slide changes both parities",
    ),
    "tiles in one row": ("sliding-tile", b"2 1 0\n", "on a single line tiles cannot pass each other"),
    "a twisted corner": ("rubik", exchanged(8, 9, 20), "a corner is twisted"),
    "a flipped edge": ("rubik", exchanged(5, 10), "an edge is flipped"),
    "an odd permutation": ("rubik", exchanged(10, 19), "two pieces are exchanged"),
    "a light in a corner": (
        "lights-out",
        b"10000\n" + b"00000\n" * 4,
        "every press toggles an even number of these 12",
    ),
    "64 x 64 lights": ("lights-out", (b"01" * 32 + b"\n") * 64, "an odd number of them are on"),
    "no goal": ("sokoban", b"#####\n#@$ #\n#####\n", "only 0 goals"),
    "more boxes than goals": ("sokoban", b"#######\n#@$$. #\n#     #\n#######\n", "2 boxes and only 1 goals"),
    "a box in a corner": ("sokoban", b"#####\n#$ .#\n#@  #\n#####\n", "the box in row 1, column 1 cannot be pushed"),
    "a box behind a wall": ("sokoban", b"########\n#@ .#$ #\n########\n", "cannot get to the box"),
    "frozen boxes": (
        "sokoban",
        b"########\n#@ $$..#\n#      #\n########\n",
        "walls and other boxes hold the box in row 1, column 3",
    ),
    "no room to push": ("sokoban", b"#########\n#@ $ $..#\n#########\n", "searched all that can be reached"),
}
"""Proper instances without a solution: puzzle, content, reason."""


@pytest.mark.parametrize("case", UNSOLVABLE)
def test_unsolvable_instances(matheur: Command, tmp_path: Path, case: str) -> None:
    """The run ends at once with the status infeasible and a reason."""
    puzzle, content, reason = UNSOLVABLE[case]
    path = tmp_path / "instance.txt"
    path.write_bytes(content)
    answer = matheur("solve", path, "--problem", puzzle, "--seconds", 100, "--json").json
    assert (answer["status"], answer["solution"]) == ("infeasible", None)
    assert reason in answer["reason"]


def test_more_goals_than_boxes(matheur: Command, tmp_path: Path) -> None:
    """A level may have more goals than boxes."""
    path = tmp_path / "instance.txt"
    path.write_bytes(b"#######\n#@$.. #\n#     #\n#######\n")
    answer = matheur("solve", path, "--json").json
    assert (answer["status"], answer["score"], answer["solution"]) == ("optimal", 1, "R")


def test_a_field_of_goals(matheur: Command, tmp_path: Path) -> None:
    """A large level with too many goals for the searches is refused at once."""
    free, boxes, goals = ("#" + sign * 98 + "#" for sign in " $.")
    rows = ["#" * 100, "#@" + free[2:], boxes[:-2] + " #", *[free] * 46, *[goals] * 50, "#" * 100]
    path = tmp_path / "instance.txt"
    path.write_text("\n".join(rows))
    assert "up to 256 goals without a frozen box (4900)" in matheur("solve", path, "--seconds", 1).error


SOLUTIONS: dict[str, bytes] = {
    "a number": b'{"solution": 5}',
    "objects": b'{"solution": [{}, {}]}',
    "huge numbers": b'{"solution": [1e999, 123456789012345678901234567890]}',
    "deep": b'{"solution": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    "broken": b'{"solution": ["U", ',
    "prose": "Über allen Gipfeln\n".encode(),
    "binary": bytes(range(128, 256)),
    "another problem": b'{"problem": "sudoku", "solution": "UDLR"}',
}


@pytest.mark.parametrize("puzzle", PUZZLES)
@pytest.mark.parametrize("case", SOLUTIONS)
def test_broken_solutions(matheur: Command, tmp_path: Path, puzzle: str, case: str) -> None:
    """Every command refuses a broken solution with one line that names the file."""
    path = tmp_path / "plan.json"
    path.write_bytes(SOLUTIONS[case])
    assert "plan.json" in matheur("verify", f"{puzzle}/demo", path).error
    assert "plan.json" in matheur("show", path, "--instance", f"{puzzle}/demo").error


GENERATED: dict[str, tuple[str, ...]] = {
    "tiles": ("sliding-tile", "--size", "1000"),
    "half a board": ("sliding-tile", "--size", "3x"),
    "lights": ("lights-out", "--size", "1000x1000"),
    "no lights": ("lights-out", "--size", "0"),
    "presses": ("lights-out", "--set", "presses=1000000"),
    "levels": ("sokoban", "--size", "9999x9999"),
    "boxes": ("sokoban", "--size", "10", "--set", "boxes=60"),
    "pulls": ("sokoban", "--set", "pulls=1000000"),
    "a crowded closet": ("sokoban", "--size", "5", "--set", "boxes=2"),
    "turns": ("rubik", "--set", "moves=1000000000"),
    "an unknown metric": ("rubik", "--set", "metric=third"),
    "an unknown option": ("rubik", "--set", "sises=7"),
}


@pytest.mark.parametrize("case", GENERATED)
def test_impossible_instances_are_not_generated(matheur: Command, tmp_path: Path, case: str) -> None:
    """Impossible sizes give one line, and no file is written."""
    out = tmp_path / "instance.txt"
    assert matheur("generate", *GENERATED[case], "--seed", 1, "--out", out).error
    assert not out.exists()


VALID: dict[str, bytes] = {
    "sliding-tile": b"# goal: blank-first\n4 1 2\n5 0 3\n8 7 6\n",
    "rubik": b"# metric: half\nR U' F2 D B' L2\n",
    "lights-out": b"# pattern: king\n01010\n11011\n00100\n",
    "sokoban": b"; one\n#######\n#@    #\n# $ . #\n#   $.#\n#     #\n#######\n",
}


@pytest.mark.parametrize("puzzle", PUZZLES)
@given(data=st.data())
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_altered_files(puzzle: str, data: st.DataObject) -> None:
    """A valid file with random changes is either read, or refused with its name."""
    content = bytearray(VALID[puzzle])
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(begin, min(len(content), begin + 8)))
        change: Callable[[bytes], bytes] = data.draw(
            st.sampled_from([lambda part: b"", lambda part: part * 3, lambda part: bytes(len(part))])
        )
        fresh = data.draw(st.one_of(st.none(), st.binary(max_size=4), st.sampled_from([b"#", b"9" * 30, b"\n", b"\t"])))
        content[begin:end] = change(bytes(content[begin:end])) if fresh is None else fresh
    complaint = ""
    try:
        problem = problem_type(puzzle).read(Source("instance.txt", bytes(content)), {})
    except InputError as error:
        complaint = str(error)
    if complaint:
        assert complaint.startswith("instance.txt")
        return
    reason = problem.infeasible_reason()
    assert reason is None or reason
