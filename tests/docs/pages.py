"""Blocks and commands of the documentation pages."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from matheur.cli import run as run_matheur

Run = Callable[[str, Path], str]
"""Runs a command in a folder and returns its standard output."""

ROOT = Path(__file__).resolve().parents[2]
FORMS = [*sorted((ROOT / "docs" / "ISSUE_TEMPLATE").glob("*.md")), ROOT / "docs" / "pull_request_template.md"]
"""Forms that a code host shows to authors of an issue or a pull request; they are not pages."""
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if path not in FORMS),
]

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"\s#\s.*$")
_SHELL = re.compile(r"[<>|&;()$*?~`]")
"""Characters with a meaning for the shell."""
_FILE = re.compile(r"# ((?:\w+/)*\w+\.(?:py|toml))\n")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the file that its first line names, if any, perhaps in a folder."""

    language: str
    text: str

    @property
    def file(self) -> str | None:
        match = _FILE.match(self.text)
        return None if match is None else match[1]

    def commands(self) -> Iterator[tuple[str, list[str]]]:
        """Return the commands of a console block, each with the output that the page shows."""
        shown: list[str] = []
        command = ""
        for line in self.text.splitlines():
            if line.startswith("$ "):
                if command:
                    yield command, shown
                command, shown = line[2:], []
            else:
                shown.append(line)
        if command:
            yield command, shown


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page in order."""
    return [Block(*match) for match in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def run(command: str, folder: Path) -> str:
    """Run a shell command in a folder from which Python imports modules, and return its standard output."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), str(Path(sys.executable).parent), os.environ["PATH"]])
    search = [str(folder), os.environ.get("PYTHONPATH")]  # the pages use the same matheur as the tests
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(filter(None, search))},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def run_here(command: str, folder: Path) -> str:
    """Run a command of matheur in this process, which saves its start, and any other one in a shell."""
    plain = _COMMENT.sub("", command)
    if not plain.startswith("matheur ") or _SHELL.search(plain):
        return run(command, folder)
    out, err = io.StringIO(), io.StringIO()
    with chdir(folder), redirect_stdout(out), redirect_stderr(err):
        code = run_matheur(shlex.split(plain)[1:])
    assert code == 0, f"{command}\n{out.getvalue()}{err.getvalue()}"
    return out.getvalue()


def quick(text: str, most: float = 2.0, work: int = 2) -> str:
    """Replace long time limits in a command, script or TOML file by a few seconds, and limit the work of its runs."""

    def short(found: re.Match[str]) -> str:
        seconds = f"{found[1]}{min(float(found[2]), most):g}"
        if found[1].startswith("--"):
            return f"{seconds} --work {work}"
        if found[1].startswith("matheur.solve("):
            return f"{seconds}, work={work}"
        return seconds if found[1].endswith("=") else f"{seconds}\nwork = {work}"

    limit = r"(--seconds |\bmatheur\.solve\(.*?\bseconds=|\bseconds=|^seconds = )([\d.]+)"
    return re.sub(limit, short, text, flags=re.MULTILINE)


def run_python(text: str, folder: Path) -> str:
    """Run a Python script in a folder, and return its standard output."""
    (folder / "example.py").write_text(text, encoding="utf-8")
    return run("python example.py", folder)
