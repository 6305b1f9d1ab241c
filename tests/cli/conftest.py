"""Fixtures that run the command line in this process."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from matheur.cli import run
from matheur.problems.edge_matching import EdgeMatching, builtin
from matheur.problems.edge_matching.builtin import builtin_solution
from matheur.problems.edge_matching.formats import write_piece_list
from matheur.running import loading

__all__ = ["Answer", "Command"]


@dataclass(frozen=True)
class Answer:
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The object on standard output, which must contain nothing else."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        assert self.out.count("\n") == 1
        return value

    @property
    def error(self) -> str:
        """The single line on standard error of a command that refused its input."""
        assert self.code == 2, self
        assert self.out == ""
        assert self.err.startswith("error: ")
        assert self.err.count("\n") == 1
        assert self.err.endswith("\n")
        assert "Traceback" not in self.err
        return self.err


Command = Callable[..., Answer]


@pytest.fixture
def matheur(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command and capture its output; `stdin` is its standard input."""

    def command(*arguments: object, stdin: bytes = b"") -> Answer:
        capsys.readouterr()
        loading._standard_input.cache_clear()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = run([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return Answer(code, shown.out, shown.err)

    return command


@pytest.fixture
def pieces(tmp_path: Path) -> Path:
    """Write a file with the pieces of the built-in 4x4 puzzle."""
    path = tmp_path / "pieces.txt"
    path.write_text(write_piece_list(builtin("4x4")))
    return path


@pytest.fixture
def perfect(tmp_path: Path) -> Path:
    """Write a result file with the hidden solution of the built-in 4x4 puzzle."""
    path = tmp_path / "perfect.json"
    problem = EdgeMatching(builtin("4x4"))
    solution = problem.encode(builtin_solution("4x4"))
    path.write_text(json.dumps({"problem": "edge-matching", "instance": "edge-matching/4x4", "solution": solution}))
    return path
