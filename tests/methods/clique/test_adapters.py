"""Other programs by adapters."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import pytest
from methods.clique.conftest import stopped_late

from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError, SolverError
from matheur.methods.clique import Adapter, adapter, adapters, solve_external
from matheur.problems.max_clique import Graph, parse_graph

GRAPH = Graph.from_edges(6, [1, 1, 2, 0, 3], [2, 4, 4, 1, 5])  # the clique is 1, 2, 4, counted from 0


def program(tmp_path: Path, code: str, arguments: str = "{file}") -> str:
    script = tmp_path / "solver.py"
    script.write_text("import sys, time\n" + code)
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} {arguments}"


def test_shipped_adapters_are_well_formed() -> None:
    """Each has a summary and says where it comes from; those named in the documentation are there."""
    assert {"cliquer", "pmc", "mcqd", "open-pls", "open-mcs", "momc", "pace-vertex-cover"} <= set(adapters())
    for one in adapters().values():
        assert one.summary
        assert one.install
        assert isinstance(one.available, bool)


@pytest.mark.skipif(shutil.which("cliquer") is None, reason="cliquer is not installed")
def test_cliquer_by_its_adapters() -> None:
    """Debian's cliquer is understood, and its proof taken; asked for a size that is not there, it has no answer."""
    found = solve_external(adapter("cliquer"), GRAPH)
    assert found.vertices.tolist() == [1, 2, 4]
    assert found.proved
    found = solve_external(adapter("cliquer-find"), GRAPH, target=2)
    assert (len(found.vertices), found.proved) == (2, False)


@pytest.mark.parametrize("form", ["ascii", "binary", "metis", "matrix-market", "edge-list", "pace"])
@pytest.mark.parametrize("way", ["file", "stdin"])
def test_programs_get_the_graph_in_their_form(tmp_path: Path, form: str, way: str) -> None:
    """As a file or on standard input, in every format; what they got is the graph."""
    copy = tmp_path / "copy"
    code = "data = open(sys.argv[1], 'rb').read() if len(sys.argv) > 1 else sys.stdin.buffer.read()\n"
    code += f"open({str(copy)!r}, 'wb').write(data)\nprint('1 2 4')\n"
    command = program(tmp_path, code, "{file}" if way == "file" else "")
    one = Adapter(command, input=way, format=form, base=0, complement=form == "pace")  # type: ignore[arg-type]
    assert solve_external(one, GRAPH).vertices.tolist() == [1, 2, 4]
    got = parse_graph(Source("got", copy.read_bytes()), format=form)  # type: ignore[arg-type]
    assert got.edges == GRAPH.edges


def test_vertex_cover_solvers(tmp_path: Path) -> None:
    """The answer of a PACE solver is a cover of the complement; the clique is what it leaves out."""
    command = program(tmp_path, "print('c nice'); print('s vc 6 3'); print('1\\n4\\n6')", "")
    one = Adapter(command, input="stdin", format="pace", complement=True, base=1, exact=True)
    found = solve_external(one, GRAPH)
    assert (found.vertices.tolist(), found.proved) == ([1, 2, 4], True)


def test_answer_patterns(tmp_path: Path) -> None:
    """The last match counts, vertices are counted as the adapter says, and other numbers do not disturb."""
    command = program(tmp_path, "print('node 5 of 9'); print('best: 2 3'); print('best: 2 3 5'); print('1 2 3')")
    one = Adapter(command, answer=r"best: (?P<vertices>[\d ]+)", base=1)
    assert solve_external(one, GRAPH).vertices.tolist() == [1, 2, 4]
    with pytest.raises(SolverError, match="not a clique"):
        solve_external(Adapter(command, answer=r"best: (?P<vertices>[\d ]+)", base=0), GRAPH)
    with pytest.raises(SolverError, match="no list of vertices"):
        solve_external(Adapter(command, answer=r"worst: (?P<vertices>[\d ]+)"), GRAPH)


def test_exit_codes_and_time_outs(tmp_path: Path) -> None:
    """Codes of success are the adapter's; what was printed before the time-out counts, or does not."""
    command = program(tmp_path, "print('2 3 5'); sys.exit(10)")
    assert solve_external(Adapter(command, exit_codes=(0, 10)), GRAPH).finished
    with pytest.raises(SolverError, match="exit status 10"):
        solve_external(command, GRAPH)
    slow = program(tmp_path, "print('2 3 5', flush=True); time.sleep(600)")
    kept = stopped_late(Adapter(slow, exact=True), GRAPH)
    assert (len(kept.vertices), kept.finished, kept.proved) == (3, False, False)
    with pytest.raises(SolverError, match="says nothing before it ends"):
        solve_external(Adapter(slow, on_timeout="discard"), GRAPH, seconds=0.2)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"command": "solver"}, "lacks {file}"),
        ({"command": ""}, "empty"),
        ({"command": "x {file} {tme}"}, "Maybe 'time'"),
        ({"command": "x {file}", "answer": "("}, "malformed"),
        ({"command": "x {file}", "answer": "(.*)"}, "lacks a group"),
    ],
)
def test_malformed_adapters(values: dict[str, str], words: str) -> None:
    """Errors carry the value and help."""
    with pytest.raises(ConfigurationError, match=words):
        Adapter(**values)  # type: ignore[arg-type]


def test_adapters_of_users(tmp_path: Path) -> None:
    """A file with one table needs no name; unknown names, keys and files are errors."""
    path = tmp_path / "mine.toml"
    path.write_text('[fast]\ncommand = "x {file}"\nbase = 0\n')
    assert adapter(str(path)).base == adapter(f"{path}#fast").base == 0
    path.write_text('[fast]\ncommand = "x {file}"\n[slow]\ncommand = "y {file}"\nexit_codes = [0, 10]\n')
    assert adapter(f"{path}#slow").exit_codes == (0, 10)
    for name, words in ((str(path), "no adapter"), (f"{path}#slw", "Maybe 'slow'"), ("cliqer", "Maybe 'cliquer'")):
        with pytest.raises(ConfigurationError, match=words):
            adapter(name)
    path.write_text('[fast]\ncomand = "x {file}"\n')
    with pytest.raises(ConfigurationError, match="Maybe 'command'"):
        adapter(str(path))
    path.write_text("fast = 3\n")
    with pytest.raises(ConfigurationError, match="not a table"):
        adapter(str(path))
    path.write_text("[fast\n")
    for name in (str(path), str(tmp_path / "none.toml")):
        with pytest.raises(InputError):
            adapter(name)
