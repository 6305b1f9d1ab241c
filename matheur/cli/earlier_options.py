"""Commands that accept former names of options, for one more release, and refuse empty values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import typer
from typer.core import TyperCommand

from matheur.errors import ConfigurationError
from matheur.running.earlier_words import NOW

__all__ = ["Command", "of_today"]

_NOW: Mapping[str, str] = {
    **{f"--{before}": f"--{now}" for before, now in NOW.items()},
    "--hint": "--set instance.hints",
    "--sides": "--set instance.sides",
}

_RENAMED = "matheur.renamed"


class Command(TyperCommand):
    """A command that accepts the former names of its options, which its help does not list.

    The note about them follows the output of the command, and is omitted after an error.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments after replacing former names of options."""
        takes = {
            name: not getattr(param, "is_flag", False)
            for param in self.params
            for name in (*param.opts, *param.secondary_opts)
        }
        now, renamed = of_today(args, takes)
        ctx.meta[_RENAMED] = renamed
        _refuse_empty(now, takes)
        return super().parse_args(ctx, now)

    def invoke(self, ctx: Any) -> Any:
        """Run the command, then print a note for each former name."""
        code = super().invoke(ctx)
        for name in ctx.meta[_RENAMED]:
            typer.echo(f"note: {name} is {_NOW[name]} now; the earlier name is read for one more release", err=True)
        return code


def of_today(arguments: list[str], takes: Mapping[str, bool]) -> tuple[list[str], list[str]]:
    """The arguments with the current names of options, and the former names that were used.

    Parameters
    ----------
    takes
        Options of the command, and whether each takes a value.

    Examples
    --------
    >>> takes = {"--seconds": True, "--set": True, "--json": False}
    >>> of_today(["board.txt", "--time", "5", "--hint", "0,0=1", "--hint=1,1=5", "--json"], takes)[0]
    ['board.txt', '--seconds', '5', '--json', '--set', 'instance.hints=0,0=1 1,1=5']
    """
    found: list[str] = []
    hints: list[str] = []
    renamed: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        now = _NOW.get(name, "") if name not in takes else ""
        option, _, key = now.partition(" ")
        if argument == "--":
            found += _hinted(hints)
            return [*found, argument, *rest], renamed
        if option not in takes:
            found.append(argument)
            if takes.get(argument):
                found += _next(rest)
            continue
        if name not in renamed:
            renamed.append(name)
        if not key:
            found += [option + equals + value] if equals else [option, *_next(rest)]
            continue
        given = [value] if equals else _next(rest)
        if name == "--hint" and given:
            hints += ["".join(one.split()) for one in given]
        else:
            found += [option, *(f"{key}={one}" for one in given)]
    return found + _hinted(hints), renamed


def _refuse_empty(arguments: list[str], takes: Mapping[str, bool]) -> None:
    """Refuse empty values, such as from an unset shell variable: an empty path would mean the current folder."""
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if argument == "--":
            return
        given = [value] if equals else _next(rest) if takes.get(name) else []
        if takes.get(name) and name != "--neighbourhoods" and "" in given:
            raise ConfigurationError(f"the value of {name} is empty")


def _next(rest: Iterator[str]) -> list[str]:
    return [one for one in [next(rest, None)] if one is not None]


def _hinted(hints: list[str]) -> list[str]:
    """All hints as one setting, since the last of several settings of a key would override the others."""
    return ["--set", f"instance.hints={' '.join(hints)}"] if hints else []
