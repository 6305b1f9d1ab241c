"""How surely a table of numbers is a puzzle, and what is taken for granted of it."""

from __future__ import annotations

import json
import re
from itertools import permutations

import numpy as np
import pytest

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.problems.edge_matching import TYPE, EdgeMatching, ReadOptions, generate, read_instance, write_json
from matheur.problems.edge_matching import write_mcgavin as mcgavin
from matheur.problems.edge_matching import write_piece_list as piece_list

PUZZLE, BOARD = generate(4, 4, seed=7, name="four")
PIECES = piece_list(PUZZLE).partition("\n")[2]
INDEXED = "\n".join(f"{number} {line}" for number, line in enumerate(PIECES.splitlines(), 1))
LETTERS = PIECES.translate({48 + colour: chr(97 + colour) for colour in range(10)})
TWO = piece_list(generate(2, 2, seed=3)[0]).partition("\n")[2]
BY_TWO, BY_TWO_5 = (piece_list(generate(rows, 2, seed=3)[0]) for rows in (4, 5))
LOOSE = "\n".join(f"{n % 3 + 1} {n % 2 + 1} {n % 5 + 1} 1" for n in range(16)) + "\n"

PROVED = {
    "size": f"4 4\n{PIECES}",
    "size, comments": f"# Board\n4 4  # rows, columns\n\n{PIECES}",
    "size with x": f"4x4\n{PIECES}",
    "count": f"16\n{PIECES}",
    "side": f"4\n{PIECES}",
    "ntiles": f"ntiles: 16\n{PIECES}",
    "ntiles, cut short": "ntiles: 16\n0 0 1 2\n",
    "zero": f"0\n{PIECES}",
    "Clark": f"4 4 5\n{PIECES}",
    "no first line": PIECES,
    "index": f"4 4\n{INDEXED}",
    "index, no first line": INDEXED,
    "commas": PIECES.replace(" ", ","),
    "index, 2 x 2": "4\n" + "\n".join(f"{n} {line}" for n, line in enumerate(TWO.splitlines())),
    "no frame": f"4 4\n{LOOSE}",
    "4 x 2": BY_TWO,
    "names of columns": f"up,right,down,left\n{PIECES}",
    "names of columns, index": f"4 4\nid,top,right,bottom,left\n{INDEXED}",
    "names of columns, 2 x 2": f"N E S W\n{TWO}",
    "colons": re.sub(r"(?m)^(\d+) ", r"\1: ", INDEXED),
    "names in another order": "N S E W\n" + re.sub(r"(?m)^(\S+) (\S+) (\S+) (\S+)$", r"\1 \3 \2 \4", PIECES),
    "letters": LETTERS.replace(" ", ""),
    "letters, size": f"4 4\n{LETTERS.replace(' ', '').upper()}",
    "letters, frame X": LETTERS.replace(" ", ",").upper().replace("A", "X"),
    "letters, index": "\n".join(f"{number}: {line}" for number, line in enumerate(LETTERS.splitlines(), 1)),
    "McGavin": mcgavin(PUZZLE),
    "own JSON": write_json(PUZZLE),
    "site's JSON": json.dumps({"width": 1, "height": 1, "pieces": [[0, 0, 0, 0]]}),
}
FITS = {
    "2 x 2": TWO,
    "colons, 2 x 2": "".join(f"{n}: {line}\n" for n, line in enumerate(TWO.splitlines(), 1)),
    "2 x 2, side": f"2\n{TWO}",
    "size wrong": f"4 5\n{PIECES}",
    "cut short behind its side": f"4\n{PIECES[:64]}",
    "cut short": f"4 4\n{PIECES[:60].rpartition(chr(10))[0]}",
    "no frame": LOOSE,
    "no frame, count": f"16\n{LOOSE}",
    "matrices of size 4 with the value 2": "4 2\n" + "0 1 2 3\n" * 8,
    "matrices of size 5 with the value 2": "5 2\n" + "0 1 2 3 1\n" * 10,
    "one colour, side": "2\n0 0 1 1\n1 0 0 1\n0 1 1 0\n1 1 0 0\n",
    "one colour, 3 x 3": "0 0 1 1\n" * 4 + "0 1 1 1\n" * 4 + "1 1 1 1\n",
}
NO = {
    "lights like corners": "0 0 1 1\n1 0 0 1\n0 1 1 0\n1 1 0 0\n",
    "lights": "0 0 1 1\n1 0 1 0\n1 1 0 0\n0 1 1 0\n",
    "lights, 9 x 4": "0 0 1 1\n1 0 1 0\n1 1 0 0\n1 1 0 0\n0 0 0 0\n0 0 1 0\n0 0 1 0\n1 1 0 0\n0 1 0 1\n",
    "lights, 3 x 5": "1 1 1 0 0\n1 1 0 1 0\n1 0 1 1 0\n",
    "tiles": "1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 0\n",
    "tiles behind their size": "4\n1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 0\n",
    "a tile twice": "1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 14 0\n",
    "matrices of size 4": "4\n" + "0 2 0 3\n" * 8,
    "matrices of size 5": "5\n" + "0 0 2 3 1\n" * 10,
    "matrices of size 5, a row missing": "5\n" + "0 0 2 3 1\n" * 9,
    "distances": "0 5 2 4\n5 0 3 1\n2 3 0 6\n4 1 6 0\n",
    "adjacency": "4\n0 1 1 1\n1 0 1 1\n1 1 0 1\n1 1 1 0\n",
    "large numbers": "0 0 1000 2000\n0 0 3000 2000\n",
    "edges": "1 2\n2 3\n",
    "neighbours": "".join(f"{n + 1}: {' '.join(str((n + k) % 9 + 1) for k in (1, 2, 7, 8))}\n" for n in range(9)),
    "words of four letters": "anna\nbert\ncarl\ndora\n",
    "rows of a cube": "UUUU\n" * 4 + "RRRR\n" * 4 + "FFFF\n" * 4 + "DDDD\n" * 4,
    "letters without a frame": "bccc\ncbcc\nbbbc\nbccb\n",
    "other names of columns": f"id,top,right,bottom,rotation\n{INDEXED}",
    "a result with a URL": json.dumps({"solution": [], "url": "https://e2.bucas.name/#board_edges=abca"}),
}
TABLES = [(name, text, claim) for claim, files in ((2, PROVED), (1, FITS), (0, NO)) for name, text in files.items()]


@pytest.mark.parametrize(("name", "text", "claim"), TABLES, ids=[f"{claim}-{name}" for name, _, claim in TABLES])
def test_claims_are_as_sure_as_the_evidence(name: str, text: str, claim: int) -> None:
    """A first line that counts the pieces, or pieces that split as the frame asks; whatever the encoding."""
    for data in (text.encode(), text.encode("utf-8-sig"), text.encode("utf-16"), text.replace("\n", "\r").encode()):
        assert TYPE.recognises(Source("f", data)) == Recognition(claim)


def assumed(text: str, **options: object) -> list[str]:
    source = Source("f", text.encode())
    read_instance(source, ReadOptions.from_mapping(options))
    return source.assumed


def test_the_order_of_a_rectangles_size_is_noted() -> None:
    """Unless somebody says it; squares and Clark's `W H borders` leave nothing open."""
    text = piece_list(generate(3, 4, seed=1)[0])
    assert assumed(text) == ["'3 4' in line 1 are rows and columns, not width and height"]
    assert assumed(text, size_order="wh") == assumed(text, size_order="rows-columns") == assumed(text, rows=3) == []
    assert assumed(f"4 4\n{PIECES}") == assumed(PIECES) == assumed(INDEXED) == []
    assert assumed(text.replace("3 4", "3 4 5", 1)) == []


@pytest.mark.parametrize("order", ["".join(order) for order in permutations("urdl")])
def test_another_order_of_the_sides_is_suggested_where_the_frame_tells(order: str) -> None:
    """Turned and mirrored orders split alike, so one of three orders is named; with it the frame fits."""
    turned = np.array([np.roll(piece, number) for number, piece in enumerate(PUZZLE.pieces.tolist())])
    text = "4 4\n" + "\n".join(" ".join(str(piece["urdl".index(side)]) for side in order) for piece in turned)
    noted = assumed(text)
    if order in ("urdl", "rdlu", "dlur", "lurd", "uldr", "ldru", "drul", "ruld"):
        assert noted == []
        return
    assert len(noted) == 1
    better = noted[0].partition("with ")[2][:4]
    assert noted == [f"the sides of a piece are in the order urdl; with {better} the frame would fit (sides)"]
    assert EdgeMatching(read_instance(Source("f", text.encode()))).infeasible_reason().startswith("no complete board")
    assert (
        EdgeMatching(read_instance(Source("f", text.encode()), ReadOptions(sides=better))).infeasible_reason() is None
    )
    assert assumed(text, sides="urdl") == []
