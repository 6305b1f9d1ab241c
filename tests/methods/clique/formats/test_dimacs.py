"""DIMACS files, ASCII and binary, as real files are."""

from __future__ import annotations

import csv
import tracemalloc
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matheur.engine.files import write_atomic
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.methods.clique.formats import dimacs_ascii, load_graph, parse_graph, save_graph
from matheur.methods.clique.graph import Graph

ODD = b"""c a comment
c edge
p\tcol   4  99
e 2 1

e\t3   1 \r
e 1 2
n 1 7
c e 9 9
e 4 3"""


def parse(data: bytes, name: str = "g.clq") -> Graph:
    return parse_graph(Source(name, data))


def binary(n: int, rows: bytes, preamble: bytes | None = None) -> bytes:
    text = b"p edge %d 0\n" % n if preamble is None else preamble
    return b"%d\n" % len(text) + text + rows


def same(a: Graph, b: Graph) -> bool:
    return np.array_equal(a.ptr, b.ptr) and np.array_equal(a.idx, b.idx)


def test_public_files_have_their_vertices_and_edges(data: Path) -> None:
    """All 45 public files, complemented ones included, have the numbers of the table that comes with them."""
    rows = list(csv.DictReader((data / "clique/best_known.csv").read_text().splitlines()))
    assert len(rows) == 45
    for row in rows:
        graph = load_graph(data / "clique" / row["file"])
        assert (graph.n, graph.edges) == (int(row["nodes"]), int(row["edges"])), row["file"]


@pytest.mark.parametrize("name", ["keller4", "brock200_2"])
def test_both_forms_of_a_public_file_hold_the_same_graph(data: Path, name: str) -> None:
    """The ASCII and the binary file of a graph read as the same graph."""
    assert same(load_graph(data / f"clique/ascii/{name}.clq"), load_graph(data / f"clique/binary/{name}.clq.b"))


def test_odd_but_common_ascii_is_understood() -> None:
    """Tabs, blanks, a wrong edge count, any order of ends, doubles, weights and late comments are accepted."""
    graph = parse(ODD)
    assert (graph.n, graph.edges) == (4, 3)
    assert graph.adjacent(0, 1)
    assert graph.adjacent(0, 2)
    assert graph.adjacent(2, 3)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (b"", None, "no line 'p"),
        (b"c only\n", None, "no line 'p"),
        (b"hello\n", 1, "before the p line"),
        (b"c x\ne 1 2\np edge 2 1\n", 2, "before the p line"),
        (b"p edge x 1\n", 1, "not a line 'p"),
        (b"p edge -3 1\n", 1, "not a line 'p"),
        (b"p edge\n", 1, "not a line 'p"),
        (b"p edge 3 1\np edge 3 1\n", 2, "second p line"),
        (b"p edge 3 1\ne 1\n", 2, "not a line 'e"),
        (b"p edge 3 1\ne 1 2\ne 1 2 3\n", 3, "not a line 'e"),
        (b"p edge 3 1\ne 1 2\ne 1\n3\n", 3, "not a line 'e"),
        (b"p edge 3 1\ne 1 2 e 2 3\n", 2, "not a line 'e"),
        (b"p edge 3 1\n\ne 1 4\n", 3, r"no such vertex \(4\)"),
        (b"p edge 3 1\ne 0 1\n", 2, r"no such vertex \(0\)"),
        (b"p edge 3 1\ne 1 99999999999999999999999\n", 2, "not a line 'e"),
        (b"p edge 3 1\ne1 2\n", 2, "neither"),
        (b"p edge 3 1\ne 1 \xff\n", 2, "not a line 'e"),
        (b"p edge 1000000000 1\ne 1 2\n", 1, "GB"),
        (b"p edge 99999999999999999 1\ne 1 2\n", 1, "GB"),
    ],
)
def test_bad_ascii_is_one_error_with_its_line(text: bytes, line: int | None, words: str) -> None:
    """Malformed ASCII is an input error that names file and line."""
    with pytest.raises(InputError, match=words) as caught:
        parse(text)
    assert (caught.value.source, caught.value.line) == ("g.clq", line)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"5\np", "the preamble should have 5 bytes"),
        (b"99999999999999999999\np edge 3 1\n", "the preamble should have"),
        (binary(3, b"\0\0"), "need 3 bytes"),
        (binary(3, b"\0\0\0\0"), "need 3 bytes"),
        (binary(10**9, b"\0\0"), "the file has 2"),
        (binary(3, b"", b"p edge x 1\n"), "not a line 'p"),
        (binary(3, b"", b"c nothing\n"), "no line 'p"),
    ],
)
def test_bad_binary_is_one_error(data: bytes, words: str) -> None:
    """A binary file with a wrong preamble or size is an input error."""
    with pytest.raises(InputError, match=words):
        parse(data)


def test_a_lying_header_costs_no_memory() -> None:
    """A file of a few bytes that announces a billion vertices is refused within a megabyte."""
    tracemalloc.start()
    for data in (b"p edge 1000000000 5\ne 1 2\n", binary(1_000_000_000, b"\0" * 9)):
        with pytest.raises(InputError):
            parse(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


def test_bits_of_the_diagonal_and_after_it_are_ignored() -> None:
    """Only bits below the diagonal of a binary file are edges."""
    graph = parse(binary(3, b"\xff\xff\xff"))
    assert graph.edges == 3
    assert parse(binary(3, b"\x80\x7f\x3f")).edges == 0


@pytest.mark.parametrize("form", ["ascii", "binary"])
@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 33])
def test_a_written_graph_reads_back(tmp_path: Path, form: str, complement: bool, n: int) -> None:
    """Writing and reading gives the same graph, in both forms, as it is and as independent set."""
    graph = Graph.from_networkx(nx.gnp_random_graph(n, 0.6, seed=n))
    path = tmp_path / "g.bin"
    save_graph(path, graph, form, comment="two\nlines", complement=complement)  # type: ignore[arg-type]
    assert same(load_graph(path, complement=complement), graph)
    assert list(tmp_path.iterdir()) == [path]


def test_the_name_says_whether_a_file_holds_conflicts() -> None:
    """An `.mis` file is read as the complement of what it lists."""
    assert parse(b"p edge 3 1\ne 1 2\n", "g.mis").edges == 2
    assert parse(binary(3, b"\0\x80\0"), "G.MIS.B").edges == 2


def test_long_files_are_read_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cutting a file into small chunks changes neither the graph nor the lines of errors."""
    graph = Graph.from_networkx(nx.gnp_random_graph(30, 0.5, seed=1))
    text = b"".join(dimacs_ascii.chunks(graph, "x"))
    monkeypatch.setattr(dimacs_ascii, "_CHUNK", 40)
    assert same(parse(text), graph)
    with pytest.raises(InputError) as caught:
        parse(text + b"e 1 31\n")
    assert caught.value.line == graph.edges + 3


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    """If writing fails half way, the old file is still there and no temporary one."""

    def broken():  # type: ignore[no-untyped-def]
        yield b"half"
        raise RuntimeError("disk")

    path = tmp_path / "g.clq"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError):
        write_atomic(path, broken())
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_errors_of_files_and_formats_are_clear(tmp_path: Path) -> None:
    """A missing file, a missing folder and an unknown format are one-line errors."""
    graph = Graph.from_edges(2, [0], [1])
    with pytest.raises(InputError, match="cannot read"):
        load_graph(tmp_path / "none.clq")
    with pytest.raises(InputError, match="cannot write"):
        save_graph(tmp_path / "no" / "g.clq", graph)
    with pytest.raises(ConfigurationError, match="Maybe 'binary'"):
        save_graph(tmp_path / "g", graph, "binar")  # type: ignore[arg-type]


LINES = st.lists(
    st.one_of(
        st.builds(lambda u, v: b"e %d %d" % (u, v), st.integers(0, 12), st.integers(0, 12)),
        st.sampled_from(
            [b"p edge 10 3", b"p col 10", b"c x", b"", b"n 1 2", b"e", b"e 1", b"\t", b"e\t1\t2 ", b"e 1 2 3"]
        ),
        st.binary(max_size=12),
    ),
    max_size=12,
)


@settings(max_examples=300)
@given(
    st.one_of(
        st.binary(max_size=80), LINES.map(b"\n".join), LINES.map(lambda lines: b"p edge 10 1\n" + b"\r\n".join(lines))
    )
)
def test_any_bytes_are_a_graph_or_an_input_error(data: bytes) -> None:
    """No content makes the reader fail otherwise than with an input error."""
    for name in ("x.clq", "x.mis"):
        try:
            graph = parse(data, name)
        except InputError:
            continue
        assert graph.edges >= 0


@settings(max_examples=200)
@given(st.integers(0, 40), st.binary(max_size=60), st.binary(max_size=20))
def test_any_binary_file_is_a_graph_or_an_input_error(n: int, rows: bytes, preamble: bytes) -> None:
    """No preamble and no rows make the binary reader fail otherwise than with an input error."""
    for data in (binary(n, rows), binary(n, rows, preamble), b"7\n" + rows):
        try:
            assert parse(data).edges >= 0
        except InputError:
            continue
