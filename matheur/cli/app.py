"""The `matheur` command: its options, and a table of its subcommands, each of which is in its own module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from matheur.cli.earlier_options import Command

__all__ = ["app", "command", "load"]

_PLACES = {
    "solve": "matheur.cli.solve:solve",
    "verify": "matheur.cli.files:verify",
    "show": "matheur.cli.files:show",
    "generate": "matheur.cli.files:generate",
    "clique": "matheur.cli.clique:clique",
    "diverse": "matheur.cli.designing:diverse",
    "sweep": "matheur.cli.designing:sweep",
    "front": "matheur.cli.designing:front",
    "label": "matheur.cli.training:label",
    "train": "matheur.cli.training:train",
    "train-pairs": "matheur.cli.pair_training:train_pairs",
    "serve": "matheur.cli.serve:serve",
    "warm": "matheur.cli.warming:warm",
    "problems": "matheur.cli.listing:problems",
    "operators": "matheur.cli.operators:operators",
    "solvers": "matheur.cli.listing:solvers",
    "export": "matheur.cli.exporting:exporting",
    "import": "matheur.cli.exporting:importing",
    "campaign": "matheur.cli.campaign:campaigns",
}
"""Places of the subcommands: a function is a command, a Typer application is a group of commands."""


class _Subcommands(Mapping[str, Any]):
    """Subcommands by name. Each is imported on access, since importing all would take longer than many commands."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            module, _, attribute = _PLACES[name].partition(":")
            self._made[name] = _made(name, getattr(import_module(module), attribute))
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


def _made(name: str, given: Any) -> Any:
    """The subcommand for a function, or the group for an application."""
    if isinstance(given, typer.Typer):
        group = typer.main.get_group(given)
        group.name = name
        return group
    single = typer.Typer(add_completion=False)
    single.command(name, cls=Command)(given)
    return typer.main.get_command(single)


class _Main(TyperGroup):
    """The main command."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands: Any = _Subcommands()


app = typer.Typer(
    name="matheur",
    cls=_Main,
    help="Matheuristics: MILP models, cliques, searches and heuristics as operators of one local search engine.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from matheur.version import __version__

        typer.echo(f"matheur {__version__}")
        raise typer.Exit


@app.callback()
def _matheur(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


command: Any = typer.main.get_command(app)
"""The main command, ready to be called."""


def load(arguments: list[str]) -> None:
    """Import the subcommand that the arguments name, or all subcommands for the help page."""
    named = [one for one in arguments if not one.startswith("-")][:1]
    helped = not arguments or "-h" in arguments or "--help" in arguments
    for name in named or (_PLACES if helped else ()):
        command.commands.get(name)
