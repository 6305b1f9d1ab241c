"""Commands that lost a file, waited forever, or ended with a traceback."""

from __future__ import annotations

import fcntl
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from matheur import cli
from matheur.engine import streams
from matheur.engine.checkpoint import Checkpointer, _digest

DATA = Path(__file__).parent / "data" / "c"
PATIENCE = 300.0
BOARD = "b.txt"
RANDOM = ("--construction", "random", "--neighbourhoods", "none")
SWAP = ("--construction", "random", "--neighbourhoods", "swap-rotate")

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a temporary folder with a board of 3 x 4 the current one."""
    shutil.copyfile(DATA / "em_3x4.txt", tmp_path / BOARD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command in this process."""

    def called(*arguments: object) -> Done:
        capsys.readouterr()
        code = cli.run([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, shown.out, shown.err)

    return called


@pytest.fixture
def process(folder: Path) -> Run:
    """Return a function that runs a command in its own process; `room` limits the bytes of a file."""

    def called(*arguments: object, room: int | None = None, stdout: Any = subprocess.PIPE) -> Done:
        def limit() -> None:
            if room is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

        command = [sys.executable, "-m", "matheur", *map(str, arguments)]
        return subprocess.run(
            command, text=True, timeout=PATIENCE, check=False, preexec_fn=limit,
            stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
        )  # fmt: skip

    return called


def refused(done: Done, part: str = "") -> None:
    """Check for exit code 2, one error line and no traceback."""
    assert done.returncode == 2, done
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: ")
    assert part in last
    assert len(last) < 1500
    assert "Traceback" not in done.stderr


# Outputs that are also inputs or other outputs

CLASHES: dict[str, Sequence[str]] = {
    "out": ("solve", BOARD, *RANDOM, "--out", BOARD),
    "out by a symbolic link": ("solve", BOARD, *RANDOM, "--out", "soft"),
    "out by a hard link": ("solve", BOARD, *RANDOM, "--out", "hard"),
    "instance by a link": ("solve", "soft", *RANDOM, "--out", BOARD),
    "instance in a file": ("solve", f"{BOARD}#1", *RANDOM, "--out", BOARD),
    "out by another way": ("solve", BOARD, *RANDOM, "--out", f"../{{folder}}/{BOARD}"),
    "trace": ("solve", BOARD, *RANDOM, "--trace", BOARD),
    "out and trace": ("solve", BOARD, *RANDOM, "--out", "new", "--trace", "new"),
    "out and trace that are there": ("solve", BOARD, *RANDOM, "--out", "r.json", "--trace", "./r.json"),
    "start": ("solve", BOARD, *RANDOM, "--start", "r.json", "--out", "r.json"),
    "config": ("solve", BOARD, *RANDOM, "--config", "c.toml", "--out", "c.toml"),
    "state": ("solve", BOARD, *RANDOM, "--checkpoint", "ck", "--out", "ck/checkpoint.json"),
    "state is the instance": ("solve", "here/checkpoint.json", *RANDOM, "--checkpoint", "here"),
    "show": ("show", "r.json", "--out", "r.json"),
    "show a picture": ("show", "board.svg", "--out", "board.svg"),
    "export": ("export", "clique", BOARD, "--out", BOARD, "--nodes", "n.csv"),
    "export nodes": ("export", "clique", BOARD, "--out", "g.clq", "--nodes", BOARD),
    "export both": ("export", "clique", BOARD, "--out", "g", "--nodes", "g"),
    "export a model": ("export", "model", "model.lp", "--out", "model.lp"),
    "import": ("import", "clique", BOARD, "r.json", "--out", "r.json"),
    "graph": ("clique", "g.clq", "--work", "1", "--out", "g.clq"),
    "diverse": ("diverse", "r.json", "--work", "1", "--out", "r.json"),
    "sweep": ("sweep", "r.json", "--demand", "synergy", "--values", "1", "--out", "x", "--out-plot", "x"),
    "cards": ("solve", "party.json", "--work", "1", "--out", "party-cards.csv"),
    "adapter": ("clique", "g.clq", "--method", "external", "--adapter", "c.toml", "--out", "c.toml"),
    "tune": ("campaign", "tune", "c.toml", "--preset", "c.toml"),
}


@pytest.mark.parametrize("case", CLASHES)
def test_an_output_never_takes_the_place_of_an_input(run: Run, folder: Path, case: str) -> None:
    """An output that is also an input or another output is an error; all files stay unchanged."""
    (folder / "soft").symlink_to(BOARD)
    os.link(folder / BOARD, folder / "hard")
    (folder / "here").mkdir()
    for name in ("board.svg", "model.lp", "here/checkpoint.json"):
        shutil.copyfile(folder / BOARD, folder / name)
    (folder / "c.toml").write_text('command = "x {file}"\n' if case == "adapter" else "")
    (folder / "g.clq").write_text("p edge 3 1\ne 1 2\n")
    assert run("solve", BOARD, *RANDOM, "--work", "1", "--out", "r.json").returncode == 0
    if case == "cards":
        assert run("generate", "party", "--out", "party.json").returncode == 0
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    refused(run(*(text.format(folder=folder.name) for text in CLASHES[case])), "Maybe another name?")
    assert {path: path.read_bytes() for path in before} == before
    assert not (folder / "new").exists()


def test_generated_files_do_not_take_the_place_of_each_other(run: Run, folder: Path) -> None:
    """The solution must not overwrite the instance through a link, and the instance needs a file."""
    (folder / "x.txt.solution.json").symlink_to("x.txt")
    refused(run("generate", "edge-matching", "--size", "3", "--out", "x.txt"), "Maybe another name?")
    refused(run("generate", "edge-matching", "--size", "3", "--out", "/dev/stdout"), "needs a file")
    assert not os.path.exists("/dev/stdout.solution.json")


# Modes


def test_a_private_result_stays_private(run: Run, folder: Path) -> None:
    """An existing file keeps its mode."""
    path = folder / "r.json"
    path.touch(0o600)
    assert run("solve", BOARD, *RANDOM, "--out", path).returncode == 0
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text())["score"] is not None


@pytest.mark.parametrize("option", ["--out", "--trace"])
def test_a_read_only_file_stays_as_it_is(run: Run, folder: Path, option: str) -> None:
    """A read-only file is never overwritten, even by root."""
    path = folder / "r.json"
    path.write_text("precious")
    path.chmod(0o444)
    refused(run("solve", BOARD, *RANDOM, option, path), "read-only")
    assert path.read_text() == "precious"


# Pipes


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the time that a command waits for the other end of a pipe."""
    monkeypatch.setattr(streams, "_OTHER_END", 0.2)
    monkeypatch.setattr(streams, "_FIRST", 0.2)


@pytest.mark.parametrize("option", ["--out", "--trace"])
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/stderr", "/dev/null", "/proc/self/fd/1"])
def test_outputs_go_to_pipes_and_descriptors(process: Run, folder: Path, option: str, name: str) -> None:
    """Outputs can be written to device files, as in a shell."""
    done = process("solve", BOARD, *RANDOM, option, name)
    assert done.returncode == 0, done
    text = done.stderr if "stderr" in name else done.stdout
    objects = [line for line in text.splitlines() if line.startswith("{")]
    assert bool(objects) == (name != "/dev/null")
    assert option == "--trace" or len(objects) <= 1
    assert sorted(one.name for one in folder.iterdir()) == [BOARD]


def test_standard_output_that_is_a_file_is_written_to(process: Run, folder: Path) -> None:
    """Output is appended to a redirected file, and no file named `... (deleted)` appears."""
    with (folder / "x").open("w") as file:
        file.write("before\n")
        file.flush()
        assert process("solve", BOARD, *RANDOM, "--out", "/dev/stdout", stdout=file).returncode == 0
    first, second, *_ = (folder / "x").read_text().splitlines()
    assert first == "before"
    assert second
    assert '"problem": "edge-matching"' in (folder / "x").read_text()
    assert sorted(one.name for one in folder.iterdir()) == [BOARD, "x"]


def test_a_pipe_of_a_shell_is_read_and_written(folder: Path) -> None:
    """`<(...)` works as an instance, and `>(...)` as an output."""
    shell = shutil.which("bash")
    if shell is None:
        pytest.skip("there is no bash")
    command = f'"$0" -m matheur solve <(cat {BOARD}) {" ".join(RANDOM)} --out >(cat > x) > y && sleep 1 && wait'
    subprocess.run([shell, "-c", command, sys.executable], cwd=folder, timeout=PATIENCE, check=True)
    end = time.monotonic() + 60
    while not (folder / "x").read_text().endswith("\n") and time.monotonic() < end:
        time.sleep(0.05)
    assert json.loads((folder / "x").read_text())["instance"].startswith("/dev/fd/")


def test_a_reader_that_comes_in_time_gets_the_result(run: Run, folder: Path) -> None:
    """The reader of a pipe gets one JSON object and the end of the file."""
    os.mkfifo(folder / "f")
    reader = subprocess.Popen(["cat", "f"], cwd=folder, stdout=subprocess.PIPE, text=True)
    assert run("solve", BOARD, *SWAP, "--iterations", "5", "--out", "f").returncode == 0
    text, _ = reader.communicate(timeout=PATIENCE)
    assert text.count("\n") == 1
    assert json.loads(text)["stopped"] != "running"


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("arguments", [
    ("solve", "f", *RANDOM), ("show", "f"), ("verify", BOARD, "f"), ("solve", BOARD, *RANDOM, "--config", "f"),
    ("solve", BOARD, *RANDOM, "--start", "f"), ("solve", BOARD, *RANDOM, "--out", "f"),
    ("solve", BOARD, *RANDOM, "--trace", "f"), ("campaign", "run", "f"), ("clique", "f"),
    ("solve", "sliding-tile/3x3", "--set", "construction.heuristic=f.npz", "--construction", "astar"),
])  # fmt: skip
def test_a_pipe_without_another_end_is_an_error(run: Run, folder: Path, arguments: Sequence[str]) -> None:
    """A command does not wait forever for the other end of a pipe."""
    for name in ("f", "f.npz"):
        os.mkfifo(folder / name)
    refused(run(*arguments), "pipe")


@pytest.mark.usefixtures("hasty")
def test_cards_that_are_a_pipe_are_an_error(run: Run, folder: Path) -> None:
    """A table of cards that is a pipe is an error, too."""
    assert run("generate", "party", "--out", "p.json").returncode == 0
    (folder / "p-cards.csv").unlink()
    os.mkfifo(folder / "p-cards.csv")
    refused(run("show", "p.json"), "not a regular file")


def unread(pipe: int) -> int:
    """Return the number of unread bytes in a pipe."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_a_signal_ends_a_wait_for_input(folder: Path) -> None:
    """The first signal ends the command while it waits for standard input."""
    command = [sys.executable, "-m", "matheur", "solve", "-", *RANDOM]
    child = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stderr is not None
    assert child.stdin is not None
    child.stdin.write(b" ")
    child.stdin.flush()
    until = time.monotonic() + PATIENCE
    while unread(child.stdin.fileno()) and child.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.05)
    child.send_signal(signal.SIGTERM)
    assert child.wait(timeout=PATIENCE) == 130
    assert child.stderr.read() == b""
    child.stderr.close()
    child.stdin.close()


def test_closed_standard_input_is_an_error(folder: Path) -> None:
    """A closed standard input is an error of one line."""
    command = ["sh", "-c", '"$0" -m matheur show - <&-', sys.executable]
    refused(subprocess.run(command, capture_output=True, text=True, check=False), "standard input is closed")


@pytest.mark.parametrize(("closed", "code"), [(">&-", 0), ("2>&-", 0), (">&- 2>&-", 0), ("<&- >&- 2>&-", 0)])
def test_closed_outputs_are_no_error(folder: Path, closed: str, code: int) -> None:
    """With closed outputs, the command works silently, and no other file gets the number of the stream."""
    command = ["sh", "-c", f'"$0" -m matheur solve edge-matching/3x3 --out r.json {closed}', sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert (done.returncode, done.stderr) == (code, "")
    assert json.loads((folder / "r.json").read_text())["score"] == 12
    command = ["sh", "-c", f'"$0" -m matheur solve missing.txt {closed}', sys.executable]
    assert subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder).returncode == 2


@pytest.mark.parametrize("command", ["--help", "problems", "solve edge-matching/3x3", "solve edge-matching/3x3 --json"])
def test_standard_output_on_a_full_disk_is_named(command: str) -> None:
    """One line says that standard output could not be written."""
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m matheur {command} > /dev/full', sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )
    refused(done, "standard output: cannot write (No space left on device)")


# Full disks


@pytest.fixture
def warm(process: Run) -> Run:
    """Compile the kernels first, because a full disk cannot store them."""
    assert process("solve", BOARD, *SWAP, "--iterations", "3").returncode == 0
    return process


def test_half_a_line_of_a_trace_is_cut_on_a_full_disk(warm: Run, folder: Path) -> None:
    """If a trace is continued on a full disk, only its incomplete last line is removed."""
    trace = folder / "t"
    assert warm("solve", BOARD, *SWAP, "--iterations", "3", "--checkpoint", "ck", "--trace", trace).returncode == 0
    line = trace.read_text().splitlines(keepends=True)[0]
    trace.write_text(line * 4000 + line[:30])
    was = trace.stat().st_size
    arguments = ("solve", BOARD, *SWAP, "--iterations", "6", "--checkpoint", "ck", "--resume", "--trace", trace)
    refused(warm(*arguments, room=200_000), "trace")
    assert trace.stat().st_size == was - 30
    assert trace.read_text() == line * 4000


def test_a_state_that_cannot_be_written_ends_no_run(warm: Run, folder: Path) -> None:
    """The failure is reported once and in the result; the run continues, and its answer is valid."""
    done = warm("solve", BOARD, *SWAP, "--iterations", "20", "--checkpoint", "ck", "--json", room=0)
    assert done.returncode == 0, done
    result = json.loads(done.stdout)
    assert result["iterations"] == 20 or result["status"] == "optimal"
    assert set(result["unwritten"]) == {"checkpoint"}
    assert done.stderr.count("\n") == 1
    assert "the run goes on" in done.stderr


def test_a_trace_that_has_gaps_is_said(warm: Run, folder: Path) -> None:
    """The run continues and prints its result; exit code 2 says that the trace is incomplete."""
    done = warm("solve", BOARD, *SWAP, "--iterations", "20", "--trace", "t", room=1000)
    refused(done, "events are missing")
    assert "score" in done.stdout
    lines = (folder / "t").read_text().splitlines(keepends=True)
    assert lines
    assert all(json.loads(line) and line.endswith("\n") for line in lines)


@pytest.mark.parametrize("option", ["--out", "--trace"])
def test_a_place_that_is_full_from_the_start_is_an_error_at_once(warm: Run, option: str) -> None:
    """If the disk is full from the start, the command fails at once."""
    done = warm("solve", BOARD, *SWAP, "--iterations", "20", option, "r.json", room=0)
    refused(done, "File too large")
    assert done.stdout == ""


# Stored states


def forged(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change a stored state and update its digest."""
    path = folder / "ck" / "checkpoint.json"
    content = json.loads(path.read_text())
    change(content["state"])
    content["digest"] = _digest(content["state"])
    path.write_text(json.dumps(content))


RESUME = ("solve", BOARD, *SWAP, "--iterations", "60", "--checkpoint", "ck", "--resume")
FORGERIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "seconds that are a list": lambda state: state.update(seconds=[1]),
    "a work without end": lambda state: state.update(work=1e400),
    "a seed that is none": lambda state: state.update(seed="x"),
    "proofs that are numbers": lambda state: state.update(proofs=[1, 2]),
    "an operator that is a list": lambda state: state.update(operators={"swap-rotate": []}),
    "a schedule that is a list": lambda state: state.update(schedule=[1]),
    "a schedule of texts": lambda state: state.update(schedule={"index": "x", "done": 0}),
    "elites that are a number": lambda state: state.update(elites=3),
    "a proof of nobody": lambda state: state.update(proved=[99]),
    "an iteration of many digits": lambda state: state.update(iteration=10**40),
    "a guidance that is a list": lambda state: state.update(guidance=[1]),
}


def test_a_state_with_numbers_that_nothing_can_hold(run: Run, folder: Path) -> None:
    """A state with the number 1e400 and a correct digest is reported as damaged."""
    (folder / "ck").mkdir()
    shutil.copyfile(DATA / "checkpoint_inf.json", folder / "ck" / "checkpoint.json")
    refused(run(*RESUME), "damaged")


@pytest.mark.parametrize("case", FORGERIES)
def test_forged_states_are_one_clear_error(run: Run, folder: Path, case: str) -> None:
    """A state with a value of the wrong kind is reported as damaged."""
    assert run("solve", BOARD, *SWAP, "--iterations", "3", "--checkpoint", "ck").returncode == 0
    forged(folder, FORGERIES[case])
    refused(run(*RESUME), "damaged")


def test_forged_states_of_several_jobs_are_one_clear_error(run: Run, folder: Path) -> None:
    """The parent of several jobs checks their states, too."""
    jobs = ("--jobs", "2")
    assert run("solve", BOARD, *SWAP, "--iterations", "3", "--checkpoint", "ck", *jobs).returncode == 0
    for damage in ([None, None], ["x", 1], [{}, {}], [{"seconds": "x", "work": 1, "iteration": 1}] * 2):
        forged(folder, lambda state, damage=damage: state.update(members=damage))  # type: ignore[misc]
        refused(run(*RESUME, *jobs), "damaged")


def test_two_runs_on_one_state_are_noticed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second run is refused while the first one is running."""
    monkeypatch.setattr("matheur.engine.checkpoint._PATIENCE", 0.1)
    command = ("solve", BOARD, *RANDOM, "--checkpoint", "ck")
    with Checkpointer("ck", {}).held():
        refused(run(*command), "another run keeps its state here")
    assert run(*command).returncode == 0


# Other files


@pytest.mark.parametrize("option", ["construction.adapter", "config"])
def test_deep_toml_is_one_clear_error(run: Run, option: str) -> None:
    """An adapter or a configuration with a thousand levels of nesting is refused."""
    deep = DATA / "adapters_deep.toml"
    external = ("solve", "max-clique/demo", "--construction", "external", "--set", "construction.selections=0")
    if option == "config":
        refused(run("solve", BOARD, "--config", deep), "nested too deeply")
    else:
        refused(run(*external, "--set", f"{option}={deep}#x"), "nested too deeply")


@pytest.mark.parametrize("text", ["1" + "0" * 400, "0x" + "f" * 10_000, "1e400", "[" * 500 + "]" * 500])
def test_settings_that_nothing_can_hold_are_one_clear_error(run: Run, text: str) -> None:
    """Values that are too large or too deeply nested are refused as a number of seconds."""
    refused(run("solve", BOARD, "--set", f"time={text}"))


def test_an_archive_that_claims_a_petabyte_is_one_clear_error(run: Run, folder: Path) -> None:
    """The archive is refused before memory is allocated."""
    heuristic = f"construction.heuristic={DATA / 'npz_petabyte.npz'}"
    refused(run("solve", "sliding-tile/3x3", "--construction", "astar", "--set", heuristic), "npz_petabyte.npz")


def test_messages_are_bounded(run: Run, folder: Path) -> None:
    """Messages shorten a name of thousands of digits in the middle."""
    name = f"{BOARD}#{'1' * 4000}"
    refused(run("show", name))
    (folder / "c.toml").write_text(f'instances = ["{name}"]\nseeds = 1\n[base]\ntime = 1\n[variants.a]\n')
    done = run("campaign", "run", "c.toml")
    refused(done)
    (folder / "c.toml").write_text(f'instances = ["*{name}"]\nseeds = 1\n[base]\ntime = 1\n[variants.a]\n')
    refused(run("campaign", "run", "c.toml"), "no file fits")


# Campaigns


CAMPAIGN = 'instances = ["edge-matching/3x3"]\nseeds = 2\n[base]\niterations = 1\nconstruction = "random"\n' + (
    "neighbourhoods = []\n[variants.a]\n"
)


@pytest.mark.parametrize(
    "name", ["notes.log", "worker-99999999999999999999.log", "key@host@99999999999999999999.jsonl"]
)
def test_what_else_lies_where_runs_are_at_work(run: Run, folder: Path, name: str) -> None:
    """Foreign files in the folder of running jobs do not stop `campaign run`, `status` or `report`."""
    (folder / "c.toml").write_text(CAMPAIGN)
    assert run("campaign", "run", "c.toml").returncode == 0
    (folder / "c.campaign" / "running" / name).touch()
    for command in ("run", "status", "report"):
        done = run("campaign", command, "c.toml")
        assert done.returncode == 0, done


def test_a_damaged_result_refuses_nothing_else(run: Run, folder: Path) -> None:
    """A damaged result is listed in the status and the report, which still work."""
    (folder / "c.toml").write_text(CAMPAIGN)
    assert run("campaign", "run", "c.toml").returncode == 0
    path = next((folder / "c.campaign" / "results").glob("*.json"))
    path.write_text(json.dumps({**json.loads(path.read_text()), "seconds": "x"}))
    done = run("campaign", "status", "c.toml")
    assert done.returncode == 0
    assert path.name in done.stdout
    assert len(json.loads(run("campaign", "status", "c.toml", "--json").stdout)["damaged"]) == 1
    assert run("campaign", "report", "c.toml").returncode == 0
    assert path.name in (folder / "c.campaign" / "report.html").read_text()


SLOW = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(sys.argv[1], "w") as file:
    file.write(f"{os.getpid()} {child.pid} ")
time.sleep(600)
"""


def ended(processes: Sequence[int]) -> bool:
    """Whether the processes end in time; a zombie counts as ended."""
    end = time.monotonic() + 60

    def lives(process: int) -> bool:
        try:
            return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    while any(map(lives, processes)) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(lives, processes))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
@pytest.mark.parametrize("way", ["kill", "limit"])
def test_external_programs_end_with_their_run(folder: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """External programs end after kill -9 of matheur and at the limit of a campaign; their folder is removed."""
    temporary, pids = folder / "tmp", folder / "pids"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    (folder / "slow.py").write_text(SLOW)
    command = f"'{sys.executable}' '{folder / 'slow.py'}' '{pids}' {{file}}"
    (folder / "c.toml").write_text(
        'instances = ["max-clique/hamming6-4"]\nseeds = 1\n[base]\nseconds = 600\n'
        f'[base.construction]\nname = "external"\nselections = 0\ncommand = """{command}"""\n'
        "[variants.a]\n[limits]\nseconds = 8\nretries = 0\n"
    )
    arguments = {
        "kill": ("clique", "max-clique/hamming6-4", "--method", "external", "--command", command, "--seconds", "600"),
        "limit": ("campaign", "run", "c.toml"),
    }[way]
    child = subprocess.Popen([sys.executable, "-m", "matheur", *arguments], cwd=folder, stdout=-3, stderr=-3)
    end = time.monotonic() + PATIENCE
    while not (pids.exists() and pids.read_text().count(" ") == 2) and time.monotonic() < end:
        time.sleep(0.05)
    if way == "kill":
        child.kill()
    child.wait(timeout=PATIENCE)
    assert ended([int(one) for one in pids.read_text().split()])
    while list(temporary.glob("matheur-clique-*")) and time.monotonic() < end:
        time.sleep(0.05)
    assert list(temporary.glob("matheur-clique-*")) == []
