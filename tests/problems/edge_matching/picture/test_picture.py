"""Pictures: well-formed, complete, and safe with any name."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ElementTree
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.edge_matching.strategies import boards

from matheur.errors import ConfigurationError
from matheur.problems.edge_matching import EMPTY, Board, EdgeMatching, Hint, Instance, generate, picture
from matheur.problems.edge_matching.picture.palette import colour_of

SVG = "{http://www.w3.org/2000/svg}"


def pixels(png: bytes) -> np.ndarray:
    """The image in a PNG of eight-bit RGB rows without filter, with every checksum checked."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, position = {}, 8
    while position < len(png):
        (length,) = struct.unpack(">I", png[position : position + 4])
        kind, content = png[position + 4 : position + 8], png[position + 8 : position + 8 + length]
        assert struct.unpack(">I", png[position + 8 + length : position + 12 + length])[0] == zlib.crc32(kind + content)
        chunks[kind] = content
        position += 12 + length
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert rest == [8, 2, 0, 0, 0]
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), dtype=np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


@settings(max_examples=25)
@given(boards(), st.booleans())
def test_every_board_can_be_drawn(case: tuple[Instance, Board], pieces_only: bool) -> None:
    """SVG parses, shows every piece, and marks as many mismatches as two full neighbours show; PNG is valid."""
    instance, board = case
    problem, shown = EdgeMatching(instance), None if pieces_only else board
    root = ElementTree.fromstring(picture(problem, shown, "svg"))
    numbers = sorted(int(text.text or 0) for text in root.iter(f"{SVG}text") if text.get("class") == "number")
    placed = np.arange(instance.cells) if pieces_only else board[board >= 0] // 4
    assert numbers == sorted((placed + 1).tolist())
    crosses = sum(circle.get("class") == "dot" for circle in root.iter(f"{SVG}circle"))
    if pieces_only:
        assert crosses == 0
    elif (board != EMPTY).all():
        assert crosses == problem.evaluate(board).objective
    else:
        assert crosses <= problem.evaluate(board).objective
    assert pixels(picture(problem, shown, "png")).shape[2] == 3
    assert picture(problem, shown, "html").count(b"<svg") == 1
    assert picture(problem, shown, "text").decode().startswith("edge-matching: ")


def test_pixels_show_the_colours() -> None:
    """Each triangle of a PNG has the colour of its side; the frame is grey."""
    instance = Instance(1, 1, np.array([[1, 2, 3, 4]]))
    image = pixels(picture(EdgeMatching(instance), np.array([0]), "png"))
    top, left, size = 36, 10, 64
    for side, (y, x) in enumerate([(6, 32), (32, 58), (58, 32), (32, 6)]):
        assert "#" + bytes(image[top + y, left + x]).hex() == colour_of(side + 1)
    assert image.shape == (size + 46, size + 20, 3)


def test_a_repeated_half_turn_of_colours_is_right_side_up() -> None:
    """The SVG draws up, right, down, left of the piece as placed."""
    instance = Instance(1, 1, np.array([[1, 2, 3, 4]]))
    root = ElementTree.fromstring(picture(EdgeMatching(instance), np.array([1]), "svg"))
    classes = [path.get("class") for path in root.iter(f"{SVG}path")]
    assert classes == ["k4", "k1", "k2", "k3"]


@pytest.mark.parametrize("name", ["<script>alert(1)</script> & \"'", "\x00\x1b[31m\ud800\n", "x" * 5000])
@pytest.mark.parametrize("kind", ["svg", "html", "png", "text"])
def test_names_cannot_break_a_picture(name: str, kind: str) -> None:
    """Markup, control characters and long names are shown harmlessly."""
    instance = Instance(1, 1, np.array([[0, 0, 0, 0]]), name=name)
    drawn = picture(EdgeMatching(instance), None, kind)
    assert b"\x1b" not in drawn or kind == "png"
    assert len(drawn) < 5000
    if kind in ("svg", "html"):
        assert b"<script" not in drawn
    if kind == "svg":
        ElementTree.fromstring(drawn)


def test_the_page_loads_nothing() -> None:
    """HTML forbids all loading, has no script and names no other address but the SVG namespace."""
    page = picture(EdgeMatching(generate(3, 3, seed=1)[0]), None, "html").decode()
    assert "default-src 'none'" in page
    assert page.replace("http://www.w3.org/2000/svg", "").count("http") == 1  # http-equiv
    for forbidden in ("<script", "src=", "href=", "url(", "@import"):
        assert forbidden not in page.replace("default-src", "")


def test_hints_and_score_are_shown() -> None:
    """Hinted cells are outlined, and the title gives matched edges, empty cells and violations."""
    plain, board = generate(3, 3, seed=1)
    problem = EdgeMatching(Instance(3, 3, plain.pieces, (Hint(4, int(board[4]) // 4),), "tiny"))
    board[4] = EMPTY
    root = ElementTree.fromstring(picture(problem, board, "svg"))
    assert sum(box.get("class") == "hint" for box in root.iter(f"{SVG}rect")) == 1
    assert root.findtext(f"{SVG}title") == "tiny: 8 of 12 inner edges match, 1 cell empty, 1 violation"


def test_text_of_small_and_large_boards() -> None:
    """Up to 10 x 10 the pieces are drawn; larger boards show cells and mismatches, larger sets their letters."""
    instance, board = generate(2, 2, seed=1)
    text = picture(EdgeMatching(instance), board, "text").decode()
    assert text.count("+-------+-------+") == 3
    assert "≠" not in text
    assert "≠" in picture(EdgeMatching(instance), board[::-1].copy(), "text").decode()
    instance, board = generate(11, 4, seed=1)
    board[5] = EMPTY
    text = picture(EdgeMatching(instance), board, "text").decode()
    assert text.count("□") == 43 + 1  # and the legend
    assert all(len(line) <= 80 for line in text.split("\n"))
    assert " ··" in picture(EdgeMatching(instance), None, "text").decode()


def test_colours_differ() -> None:
    """The first hundred colours are distinct, and so is grey."""
    assert len({colour_of(colour) for colour in range(100)}) == 100


def test_an_unknown_kind_is_refused() -> None:
    """A misspelt kind names the nearest one."""
    with pytest.raises(ConfigurationError, match="Maybe 'svg'"):
        picture(EdgeMatching(generate(2, 2, seed=1)[0]), None, "svgz")
