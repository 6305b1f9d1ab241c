"""All commands in one place; each lives in a module of its own."""

from __future__ import annotations

from typing import Annotated

import typer

from matheur.cli.campaign import campaigns
from matheur.cli.clique import clique
from matheur.cli.designing import diverse, front, sweep
from matheur.cli.earlier_options import Command
from matheur.cli.exporting import export_clique, export_model, import_clique
from matheur.cli.files import generate, show, verify
from matheur.cli.listing import problems, solvers
from matheur.cli.operators import operators
from matheur.cli.pair_training import train_pairs
from matheur.cli.serve import serve
from matheur.cli.solve import solve
from matheur.cli.training import label, train
from matheur.cli.warming import warm

__all__ = ["app", "command"]

app = typer.Typer(
    name="matheur",
    help="Matheuristics: MILP models, cliques, searches and heuristics as operators of one local search engine.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
exporting = typer.Typer(help="Write a clique graph or a model for other programs.", no_args_is_help=True)
importing = typer.Typer(help="Read the answer of another program.", no_args_is_help=True)


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


for _command in (
    solve, verify, show, generate, clique, diverse, sweep, front, label, train, train_pairs, serve,
    warm, problems, operators, solvers,
):  # fmt: skip
    app.command(cls=Command)(_command)
exporting.command("clique", cls=Command)(export_clique)
exporting.command("model", cls=Command)(export_model)
importing.command("clique", cls=Command)(import_clique)
app.add_typer(exporting, name="export")
app.add_typer(importing, name="import")
app.add_typer(campaigns, name="campaign")

command = typer.main.get_command(app)
"""All of them, ready to be called; making it takes longer than many a command."""
