"""Commands as clique solvers."""

from __future__ import annotations

import math
import os
import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from methods.clique.conftest import stopped_late

from matheur.errors import ConfigurationError, SolverError
from matheur.methods.clique import Adapter, SparseGraph, solve_external
from matheur.problems.max_clique import Graph, load_graph

GRAPH = Graph.from_edges(6, [1, 1, 2, 0, 3], [2, 4, 4, 1, 5])


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for temporary files, to see that nothing stays there."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def fake(tmp_path: Path, code: str, arguments: str = "{file}") -> str:
    """A command that runs a script; `arguments` come after its name."""
    script = tmp_path / "solver.py"
    script.write_text("import os, sys, time, signal\n" + code)
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} {arguments}"


def alive(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("form", ["ascii", "binary"])
@pytest.mark.skipif(shutil.which("cliquer") is None, reason="cliquer is not installed")
def test_cliquer_solves_a_public_graph(data: Path, temporary: Path, form: str) -> None:
    """Debian's cliquer reads what is written for it, in both forms, and its answer is understood."""
    graph = load_graph(data / "clique/ascii/brock200_2.clq")
    found = solve_external(Adapter("cliquer -qq {file}", format=form), graph)  # type: ignore[arg-type]
    assert len(found.vertices) == 12
    assert graph.is_clique(found.vertices)
    assert found.finished
    assert not list(temporary.iterdir())


def test_placeholders_are_filled_in(tmp_path: Path, temporary: Path) -> None:
    """File, time, seed and target reach the command, other braces stay; the file is a DIMACS graph."""
    code = (
        "assert open(sys.argv[1]).read().startswith('p edge 6 5')\n"
        "assert sys.argv[2:] == ['--t=300', '7', '4', '{}'], sys.argv\nprint('2 3 5')\n"
    )
    command = fake(tmp_path, code, "{file} --t={time} {seed} {target} {}")
    found = solve_external(command, GRAPH, seconds=300, seed=7, target=4)
    assert found.vertices.tolist() == [1, 2, 4]
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("seconds", [None, math.inf, 1e300])
def test_no_time_limit_is_a_large_number(tmp_path: Path, seconds: float | None) -> None:
    """The same holds for a limit that no program could read."""
    command = fake(tmp_path, "assert sys.argv[2] == '1000000', sys.argv\nprint('2 3 5')\n", "{file} {time}")
    assert solve_external(command, GRAPH, seconds=seconds).vertices.tolist() == [1, 2, 4]


def test_the_heaviest_clique_counts(tmp_path: Path) -> None:
    """A program may print several cliques; with weights the one with most vertices need not be the best."""
    how = Adapter(fake(tmp_path, "print('4 6\\n2 3 5\\n1 2')\n"), weights=True, exact=True)
    found = solve_external(how, GRAPH, weights=np.array([1, 1, 1, 9, 1, 9]))
    assert (found.vertices.tolist(), found.proved) == ([3, 5], True)
    assert solve_external(how, GRAPH).vertices.tolist() == [1, 2, 4]


@pytest.mark.parametrize("sparse", [False, True])
def test_vertices_without_weight_are_left_out(tmp_path: Path, sparse: bool) -> None:
    """Programs know positive weights only; the answer has the numbers of the whole graph."""
    code = "assert 'p edge 4 2\\n' in open(sys.argv[1]).read()\nprint('1 3')\n"
    graph = SparseGraph.from_networkx(GRAPH.to_networkx()) if sparse else GRAPH
    how = Adapter(fake(tmp_path, code), weights=True, exact=True)
    found = solve_external(how, graph, weights=np.array([0, 5, -2, 1, 4, 1]))
    assert (found.vertices.tolist(), found.proved) == ([1, 4], True)
    nothing = solve_external("no-such-solver {file}", graph, weights=np.zeros(6, dtype=np.int64))
    assert (nothing.vertices.tolist(), nothing.proved) == ([], True)


def test_independent_set_solvers_get_the_complement(tmp_path: Path) -> None:
    """With `complement`, the file holds the pairs that are not joined."""
    command = fake(tmp_path, "assert open(sys.argv[1]).read().startswith('p edge 6 10')\nprint('2 3 5')\n")
    assert solve_external(Adapter(command, complement=True), GRAPH).vertices.tolist() == [1, 2, 4]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("sys.exit('out of luck')", "failed with exit status 1: out of luck"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "ended by signal 9"),
        ("print('hello')", "no list of vertices"),
        ("print('1 6')", "not a clique"),
        ("sys.stdout.buffer.write(bytes(range(256)))", "not UTF-8"),
        ("", "no list of vertices"),
    ],
)
def test_failures_are_one_clear_error(tmp_path: Path, temporary: Path, code: str, words: str) -> None:
    """A failing command, garbage, a false clique and silence are solver errors; no file is left."""
    with pytest.raises(SolverError, match=words):
        solve_external(fake(tmp_path, code), GRAPH)
    assert not list(temporary.iterdir())


def test_a_missing_command_is_named() -> None:
    """A command that does not exist is a solver error with its name."""
    with pytest.raises(SolverError, match=r"'no-such-solver' cannot be run .* Maybe it is not installed"):
        solve_external("no-such-solver {file}", GRAPH)


@pytest.mark.parametrize(
    ("command", "words"),
    [("", "empty"), ("cliquer", "lacks"), ("x {file} {tim}", "Maybe 'time'"), ("x '{file}", "cannot be split")],
)
def test_malformed_commands_are_configuration_errors(command: str, words: str) -> None:
    """A command without the file, with an unknown placeholder or an open quote is refused before anything runs."""
    with pytest.raises(ConfigurationError, match=words):
        solve_external(command, GRAPH)


def test_the_shell_is_not_involved(tmp_path: Path) -> None:
    """Characters that a shell would act on reach the command as they are."""
    code = "assert sys.argv[2:] == ['$(touch', 'x)', ';', '|']\nprint('2 3 5')\n"
    assert solve_external(fake(tmp_path, code, "{file} $(touch x) ; |"), GRAPH).vertices.tolist() == [1, 2, 4]


def gone(pid: int) -> bool:
    """Whether a process that was killed is gone: the system ends it soon, not at once."""
    deadline = time.monotonic() + 120
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(pid)


CHILD = "pid = os.fork()\nif pid == 0:\n    time.sleep(600)\n    os._exit(0)\nopen({path!r}, 'w').write(str(pid))\n"


def test_a_late_command_is_stopped_with_its_children(tmp_path: Path, temporary: Path) -> None:
    """At the deadline the command and what it started are gone, and what it had printed counts."""
    path = str(tmp_path / "child")
    command = fake(tmp_path, CHILD.format(path=path) + "print('1 2', flush=True)\ntime.sleep(600)\n")
    found = stopped_late(command, GRAPH)
    assert found.vertices.tolist() == [0, 1]
    assert not found.finished
    assert gone(int(Path(path).read_text()))
    assert not list(temporary.iterdir())


def test_children_that_outlive_the_command_are_stopped(tmp_path: Path) -> None:
    """A child that the command leaves behind is gone when the answer is returned."""
    path = str(tmp_path / "child")
    assert len(solve_external(fake(tmp_path, CHILD.format(path=path) + "print('1 2')\n"), GRAPH).vertices) == 2
    assert gone(int(Path(path).read_text()))


def test_a_command_may_answer_when_asked_to_end(tmp_path: Path) -> None:
    """A heuristic that prints its best clique on SIGTERM is heard."""
    code = (
        "def end(*_):\n    print('2 3 5', flush=True)\n    os._exit(0)\n"
        "signal.signal(signal.SIGTERM, end)\nopen({path!r}, 'w').close()\ntime.sleep(60)\n"
    )
    ready = tmp_path / "ready"
    found = solve_external(fake(tmp_path, code.format(path=str(ready))), GRAPH, interrupt=ready.exists)
    assert found.vertices.tolist() == [1, 2, 4]
    assert not found.finished


def test_an_interrupt_without_an_answer_is_an_error(tmp_path: Path, temporary: Path) -> None:
    """A stopped command that ignores the request and has printed nothing is killed and reported."""
    code = (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nopen({path!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)\n"
    )
    path = tmp_path / "pid"
    with pytest.raises(SolverError, match="was stopped after"):
        solve_external(fake(tmp_path, code.format(path=str(path))), GRAPH, interrupt=path.exists)
    assert not alive(int(path.read_text() or os.getpid() + 1_000_000))
    assert not list(temporary.iterdir())
