"""All forms of graph files: what is written is read again, and what is wrong is said with its line."""

from __future__ import annotations

import tracemalloc
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from matheur.engine.compression import form_of
from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.methods.clique.formats import format_of
from matheur.problems.max_clique import FORMATS, TYPE, Graph, load_graph, parse_graph, save_graph

ENDING = {"ascii": "clq", "binary": "clq.b", "metis": "graph", "matrix-market": "mtx", "edge-list": "edges",
          "pace": "gr"}  # fmt: skip
PATH = Graph.from_edges(4, [0, 1, 2], [1, 2, 3])


def same(a: Graph, b: Graph) -> bool:
    return np.array_equal(a.ptr, b.ptr) and np.array_equal(a.idx, b.idx)


def parse(text: str | bytes, name: str) -> Graph:
    return parse_graph(Source(name, text.encode() if isinstance(text, str) else text))


def outcome(source: Source) -> Graph | InputError:
    try:
        return parse_graph(source)
    except InputError as error:
        return error


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    n = draw(st.integers(2, 20))
    pairs = draw(st.lists(st.sampled_from(list(combinations(range(n), 2))), max_size=60))
    pairs.append((0, n - 1))  # an edge list knows its vertices from its edges
    return Graph.from_edges(n, [a for a, _ in pairs], [b for _, b in pairs])


@pytest.mark.parametrize(
    "edges",
    [
        [(4, 5), (4, 6), (5, 6), (4, 7), (5, 7), (6, 7)],  # five rows follow '4 5'
        [(4, 5), (6, 7), (6, 8), (7, 8), (6, 9), (7, 9)],  # on four vertices, none of which is 4 or 5
        [(3, 4), (1, 5), (2, 5), (1, 6), (2, 6)],  # all vertices have an edge
    ],
)
def test_the_first_edge_of_a_written_list_is_an_edge(tmp_path: Path, edges: list[tuple[int, int]]) -> None:
    """It may look like the numbers of vertices and edges."""
    ends = np.array(edges) - 1
    graph = Graph.from_edges(int(ends.max()) + 1, ends[:, 0], ends[:, 1])
    for complement in (False, True):
        save_graph(tmp_path / "g.edges", graph.complement() if complement else graph, "edge-list",
                   complement=complement)  # fmt: skip
        assert same(load_graph(tmp_path / "g.edges"), graph)


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=25)
@given(graph=graphs())
def test_what_is_written_is_read_again(form: str, graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Every form keeps the graph, also compressed, and its name tells the form."""
    path = tmp_path_factory.mktemp("graph") / f"g.{ENDING[form]}"
    save_graph(path, graph, form, comment="one\ntwo")  # type: ignore[arg-type]
    assert format_of(Source(str(path), path.read_bytes())) == form
    assert same(load_graph(path), graph)
    packed = Path(f"{path}.xz")
    save_graph(packed, graph, form)  # type: ignore[arg-type]
    assert form_of(packed.read_bytes()) == "xz"
    assert same(load_graph(packed), graph)
    if form == "edge-list":
        return  # the complement may lack the last vertices
    save_graph(path, graph, form, complement=form != "pace")  # type: ignore[arg-type]
    assert same(load_graph(path, complement=form != "pace"), graph)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.graph", "% a comment\n4 3\n2\n1 3\n% in between\n2 4\n3\n"),
        ("g.graph", "4 3 011 1\n7 2 5\n1 1 9 3 9\n1 2 9 4 9\n0 3 9\n"),
        ("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n% more\n\n4 4 3\n2 1\n3 2\n4 3\n"),
        ("g.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 5\n1 2 0.5\n2 1 0.5\n2 3 1e3\n3 4 -1\n1 1 2\n"),
        ("g.edges", "# named from 0\n0 1\n1,2\n2\t3 17.5\n"),
        ("g.el", "1 2\n2 3\n3 4\n"),
        ("g.gr", "c a comment\np td 4 3\n1 3\n1 4\n2 4\n"),
    ],
)
def test_what_real_files_hold(name: str, text: str) -> None:
    """Comments, weights, both triangles, counts from 0 and from 1: all are the path of four vertices."""
    assert same(parse(text, name), PATH)
    assert TYPE.recognises(Source(name, text.encode()))


def test_words_below_a_count_are_vertices() -> None:
    """Also if the first one begins as a comment or a p line of the binary form does."""
    for first in ("peter", "carl"):
        graph = parse(f"4\n{first} mary\nmary ann\nann {first}\nmary bob\n", "g.edges")
        assert (graph.n, graph.edges) == (4, 4)


@pytest.mark.parametrize(
    ("name", "text", "line", "words"),
    [
        ("g.graph", "", None, "no line 'N M'"),
        ("g.graph", "2 x\n", 1, "not a line 'N M'"),
        ("g.graph", "3 1\n2\n1\n", 3, "3 vertices, but 2 lines"),
        ("g.graph", "2 1\n2\n1\n\n1\n", 5, "after those of the 2"),
        ("g.graph", "2 1\n2\n3\n", 3, "no such vertex \\(3\\)"),
        ("g.graph", "2 1 7\n2\n1\n", 1, "digits 0 and 1"),
        ("g.graph", "2 1 1\n2 1\n1\n", 3, "missing"),
        ("g.graph", "3 1\n2\n\n\n", 2, "not the other way round"),
        ("g.mtx", "%%MatrixMarket matrix array real general\n2 2\n", 1, "coordinate"),
        ("g.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n", 1, "cannot be a graph"),
        ("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n% only\n", 3, "no line 'N N"),
        ("g.graph", "2 1\nx\n1\n", 2, "not a whole number"),
        ("g.graph", "2 1\n% comment\n2\nx\n", 4, "not a whole number"),
        ("g.graph", "2 1\n2\n" + "1" * 20 + "\n", 3, "not a whole number"),
        ("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n", 2, "square"),
        ("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n\n4 1\n", 5, "no such vertex"),
        ("g.edges", "1 2\nx 3\n", 2, "not a whole number"),
        ("g.edges", "1 2\n3\n", 2, "1 numbers where a pair"),
        ("g.edges", "# nothing\n", None, "no pair"),
        ("g.gr", "c\n1 2\n", 2, "not a line 'p td"),
        ("g.gr", "c\n", None, "no line 'p td"),
        ("g.gr", "p td 2 1\n1 2 3\n", 2, "3 numbers"),
        ("g.gr", "p td 2 1\nc\n0 2\n", 3, "no such vertex \\(0\\)"),
        ("g.clq", "p edge 3 1\ne 1 2\ne 1 9\n", 3, "no such vertex \\(9\\)"),
    ],
)
def test_errors_name_the_line(name: str, text: str, line: int | None, words: str) -> None:
    """What is wrong is said in one line, with file and line."""
    with pytest.raises(InputError, match=words) as caught:
        parse(text, name)
    assert (caught.value.source, caught.value.line) == (name, line)


@pytest.mark.parametrize("name", ["g.clq", "g.mis", "g.gr", "g.mtx", "g.graph"])
def test_a_few_bytes_never_take_much_memory(name: str) -> None:
    """A huge number of vertices in a small file is an error before anything of that size is made."""
    texts = {
        "g.clq": "p edge 1200000 1\ne 1 2\n",
        "g.mis": "p edge 999999999 1\ne 1 2\n",
        "g.gr": "p td 99999999999 1\n1 2\n",
        "g.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n4000000 4000000 1\n1 2\n",
        "g.graph": "99999999999 1\n2\n1\n",
    }
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            parse(texts[name], name)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


def test_a_small_file_may_have_a_million_vertices() -> None:
    """Where few of them are joined, memory goes by the vertices and edges."""
    tracemalloc.start()
    try:
        for name, text in (
            ("g.clq", "p edge 1000000 1\ne 1 2\n"),
            ("g.edges", "999999 1\n1 2\n"),
            ("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n40000 40000 1\n1 2\n"),
        ):
            assert parse(text, name).edges == 1
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


_HEADS = [
    b"",
    b"p edge 5 4\n",
    b"p td 5 4\n",
    b"%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n",
    b"5 4\n",
    b"12\np edge 5 4\n\n",
    b"13\np col  7  9 \n\x80\x80\x80",
]
_WORDS = st.sampled_from(
    [b"e", b"p", b"c", b"n", b"v", b"0", b"1", b"2", b"5", b"6", b"-1", b"3.5", b"9" * 20, b"%", b"#"]
)
_LINES = st.lists(st.lists(_WORDS, max_size=5).map(b" ".join), max_size=12).map(b"\n".join)


@settings(max_examples=300)
@example(head=b"5 4\n", body=b"\x00\n\n\n\n\x00", ending=".graph")
@given(
    head=st.sampled_from(_HEADS),
    body=st.one_of(st.binary(max_size=200), _LINES),
    ending=st.sampled_from(["", *(f".{ending}" for ending in ENDING.values()), ".mis", ".txt"]),
)
def test_readers_never_crash(head: bytes, body: bytes, ending: str) -> None:
    """Whatever the bytes and the name: a graph or an error that names a line of the file."""
    source = Source("f" + ending, head + body)
    TYPE.recognises(source)
    found = outcome(source)
    if isinstance(found, InputError):
        assert found.source == source.name
        assert found.line is None or 1 <= found.line <= source.data.count(b"\n") + 2
    else:
        assert (found.degrees >= 0).all()


@pytest.mark.parametrize("cut", [0, 1, 7, 30, 31, 60, 200, 1000, 2999])
def test_files_that_are_cut_off_or_changed(tmp_path: Path, cut: int) -> None:
    """Every form of a graph, cut anywhere and with a byte changed, is read or refused."""
    graph = Graph.from_networkx(nx.gnp_random_graph(25, 0.5, seed=1))
    for form, ending in ENDING.items():
        path = tmp_path / f"g.{ending}"
        save_graph(path, graph, form)  # type: ignore[arg-type]
        whole = path.read_bytes()
        changed = bytearray(whole)
        changed[cut % len(whole)] ^= 0x15
        for data in (whole[:cut], bytes(changed)):
            found = outcome(Source(path.name, data))
            assert isinstance(found, Graph) or found.source == path.name
