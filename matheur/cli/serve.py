"""`matheur serve`: the workbench in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["serve"]


def serve(
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.", min=0, max=65535)] = 8765,
    folder: Annotated[
        Path | None, typer.Option(help="Folder for the jobs; by default in the user's data folder.", metavar="DIR")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; beyond this machine a token is needed.")] = (
        "127.0.0.1"
    ),
    token: Annotated[
        str | None,
        typer.Option(help="Token that visitors need; auto makes one.", envvar="MATHEUR_TOKEN", metavar="TEXT|auto"),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Jobs at a time; others wait.", min=1)] = 2,
    waiting: Annotated[int, typer.Option(help="Jobs that may wait.", min=1)] = 20,
    seconds: Annotated[float, typer.Option(help="The longest time limit of a job.", min=1)] = 3600.0,
    memory: Annotated[float, typer.Option(help="Memory of a job in GB.", min=0.1, max=1e6)] = 8.0,
    upload: Annotated[float, typer.Option(help="The largest upload in MiB.", min=0.01, max=1e6)] = 16.0,
) -> None:
    """Solve in the browser: choose or bring an instance, edit it, watch runs, compare them, play plans.

    Nothing but this machine reaches it, and it loads nothing from elsewhere. It needs the extra 'web'.

    Examples:

      matheur serve

      matheur serve --port 0 --folder runs --jobs 4 --seconds 600

      matheur serve --host 0.0.0.0 --token auto
    """
    from matheur.web import Limits, need_web

    need_web()
    from matheur.web.serving import serve as run_server
    from matheur.web.store import default_folder

    limits = Limits(jobs, waiting, seconds, round(memory * 1e9), upload=round(upload * 2**20))

    def ready(address: str) -> None:
        typer.echo(f"workbench at {address} (Ctrl-C ends it; jobs go on when it starts again)")

    run_server(folder or default_folder(), limits, host=host, port=port, token=token, on_ready=ready)
