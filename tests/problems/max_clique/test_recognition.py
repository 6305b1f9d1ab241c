"""Which format a graph file is: what proves it, what is open, and what its vertices are called."""

from __future__ import annotations

import gzip
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.methods.clique.formats.names import Names, spoken
from matheur.problems.max_clique import TYPE, Graph, MaxClique, load

TRIANGLE = [[1, 2], [1, 3], [2, 3]]
LARGE = 1_000_000  # bytes of a text that is read in another way than short ones


def read(name: str, text: str | bytes, **options: Any) -> MaxClique:
    return TYPE.read(Source(name, text.encode() if isinstance(text, str) else text), options)


def edges(problem: MaxClique) -> list[list[Any]]:
    """The edges in the names of the file."""
    n = problem.graph.n
    return [problem.encode(np.array([u, v])) for u in range(n) for v in range(u + 1, n) if problem.graph.adjacent(u, v)]


@pytest.mark.parametrize(
    ("name", "text", "vertices", "found"),
    [
        ("g.clq", "  p\tEDGE\t3   3  \n  e 1 2\n e 2 3\n\tE 1 3\n", [1, 2, 3], TRIANGLE),
        ("g.clq", "p edge 3 3 9\ne 1 2\ne 2 3\ne 1 3\n", [1, 2, 3], TRIANGLE),
        ("g.clq", "p 3\ne 1 2\n", [1, 2, 3], [[1, 2]]),
        ("g.clq", "p edge 3 3\re 1 2\re 2 3\re 1 3\r", [1, 2, 3], TRIANGLE),
        ("g.txt", "c road\np sp 3 3\na 1 2 5\na 2 3 1\na 1 3 2.5\n", [1, 2, 3], TRIANGLE),
        ("g.txt", "p edge 3 3\n1 2\n2 3\n1 3\n", [1, 2, 3], TRIANGLE),
        ("g.mtx", "%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 2\n3 1\n", [1, 2, 3], TRIANGLE),
        ("g.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1\n3 1 0.0\n", [1, 2, 3], [[1, 2]]),
        ("g.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.D0\n3 1 0d0\n", [1, 2, 3], [[1, 2]]),
        ("g.mtx", "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n1\n-1\n", [1, 2, 3], TRIANGLE),
        ("g.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n5\n1\n5\n", [1, 2], [[1, 2]]),
        ("g.csv", "sep=;\r\nsource;target\r\n1;2\r\n2;3\r\n1;3\r\n", [1, 2, 3], TRIANGLE),  # Excel
        ("g.csv", "Sep=,\né,b\n", ["é", "b"], [["é", "b"]]),
        ("g.csv", ",person,friend\n0,1,2\n7,2,3\n2,1,3\n", [1, 2, 3], TRIANGLE),  # pandas
        ("g.csv", "Unnamed: 0,person,friend\n0,1,2\n1,2,3\n2,1,3\n", [1, 2, 3], TRIANGLE),
        ("g.csv", "index,person,friend\n0,ann,bob\n", ["ann", "bob"], [["ann", "bob"]]),
        ("g.csv", '"","a","b"\n"1",1,2\n"2",2,3\n"3",1,3\n', [1, 2, 3], TRIANGLE),  # R
        ("g.txt", '"V1" "V2"\n"1" 1 2\n"2" 2 3\n"3" 1 3\n', [1, 2, 3], TRIANGLE),
        ("g.csv", ",0,1,2\n0,0,1,1\n1,1,0,1\n2,1,1,0\n", [0, 1, 2], [[0, 1], [0, 2], [1, 2]]),  # pandas
        ("g.csv", "a,b,c\n0,1,1\n1,0,0\n1,0,0\n", ["a", "b", "c"], [["a", "b"], ["a", "c"]]),
        ("g.csv", '"","V1","V2","V3"\n"1",0,1,1\n"2",1,0,1\n"3",1,1,0\n', [1, 2, 3], TRIANGLE),  # R
        ("g.csv", "source,target,w\n0,1,1\n1,0,1\n1,1,0\n", [0, 1], [[0, 1]]),
        ("g.csv", "ann,bob\nbob,cy\n", ["ann", "bob", "cy"], [["ann", "bob"], ["bob", "cy"]]),
        ("g.csv", ',source,target\n0,ann,"b, c"\n', ["ann", "b, c"], [["ann", "b, c"]]),
        ("g.csv", "Source,Target,Type,Weight\n1,2,Undirected,1.0\n5,2,Undirected,\n", [1, 2, 5], [[1, 2], [2, 5]]),
        ("g.csv", "a node,another\n3,4\n4,5\n", [3, 4, 5], [[3, 4], [4, 5]]),
        ("g.edges", "a b\nb c\nc a\n", ["a", "b", "c"], [["a", "b"], ["a", "c"], ["b", "c"]]),
        ("g.edges", "c a comment here\n1 2\n2 3 # behind\n// another\n1 3\n", [1, 2, 3], TRIANGLE),
        ("g.edges", "007 008\n008 9\n", ["007", "008", "9"], [["007", "008"], ["008", "9"]]),
        ("g.edges", "-1 2\n2 3\n", [-1, 2, 3], [[-1, 2], [2, 3]]),
        ("g.edges", "5\n1 2\n1 3\n", [1, 2, 3, 4, 5], [[1, 2], [1, 3]]),
        ("g.edges", "4 2\n0 1\n1 3\n", [0, 1, 2, 3], [[0, 1], [1, 3]]),
        ("g.edges", "3 2\n100 200\n200 300\n", [100, 200, 300], [[100, 200], [200, 300]]),
        ("g.edges", "4 4 2\n1 2\n1 3\n", [1, 2, 3, 4], [[1, 2], [1, 3]]),
        ("g.edges", "3 2\nann bob\nbob cy\n", ["ann", "bob", "cy"], [["ann", "bob"], ["bob", "cy"]]),
        ("g", "4\n8\n0,1\n1,0\n0,2\n2,0\n1,2\n2,1\n2,3\n3,2\n", [0, 1, 2, 3], [[0, 1], [0, 2], [1, 2], [2, 3]]),
        ("g.edges", "# vertices: 1 to 4\n1 2\n", [1, 2, 3, 4], [[1, 2]]),
        ("g.edges", "2 1\n3 1\n3 2\n", [1, 2, 3], TRIANGLE),
        ("g.txt", "3\n0 1 1\n1 0 1\n1 1 0\n", [1, 2, 3], TRIANGLE),
        ("g.txt", "0,1,1\n1,0,1\n1,1,0\n", [1, 2, 3], TRIANGLE),
        ("g.txt", "011\n101\n110\n", [1, 2, 3], TRIANGLE),
        ("g.txt", "0 1 1\n0 0 1\n0 0 0\n", [1, 2, 3], TRIANGLE),
        ("g.txt", "1 1 1\n1 1 1\n1 1 1\n", [1, 2, 3], TRIANGLE),
        ("g.csv", ",a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n", ["a", "b", "c"], [["a", "b"], ["b", "c"]]),
        ("g.csv", "0,a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n", ["a", "b", "c"], [["a", "b"], ["b", "c"]]),
        ("g.csv", ",0.5,1\n0.5,0,1\n1,1,0\n", ["0.5", "1"], [["0.5", "1"]]),
        ("g.csv", "graph,a\nanother graph,b -c\n", ["graph", "a", "another graph", "b -c"],
         [["graph", "a"], ["another graph", "b -c"]]),
        ("g.txt", "1: 2 3\n2: 1 3\n3: 1 2\n", [1, 2, 3], TRIANGLE),
        ("g.txt", "a : b, c\nb : a, c\nc :\n", ["a", "b", "c"], [["a", "b"], ["a", "c"], ["b", "c"]]),
        ("g.txt", "gene:a gene:b\n", ["gene:a", "gene:b"], [["gene:a", "gene:b"]]),
        ("g.txt", "#from networkx\n0 1 2\n1 2\n2 3\n3\n", [0, 1, 2, 3], [[0, 1], [0, 2], [1, 2], [2, 3]]),
        ("g.txt", "3 3\n2 3\n1 3\n1 2\n", [1, 2, 3], TRIANGLE),
        ("g.txt", "4 3 011\n7 2 5\n1 1 9 3 9\n1 2 9 4 9\n0 3 9\n", [1, 2, 3, 4], [[1, 2], [2, 3], [3, 4]]),
    ],
)  # fmt: skip
def test_vertices_and_edges_are_those_of_the_file(name: str, text: str, vertices: list[Any], found: Any) -> None:
    """Nothing is renumbered, no count or header is an edge, and no edge is lost."""
    problem = read(name, text)
    assert problem.encode(np.arange(problem.graph.n)) == vertices
    assert edges(problem) == found
    assert problem.decode(vertices).tolist() == list(range(len(vertices)))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("g.edges", "6 7\n1 2\n1 3\n1 4\n1 5\n1 6\n", "may be an edge or the numbers.*instance.counts=true"),
        ("g.edges", "6 10\n1 2\n1 3\n1 4\n1 5\n1 6\n", "may be an edge or the numbers"),
        ("g.edges", "5 0\n", "may be an edge or the numbers"),
        ("g.txt", "4 4\n2 4\n1 3\n2 4\n1 3\n", "may be edge-list or metis.*instance.format=edge-list"),
        ("g.txt", "1 2 4\n2 1 3\n3 2 4\n4 1 3\n", "may be edge-list or adjacency-list"),
        ("g.txt", "0 2 3\n2 0 1\n3 1 0\n", "may be edge-list or adjacency-matrix"),
        ("g.edges", "0 1 1\n1 0 1\n1 1 0\n", "may be edge-list or adjacency-matrix"),
        ("g.csv", "a,b,c\n0,2,1\n2,0,1\n1,1,0\n", "may be edge-list or adjacency-matrix"),
        ("g.csv", "x,a,b,c\na,1,.5,.3\nb,.5,1,0\nc,.3,0,1\n", "instance.format=adjacency-matrix"),
        ("g.csv", ",a,b,c\na,0,5,3\nb,5,0,0\nc,3,0,0\n", "instance.format=adjacency-matrix"),
        ("g.txt", "0 1\n1 0\n", "may be edge-list or adjacency-matrix"),
        ("g.txt", "0 2 3 4 5\n2 0 1 1 1\n3 1 0 2 2\n4 1 2 0 9\n5 1 2 9 0\n", "instance.format=adjacency-matrix"),
        ("g.txt", "0 1 1\n0 0 1\n0 1 0\n", "not symmetric: row 1, column 2"),
        ("g.edges", "1 2\n2 3 4\n1 3\n", "3 words where the rows before have 2"),
        ("g.edges", "1 2 3 4 5\n2 3 4 5 6\n", "more than two vertices, a weight and a time"),
        ("g.edges", "1 2\nx 3\n", r"not a whole number \('x'\).*instance.names=true"),
        ("g.edges", "% bip unweighted\n1 1\n", "bipartite"),
        ("g.txt", "the cat sat\non the mat\n", "no graph format is certain"),
        ("g.txt", "p foo 3 1\n1 2\n", "does not say.*instance.complement=true"),
        ("g.txt", "p cnf 3 2\n1 -2 0\n", "a formula, not a graph"),
        ("g.gr", "p ocr 3 3 1\n1 4\n", "numbered apart"),
        ("g.json", '{"nodes": [1]}', "JSON"),
        ("g.dot", "graph {\n a -- b;\n}\n", "DOT"),
        ("g.txt", "graph G { a -- b; b -- c; a -- c; }\n", "a file of DOT, which is not read"),
        ("g.txt", "graph G {a -- b -- c; a -- c}\n", "DOT"),
        ("g.txt", '/* of ** them */ // one\nstrict digraph "a { b" {a -> b}', "DOT"),
        ("g.edges", "graph G {a -- b;\nb -- c;\na -- c; }", "DOT"),
        ("g.gv", "# one\n Graph{a--b}", "DOT"),
        ("g.gv", "subgraph G { a -- b }", "DOT"),
        ("g.txt", "# one\n1 2; 2 3\n", "g.txt:2: several edges on one line"),
        ("g.txt", "1 2; 2 3; 1 3\n", "several edges on one line"),
        ("g.txt", "a -- b; b -- c; a -- c\n", "several edges on one line"),
        ("g.csv", "a->b,b->c", "several edges on one line"),
        ("g.txt", "0 0.5 1\n0.5 0 1\n1 1 0\n", "may be edge-list or adjacency-matrix"),
        ("g.edges", "5 5\n0 1\n1 2\n2 3\n3 4\n4 5\n", "may be an edge or the numbers"),
        ("g.txt", "e 1 2\ne 2 3\ne 1 3\n", "before the p line"),
        ("g.txt", "c arcs\na 1 2 7\na 2 3 5\na 1 3 1\n", "before the p line"),
        ("g.txt", "a -- b\nb -- c\n", "not a vertex|no graph format"),
        ("g.txt", "1 -> 2\n2 -> 3\n", "not a vertex"),
        ("g.txt", "[0,1,1]\n[1,0,1]\n[1,1,0]\n", "brackets"),
        ("g.edges", "(1, 2)\n(2, 3)\n", "brackets"),
        ("g.edges", "a\x1b[31m b\n", r"\\x1b\[31m"),
        ("g.edges", "c bob\n", "no pair.*instance.names=true"),
        ("g.txt", "", "no pair"),
    ],
)
def test_what_is_open_or_no_graph_is_said(name: str, text: str, words: str) -> None:
    """An error names what the file may be and the option that decides; none holds a control character."""
    with pytest.raises(InputError, match=words) as caught:
        read(name, text)
    assert str(caught.value).isprintable()


def test_options_decide() -> None:
    """Format, counts and names say what the content leaves open."""
    star = "6 7\n1 2\n1 3\n1 4\n1 5\n1 6\n"
    assert read("g.edges", star, counts=True).graph.edges == 5
    assert read("g.edges", star, counts=False).graph.edges == 6
    assert read("g.edges", "3 1\n3 2\n", counts=False).graph.edges == 2
    assert edges(read("g.edges", "c bob\n", names=True)) == [["c", "bob"]]
    assert read("g.edges", "1 2\nx 3\n", names=True).encode(np.arange(4)) == ["1", "2", "x", "3"]
    ring = "4 4\n2 4\n1 3\n2 4\n1 3\n"
    assert read("g.txt", ring, format="metis").graph.edges == 4
    assert read("g.txt", ring, format="edge-list", counts=False).graph.edges == 2
    assert edges(read("g.txt", "0 2 3\n2 0 0\n3 0 0\n", format="adjacency-matrix")) == [[1, 2], [1, 3]]
    assert read("g.txt", "1 2 4\n2 1 3\n3 2 4\n4 1 3\n", format="adjacency-list").graph.edges == 4
    assert edges(read("g.txt", "p foo 3 1\n1 2\n", complement=True)) == [[1, 3], [2, 3]]
    with pytest.raises(ConfigurationError, match="option of edge lists"):
        read("g.clq", "p edge 2 1\ne 1 2\n", counts=True)
    with pytest.raises(ConfigurationError, match="true or false"):
        read("g.edges", "1 2\n", names="yes")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("g.gr", "p tww 3 1\n1 2\n", "conflicts"),
        ("g.gr", "p sp 3 1\na 1 2 7\n", "conflicts"),
        ("g.clq", "p edge 3 9\ne 1 2\n", "announces 9"),
        ("g.graph", "3 4\n2\n1 3\n2\n", "announces 4"),
        ("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n", "announces 2"),
        ("g.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 0\n", "value 0"),
        ("g.col", "p edge 3 1\ne 1 2 7\n", "weight"),
        ("g.clq", "p edge 3 2\ne 1 1\ne 1 2\n", "itself"),
        ("g.edges", "6 1\n1 2\n", "6 vertices and 1 edges"),
        ("g.edges", "1 2 0.5\n", "weights, times"),
        ("g.edges", "1 9\n", "2 numbers"),
        ("g.csv", "from,to\n1,2\n", "header"),
        ("g.txt", "0 1 1\n0 0 1\n0 0 0\n", "upper triangle"),
        ("g.csv", "Jos\xe9,bob\n".encode("latin-1"), "Windows-1252"),
    ],
)
def test_what_is_taken_for_granted_is_noted(name: str, text: str | bytes, said: str) -> None:
    """Conflicts, counts that disagree, weights, loops, headers and gaps are assumptions of the problem."""
    assert any(said in one for one in read(name, text).assumptions)


@pytest.mark.parametrize("text", ["p edge 3 3\ne 1 2\ne 2 3\ne 1 3\n", "p edge 3 6\n" + "e 1 2\ne 2 1\n" * 3])
def test_what_is_plain_is_not_noted(text: str) -> None:
    """A file that says all itself has no assumptions."""
    assert read("g.clq", text).assumptions == ()


def test_a_lone_weight_is_two_lines_that_ran_into_each_other() -> None:
    """Weights stand on all e lines or on none."""
    with pytest.raises(InputError, match="not a line 'e U V'"):
        read("g.clq", "p edge 4 2\ne 1 2 7\ne 2 3\n")


@pytest.mark.parametrize(
    ("name", "text", "claim"),
    [
        ("g.txt", "c x\np edge 2 1\ne 1 2\n", Recognition.PROVED),
        ("g.CLQ.gz", "p 2 1\ne 1 2\n", Recognition.PROVED),
        ("g.txt", "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n", Recognition.PROVED),
        ("g.edges", "0 1\n", Recognition.PROVED),
        ("g.txt", "p 2 1\ne 1 2\n", Recognition.FITS),
        ("g.csv", "source,target\na,b\n", Recognition.FITS),
        ("g.csv", "name,price\na,5\n", Recognition.NO),
        ("g.txt", "1 2\n2 3\n", Recognition.NO),
        ("g.txt", "0 1 1\n1 0 1\n1 1 0\n", Recognition.NO),
        ("g.txt", "p cnf 2 1\n1 2 0\n", Recognition.NO),
        ("g.b", "1 2\n", Recognition.NO),
        ("g.txt", b"\xff\xfe\x00", Recognition.NO),
    ],
)
def test_how_surely_a_file_is_a_graph(name: str, text: str | bytes, claim: Recognition) -> None:
    """Magic words, whole p lines and reserved endings prove a graph; rows of numbers are left to others."""
    assert TYPE.recognises(Source(name, text.encode() if isinstance(text, str) else text)) == claim


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16", "utf-32"])
def test_encodings_and_compression(tmp_path: Path, ending: str, mark: str) -> None:
    """Marks of encodings, and gzip around any of them, change nothing."""
    for name, text in (
        ("g.clq", "p edge 3 1\ne 1 2\n"),
        ("g.graph", "3 1\n2\n1\n\n"),
        ("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n"),
        ("g.edges", "# vertices: 1 to 3\r\n1 2\r\n\x1a"),
    ):
        data = text.encode(mark)
        path = tmp_path / (name + ending)
        path.write_bytes(gzip.compress(data) if ending else data)
        problem = load(path)
        assert (problem.graph.n, edges(problem)) == (3, [[1, 2]])
    (tmp_path / "cut.clq.gz").write_bytes(gzip.compress(b"p edge 3 1\n")[:-5])
    with pytest.raises(InputError, match="gzip"):
        load(tmp_path / "cut.clq.gz")


def test_solutions_are_read_in_the_names_of_the_file() -> None:
    """Numbers from 0 and below, words, words with blanks and commas, one a line, after v, in JSON."""
    zero = read("g.edges", "0 1\n1 2\n")
    assert TYPE.read_solution(zero, Source("s", b"v 0 1\n")).tolist() == [0, 1]
    minus = read("g.edges", "-5 3\n3 4\n")
    assert TYPE.read_solution(minus, Source("s", b"-5, 3")).tolist() == [0, 1]
    words = read("g.csv", '"Smith, J";v\nv;"Doe A"\n')
    for text in ('"Smith, J" v', "Smith, J\nv\n", '["Smith, J", "v"]', '{"clique": ["v", "Smith, J"]}'):
        assert sorted(TYPE.read_solution(words, Source("s", text.encode())).tolist()) == [0, 1], text
    with pytest.raises(InputError, match=r"no such vertex \('Smth'\)"):
        TYPE.read_solution(words, Source("s", b"Smth"))
    with pytest.raises(InputError, match=r"no such vertex \(3\); they are 0 to 2"):
        TYPE.read_solution(zero, Source("s", b"1 3"))
    assert TYPE.read_solution(zero, Source("s", b"size=2, weight=2:   0 1\n")).tolist() == [0, 1]
    with pytest.raises(InputError, match="s:1: 2 vertices after size=3"):
        TYPE.read_solution(zero, Source("s", b"size=3, weight=3:   0 1\n"))
    with pytest.raises(InputError, match="s:2: a second clique, the first is in line 1"):
        TYPE.read_solution(zero, Source("s", b"size=2, weight=2:   0 1\nsize=2, weight=2:   0 1\n"))
    evaluation = words.evaluate(words.decode(["Smith, J", "Doe A"]))
    assert evaluation.violations == ('vertices "Smith, J" and "Doe A" are not joined',)


def test_printed_names_with_quotes_are_read() -> None:
    """A name with quotes is printed in quotes, which are doubled inside."""
    said = ['5" pipe', '"w"', "a b", 'e"f', "c"]
    problem = MaxClique(Graph.from_complement(5, [], []), names=Names(tuple(said)))
    printed = " ".join(map(spoken, problem.encode(np.arange(5, dtype=np.int32))))
    assert TYPE.read_solution(problem, Source("s", printed.encode())).tolist() == [0, 1, 2, 3, 4]


def test_names_belong_to_the_fingerprint() -> None:
    """Equal graphs whose vertices have other names are other instances: their solutions read otherwise."""
    prints = {read("g.edges", text).fingerprint for text in ("1 2\n2 3\n", "0 1\n1 2\n", "a b\nb c\n", "1 2\n2 4\n")}
    assert len(prints) == 4
    assert read("g.edges", "1 2\n2 3\n").fingerprint == read("g.clq", "p edge 3 2\ne 1 2\ne 2 3\n").fingerprint


def test_memory_goes_by_the_vertices_and_not_by_their_numbers() -> None:
    """Numbers of any size name no more vertices than there are."""
    problem = read("g.edges", "999999999999999 1\n1 7000000000\n")
    assert problem.encode(np.arange(3)) == [1, 7000000000, 999999999999999]
    with pytest.raises(InputError, match=r"20,000,000 vertices in a file of|GB"):
        read("g.mis", "p edge 20000000 1\ne 1 2\n")


def test_large_lists_of_values_are_read_like_small_ones() -> None:
    """Many rows take another way through the reader than few."""
    rows = [(u, v) for u in range(5, 305) for v in range(u + 1, 305)]
    text = "# weights\n" + "".join(f"{u} {v} {u / 7:.12f} 1082008561\n" for u, v in rows)
    assert len(text) > LARGE
    problem = read("g.edges", text)
    assert (problem.encode(np.arange(2)), problem.graph.n, problem.graph.edges) == ([5, 6], 300, len(rows))
    with pytest.raises(InputError, match="not a whole number"):
        read("g.edges", text + "x 6 0.5 1\n")


def test_many_dashes_are_read_in_one_way() -> None:
    """Each edge could be cut in five places, so that a row of n edges had 5 to the power of n readings."""
    for row in ("a------b;" * 60 + "x\n", "a------b," * 60 + "x\n", "-" * 2_000 + "\n"):
        with suppress(InputError):
            read("g.txt", row)
    assert edges(read("g.txt", "#a--b;c--d\n1 2\n")) == [[1, 2]]
    with pytest.raises(InputError, match="several edges on one line"):
        read("g.txt", "a--b;c -- d;e-> f;g-h->i;--->a -> b\n")


@pytest.mark.parametrize("text", ["a b\nb c\n,\n", "\u00b9 2\n2 1\n", "1 2\n;;\n2 3\n", '"a b\n', "1\u00b2 2 3\n1 2\n"])
def test_rows_of_separators_and_odd_digits_do_no_harm(text: str) -> None:
    """What is no vertex is left out or refused in words."""
    for name in ("g.txt", "g.edges", "g.csv"):
        with suppress(InputError):
            assert read(name, text).graph.n <= 4


def test_large_tables_with_a_header_are_read_like_small_ones() -> None:
    """Headers, separators, values and other columns mean the same in front of many rows as in front of few."""
    rows = [(u, v) for u in range(5, 355) for v in range(u + 1, 355)]
    line = {
        "source,target\n": "{u},{v}\n",
        "source,target,weight\n": "{u},{v},{w:.12f}\n",
        '# a comment\n"Source";"Target";"Weight"\n': "{u};{v};{w:.9f}\n",
        "from\tto\tsince\n": "{u}\t{v}\t1082008561\n",
        "weight,source,target\n": "1082008561,{u},{v}\n",
        "someone,other one,value\n": "{u},{v},-{w:.12f}\n",
        "id,source,target,weight\n": "7,{u},{v},{w:.12f}\n",
        "": "{u},{v},{w:.12f}\n",
    }
    for head, row in line.items():
        once = "".join(row.format(u=u, v=v, w=u / 7) for u, v in rows)
        few = "".join(row.format(u=u, v=v, w=u / 7) for u, v in rows[:700])
        texts = [head + once * (LARGE // len(once) + 1), head + few]
        assert len(texts[0]) > LARGE > len(texts[1])
        large, small = (read("g.csv", text) for text in texts)
        assert (large.graph.n, large.graph.edges) == (350, len(rows))
        assert large.encode(np.array([0, 349])) == [5, 354]
        assert small.encode(np.array([0])) == [5]
        assert large.assumptions == small.assumptions
    padded = "source,target\n" + "007,12\n" * 200_000
    assert read("g.csv", padded).encode(np.arange(2)) == ["007", "12"]
    wrong = "source,target\n" + "70001,12\n" * 150_000 + "5\n"
    with pytest.raises(InputError) as caught:
        read("g.csv", wrong)
    assert caught.value.line == 150_002


def test_large_tables_of_words_are_read_like_small_ones() -> None:
    """Names, headers over names, values behind them and wrong rows mean the same in front of many rows."""
    rows = [(u, v) for u in range(5, 305) for v in range(u + 1, 305)]
    for head, row in (
        ("", "user{u}\tuser{v}\n"),
        ("# comment\n", "user{u} user{v} 0.5\n"),
        ("source,target\n", "user{u},user{v}\n"),
        ("from;to;since\n", "user{u};user{v};then\n"),
        ("source,target\n", "user {u},user {v}\n"),
        ("", "0{u} 0{v}\n"),
        ("", "-{u} {v}\n"),
        ("c about the file\n", "user{u} user{v}\n"),
    ):
        once = "".join(row.format(u=u, v=v) for u, v in rows)
        times = LARGE // len(once) + 1
        texts = [head + once * times, head + "".join(row.format(u=u, v=v) for u, v in rows[:600])]
        assert len(texts[0]) > LARGE > len(texts[1])
        large, small = (read("g.edges", text) for text in texts)
        assert large.graph.edges == len(rows)
        if row[0] != "-":  # of whole numbers, the smallest ones differ
            assert large.encode(np.arange(2)) == small.encode(np.arange(2))
            assert large.assumptions == small.assumptions
        line = times * len(rows) + head.count("\n") + 1
        with pytest.raises(InputError) as caught:
            read("g.edges", texts[0] + "alone\n")
        assert caught.value.line == line


def test_a_vertex_c_begins_a_large_table() -> None:
    """Its rows are comments in front of numbers, and of rows of another width only."""
    rows = "".join(f"user{u} user{v}\n" for u in range(300) for v in range(u + 1, 300))
    text = "c user0\nc user1\n" + rows * (LARGE // len(rows) + 1)
    assert len(text) > LARGE
    problem = read("g.edges", text)
    assert problem.graph.edges == 300 * 299 // 2 + 2
    assert problem.encode(np.arange(2)) == ["c", "user0"]
