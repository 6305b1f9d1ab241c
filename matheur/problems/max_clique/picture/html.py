"""A page about a graph or a clique."""

from __future__ import annotations

from html import escape

from matheur.methods.clique.formats.names import spoken
from matheur.problems.max_clique.picture.scene import Scene
from matheur.problems.max_clique.picture.svg import draw_svg

__all__ = ["draw_html"]

_CSS = (
    "body{font-family:system-ui,sans-serif;margin:1.5rem;background:#fff;color:#1f2328;max-width:60rem}"
    "svg{max-width:100%;height:auto}.bad{color:#b3261e}p{overflow-wrap:anywhere}"
)


def draw_html(scene: Scene) -> str:
    """The picture with the clique's vertices as text, without external resources."""
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(scene.title)}</title><style>{_CSS}</style></head>\n<body>",
        f"<h1>{escape(scene.title)}</h1>",
        draw_svg(scene),
    ]
    if scene.violations:
        items = "".join(f"<li>{escape(said)}</li>" for said in scene.violations)
        parts.append(f'<h2>Violations</h2>\n<ul class="bad">{items}</ul>')
    if scene.clique:
        parts.append(f"<h2>Vertices ({len(scene.clique)})</h2>\n<p>{escape(' '.join(map(spoken, scene.clique)))}</p>")
    return "\n".join([*parts, "</body></html>"]) + "\n"
