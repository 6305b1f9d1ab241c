"""A page about an instance or a solution: self-contained, without scripts, and with loading of resources forbidden."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from matheur.problems.quadratic_assignment.picture.layout import MARGIN, Frame, frames_of
from matheur.problems.quadratic_assignment.picture.palette import DARK, LIGHT
from matheur.problems.quadratic_assignment.picture.scene import Scene
from matheur.problems.quadratic_assignment.picture.svg import draw_frame, number, style

__all__ = ["draw_html"]

_CSS = """
*{box-sizing:border-box}
body{margin:0;padding:1rem 1.2rem 2rem;background:var(--paper);color:var(--ink);font:15px/1.45 system-ui,sans-serif}
h1{font-size:1.25rem;margin:0 0 .2rem;overflow-wrap:anywhere}
h2{font-size:1rem;margin:1.4rem 0 .4rem}
p{margin:.2rem 0 .6rem;overflow-wrap:anywhere}
.violations{color:var(--bad)}
.maps,.tables{display:flex;flex-wrap:wrap;gap:0 1.5rem;align-items:flex-start}
.maps svg{flex:1 1 22rem;max-width:34rem;height:auto}
.wide{overflow:auto;max-height:32rem}
table{border-collapse:collapse;font-size:.9rem}
th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:right;font-variant-numeric:tabular-nums}
thead th{color:var(--muted);position:sticky;top:0;background:var(--paper)}
:focus-visible{outline:2px solid var(--p8);outline-offset:2px}
@media print{.wide{max-height:none}}
"""


def draw_html(scene: Scene) -> str:
    """The scene as a page."""
    variables = {name: f"var(--{name})" for name in LIGHT}
    themes = f":root{{color-scheme:light dark;{_variables(LIGHT)}}}"
    themes += f"@media (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}"
    frames, _ = frames_of(scene, head=0.0)
    state = ' class="violations"' if scene.violations else ""
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(scene.title)}</title>",
        f"<style>{themes}{_CSS}{style(variables)}</style>",
        f"</head>\n<body>\n<h1>{escape(scene.title)}</h1>\n<p{state}>{escape(scene.state)}</p>",
        f'<div class="maps">\n{chr(10).join(_map(frame) for frame in frames)}\n</div>',
        _violations(scene),
        _tables(scene),
        "</body>\n</html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _variables(theme: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in theme.items())


def _map(frame: Frame) -> str:
    left, across = frame.x - 30, max(frame.side + 36, 8.0 * len(frame.map.title) + 40, 330.0)
    down = frame.y + frame.side + MARGIN + 14
    words = f"{frame.map.title}: {frame.map.note}"
    return (
        f'<svg viewBox="{number(left)} 0 {number(across)} {number(down)}" role="img" aria-label="{escape(words)}">'
        f"{draw_frame(frame)}</svg>"
    )


def _violations(scene: Scene) -> str:
    if not scene.violations:
        return ""
    items = "".join(f"<li>{escape(said)}</li>" for said in scene.violations)
    return f'<h2>Violations</h2>\n<ul class="violations">{items}</ul>'


def _tables(scene: Scene) -> str:
    if not scene.places:
        return ""
    placed = [
        (str(facility), str(place), f"{burden:,}")
        for facility, (place, burden) in enumerate(zip(scene.places, scene.burdens, strict=True), start=1)
    ]
    tables = _table("Facilities", ("facility", "location", "cost"), placed)
    said = "<p>The cost of a facility is that of all pairs it belongs to.</p>"
    if scene.pairs:
        rows = [
            (
                f"{pair.one}, {pair.two}", pair.flows, pair.distances, f"{pair.cost:,}",
                "" if pair.share is None else f"{100 * pair.share:.1f} %",
            )
            for pair in scene.pairs
        ]  # fmt: skip
        tables += _table("Dearest pairs", ("facilities", "flow", "distance", "cost", "share"), rows)
    return f'<div class="tables">\n{tables}</div>\n{said}'


def _table(name: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table that scrolls if necessary, also by keyboard."""
    head = "".join(f'<th scope="col">{one}</th>' for one in heads)
    body = "\n".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    return (
        f'<section><h2>{name}</h2><div class="wide" tabindex="0" role="region" aria-label="{name}"><table>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div></section>\n"
    )
