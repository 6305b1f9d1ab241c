"""A self-contained page around the SVG, without scripts, and with a policy that forbids loading anything."""

from __future__ import annotations

from html import escape

from matheur.problems.edge_matching.picture.scene import Scene
from matheur.problems.edge_matching.picture.svg import draw_svg

__all__ = ["draw_html"]


def draw_html(scene: Scene) -> str:
    """Draw the scene as an HTML page."""
    legend = "Outlined cells are hints." if scene.hinted.any() else ""
    if scene.across.any() or scene.down.any():
        legend += " Crosses mark inner edges whose two colours differ."
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(scene.title)}</title>\n"
        "<style>body{margin:1rem;font-family:sans-serif}svg{max-width:100%;height:auto}</style>\n"
        f"</head>\n<body>\n{draw_svg(scene)}<p>{escape(legend.strip())}</p>\n</body>\n</html>\n"
    )
