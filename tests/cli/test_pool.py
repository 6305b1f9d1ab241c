"""The commands `matheur solve --pool` and `matheur show FOLDER`: runs share their best solutions on disk."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.conftest import Command

from matheur.campaign.configuration import read_campaign
from matheur.campaign.plan import make_plan
from matheur.engine.source import Source
from matheur.errors import ConfigurationError
from matheur.problems.edge_matching import EdgeMatching, builtin
from matheur.running import loading
from matheur.web.subjects import checked_settings

PATIENCE = 90.0  # seconds, for busy machines
BOARD = "edge-matching/5x5"
WALK = (
    "--construction", "random", "--neighbourhoods", "swap-rotate,assignment", "--acceptance", "annealing",
    "--set", "neighbourhood.assignment.iterations=300", "--set", "neighbourhood.assignment.temperature=0",
)  # fmt: skip
QUICK = (*WALK, "--work", "2000")


def elites(folder: Path) -> list[Path]:
    return sorted(folder.glob("elite_*.json"))


def timeless(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result without its times and configuration."""
    return {
        key: value
        for key, value in result.items()
        if key not in ("seconds", "compile_seconds", "first_seconds", "trace", "operators", "configuration")
    }


def test_a_pool_of_ones_own_changes_nothing(matheur: Command, tmp_path: Path) -> None:
    """The first run with a pool equals the run without one, which writes nothing."""
    alone = matheur("solve", BOARD, *QUICK, "--seed", 3, "--json").json
    assert list(tmp_path.iterdir()) == []
    assert "pool" not in alone["configuration"]
    shared = matheur("solve", BOARD, *QUICK, "--seed", 3, "--pool", tmp_path / "pool", "--json").json
    assert timeless(shared) == timeless(alone)
    assert shared["configuration"]["pool"]["folder"] == str(tmp_path / "pool")


def test_elites_are_result_files(matheur: Command, tmp_path: Path) -> None:
    """Each elite can be verified, drawn and used as a start, and has the time, operator and run that found it."""
    matheur("solve", BOARD, *QUICK, "--seed", 3, "--pool", tmp_path / "pool")
    found = elites(tmp_path / "pool")
    assert len(found) > 1
    for path in found:
        assert matheur("verify", path).code == 0
        assert len(matheur("show", path).out.splitlines()) > 5
        content = json.loads(path.read_text())
        assert content["found_by"] in ("random", "swap-rotate", "assignment")
        assert (content["seed"], content["run"], content["instance"]) == (3, 0, BOARD)
        assert content["written"].startswith("20")
        started = matheur("solve", BOARD, "--start", path, "--iterations", 0, "--json").json
        assert started["objective"] == content["objective"]
    run = json.loads((tmp_path / "pool" / "run_0000.json").read_text())
    assert run["configuration"]["neighbourhoods"] == ["swap-rotate", "assignment"]
    assert run["versions"]["matheur"]


def test_a_later_run_goes_on_from_the_best(matheur: Command, tmp_path: Path) -> None:
    """A later run starts from the best elite and uses other random numbers; its result is not worse."""
    way = ("solve", BOARD, *QUICK, "--pool", tmp_path / "pool", "--out", tmp_path / "out.json", "--json")
    first = matheur(*way).json
    second = matheur(*way).json
    assert second["objective"] <= first["objective"]
    assert "random" not in second["operators"]  # it started from the elite
    runs = [json.loads(path.read_text()) for path in sorted((tmp_path / "pool").glob("run_*.json"))]
    assert [run["run"] for run in runs] == [0, 1]
    assert runs[0]["drawn_from"] == runs[0]["seed"] == runs[1]["seed"] == 0
    assert runs[1]["drawn_from"] != 0
    idle = matheur(*way, "--work", 0).json
    assert idle["objective"] <= second["objective"]
    assert json.loads((tmp_path / "out.json").read_text())["objective"] == idle["objective"]


def test_a_run_without_neighbourhoods_constructs_and_keeps_the_best(matheur: Command, tmp_path: Path) -> None:
    """Without neighbourhoods, the construction runs, and the result is the best of the pool."""
    matheur("solve", BOARD, *QUICK, "--pool", tmp_path / "pool")
    best = matheur("show", tmp_path / "pool", "--json").json["elites"][0]["objective"]
    construct = ("solve", BOARD, "--construction", "random", "--neighbourhoods", "none", "--pool", tmp_path / "pool")
    result = matheur(*construct, "--json").json
    assert result["operators"]["random"]["calls"] == 1
    assert result["objective"] == best


def test_a_start_comes_before_the_pool(matheur: Command, tmp_path: Path) -> None:
    """The run begins with the given start, but knows the best elite of the pool."""
    way = ("solve", "edge-matching/4x4", "--neighbourhoods", "swap-rotate", "--pool", tmp_path / "pool", "--json")
    random = matheur(*way, "--construction", "random", "--iterations", 0, "--out", tmp_path / "random.json").json
    best = matheur(*way, "--construction", "random", "--iterations", 30).json
    assert best["objective"] < random["objective"]
    trace = tmp_path / "trace.jsonl"
    again = matheur(*way, "--start", tmp_path / "random.json", "--iterations", 1, "--trace", trace).json
    assert again["objective"] <= best["objective"]
    calls = [event for event in map(json.loads, trace.read_text().splitlines()) if event["event"] == "operator"]
    assert calls[0]["objective"] > best["objective"]


def test_checkpoint_and_pool_together(matheur: Command, tmp_path: Path) -> None:
    """A resumed run takes its counters from the checkpoint and better solutions from the pool."""
    way = ("solve", BOARD, *WALK, "--pool", tmp_path / "pool", "--checkpoint", tmp_path / "state", "--resume", "--json")
    first = matheur(*way, "--iterations", 4).json
    matheur("solve", BOARD, *WALK, "--work", 20_000, "--seed", 9, "--pool", tmp_path / "pool")
    best = matheur("show", tmp_path / "pool", "--json").json["elites"][0]
    assert best["objective"] < first["objective"]
    assert best["run"] == 1
    resumed = matheur(*way, "--iterations", 6).json
    assert resumed["iterations"] == 6
    assert resumed["objective"] <= best["objective"]
    assert resumed["seed"] == 0


def test_the_pool_is_a_matter_of_configuration(matheur: Command, tmp_path: Path) -> None:
    """A TOML file can set the folder and the capacity; wrong values are refused before the run."""
    (tmp_path / "run.toml").write_text(f'[pool]\nfolder = "{tmp_path / "pool"}"\ncapacity = 2\nevery = 0\n')
    matheur("solve", BOARD, *QUICK, "--config", tmp_path / "run.toml")
    assert len(elites(tmp_path / "pool")) == 2
    for setting, words in (
        ("pool.capacity=0", "at least 1"), ("pool.every=-1", "from 0"), ("pool=x", "must be a table"),
        ("pool.foldr=x", "Maybe 'folder'"), ("pool.folder=", "name of a folder"),
    ):  # fmt: skip
        assert words in matheur("solve", BOARD, *QUICK, "--set", setting).error
    assert "cannot make this folder" in matheur("solve", BOARD, *QUICK, "--pool", tmp_path / "run.toml").error
    refused = matheur("solve", BOARD, "--construction", "rndom", "--pool", tmp_path / "new")
    assert "random" in refused.error
    assert not (tmp_path / "new").exists()


def test_another_instance_is_refused(matheur: Command, tmp_path: Path) -> None:
    """A folder with elites of another instance is refused and stays unchanged."""
    matheur("solve", BOARD, *QUICK, "--pool", tmp_path)
    before = sorted(tmp_path.iterdir())
    refused = matheur("solve", "edge-matching/4x4", *QUICK, "--pool", tmp_path)
    assert "holds elites of another instance" in refused.error
    assert (
        "another instance than edge-matching/4x4" in matheur("show", tmp_path, "--instance", "edge-matching/4x4").error
    )
    hinted = matheur(
        "solve", BOARD, "--set", "instance.hints=0,0=1", *QUICK, "--pool", tmp_path
    )  # with hints it is another puzzle
    assert "holds elites of another instance" in hinted.error
    assert sorted(tmp_path.iterdir()) == before


def test_damaged_and_foreign_files_are_one_notice(
    matheur: Command, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A run ignores such files with one notice, `show` lists them, and neither changes them."""
    matheur("solve", BOARD, *QUICK, "--pool", tmp_path)
    found = elites(tmp_path)
    found[0].write_bytes(b"\xff\x00")
    lie = json.loads(found[1].read_text())
    found[1].write_text(json.dumps({**lie, "objective": -5}))
    (tmp_path / "notes.txt").write_text("mine")
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        result = matheur("solve", BOARD, *QUICK, "--pool", tmp_path, "--json").json
    assert result["objective"] >= 0
    notices = {record.getMessage() for record in caplog.records}
    assert len(notices) == 1
    assert all(name in notices.pop() for name in [found[0].name])
    shown = matheur("show", tmp_path, "--json").json
    assert {one["file"] for one in shown["ignored"]} == {found[0].name, found[1].name, "notes.txt"}
    assert "ignored: " in matheur("show", tmp_path).out
    assert found[0].read_bytes() == b"\xff\x00"


def test_a_table_for_people(matheur: Command, tmp_path: Path) -> None:
    """`show` lists the elites with scores, differences, times and operators, and links to the best."""
    matheur("solve", BOARD, *QUICK, "--pool", tmp_path)
    lines = matheur("show", tmp_path).out.splitlines()
    found = matheur("show", tmp_path, "--json").json
    rows = found["elites"]
    assert lines[0] == f"{len(rows)} elites of {BOARD}, the best {rows[0]['score']} of 40"
    assert lines[1].split()[:2] == ["score", "objective"]
    assert [int(line.split()[1]) for line in lines[2 : 2 + len(rows)]] == [row["objective"] for row in rows]
    assert [row["objective"] for row in rows] == sorted(row["objective"] for row in rows)
    assert lines[-2] == f"best: {tmp_path / rows[0]['file']}" == f"best: {found['best']}"
    assert lines[-1] == found["url"]
    assert rows[0]["to_best"] == 0
    assert all(0 < row["nearest"] <= 25 for row in rows)
    assert all(0 < row["to_best"] <= 25 for row in rows[1:])


def test_claims_cannot_draw_on_the_terminal(matheur: Command, tmp_path: Path) -> None:
    """Texts from a file are shown shortened and without control characters."""
    matheur("solve", BOARD, *QUICK, "--pool", tmp_path)
    path = elites(tmp_path)[0]
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "found_by": "\x1b[31mred\n" + 900 * "x", "run": {"a": [1]}, "written": 7}))
    (tmp_path / "\x1b[2J").write_text("")
    shown = matheur("show", tmp_path)
    assert "\x1b" not in shown.out
    assert "[31mred xxx" in shown.out
    assert max(map(len, shown.out.splitlines()[:-2])) < 700


def test_the_best_as_url_picture_and_solution(matheur: Command, tmp_path: Path) -> None:
    """`--url` and `--out` give the best board of a pool or a result file."""
    pool = tmp_path / "pool"
    result = matheur("solve", BOARD, *QUICK, "--pool", pool, "--out", tmp_path / "out.json", "--json").json
    url = matheur("show", pool, "--url").out.strip()
    assert url.startswith("https://e2.bucas.name/#")
    assert url == matheur("show", tmp_path / "out.json", "--url").out.strip()
    assert matheur("verify", BOARD, url, "--json").json["objective"] == result["objective"]
    for source in ((pool,), (tmp_path / "out.json",), (url, "--instance", BOARD)):
        matheur("show", *source, "--out", tmp_path / "best.json")
        best = json.loads((tmp_path / "best.json").read_text())
        assert (best["objective"], best["feasible"]) == (result["objective"], True)
        (tmp_path / "best.json").rename(tmp_path / "exported.json")
    assert matheur("verify", BOARD, tmp_path / "exported.json").code == 0
    matheur("show", pool, "--out", tmp_path / "best.svg")
    assert (tmp_path / "best.svg").read_text().startswith("<svg")
    assert "goes with neither" in matheur("show", pool, "--url", "--json").error
    assert "needs a solution" in matheur("show", BOARD, "--url").error
    assert "holds a solution" in matheur("show", BOARD, "--out", tmp_path / "x.json").error
    assert "Maybe one of" in matheur("show", pool, "--out", tmp_path / "x.gif").error
    assert "folder of a pool" in matheur("show", BOARD, "--json").error


def test_reader_options_are_kept(matheur: Command, tmp_path: Path) -> None:
    """`show` and `verify` use the hints that the elites record."""
    matheur("solve", "edge-matching/4x4", "--set", "instance.hints=0,0=1", *QUICK, "--pool", tmp_path / "pool")
    matheur("show", tmp_path / "pool", "--out", tmp_path / "best.json")
    assert matheur("verify", tmp_path / "best.json").code == 0
    assert "board_types" in matheur("show", tmp_path / "pool", "--url").out


def test_folders_that_are_no_pools(matheur: Command, tmp_path: Path) -> None:
    """An empty folder, foreign files, and elites of two instances are errors of one line."""
    assert "holds no elites" in matheur("show", tmp_path).error
    (tmp_path / "elite_1_000000000000000000000000.json").write_text("{}")
    (tmp_path / "elite_2_000000000000000000000000.json").write_text('{"format": "matheur-elite", "instance": 7}')
    assert "holds no elites" in matheur("show", tmp_path).error
    matheur("solve", BOARD, *QUICK, "--pool", tmp_path)
    for path in elites(tmp_path)[:1]:
        content = {"format": "matheur-elite", "instance": "other", "problem": "edge-matching", "fingerprint": "x"}
        (tmp_path / path.name.replace("elite_", "elite_9")).write_text(json.dumps(content))
    assert "elites of 2 instances" in matheur("show", tmp_path).error
    assert matheur("show", tmp_path, "--instance", BOARD).code == 0


OTHERS = {
    "party/demo": ("--construction", "constructive", "--neighbourhoods", "replace,swap", "--work", "3000"),
    "quadratic-assignment/tiny8": ("--construction", "random", "--neighbourhoods", "swap", "--work", "3000"),
    "max-clique/random200": ("--construction", "local-search", "--neighbourhoods", "none", "--work", "3000"),
    "sokoban/demo": ("--construction", "beam", "--neighbourhoods", "shortcut", "--iterations", "3", "--work", "100000"),
    "lights-out/random-5x5": ("--construction", "linear-algebra", "--neighbourhoods", "none"),
}


@pytest.mark.parametrize("instance", OTHERS)
def test_every_problem_has_pools(matheur: Command, tmp_path: Path, instance: str) -> None:
    """Pools work for every problem: solutions are stored, shown and improved."""
    way = ("solve", instance, *OTHERS[instance], "--pool", tmp_path, "--json")
    first = matheur(*way).json
    assert first["feasible"]
    shown = matheur("show", tmp_path, "--json").json
    assert shown["elites"][0]["objective"] == first["objective"]
    assert shown["elites"][0]["score"] == first["score"]
    assert shown["url"] is None
    assert matheur("show", tmp_path).code == 0
    assert matheur("verify", shown["best"]).code == 0
    assert matheur(*way).json["objective"] <= first["objective"]
    assert "no viewer" in matheur("show", tmp_path, "--url").error


def turned(board: list[list[int] | None], size: int) -> list[Any]:
    """Turn a square board clockwise."""
    grid = [board[row * size : (row + 1) * size] for row in range(size)]
    return [cell and [cell[0], (cell[1] + 1) % 4] for line in zip(*grid[::-1], strict=True) for cell in line]


def test_a_turned_board_is_the_same_one(matheur: Command, tmp_path: Path) -> None:
    """A turned copy of an elite is not added to the pool; another board is."""
    random = ("solve", BOARD, "--construction", "random", "--neighbourhoods", "none", "--json")
    result = matheur(*random, "--pool", tmp_path / "pool").json
    board = turned(result["solution"], 5)
    start = tmp_path / "board.json"
    start.write_text(json.dumps({"problem": "edge-matching", "instance": BOARD, "solution": board}))
    assert board != result["solution"]
    assert matheur("verify", start, "--json").json["objective"] == result["objective"]
    matheur(*random, "--start", start, "--iterations", 0, "--pool", tmp_path / "pool")
    assert len(elites(tmp_path / "pool")) == 1
    matheur(*random, "--seed", 1, "--out", start)
    matheur(*random, "--start", start, "--iterations", 0, "--pool", tmp_path / "pool")
    assert len(elites(tmp_path / "pool")) == 2


@pytest.mark.parametrize("kind", ["square", "oblong", "hinted"])
def test_boards_are_compared_as_they_may_lie(kind: str) -> None:
    """The difference of two boards is the least over all turns that are symmetries."""
    edge_matching = loading.problem_type("edge-matching")
    made = edge_matching.generate({"size": "4x6" if kind == "oblong" else "5x5"}, 1)
    options = {"hints": [[0, 0, 1]]} if kind == "hinted" else {}
    problem = edge_matching.read(Source("made", made.instance.encode()), options)
    rng = np.random.default_rng(2)
    board = 4 * rng.permutation(problem.instance.cells) + rng.integers(4, size=problem.instance.cells)
    half = [[value // 4 + 1, value % 4] for value in board.tolist()][::-1]
    other = problem.decode([[piece, (rotation + 2) % 4] for piece, rotation in half])
    assert problem.difference(board, board) == 0
    assert (problem.difference(board, other) == 0) == (kind != "hinted")
    changed = other.copy()
    changed[0] ^= 1
    assert kind == "hinted" or problem.difference(board, changed) == problem.difference(changed, board) == 1


@pytest.mark.slow
def test_jobs_merge_each_others_boards(matheur: Command, tmp_path: Path) -> None:
    """The folder has elites of all jobs, and each job receives those of the others."""
    result = matheur(
        "solve", "edge-matching/8x8", "--construction", "random", "--neighbourhoods", "swap-rotate,merge", "--jobs", 2,
        "--set", "neighbourhood.merge.cells=8", "--set", "portfolio.share=independent",
        "--set", "portfolio.round_iterations=5", "--iterations", 20,
        "--set", "pool.every=0", "--set", "pool.capacity=50",
        "--pool", tmp_path / "pool", "--checkpoint", tmp_path / "state", "--json",
    ).json  # fmt: skip
    shown = matheur("show", tmp_path / "pool", "--json").json
    assert {row["job"] for row in shown["elites"]} == {0, 1}
    assert shown["elites"][0]["objective"] == result["objective"]
    problem = EdgeMatching(builtin("8x8"))
    own = {
        problem.orbit(problem.decode(json.loads(path.read_text())["solution"])): path
        for path in elites(tmp_path / "pool")
    }
    jobs = {key: json.loads(path.read_text())["job"] for key, path in own.items()}
    members = json.loads((tmp_path / "state" / "checkpoint.json").read_text())["state"]["members"]
    for job, member in enumerate(members):
        met = {jobs.get(problem.orbit(problem.decode(board))) for board in member["elites"]}
        assert 1 - job in met


def test_campaigns_and_the_workbench_refuse_pools(tmp_path: Path) -> None:
    """Runs of a campaign must be independent, and users of the workbench must not name folders."""
    (tmp_path / "c.toml").write_text(
        f'instances = ["{BOARD}"]\nseeds = 1\n[base]\niterations = 1\n[base.pool]\nfolder = "x"\n[variants.one]\n'
    )
    with pytest.raises(ConfigurationError, match="cannot share a pool"):
        make_plan(read_campaign(tmp_path / "c.toml"))
    for setting in ("pool.folder=x", 'pool={folder="x"}'):
        with pytest.raises(ConfigurationError, match="cannot be set here"):
            checked_settings([setting])


@pytest.mark.slow
def test_two_commands_share_a_folder(matheur: Command, tmp_path: Path) -> None:
    """Two simultaneous runs of one command use different random numbers and share one valid pool."""
    pool = tmp_path / "pool"
    way = (
        *WALK,
        "--set",
        "restart_after=3",
        "--set",
        "pool.every=0",
        "--set",
        "pool.capacity=200",
        "--iterations",
        "60",
    )
    command = [str(Path(sys.executable).with_name("matheur")), "solve", BOARD, *way, "--pool", str(pool), "--json"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=PATIENCE) for process in both]
    assert [(process.returncode, err) for process, (_, err) in zip(both, said, strict=True)] == [(0, ""), (0, "")]
    results = [json.loads(out) for out, _ in said]
    shown = matheur("show", pool, "--json").json
    assert shown["ignored"] == []
    assert {row["run"] for row in shown["elites"]} == {0, 1}
    assert shown["elites"][0]["objective"] == min(result["objective"] for result in results)
    drawn = {json.loads(path.read_text())["drawn_from"] for path in pool.glob("run_*.json")}
    assert len(drawn) == 2


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_goes_on_by_the_same_command(matheur: Command, tmp_path: Path, jobs: int) -> None:
    """After kill -9, the same command continues from the best stored elite."""
    pool, trace = tmp_path / "pool", tmp_path / "trace.jsonl"
    often = ("--set", "restart_after=4", "--set", "pool.every=0.2")  # many elites early
    way = ("solve", "edge-matching/10x10", *WALK, *often, "--jobs", str(jobs), "--pool", str(pool))
    command = [str(Path(sys.executable).with_name("matheur")), *way, "--seconds", "600", "--trace", str(trace)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    try:
        end = time.monotonic() + PATIENCE
        while not pool.is_dir() or len(elites(pool)) < 12:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end, "this did not happen in time"
            time.sleep(0.05)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    shown = matheur("show", pool, "--json").json
    assert shown["ignored"] == []
    best = shown["elites"][0]["objective"]
    resumed = matheur(*way, "--iterations", 2, "--json").json
    assert resumed["objective"] <= best
    assert sum(figures["calls"] for figures in resumed["operators"].values()) >= 2
    again = matheur("show", pool, "--json").json["elites"]
    assert again[0]["objective"] == resumed["objective"]
    assert len(again) >= 12


def test_a_pool_of_an_instance_with_options_is_shown_whoever_names_it(matheur: Command, tmp_path: Path) -> None:
    """The instance is read with the options in the elites, even if `--instance` names it."""
    board, pool = tmp_path / "lights.txt", tmp_path / "pool"
    board.write_text("101\n010\n110\n")
    made = ("--construction", "bfs", "--neighbourhoods", "none", "--set", "instance.pattern=king", "--pool", pool)
    assert matheur("solve", board, *made).code == 0
    for named in ((), ("--instance", board), ("--instance", board, "--set", "instance.pattern=king")):
        assert matheur("show", pool, *named, "--json").json["elites"]
