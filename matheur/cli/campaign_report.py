"""`matheur campaign report`: tables, plots and pictures of a campaign."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from matheur.cli.output import JsonOption, print_json

__all__ = ["report"]

FolderArgument = Annotated[Path, typer.Argument(help="Folder of the campaign, or its TOML file.", metavar="DIR|CONFIG")]


def report(
    campaign: FolderArgument,
    out: Annotated[
        Path | None, typer.Option(help="The page; report.html in the folder by default.", metavar="FILE.html")
    ] = None,
    pictures: Annotated[int, typer.Option(help="Instances whose best solution is drawn.", min=0)] = 12,
    every: Annotated[
        float | None,
        typer.Option(help="Write it again every S seconds, until nothing is left to run or Ctrl-C.", min=1, max=1e6),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Write a page of HTML that needs no network, Markdown, CSV and LaTeX.

    Example: matheur campaign report campaign.toml --out results.html
    """
    from matheur.campaign.report import write_report
    from matheur.campaign.status import read_status
    from matheur.engine import Interrupt

    with Interrupt() as interrupt:
        while True:
            left = 0 if every is None else read_status(campaign).left
            written = write_report(
                campaign, out, pictures=pictures, refresh=round(every) if every is not None and left else None
            )
            if not left or interrupt():
                break
            assert every is not None
            until = time.monotonic() + every
            while time.monotonic() < until and not interrupt():
                time.sleep(0.1)
    if json:
        print_json({"page": str(written.page), "markdown": str(written.markdown), "files": str(written.files)})
    else:
        typer.echo(f"{written.page}\n{written.markdown}\n{written.files}/")
    return 130 if interrupt() and left else 0
