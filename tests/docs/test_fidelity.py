"""The comparison with the papers is complete, and its commands can be run."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

import click
import pytest
import typer
from docs.pages import ROOT

from matheur.cli.app import app

FIDELITY = runpy.run_path(str(ROOT / "docs" / "fidelity.py"))
ROWS = [(paper, row) for paper in FIDELITY["papers"]() for row in paper.rows]
COMMANDS = sorted({row.command for _, row in ROWS if row.command})
_TABLE = re.compile(r"python (experiments/\w+/run\.py) (\w+)")


def test_pages_are_those_of_the_lists() -> None:
    """Both pages are those that `python docs/fidelity.py` writes."""
    page = FIDELITY["REPRODUCE"].read_text(encoding="utf-8")
    assert FIDELITY["FIDELITY"].read_text(encoding="utf-8") == FIDELITY["fidelity"]()
    assert page == FIDELITY["reproduce"](page)


def test_rows_are_whole() -> None:
    """Each row has a status; a difference or a missing element has a note; an implemented one has a command."""
    for _, row in ROWS:
        assert row.status in FIDELITY["STATUSES"], row
        assert row.note or row.status == "same", row
        assert row.command or row.status in ("missing", "not wanted"), row


def parsed(words: list[str]) -> None:
    """Parse a command of matheur without running it."""
    command: click.Command = typer.main.get_command(app)
    context = click.Context(command, info_name="matheur")
    while isinstance(command, click.Group):
        found = command.get_command(context, words[0])
        assert found is not None, words
        command, words = found, words[1:]
        if not isinstance(command, click.Group):
            command.make_context("matheur", list(words), parent=context)


def named_tests(words: list[str]) -> None:
    """Find the files and the tests that a pytest command names."""
    chosen = words[words.index("-k") + 1] if "-k" in words else ""
    paths = [word for word in words if not word.startswith("-") and word != chosen]
    texts = []
    for path in paths:
        name, _, test = path.partition("::")
        texts.append((ROOT / name).read_text(encoding="utf-8") if (ROOT / name).is_file() else "")
        assert (ROOT / name).exists(), name
        assert not test or f"def {test.partition('[')[0]}(" in texts[-1], test
    for word in re.findall(r"\w+", chosen):
        assert word in ("and", "or", "not") or any(word in text.lower() for text in texts), word


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_can_be_run(command: str) -> None:
    """The scripts, tables, tests and options that a command names exist."""
    for part in re.split(r"&&|;|(?<= )\|(?= )", command):
        words = shlex.split(part)
        match words:
            case ["matheur", *rest]:
                parsed(rest)
            case ["python", script, *_]:
                assert (ROOT / script).is_file(), script
                table = _TABLE.match(part.strip())
                if table:
                    folder = (ROOT / table[1]).parent
                    scripts = runpy.run_path(str(ROOT / table[1])).get("SCRIPTS", {})
                    assert (folder / "campaigns" / f"{table[2]}.toml").is_file() or table[2] in scripts, table[2]
            case ["pytest", *rest]:
                named_tests(rest)
            case _:
                pytest.fail(f"no command of matheur, python or pytest: {part}")


def test_paths_of_this_page() -> None:
    """All lists in the folders of `experiments/` are read."""
    there = {path.parent.name for path in (ROOT / "experiments").glob("*/fidelity.toml")}
    assert there | {""} == set(FIDELITY["FOLDERS"])
    assert isinstance(FIDELITY["FIDELITY"], Path)
