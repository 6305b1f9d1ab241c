"""Former names of command line options still work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.conftest import Command

from matheur.cli.app import command

RUN = ("--neighbourhoods", "swap-rotate", "--iterations", "3", "--json")
COMMANDS = [
    "solve", "verify", "show", "clique", "diverse", "sweep", "export clique", "export model", "import clique",
]  # fmt: skip


def test_a_run_by_former_names_is_the_same(matheur: Command) -> None:
    """The answer is the same as with current names; one note for each former name is printed."""
    before = ("--construct", "random", "--accept=improving", "--time", "60", "--time=60")
    now = ("--construction", "random", "--acceptance", "improving", "--seconds", "60")
    old = matheur("solve", "edge-matching/4x4", *before, *RUN)
    new = matheur("solve", "edge-matching/4x4", *now, *RUN)
    assert old.json["configuration"] == new.json["configuration"]
    assert old.json["solution"] == new.json["solution"]
    assert new.err == ""
    lines = old.err.splitlines()
    assert [line.split(";")[0] for line in lines] == [
        "note: --construct is --construction now",
        "note: --accept is --acceptance now",
        "note: --time is --seconds now",
    ]


def test_hints_and_sides_are_options_of_the_instance(matheur: Command, perfect: Path, tmp_path: Path) -> None:
    """`--hint`, once or repeatedly, and `--sides` become settings."""
    solution = json.loads(perfect.read_text())["solution"]
    hints = [f"{cell // 4},{cell % 4}={solution[cell][0]}/{solution[cell][1]}" for cell in (5, 15)]
    way = ("--construction", "random", *RUN)
    old = matheur("solve", "edge-matching/4x4", "--hint", hints[0], f"--hint={hints[1]}", *way)
    new = matheur("solve", "edge-matching/4x4", "--set", f"instance.hints={' '.join(hints)}", *way)
    assert old.json["configuration"] == new.json["configuration"]
    assert [old.json["solution"][cell] for cell in (5, 15)] == [solution[cell] for cell in (5, 15)]
    shown = [
        matheur("show", perfect, "--instance", "edge-matching/4x4", option, value).out
        for option, value in (("--hint", hints[0]), ("--set", f"instance.hints={hints[0]}"))
    ]
    assert shown[0] == shown[1] != ""
    out = tmp_path / "model.lp"
    exported = matheur("export", "model", "edge-matching/3x3", "--sides", "dlur", "--out", out)
    assert "a built-in puzzle needs no sides" in exported.error


def test_an_error_is_the_only_line(matheur: Command) -> None:
    """If there is an error, no note precedes it; the error uses the current name of the option."""
    assert "Maybe 'milp-greedy'" in matheur("solve", "edge-matching/4x4", "--construct", "milp-gready").error
    assert "--seconds" in matheur("solve", "edge-matching/4x4", "--time", "soon").error
    assert "--seconds" in matheur("solve", "edge-matching/4x4", "--time").error
    assert "--set" in matheur("solve", "edge-matching/4x4", "--hint").error
    assert "not a hint" in matheur("solve", "edge-matching/4x4", "--hint", "here").error


def test_values_are_no_options(matheur: Command) -> None:
    """The value of an option, or a word after `--`, may equal a former name."""
    assert "--time" in matheur("solve", "edge-matching/4x4", "--start", "--time").error
    assert "--time" in matheur("solve", "--", "--time").error


def test_other_commands(matheur: Command) -> None:
    """Clique searches and the commands for designers accept `--time`, too."""
    found = matheur("clique", "max-clique/demo", "--method", "exact", "--time", 60, "--json")
    assert found.json["status"] == "optimal"
    assert "--seconds" in found.err
    diverse = matheur("diverse", "party/demo", "--count", 0, "--time", 1)
    assert "--count" in diverse.error


@pytest.mark.parametrize("name", COMMANDS)
def test_no_help_names_them(matheur: Command, name: str) -> None:
    """The help pages contain no former names."""
    shown = matheur(*name.split(), "--help").out
    assert "--json" in shown
    for former in ("--construct ", "--accept ", "--time ", "--hint", "--sides"):
        assert former not in shown


def test_every_command_of_a_run_says_seconds() -> None:
    """No command declares an option with a former name."""
    commands = dict(command.commands)  # type: ignore[attr-defined]
    for group in [one for one in commands.values() if hasattr(one, "commands")]:
        commands |= group.commands
    names = {option for one in commands.values() for param in one.params for option in param.opts}
    assert {"--construction", "--acceptance", "--seconds"} <= names
    assert not {"--construct", "--accept", "--time", "--hint", "--sides"} & names
