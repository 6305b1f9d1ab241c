"""The command `matheur campaign`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.conftest import Command

from matheur.campaign.running import Summary

TEXT = """
instances = ["edge-matching/3x3", "edge-matching/4x4"]
[base]
construction = "random"
neighbourhoods = []
iterations = 1
[variants.one]
[variants.two]
iterations = 2
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Write a campaign of four runs."""
    path = tmp_path / "four.toml"
    path.write_text(TEXT)
    return path


def test_run_and_status(matheur: Command, config: Path, tmp_path: Path) -> None:
    """The runs are stored in the folder next to the file; a repeated command finds them."""
    answer = matheur("campaign", "run", config, "--json").json
    assert answer["folder"] == str(tmp_path / "four.campaign")
    assert {name: answer[name] for name in ("planned", "there", "done", "failed", "left")} == {
        "planned": 4, "there": 0, "done": 4, "failed": 0, "left": 0,
    }  # fmt: skip
    again = matheur("campaign", "run", config)
    assert again.code == 0
    assert "0 runs made, 4 were there" in again.out
    for named in (config, tmp_path / "four.campaign"):
        status = matheur("campaign", "status", named, "--json").json
        assert (status["runs"], status["done"], status["left"], status["seconds_left"]) == (4, 4, 0, 0)
        assert [one["name"] for one in status["variants"]] == ["one", "two"]
    shown = matheur("campaign", "status", config).out
    assert "four: 4 of 4 done, 0 running" in shown
    assert "two" in shown
    assert "4 of 4 done" in matheur("campaign", "watch", config).out


def test_list_execute_collect(matheur: Command, config: Path, tmp_path: Path) -> None:
    """`list` prints tasks for a job array, `execute` runs one of them, and `collect` gathers the results."""
    answer = matheur("campaign", "run", config, "--executor", "list", "--out", tmp_path / "out", "--json").json
    assert (answer["runs"], answer["left"]) == (4, 4)
    *_, folder, key = Path(answer["list"]).read_text().splitlines()[0].split()
    for empty in ("results", "events", "failures", "running"):
        (Path(folder) / empty).rmdir()  # as in a copy without empty folders
    done = matheur("campaign", "execute", folder, key)
    assert (done.code, done.out) == (0, f"{key} done\n")
    assert "3 of 4 runs are left" in matheur("campaign", "run", config, "--executor", "list", "--out", folder).out
    collected = matheur("campaign", "collect", folder, "--json").json
    assert (collected["done"], collected["missing"], collected["taken"]) == (1, 3, 0)
    assert "1 of 4 done (0 taken over), 0 failed, 3 missing" in matheur("campaign", "collect", folder).out


def test_a_list_in_a_folder_whose_name_is_no_text(matheur: Command, config: Path, tmp_path: Path) -> None:
    """The shell gets the bytes of the name."""
    out = tmp_path / os.fsdecode(b"caf\xe9")
    answer = matheur("campaign", "run", config, "--executor", "list", "--out", out, "--json").json
    assert answer["left"] == 4
    assert b"caf\xe9" in (out / "runs.txt").read_bytes()


def test_failures(matheur: Command, config: Path) -> None:
    """Failed runs are reported immediately and listed by `status`; `execute` reports one by its exit code."""
    short = ("--set", "limits.seconds=0.0001", "--set", "seeds=1")
    answer = matheur("campaign", "run", config, *short)
    assert answer.code == 1
    assert answer.err.count("took more than 0.0001 seconds") == 4
    assert "4 failed" in answer.out
    status = matheur("campaign", "status", config, "--failures").out
    assert status.count("took more than 0.0001 seconds") == 4
    folder = config.with_suffix(".campaign")
    key = json.loads((folder / "plan.json").read_text())["runs"][0][0]
    assert matheur("campaign", "execute", folder, key).code == 1
    assert matheur("campaign", "run", config, "--json").json["left"] == 4
    again = matheur("campaign", "run", config)
    assert again.code == 1
    assert "0 runs made, 0 were there, 4 had failed before (--retry-failed tries them again); results in" in again.out
    assert matheur("campaign", "run", config, "--retry-failed", "--json").json["done"] == 4


def test_an_interrupted_tuning_says_so(
    matheur: Command, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --json, in one object like every other answer; no preset is written."""
    config.write_text(TEXT + "[tune.ranges]\niterations = [1, 2, 3]\n")
    answer = Summary(2, 0, 1, 0, True, 0)
    monkeypatch.setattr("matheur.campaign.running.run_campaign", lambda *_, **__: answer)
    tune = ("campaign", "tune", config, "--only", "one", "--preset", tmp_path / "tuned.toml", "--out", tmp_path / "out")
    said = matheur(*tune, "--json")
    assert said.code == 130
    assert said.json == {
        "preset": None, "best": None, "folder": str(tmp_path / "out"), "candidates": [], "interrupted": True,
    }  # fmt: skip
    assert matheur(*tune).out == "interrupted; the same command continues\n"
    assert not (tmp_path / "tuned.toml").exists()


def test_mistakes(matheur: Command, config: Path, tmp_path: Path) -> None:
    """Bad input gives one line with a suggestion."""
    assert "cannot read" in matheur("campaign", "run", tmp_path / "no.toml").error
    assert "Maybe one of: processes, dask, list." in matheur("campaign", "run", config, "--executor", "ray").error
    assert "--scheduler needs the executor dask" in matheur("campaign", "run", config, "--scheduler", "x").error
    tune = ("campaign", "tune", config, "--preset", tmp_path / "tuned.toml")
    assert "--scheduler needs the executor dask" in matheur(*tune, "--scheduler", "x").error
    assert "Maybe one of: processes, dask." in matheur(*tune, "--executor", "list").error
    assert "no campaign has been run here" in matheur("campaign", "status", tmp_path).error
    assert "no campaign has been run here" in matheur("campaign", "watch", config).error
    for command in ("status", "report", "collect"):
        assert "no campaign has been run here" in matheur("campaign", command, tmp_path / "missing").error
        assert "no campaign has been run here" in matheur("campaign", command, Path(__file__)).error
    assert "--data is empty" in matheur("campaign", "run", config, "--data", "").error
    assert "not a setting" in matheur("campaign", "run", config, "--set", "seeds").error


@pytest.mark.slow
def test_an_interrupt(config: Path, tmp_path: Path) -> None:
    """Ctrl-C stops the running tasks, prints how to continue, and ends with exit code 130."""
    config.write_text(TEXT.replace("iterations = 1", "seconds = 600").replace("[]", '["swap-rotate"]'))
    command = [
        sys.executable,
        "-P",
        "-m",
        "matheur",
        "campaign",
        "run",
        str(config),
        "--set",
        "variants.two.iterations=1",
    ]
    running = tmp_path / "four.campaign" / "running"
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not list(running.glob("*.jsonl")):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "left (the same command continues)" in out
    assert err == ""
    assert list(running.iterdir()) == []
    assert os.listdir(tmp_path / "four.campaign" / "failures") == []
