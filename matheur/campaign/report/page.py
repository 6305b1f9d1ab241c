"""The report as one HTML page: self-contained, not allowed to load anything, with every text escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from itertools import groupby

from matheur.campaign.report.document import (
    Block,
    Cell,
    Column,
    Figure,
    Listing,
    Paragraph,
    Picture,
    Report,
    Section,
    Sources,
    Table,
)
from matheur.campaign.report.drawing import draw_plot, draw_swatch
from matheur.campaign.report.theme import SCRIPT, STYLE
from matheur.campaign.report.words import counted

__all__ = ["write_page"]


def write_page(report: Report, *, files: str, refresh: int | None = None) -> str:
    """Write the report as HTML.

    Parameters
    ----------
    report
        The report.
    files
        Address of the folder with the CSV files, relative to the page.
    refresh
        Seconds after which a browser reloads the page, for a campaign that is running; None for no reload.
    """
    policy = (
        f"default-src 'none'; img-src data:; style-src {_digest(STYLE)}; script-src {_digest(SCRIPT)}; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
    ]
    parts += [f'<meta http-equiv="refresh" content="{int(refresh)}">'] if refresh else []
    parts += [
        f"<title>{escape(report.title)}: report</title>\n<style>{STYLE}</style>\n</head>\n<body>",
        '<a class="skip" href="#main">To the content</a>',
        f"<header>\n<h1><bdi>{escape(report.title)}</bdi></h1>\n<p>{escape(report.state)}</p>",
        _facts(report),
        _contents(report),
        '</header>\n<main id="main" tabindex="-1">',
        *(_section(section, files) for section in report.sections),
        '</main>\n<p id="said" class="said" aria-live="polite"></p>',
        f"<script>{SCRIPT}</script>\n</body>\n</html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _facts(report: Report) -> str:
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in report.facts)
    return f'<dl class="facts">{rows}</dl>' if rows else ""


def _contents(report: Report) -> str:
    links = "".join(f'<li><a href="#{escape(one.anchor)}">{escape(one.title)}</a></li>' for one in report.sections)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


def _section(section: Section, files: str) -> str:
    parts = [f'<section aria-labelledby="{escape(section.anchor)}">']
    parts.append(f'<h2 id="{escape(section.anchor)}">{escape(section.title)}</h2>')
    for drawn, blocks in groupby(section.blocks, key=lambda block: isinstance(block, Figure | Picture)):
        parts += ['<div class="cards">'] if drawn else []
        parts += [_block(block, files) for block in blocks]
        parts += ["</div>"] if drawn else []
    return "\n".join([*parts, "</section>"])


def _block(block: Block, files: str) -> str:
    if isinstance(block, Table):
        return _table(block, files)
    if isinstance(block, Figure):
        return _figure(block)
    if isinstance(block, Picture):
        return _picture(block)
    if isinstance(block, Listing):
        return _listing(block)
    assert isinstance(block, Paragraph)
    return f"<p>{escape(block.text)}</p>"


def _table(table: Table, files: str) -> str:
    head = "".join(_heading(column) for column in table.columns)
    rows = "".join(_rows(table))
    parts = [
        *([] if table.folded else [f"<h3>{escape(table.title)}</h3>"]),
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(table.title)}">',
        f'<table id="table-{escape(table.name)}"><caption class="said">{escape(table.title)}</caption>',
        f"<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table></div>",
    ]
    note = escape(table.note)
    if len(table.rows) > table.shown:
        address = f"{files}/tables/{table.name}.csv"
        note += f' The first {table.shown:,} of {len(table.rows):,} rows; <a href="{escape(address)}">all as CSV</a>.'
    parts += [f'<p class="note">{note}</p>'] if note else []
    parts += [_sources(table.sources)] if table.sources else []
    text = "\n".join(parts)
    if table.folded:
        return f"<details><summary>{escape(table.title)}: {counted(len(table.rows), 'row')}</summary>{text}</details>"
    return text


def _heading(column: Column) -> str:
    attributes = ' class="n"' if column.numeric else ""
    attributes += f' title="{escape(column.hint)}"' if column.hint else ""
    return f'<th scope="col" aria-sort="none"{attributes}><button type="button">{escape(column.name)}</button></th>'


def _rows(table: Table) -> Iterator[str]:
    numeric = [column.numeric for column in table.columns]
    for row in table.rows[: table.shown]:
        first, *rest = row
        cells = [f'<th scope="row"{_mark(first)}>{_content(first)}</th>']
        for cell, is_number in zip(rest, numeric[1:], strict=True):
            if is_number:
                value = "" if cell.value is None else f' data-v="{escape(str(cell.value))}"'
                cells.append(f'<td class="n{" " + cell.mark if cell.mark else ""}"{value}>{_content(cell)}</td>')
            else:
                cells.append(f"<td{_mark(cell)}>{_content(cell)}</td>")
        yield f"<tr>{''.join(cells)}</tr>\n"


def _mark(cell: Cell) -> str:
    return f' class="{cell.mark}"' if cell.mark else ""


def _content(cell: Cell) -> str:
    text = escape(cell.text)
    if isinstance(cell.value, str):
        text = f"<bdi>{text.replace('/', '/<wbr>')}</bdi>"
    return f'<a href="{escape(cell.href)}">{text}</a>' if cell.href else text


def _figure(figure: Figure) -> str:
    legend = "".join(
        f"<li>{draw_swatch(one)}<bdi>{escape(one.name)}</bdi></li>" for one in figure.plot.series if one.name
    )
    return (
        f'<figure id="{escape(figure.name)}"><h3><bdi>{escape(figure.title)}</bdi></h3>\n'
        f'{draw_plot(figure.plot, figure.title)}\n<ul class="legend">{legend}</ul>\n'
        f"<figcaption><details><summary>In words, and the runs</summary><p>{escape(figure.plot.description)}</p>"
        f"<p>{escape(figure.note)}</p>{_listed(figure.sources)}</details></figcaption></figure>"
    )


def _picture(picture: Picture) -> str:
    data = base64.b64encode(picture.svg).decode()
    alt = f"{picture.title}: best solution. {picture.note}"
    return (
        f'<figure id="{escape(picture.name)}"><h3><bdi>{escape(picture.title)}</bdi></h3>\n'
        f'<div class="frame" tabindex="0" role="group" aria-label="{escape(picture.title)}">'
        f'<img loading="lazy" src="data:image/svg+xml;base64,{data}" alt="{escape(alt)}"></div>'
        '<button type="button" class="zoom" aria-pressed="false">Full size</button>\n'
        f"<figcaption><p>{escape(picture.note)}</p>{_listed(picture.sources)}</figcaption></figure>"
    )


def _sources(sources: Sources) -> str:
    return f"<details><summary>Runs and configurations</summary>{_listed(sources)}</details>"


def _listed(sources: Sources | None) -> str:
    if sources is None:
        return ""
    rows = []
    for label, anchor, seeds in sources.runs:
        links = ", ".join(f'<a href="{escape(href)}">{seed}</a>' for seed, href in seeds)
        word = "seed" if len(seeds) == 1 else "seeds"
        rows.append(f'<li><a href="#{escape(anchor)}"><bdi>{escape(label)}</bdi></a>: {word} {links}</li>')
    if sources.left_out:
        rows.append(f'<li>{counted(sources.left_out, "further run")}: <a href="#runs">all runs</a></li>')
    return f"<ul>{''.join(rows)}</ul>"


def _listing(listing: Listing) -> str:
    return (
        f"<details><summary>{escape(listing.title)}</summary>"
        f'<pre id="{escape(listing.anchor)}" tabindex="0">{escape(listing.text)}</pre></details>'
    )
