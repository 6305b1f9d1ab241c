"""Bad input gives exit code 2, one line on standard error, no standard output and no traceback."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli.conftest import Command

BOARD = "edge-matching/4x4"
RUN = ("solve", BOARD)

OPTIONS: dict[str, tuple[tuple[object, ...], str]] = {
    "unknown command": (("solv", BOARD), "solve"),
    "no instance": (("solve",), "See 'matheur solve --help'"),
    "unknown command of a group": (("campaign", "rnu"), "'run'? See 'matheur campaign --help'"),
    "unknown option": ((*RUN, "--tme", "5"), "--tme"),
    "unknown problem": ((*RUN, "--problem", "edge-match"), "Maybe 'edge-matching'"),
    "unknown built-in": (("solve", "edge-matching/5x6"), "Maybe 'edge-matching/"),
    "misspelt problem of a built-in": (("solve", "edge-maching/4x4"), "Maybe 'edge-matching/4x4'"),
    "problem without an instance": (("solve", "party"), "Maybe 'party/demo'"),
    "long built-in": (("solve", "edge-matching/" + "x" * 5000), "no built-in instance"),
    "unknown construction": ((*RUN, "--construction", "milp-gready"), "Maybe 'milp-greedy'"),
    "unknown neighbourhood": ((*RUN, "--neighbourhoods", "asignment"), "Maybe 'assignment'"),
    "same neighbourhood twice": ((*RUN, "--neighbourhoods", "border,border"), "Maybe give one a name of its own"),
    "empty neighbourhood": ((*RUN, "--neighbourhoods", "border,,region"), "empty name"),
    "unknown schedule": ((*RUN, "--schedule", "cycel"), "Maybe 'cycle'"),
    "unknown acceptance": ((*RUN, "--acceptance", "anealing"), "Maybe 'annealing'"),
    "unknown solver": ((*RUN, "--solver", "higs"), "Maybe 'highs'"),
    "solver of Pyomo's": ((*RUN, "--solver", "cbc"), "Maybe 'pyomo:cbc'"),
    "unused unknown solver": (
        (*RUN, "--solver", "higs", "--construction", "random", "--neighbourhoods", "none"),
        "Maybe 'highs'",
    ),
    "missing solver": ((*RUN, "--solver", "pyomo:xpress_direct"), "xpress"),
    "unknown preset": ((*RUN, "--preset", "papr"), "Maybe 'paper'"),
    "negative time": ((*RUN, "--seconds", "-1"), "--seconds"),
    "nan time": ((*RUN, "--seconds", "nan"), "seconds"),
    "infinite pause": (("campaign", "report", "c.toml", "--every", "inf"), "--every"),
    "infinite time": ((*RUN, "--seconds", "inf"), "finite"),
    "wordy time": ((*RUN, "--seconds", "soon"), "--seconds"),
    "nan target": ((*RUN, "--target", "nan"), "finite"),
    "infinite target": ((*RUN, "--target", "inf"), "finite"),
    "negative work": ((*RUN, "--work", "-5"), "--work"),
    "negative iterations": ((*RUN, "--iterations", "-5"), "--iterations"),
    "negative seed": ((*RUN, "--seed", "-1"), "--seed"),
    "fractional seed": ((*RUN, "--seed", "1.5"), "--seed"),
    "no jobs": ((*RUN, "--jobs", "0"), "--jobs"),
    "unknown operator option": ((*RUN, "--set", "neighbourhood.assignment.kk=3"), "Maybe 'k'"),
    "wrong operator option": ((*RUN, "--set", "neighbourhood.assignment.k=many"), "'many'"),
    "impossible operator option": ((*RUN, "--set", "neighbourhood.assignment.k=-3"), "-3"),
    "option of an absent operator": ((*RUN, "--set", "neighbourhood.merge.k=3"), "merge"),
    "unknown top option": ((*RUN, "--set", "sheduel=cycle"), "Maybe 'schedule'"),
    "no value": ((*RUN, "--set", "time"), "key=value"),
    "no key": ((*RUN, "--set", "=3"), "not a dotted key"),
    "empty part": ((*RUN, "--set", "neighbourhood..k=3"), "not a dotted key"),
    "value for table": ((*RUN, "--set", "neighbourhood.region.solver=5"), "solver"),
    "value for tables": ((*RUN, "--set", "neighbourhood=5"), "table"),
    "number for name": ((*RUN, "--set", "schedule.name=5"), "schedule.name"),
    "wrong share": ((*RUN, "--set", "neighbourhood.region.call_seconds=0"), "call_seconds"),
    "far too many threads": (("solve", "milp/demo", "--set", "solver.threads=100000"), "must be from 1 to 256"),
    "far too many jobs": ((*RUN, "--jobs", 100_000), "jobs must be at most"),
    "nothing descends": ((*RUN, "--schedule", "gvns", "--set", "schedule.shakes=9"), "Maybe more neighbourhoods"),
    "too many repetitions": ((*RUN, "--set", "schedule.repetitions=[2,1,2,1,2,1,2,1]"), "Maybe one entry for each"),
    "half a work unit": ((*RUN, "--set", "neighbourhood.region.call_work=0.5"), "call_work' must be a whole number"),
    "wrong round": ((*RUN, "--set", "portfolio.round_work=0"), "round_work"),
    "unknown reader option": ((*RUN, "--set", "instance.sidse=urdl"), "sides"),
    "reader options as value": ((*RUN, "--set", "instance=5"), "instance"),
    "wordy hint": ((*RUN, "--set", "instance.hints=here"), "not a hint"),
    "negative hint": ((*RUN, "--set", "instance.hints=-1,0=3"), "not a hint"),
    "hint outside": ((*RUN, "--set", "instance.hints=4,0=3"), "hint"),
    "hint of no piece": ((*RUN, "--set", "instance.hints=0,0=17"), "17"),
    "hint with rotation 4": ((*RUN, "--set", "instance.hints=0,0=1/4"), "hint"),
    "two hints in a cell": ((*RUN, "--set", "instance.hints=0,0=1 0,0=2"), "hint"),
    "hint with huge numbers": ((*RUN, "--set", "instance.hints=0,0=99999999999999999999"), "not a hint"),
    "unknown sides": ((*RUN, "--set", "instance.sides=xyzw"), "sides"),
    "resume without folder": ((*RUN, "--resume"), "--checkpoint"),
    "missing instance": (("solve", "no/such/file.txt"), "No such file"),
    "folder as instance": (("solve", "."), "Is a directory"),
    "NUL in a name": (("solve", "a\0b"), "cannot read"),
    "long name": (("solve", "x" * 5000), "File name too long"),
    "missing start": ((*RUN, "--start", "no/such/file.json"), "No such file"),
    "missing config": ((*RUN, "--config", "no/such/file.toml"), "No such file"),
    "folder as config": ((*RUN, "--config", "."), "Is a directory"),
    "NUL in config": ((*RUN, "--config", "a\0b"), "NUL|null|not TOML"),
    "unwritable out": ((*RUN, "--out", "no/such/out.json"), "No such file"),
    "folder as out": ((*RUN, "--out", "."), "Is a directory"),
    "NUL in out": ((*RUN, "--out", "a\0b"), "null byte"),
    "full disk": ((*RUN, "--out", "/dev/full"), "No space left"),
    "unwritable trace": ((*RUN, "--trace", "no/such/trace.jsonl"), "trace"),
    "folder as trace": ((*RUN, "--trace", "."), "trace"),
    "full disk for the trace": ((*RUN, "--trace", "/dev/full"), "No space left"),
    "empty out": ((*RUN, "--out", ""), "--out is empty"),
    "empty checkpoint": ((*RUN, "--checkpoint="), "--checkpoint is empty"),
    "empty pool": ((*RUN, "--pool", ""), "--pool is empty"),
    "empty preset": ((*RUN, "--preset", ""), "--preset is empty"),
    "labels where none can be": (
        ("label", "sliding-tile/2x2", "--plans", "1", "--out", "/proc/labels.npz"),
        "labels.npz: cannot write here",
    ),
    "clique where none can be": (
        ("clique", "max-clique/demo", "--out", "/proc/out.json"),
        "out.json: cannot write here",
    ),
    "unwritable checkpoint": ((*RUN, "--checkpoint", "/dev/null/state"), "folder"),
    "verify without solution": (("verify", BOARD), "solution"),
    "verify a missing file alone": (("verify", "no/such/file.json"), "No such file"),
    "verify a missing level": (("verify", "no/such/levels.sok#3"), "No such file"),
    "verify a missing file": (("verify", BOARD, "no/such/file.json"), "No such file"),
    "show a missing file": (("show", "no/such/file.json"), "No such file"),
    "show in an unknown format": (("show", BOARD, "--out", "picture.gif"), "Maybe one of"),
    "show into a missing folder": (("show", BOARD, "--out", "no/such/picture.svg"), "folder"),
    "generate an unknown problem": (("generate", "edge-maching", "--out", "x"), "Maybe 'edge-matching'"),
    "generate nothing": (("generate", "edge-matching", "--size", "0", "--out", "x"), "0"),
    "generate too much": (("generate", "edge-matching", "--size", "9999", "--out", "x"), "9999|cells"),
    "generate a word": (("generate", "edge-matching", "--size", "big", "--out", "x"), "'big'"),
    "generate with an unknown option": (("generate", "edge-matching", "--set", "colors=3", "--out", "x"), "Maybe"),
    "generate into a missing folder": (("generate", "edge-matching", "--out", "no/such/x"), "folder"),
    "generate with no out": (("generate", "edge-matching"), "--out"),
    "operators of an unknown problem": (("operators", "edge-machting"), "Maybe 'edge-matching'"),
    "unknown formulation": (("export", "model", BOARD, "--out", "m.lp", "--formulation", "gaps"), "gap"),
    "unknown model format": (("export", "model", BOARD, "--out", "m.txt"), "lp"),
    "clique of a missing file": (("clique", "no/such/file.clq"), "No such file"),
    "clique by an unknown method": (("clique", "x", "--method", "exakt"), "exact"),
    "clique with a negative seed": (("clique", "x", "--seed", "-1"), "--seed"),
    "import without an instance": (
        ("import", "clique", "no.csv", "no.txt", "--out", "x", "--set", "instance.hints=0,0=1"),
        "--set is for the instance",
    ),
    "import of missing files": (("import", "clique", "no.csv", "no.txt", "--out", "x"), "No such file"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_wrong_arguments(matheur: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    """Every wrong option gives one line that explains the error, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    arguments, message = OPTIONS[case]
    line = matheur(*arguments).error
    assert any(part in line for part in message.split("|")), line
    assert list(tmp_path.iterdir()) == []
    if arguments[0] == "solve":
        assert matheur(*arguments, "--json").error


FILES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "blank": lambda data: b" \n\n",
    "truncated": lambda data: data[: len(data) // 2],
    "cut in a line": lambda data: data[:-5],
    "a line twice": lambda data: data + data.splitlines(keepends=True)[-1],
    "a side more": lambda data: data.rstrip() + b" 1\n",
    "not UTF-8": lambda data: data[:9] + b"\xff\xfe" + data[9:],
    "zeros": lambda data: b"\0" * 100,
    "random bytes": lambda data: bytes(range(256)) * 4,
    "a word": lambda data: data.replace(b" 1 ", b" one ", 1),
    "negative": lambda data: data.replace(b" 1 ", b" -1 ", 1),
    "huge header": lambda data: b"1000000 1000000\n" + data.split(b"\n", 1)[1],
    "huge colour": lambda data: data.replace(b" 1 ", b" 99999999999999999999 ", 1),
    "contradictory header": lambda data: b"5 4\n" + data.split(b"\n", 1)[1],
    "JSON array": lambda data: b"[1, 2, 3]",
    "deep JSON": lambda data: b"[" * 100_000,
    "JSON of something else": lambda data: b'{"rows": 3}',
    "broken JSON": lambda data: b'{"rows": 3, ',
    "a result": lambda data: b'{"problem": "edge-matching", "instance": "x", "solution": []}',
    "a picture": lambda data: b"\x89PNG\r\n\x1a\n" + bytes(50),
    "a broken graph": lambda data: b"p edge 3 1\ne 1 7\n",
}


@pytest.mark.parametrize("case", FILES)
def test_wrong_instances(matheur: Command, pieces: Path, case: str) -> None:
    """Every command refuses a broken instance with one line that names the file."""
    pieces.write_bytes(FILES[case](pieces.read_bytes()))
    for command in ("solve", "show"):
        for options in ((), ("--problem", "edge-matching")):
            assert "pieces.txt" in matheur(command, pieces, *options).error
    assert "<stdin>" in matheur("solve", "-", "--problem", "edge-matching", stdin=pieces.read_bytes()).error
    assert matheur("export", "model", pieces, "--out", pieces.with_name("m.lp")).error


@pytest.mark.parametrize(
    "url",
    [
        "https://e2.bucas.name/",
        "https://e2.bucas.name/#board_w=4&board_h=4",
        "https://e2.bucas.name/#board_w=4&board_h=4&board_edges=abc",
        "https://e2.bucas.name/#board_w=1000000&board_h=1000000&board_edges=aaaa",
        "https://e2.bucas.name/#board_w=-1&board_h=x&board_edges=aaaa",
        "https://e2.bucas.name/#board_w=2&board_h=2&board_edges=aaaaaaaaaaaaaaa!",
        "https://example.org/",
        "http://",
    ],
)
def test_wrong_urls(matheur: Command, url: str) -> None:
    """A URL without a puzzle gives one line; nothing is downloaded."""
    assert matheur("solve", url).error
    assert matheur("solve", url, "--problem", "edge-matching").error
    assert matheur("verify", BOARD, url).error


SOLUTIONS: dict[str, str] = {
    "empty": "",
    "no solution": '{"problem": "edge-matching", "solution": null}',
    "another problem": '{"problem": "sudoku", "solution": [1]}',
    "too short": '{"solution": [[1, 0]]}',
    "a word": '{"solution": "perfect"}',
    "objects": json.dumps({"solution": [{}] * 16}),
    "piece 0": json.dumps({"solution": [[0, 0]] * 16}),
    "piece 17": json.dumps({"solution": [[17, 0]] * 16}),
    "rotation 4": json.dumps({"solution": [[1, 4]] * 16}),
    "fractions": json.dumps({"solution": [[1.5, 0]] * 16}),
    "truth": json.dumps({"solution": [[True, 0]] * 16}),
    "huge": json.dumps({"solution": [[10**30, 0]] * 16}),
    "deep": '{"solution": ' + "[" * 5000 + "]" * 5000 + "}",
    "broken": '{"solution": [[1, 0], ',
}


@pytest.mark.parametrize("case", SOLUTIONS)
def test_wrong_solutions(matheur: Command, tmp_path: Path, case: str) -> None:
    """Every command refuses a broken solution with one line that names the file."""
    path = tmp_path / "board.json"
    path.write_text(SOLUTIONS[case])
    for arguments in (
        ("verify", BOARD, path),
        ("show", path, "--instance", BOARD),
        ("solve", BOARD, "--start", path),
        ("solve", BOARD, "--start", path, "--json"),
    ):
        assert "board.json" in matheur(*arguments).error


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_start_must_obey_the_rules(matheur: Command, perfect: Path, tmp_path: Path, jobs: int) -> None:
    """A start that uses a piece twice is refused, with any number of jobs; an earlier result is kept."""
    content, out = json.loads(perfect.read_text()), tmp_path / "out.json"
    perfect.write_text(json.dumps({**content, "solution": [content["solution"][0]] * 16}))
    out.write_text("{}")
    assert "16 times" in matheur("solve", BOARD, "--start", perfect, "--jobs", jobs, "--out", out).error
    assert out.read_text() == "{}"


CONFIGURATIONS = [
    "seconds = ",
    "seconds = 'soon'",
    "seconds = -1",
    "seconds = nan",
    "seed = 1.5",
    "jobs = 0",
    "preset = 5",
    "preset = 'papr'",
    "construction = 5",
    "construction = 'x'",
    "neighbourhoods = 5",
    "neighbourhoods = [5]",
    "neighbourhoods = ['x']",
    "neighbourhood = 5",
    "neighbourhood = {region = 5}",
    "neighbourhood = {region = {rows = 0}}",
    "schedule = 5",
    "schedule = {name = 5}",
    "schedule = {name = 'x'}",
    "schedule = {repetitions = [0]}",
    "acceptance = ['annealing']",
    "acceptance = {name = 'annealing', start = -1}",
    "solver = {name = 'highs', threads = 'all'}",
    "solver = 1979-05-27",
    "portfolio = {share = 'nothing'}",
    "instance = 5",
    "instance = {sides = 5}",
    "[[construction]]",
    "unknown = 1",
    "a = " + "[" * 10_000,
]


@pytest.fixture
def swept() -> Iterator[None]:
    """Keep finalisers of other tests from running, and failing, in the deep recursion of the parser."""
    gc.freeze()  # unlike a full collection, this costs nothing
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("swept")
@pytest.mark.parametrize("text", CONFIGURATIONS, ids=lambda text: text[:40])
def test_wrong_configurations(matheur: Command, tmp_path: Path, text: str) -> None:
    """Every wrong value in a TOML file gives one line."""
    path = tmp_path / "run.toml"
    path.write_text(text)
    assert matheur(*RUN, "--config", path).error


GRAPHS = {
    "empty": b"",
    "a billion vertices": b"p edge 1000000000 1\ne 1 2\n",
    "vertex outside": b"p edge 3 1\ne 1 4\n",
    "vertex 0": b"p edge 3 1\ne 0 1\n",
    "no header": b"e 1 2\n",
    "words": b"p edge three one\n",
    "not UTF-8": b"p edge 3 1\ne \xff 2\n",
    "binary, cut": b"50\np edge 100 10\n",
    "binary, huge": b"20\np edge 1000000000 1\n" + bytes(100),
    "zeros": bytes(1000),
}


@pytest.mark.parametrize("method", ["local-search", "exact"])
@pytest.mark.parametrize("case", GRAPHS)
def test_wrong_graphs(matheur: Command, tmp_path: Path, case: str, method: str) -> None:
    """Every broken graph gives one line that names the file."""
    path = tmp_path / "g.clq"
    path.write_bytes(GRAPHS[case])
    assert "g.clq" in matheur("clique", path, "--method", method, "--work", 10).error


def test_huge_claims_take_no_memory(tmp_path: Path) -> None:
    """A header that claims a billion vertices or cells is refused before memory is allocated."""
    graph, board = tmp_path / "g.clq", tmp_path / "b.txt"
    graph.write_text("p edge 1000000000 1\ne 1 2\n")
    board.write_text("100000 100000\n0 0 1 1\n")
    code = (
        "import re, resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))\n"
        "from matheur.cli import run\n"
        "codes = [run(['clique', sys.argv[1]]), run(['solve', sys.argv[2], '--problem', 'edge-matching'])]\n"
        "most = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())\n"  # not the peak of the parent
        "print(*codes, most[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(graph), str(board)],
        capture_output=True, text=True, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.stderr.count("error: ") == done.stderr.count("\n") == 2
    *codes, kilobytes = map(int, done.stdout.split())
    assert codes == [2, 2]
    assert kilobytes < 1 << 20


NODE_TABLES = {
    "empty": "",
    "other columns": "a,b,c\n1,2,3\n",
    "a word": "node,tile,row,column,rotation\n1,1,0,0,x\n",
    "a gap": "node,tile,row,column,rotation\n2,1,0,0,0\n",
    "huge": "node,tile,row,column,rotation\n1,1,99999999,0,0\n",
}


@pytest.mark.parametrize("case", NODE_TABLES)
def test_wrong_node_tables(matheur: Command, tmp_path: Path, case: str) -> None:
    """Every broken node table gives one line that names the file."""
    table, answer = tmp_path / "n.csv", tmp_path / "a.txt"
    table.write_text(NODE_TABLES[case])
    answer.write_text("1\n")
    assert ".csv" in matheur("import", "clique", table, answer, "--out", tmp_path / "s.json").error


def test_damaged_checkpoints(matheur: Command, tmp_path: Path) -> None:
    """A truncated, altered or unrelated checkpoint gives one line."""
    state = tmp_path / "state"
    way = ("--construction", "random", "--neighbourhoods", "swap-rotate", "--iterations", 2, "--checkpoint", state)
    assert matheur("solve", BOARD, *way).code == 0
    path = state / "checkpoint.json"
    whole = path.read_text()
    assert "another run" in matheur("solve", "edge-matching/5x5", *way, "--resume").error
    assert "another run" in matheur("solve", BOARD, *way, "--acceptance", "improving", "--resume").error
    assert "another run" in matheur("solve", BOARD, *way, "--jobs", 2, "--resume").error
    for damaged in (whole[:-20], "", "null", whole.replace('"iteration": 2', '"iteration": 1')):
        assert damaged != whole
        path.write_text(damaged)
        assert "checkpoint.json" in matheur("solve", BOARD, *way, "--resume").error


def test_long_values_are_cut(matheur: Command) -> None:
    """The line stays short even if the wrong value is very long."""
    assert len(matheur("solve", BOARD, "--acceptance", "x" * 100_000).error) < 2000
