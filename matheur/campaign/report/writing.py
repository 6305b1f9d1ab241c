"""Write the files of a report."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from matheur.campaign.report.building import build_report
from matheur.campaign.report.document import Block, Figure, Picture, Report, Table
from matheur.campaign.report.drawing import draw_alone
from matheur.campaign.report.markdown import write_markdown
from matheur.campaign.report.page import write_page
from matheur.campaign.report.tables import write_csv, write_latex
from matheur.campaign.store import folder_of
from matheur.engine.files import write_atomic
from matheur.errors import InputError

__all__ = ["Written", "write_report"]


@dataclass(frozen=True, slots=True)
class Written:
    """Files of a report: the page, its Markdown version, and the folder with tables and plots."""

    page: Path
    markdown: Path
    files: Path


def write_report(
    directory: Path | str, out: Path | str | None = None, *, pictures: int = 12, refresh: int | None = None
) -> Written:
    """Write the report of a campaign.

    Parameters
    ----------
    directory
        Folder of the campaign, or its TOML file.
    out
        Path of the page; by default, `report.html` in the folder of the campaign. `NAME.md` is written next to
        `NAME.html`, and `NAME-files/` with `tables/*.csv`, `tables/*.tex` and `figures/*.svg`. Earlier files of these
        kinds are replaced.
    pictures
        Number of instances whose best solution is drawn.
    refresh
        Seconds after which a browser reloads the page; None for no reload.

    Raises
    ------
    InputError
        If there is no campaign, or the files cannot be written.
    """
    page = folder_of(directory) / "report.html" if out is None else Path(out)
    if page.suffix not in (".html", ".htm"):
        raise InputError("a report is a page. Maybe a name that ends in .html?", source=str(page))
    if out is not None and not page.parent.is_dir():
        raise InputError("no such folder", source=str(page.parent))
    written = Written(page, page.with_name(f"{page.stem}.md"), page.with_name(f"{page.stem}-files"))
    report = build_report(directory, page.parent, pictures=pictures)
    _write_files(report, written.files)
    files = quote(written.files.name.encode("utf-8", "surrogateescape"))
    twin = write_markdown(report, page=quote(page.name.encode("utf-8", "surrogateescape")), files=files)
    write_atomic(written.markdown, twin.encode())
    write_atomic(page, write_page(report, files=files, refresh=refresh).encode())
    return written


def _write_files(report: Report, folder: Path) -> None:
    contents: dict[Path, str | bytes] = {}
    for block in _blocks(report):
        if isinstance(block, Table):
            contents[folder / "tables" / f"{block.name}.csv"] = write_csv(block)
            contents[folder / "tables" / f"{block.name}.tex"] = write_latex(block)
        elif isinstance(block, Figure):
            contents[folder / "figures" / f"{block.name}.svg"] = draw_alone(block.plot, block.title)
        elif isinstance(block, Picture):
            contents[folder / "figures" / f"{block.name}.svg"] = block.svg
    try:
        for name in ("tables", "figures"):
            (folder / name).mkdir(parents=True, exist_ok=True)
            for path in (folder / name).iterdir():
                if path not in contents and path.suffix in (".csv", ".tex", ".svg"):
                    with contextlib.suppress(FileNotFoundError):
                        path.unlink()
    except OSError as error:
        raise InputError(f"cannot write here ({error.strerror})", source=str(folder)) from None
    for path, content in contents.items():
        write_atomic(path, content if isinstance(content, bytes) else content.encode())


def _blocks(report: Report) -> Iterator[Block]:
    for section in report.sections:
        yield from section.blocks
