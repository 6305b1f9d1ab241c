"""Board URLs as people paste them."""

from __future__ import annotations

import json
import quopri
from urllib.parse import quote

import pytest

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.edge_matching import TYPE, EdgeMatching, Hint, Instance, generate, read_board, read_instance
from matheur.problems.edge_matching import write_bucas as written
from matheur.running.loading import recognise

PLAIN, BOARD = generate(2, 8, seed=7, name="Board(2)")
PUZZLE = Instance(2, 8, PLAIN.pieces, (Hint(3, int(BOARD[3]) // 4, int(BOARD[3]) % 4),), "Board(2)")
URL = written(PUZZLE, BOARD)
ESCAPED = URL.replace("&", "&amp;")


def folded(text: str, width: int, end: str = "\n", begin: str = "") -> str:
    return end.join(begin + text[start : start + width] for start in range(0, len(text), width))


PASTED = {
    "plain": URL,
    "a line end behind": f"{URL}\r\n",
    "byte order mark": f"\ufeff{URL}",
    "control Z": f"{URL}\x1a",
    "upper case": URL.replace("https://e2.bucas.name", "HTTPS://E2.BUCAS.NAME"),
    "http": URL.replace("https", "http"),
    "query": URL.replace("#", "?"),
    "no scheme": URL.removeprefix("https://"),
    "only the parameters": URL.partition("#")[2],
    "in a sentence": f"Look at this one: {URL}, it is nearly perfect.",
    "full stop": f"See {URL}.",
    "brackets": f"my board ({URL}).",
    "quotes": f"'{URL}'",
    "typographic quotes": f"\u201c{URL}\u201d",
    "mail": f"Hello,\n\n<{URL}>\n\nBye",
    "wrapped mail": f"Hello,\n\n<{folded(URL, 70)}>\n\nBye",
    "wrapped": f"Hello,\n{folded(URL, 72)}\n\nBye",
    "wrapped early": folded(URL, 25, "\r\n"),
    "wrapped and cited": folded(URL, 60, begin="> "),
    "wrapped, text behind": f"{folded(URL, 60)}\nThat is all, folks",
    "quoted-printable": quopri.encodestring(f"Board: {URL}\n".encode()).decode(),
    "Markdown": f"* [a board]({URL}) of mine",
    "Markdown, twice": f"[{URL}]({URL})",
    "Markdown, bold": f"**{URL}**",
    "Markdown, code": f"`{URL}`",
    "HTML": f'<p><a href="{ESCAPED}">board</a></p>',
    "HTML, twice": f"<a href='{ESCAPED}'>{ESCAPED}</a>",
    "HTML, wrapped": f'<a\n href="{folded(ESCAPED, 60)}">board</a>',
    "HTML, no quotes": f"<a href={ESCAPED}>board</a>",
    "HTML, escaped twice": f"&lt;a href=&quot;{URL.replace('&', '&amp;amp;')}&quot;&gt;",
    "HTML, numbers": URL.replace("&", "&#38;").replace("=", "&#x3d;", 1),
    "percent": quote(URL, safe=""),
    "redirect": f"https://www.example.com/url?q={quote(URL, safe='')}&sa=D",
    "redirect twice": f"https://example.com/?u={quote(quote(URL, safe=''), safe='')}",
    "percent, inside": URL.replace("board_types=", "board%5Ftypes=").replace("%5F", "_"),
    "JSON": json.dumps({"matched": 22, "bucas_url": URL, "n": [1, {"a": None}]}),
    "JSON, escaped": json.dumps([{"url": URL}]).replace("/", "\\/").replace("&", "\\u0026"),
    "JSON, HTML inside": json.dumps({"body": f'<a href="{ESCAPED}">x</a>'}),
    "JSON lines": json.dumps({"url": URL}) + "\n" + json.dumps({"other": 1}),
    "JSON, indented": json.dumps({"url": URL, "site": "https://example.com/"}, indent=2),
    "twice": f"{URL}\n{URL}\n",
    "with another address": f"https://example.com/forum#12\n{URL}\nhttps://example.com/",
    "CSV": f'16,"{URL}",22',
}


@pytest.mark.parametrize("name", PASTED)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_url_is_found_wherever_it_stands(name: str, encoding: str) -> None:
    """The whole of it: size, pieces and hints; the text is recognised as a puzzle, and read as a board."""
    source = Source("pasted", PASTED[name].encode(encoding))
    assert recognise(source) is TYPE
    assert EdgeMatching(read_instance(source)).infeasible_reason() is None
    assert [hint.cell for hint in read_instance(source).hints] == [3]
    assert read_board(PUZZLE, source).tolist() == BOARD.tolist()


def test_different_boards_in_one_text_are_asked_about() -> None:
    """The same URL twice is one board; two boards are not."""
    other = written(PUZZLE, (BOARD & ~3) | ((BOARD + 1) & 3))
    for text in (f"{URL}\n{other}", json.dumps([URL, other]), f"<a href='{URL}'>{other}</a>"):
        with pytest.raises(InputError, match="2 URLs where one is expected"):
            read_board(PUZZLE, Source("f", text.encode()))


@pytest.mark.parametrize(
    ("letters", "words"),
    [
        ("abca0abc", r"a cell of board_edges is four letters, or 0000 where empty \('0abc'\)"),
        ("abca00000", "must have four letters per cell"),
        ("abca000A", r"only the letters a to z \('A'\)"),
        ("abca\u00e9\u00e9\u00e9\u00e9", "only the letters a to z"),
    ],
)
def test_wrong_letters_are_shown(letters: str, words: str) -> None:
    """With what is wrong about them."""
    with pytest.raises(InputError, match=words):
        read_board(PUZZLE, Source("f", f"https://e2.bucas.name/#board_edges={letters}&board_w=2".encode()))


def test_zeros_are_an_empty_cell() -> None:
    """As some programs write it, with piece numbers or without."""
    empty = BOARD.copy()
    empty[[0, 5]] = -1
    for numbers in (True, False):
        url = written(PUZZLE, empty, piece_numbers=numbers)
        edges = url.partition("board_edges=")[2].partition("&")[0]
        zeros = "".join(
            "0000" if edges[at : at + 4] == "aaaa" else edges[at : at + 4] for at in range(0, len(edges), 4)
        )
        assert zeros != edges
        found = read_board(PUZZLE, Source("f", url.replace(edges, zeros).encode()))
        assert found.tolist() == empty.tolist()


def test_comments_of_other_files_are_no_boards() -> None:
    """A piece list, a board as text or a puzzle in JSON may speak of a URL."""
    pieces = f"# {URL}\n2 2\n0 0 1 2\n0 0 2 3\n0 0 3 4\n0 0 4 1\n"
    source = Source("f", pieces.encode())
    assert TYPE.recognises(source) == Recognition.PROVED
    instance = read_instance(source)
    assert (instance.rows, instance.columns) == (2, 2)
    text = f"1/0 2/0\n3/0 ---/-\n# {URL}\n"
    assert read_board(instance, Source("f", text.encode())).tolist() == [0, 4, 8, -1]
    own = {"format": "matheur-edge-matching", "version": 1, "name": URL, "rows": 1, "columns": 1, "pieces": [[0] * 4]}
    assert read_instance(Source("f", json.dumps(own).encode())).cells == 1
    assert (
        read_board(instance, Source("f", json.dumps({"solution": [None] * 4, "url": URL}).encode())).tolist()
        == [-1] * 4
    )
    assert not TYPE.recognises(Source("f", json.dumps({"solution": [None] * 4, "url": URL}).encode()))
