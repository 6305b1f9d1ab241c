"""HTML page about a formation or a party: self-contained, without scripts, and not allowed to load anything."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from matheur.problems.party.picture.demands import Demand
from matheur.problems.party.picture.palette import DARK, LIGHT
from matheur.problems.party.picture.phrases import common_of, share_words
from matheur.problems.party.picture.routes import Point
from matheur.problems.party.picture.scene import Link, Scene
from matheur.problems.party.picture.shapes import Box, Group, Text
from matheur.problems.party.picture.sheet import Sheet, sheet_of
from matheur.problems.party.picture.svg import draw_shape, number, style
from matheur.problems.party.picture.words import amount, width_of

__all__ = ["draw_html"]

_CSS = """
*{box-sizing:border-box}
body{margin:0;padding:1rem 1.2rem 2rem;background:var(--paper);color:var(--ink);font:15px/1.45 system-ui,sans-serif}
h1{font-size:1.25rem;margin:0 0 .2rem;overflow-wrap:anywhere}
h2{font-size:1rem;margin:1.4rem 0 .4rem}
p{margin:.2rem 0 .6rem;overflow-wrap:anywhere}
main{display:flex;flex-wrap:wrap;gap:0 2rem;align-items:flex-start}
.stage{flex:3 1 34rem;min-width:0;overflow-x:auto}
.side{flex:1 1 20rem;min-width:0}
.stage svg{display:block;width:100%;min-width:38rem;height:auto;max-height:85vh}
.figures{display:flex;flex-wrap:wrap;gap:.2rem 2rem;margin:0}
.figures div{min-width:6rem}
dt{color:var(--muted);font-size:.85rem}
dd{margin:0;font-size:1.5rem;font-weight:600}
meter{width:100%;height:.9rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem}
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--faint);text-align:left;vertical-align:top;
max-width:22rem;overflow-wrap:anywhere}
thead th{color:var(--muted);font-weight:600;border-bottom-color:var(--line)}
th .muted{font-weight:400}
th.n{text-align:right}
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
tr:hover td,tr:hover th{background:var(--card)}
.ok{color:var(--good)}.bad,.violations{color:var(--bad)}.muted{color:var(--muted)}
.chip{display:inline-block;width:.7em;height:.7em;border-radius:.1em;margin-right:.4em;border:1px solid var(--line)}
.tip{visibility:hidden;pointer-events:none}
:focus-visible{outline:2px solid var(--good);outline-offset:2px}
@media print{.stage svg{max-height:none}}
"""


def draw_html(scene: Scene) -> str:
    """Return the scene as a page."""
    sheet = sheet_of(scene, alone=True)
    variables = {name: f"var(--{name})" for name in LIGHT}
    themes = f":root{{color-scheme:light dark;{_variables(LIGHT)}}}"
    themes += f"@media (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}"
    groups = "".join(f".chip.g{i}{{background:var(--group{i});border-color:var(--group{i})}}" for i in range(1, 7))
    state = ' class="violations"' if scene.violations else ""
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(scene.title)}</title>",
        f"<style>{themes}{_CSS}{groups}{style(variables)}{_pointing(sheet)}</style>",
        f"</head>\n<body>\n<h1>{escape(scene.title)}</h1>\n<p{state}>{escape(scene.state)}</p>",
        f'<main>\n<div class="stage">{_drawing(scene, sheet)}</div>\n<div class="side">',
        _figures(scene),
        _demands(scene),
        _violations(scene),
        "</div>\n</main>",
        _items(scene),
        _edges(scene),
        "</body>\n</html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _variables(theme: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in theme.items())


def _pointing(sheet: Sheet) -> str:
    """Return CSS rules that show the hint of an edge while it is hovered or has the keyboard focus."""
    rules = []
    for i in range(sum(group.kind == "label" for group in sheet.groups)):
        rules.append(f"#u{i}:hover~#t{i},#e{i}:hover~#t{i},#e{i}:focus~#t{i}{{visibility:visible}}")
        rules.append(f"svg:has(#e{i}:hover,#e{i}:focus) #u{i} path{{stroke-width:8}}")
    return "".join(rules)


def _drawing(scene: Scene, sheet: Sheet) -> str:
    """Draw lines, cards, labels, then the hints; each line with its label is one tab stop."""
    links, cards, labels = ([one for one in sheet.groups if one.kind == kind] for kind in ("link", "card", "label"))
    width, height = sheet.size
    parts = [
        f'<svg viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}" role="group" '
        f'aria-label="{escape(scene.title)}">'
    ]
    for i, link in enumerate(links):
        title = "" if labels else f"<title>{escape(link.title)}</title>"
        parts.append(f'<g id="u{i}">{title}{_shapes(link)}</g>')
    parts += [f"<g><title>{escape(card.title)}</title>{_shapes(card)}</g>" for card in cards]
    for i, label in enumerate(labels):
        words = escape(label.title.replace("\n", "; "))
        parts.append(f'<g id="e{i}" tabindex="0" role="img" aria-label="{words}">{_shapes(label)}</g>')
    parts += [_tip(label, i, sheet.size) for i, label in enumerate(labels)]
    return "".join([*parts, "</svg>"])


def _shapes(group: Group) -> str:
    return "".join(draw_shape(shape) for shape in group.shapes)


def _tip(label: Group, i: int, size: Point) -> str:
    """Return the hint of an edge, below or above its label."""
    lines = label.title.split("\n")
    across = max(width_of(line, 12, number == 0) for number, line in enumerate(lines)) + 20
    down = 17 * len(lines) + 12
    left = max(4.0, min(label.at[0] - across / 2, size[0] - across - 4))
    top = label.at[1] + 14 if label.at[1] + 16 + down < size[1] else label.at[1] - 14 - down
    shapes = [draw_shape(Box(left, top, across, down, "paper", "ink", 1.2, 6))]
    for row, line in enumerate(lines):
        shapes.append(draw_shape(Text(left + 10, top + 15 + 17 * row, line, 12, bold=row == 0)))
    return f'<g class="tip" id="t{i}" aria-hidden="true">{"".join(shapes)}</g>'


def _figures(scene: Scene) -> str:
    """Return price and synergy in large letters."""
    name = "price" if scene.filled else "price at least"
    parts = [f"<div><dt>{name}</dt><dd>{scene.price:,}</dd></div>"]
    if scene.synergy is not None:
        parts.append(f"<div><dt>synergy</dt><dd>{escape(amount(scene.synergy))}</dd></div>")
    if scene.minimum is not None:
        parts.append(f"<div><dt>least synergy</dt><dd>{escape(amount(scene.minimum))}</dd></div>")
    meter = ""
    if scene.synergy is not None:
        low = "" if scene.minimum is None else f' low="{float(scene.minimum):.6f}" optimum="1"'
        meter = f'<meter min="0" max="1" value="{float(scene.synergy):.6f}"{low} aria-label="synergy"></meter>'
    return f'<dl class="figures">{"".join(parts)}</dl>{meter}'


def _demands(scene: Scene) -> str:
    if not scene.demands:
        return ""
    heads = ("", "demand", "limit", *(("value", "slack") if scene.filled else ()))
    return "<h2>Demands</h2>\n" + _table("demands", heads, [_demand(scene, one) for one in scene.demands])


def _demand(scene: Scene, demand: Demand) -> list[str]:
    mark = {
        None: '<td><span class="muted">·</span></td>',
        True: '<td><span class="ok" role="img" aria-label="holds">✓</span></td>',
        False: '<td><span class="bad" role="img" aria-label="violated">✗</span></td>',
    }[demand.ok]
    sign = {">=": "≥", "<=": "≤", "==": "="}[demand.op]
    remark = f'<br><span class="muted">{escape(demand.remark)}</span>' if demand.remark else ""
    cells = [mark, f'<th scope="row">{escape(demand.what)}{remark}</th>', _numeric(f"{sign} {amount(demand.limit)}")]
    if scene.filled:
        value, slack = demand.value, demand.slack
        cells.append(_numeric("—" if value is None else amount(value)))
        cells.append(_numeric("—" if slack is None else amount(slack), "bad" if demand.ok is False else ""))
    return cells


def _violations(scene: Scene) -> str:
    if not scene.violations:
        return ""
    items = "".join(f"<li>{escape(said)}</li>" for said in scene.violations)
    return f'<h2>Violations</h2>\n<ul class="violations">{items}</ul>'


def _items(scene: Scene) -> str:
    first = next((card for card in scene.cards if card.traits or card.measures), scene.cards[0])
    wrong = any(card.wrong for card in scene.cards)
    columns = [*(column for column, _ in first.measures), *(cell.column for cell in first.traits)]
    heads = [
        "slot",
        *(("item", "price", *columns) if scene.filled else ("fixed",)),
        "candidates",
        "from",
        *(("remark",) if wrong else ()),
    ]
    rows = []
    for card in scene.cards:
        cells = [f'<th scope="row">{escape(card.slot)}</th>']
        if scene.filled:
            fixed = ' <span class="muted">(fixed)</span>' if card.fixed else ""
            cells.append(f"<td>{escape(card.item or '—')}{fixed}</td>")
            cells.append(_numeric("—" if card.price is None else f"{card.price:,}"))
            cells += [_numeric(value) for _, value in card.measures]
            cells += [f"<td>{_chip(cell.group)}{escape(cell.value or '—')}</td>" for cell in card.traits]
        else:
            cells.append(f"<td>{escape(card.item or '')}</td>")
        cells += [_numeric(f"{card.candidates:,}"), _numeric("—" if card.cheapest is None else f"{card.cheapest:,}")]
        if wrong:
            cells.append(f'<td class="bad">{escape(", ".join(card.wrong))}</td>')
        rows.append(cells)
    said = ""
    if any(cell.group for card in scene.cards for cell in card.traits):
        said = '<p class="muted">Equal squares in a column mark equal values.</p>\n'
    return f"<h2>Slots</h2>\n{said}{_table('slots', heads, rows)}"


def _chip(group: int) -> str:
    return f'<span class="chip{f" g{(group - 1) % 6 + 1}" if group else ""}"></span>'


def _edges(scene: Scene) -> str:
    if not scene.links:
        return ""
    columns = [match.column for match in scene.links[0].matches]
    heads = ["edge", *(("synergy", *columns) if columns else ())]
    return "<h2>Edges</h2>\n" + _table("edges", heads, [_edge(scene, link, common_of(scene)) for link in scene.links])


def _edge(scene: Scene, link: Link, common: int) -> list[str]:
    ends = f"{scene.cards[link.one].slot} – {scene.cards[link.two].slot}"
    cells = [f'<th scope="row">{escape(ends)}</th>']
    if link.synergy is None:
        return cells
    cells.append(_numeric(share_words(link.synergy, common)))
    for match in link.matches:
        one, two = ("(empty)" if value is None else value for value in (match.one, match.two))
        values = one if match.one == match.two else f"{one} / {two}"
        look = "ok" if match.match else "muted"
        cells.append(f'<td><span class="{look}">{escape(amount(match.match))}</span> {escape(values)}</td>')
    return cells


def _numeric(text: str, look: str = "") -> str:
    return f'<td class="n{" " + look if look else ""}">{escape(text)}</td>'


def _table(name: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table that scrolls horizontally if necessary, also by keyboard."""
    flush = [cell.startswith('<td class="n') for cell in rows[0]]
    head = "".join(
        f'<th scope="col"{" class=n" if right else ""}>{escape(one)}</th>'
        for one, right in zip(heads, flush, strict=True)
    )
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{name}"><table>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )
