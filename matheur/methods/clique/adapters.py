"""Adapters for other maximum clique programs, as TOML tables: shipped ones and those of users."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from matheur.engine.inputs import parse_toml, read_toml
from matheur.engine.options import configure
from matheur.errors import ConfigurationError, nearest

__all__ = ["Adapter", "adapter", "adapters"]

_PLACEHOLDERS = ("file", "time", "seed", "target")


@dataclass(frozen=True, slots=True)
class Adapter:
    """The command line, input and output of a program.

    Attributes
    ----------
    command
        Words in shell quoting, with `{file}` in place of the graph's file (not with `input = "stdin"`), and optionally
        `{time}` (whole seconds, at least 1), `{seed}` and `{target}` (0 if there is none).
    input
        Whether the program reads the graph from a file or from standard input.
    format, complement
        Format of the graph, see `matheur.methods.clique.formats`; and whether the complement is written instead.
    answer
        Regular expression whose group `vertices` holds the vertices in the program's output; the last match is used.
        None: all forms of `matheur.methods.clique.answers` are tried.
    base
        Number of the first vertex in the program's output, 0 or 1; None: found by checking the clique.
    exit_codes
        Exit codes that mean success.
    on_timeout
        `keep` or `discard` the output of a program that was stopped.
    exact
        Whether a run that ended by itself proves that no clique is larger.
    weights
        Whether the program reads vertex weights (positive whole numbers) from the file.
    summary, install
        Description of the program, and how to install it.
    """

    command: str
    input: Literal["file", "stdin"] = "file"
    format: Literal["ascii", "binary", "metis", "matrix-market", "edge-list", "pace"] = "ascii"
    complement: bool = False
    answer: str | None = None
    base: Literal[0, 1] | None = None
    exit_codes: tuple[int, ...] = (0,)
    on_timeout: Literal["keep", "discard"] = "keep"
    exact: bool = False
    weights: bool = False
    summary: str = ""
    install: str = ""

    def __post_init__(self) -> None:
        words = self.words()
        if not words:
            raise ConfigurationError("the command of an external solver is empty. Maybe 'cliquer -qq {file}'?")
        if self.input == "file" and not any("{file}" in word for word in words[1:]):
            raise ConfigurationError(
                f"the command '{self.command[:60]}' lacks {{file}} among its arguments. Maybe 'cliquer -qq {{file}}'?"
            )
        if self.answer is not None:
            try:
                groups = re.compile(self.answer).groupindex
            except re.error as error:
                raise ConfigurationError(f"the answer pattern '{self.answer[:60]}' is malformed ({error})") from None
            if "vertices" not in groups:
                raise ConfigurationError(f"the answer pattern '{self.answer[:60]}' lacks a group (?P<vertices>...)")

    def words(self) -> list[str]:
        """The command, split into words.

        Raises
        ------
        ConfigurationError
            If it cannot be split, or names an unknown placeholder.
        """
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise ConfigurationError(
                f"the command '{self.command[:60]}' cannot be split into words ({error})"
            ) from None
        for name in re.findall(r"\{(\w+)\}", self.command):
            if name not in _PLACEHOLDERS:
                raise ConfigurationError(
                    f"unknown placeholder '{{{name}}}' in the command. {nearest(name, _PLACEHOLDERS)}"
                )
        return words

    @property
    def available(self) -> bool:
        """Whether the program is installed."""
        return shutil.which(self.words()[0]) is not None


@cache
def adapters() -> Mapping[str, Adapter]:
    """The adapters that come with matheur, by name."""
    text = files("matheur.methods.clique").joinpath("adapters.toml").read_text(encoding="utf-8")
    return _tables(parse_toml(text), "")


def adapter(name: str) -> Adapter:
    """An adapter by name: a shipped one, or `FILE.toml#NAME` (without `#NAME` if the file has one table only).

    Raises
    ------
    ConfigurationError
        If the adapter does not exist or is malformed.
    InputError
        If the file cannot be read.
    """
    path, _, part = name.partition("#")
    if not path.endswith(".toml"):
        if name not in adapters():
            raise ConfigurationError(f"no adapter '{name}'. {nearest(name, adapters())}")
        return adapters()[name]
    tables = _tables(read_toml(path), f"{path}: ")
    if not part and len(tables) == 1:
        return next(iter(tables.values()))
    if part not in tables:
        raise ConfigurationError(f"{path} has no adapter '{part}'. {nearest(part, tables or ['(none)'])}")
    return tables[part]


def _tables(data: Mapping[str, Any], where: str) -> dict[str, Adapter]:
    if "command" in data:
        return {"": configure(Adapter, data, where)}
    found = {}
    for name, table in data.items():
        if not isinstance(table, Mapping):
            raise ConfigurationError(f"{where}'{name}' is not a table of options")
        found[name] = configure(Adapter, table, f"{where}{name}")
    return found
