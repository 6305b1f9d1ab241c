"""Pictures of formations and parties: SVG, PNG, a page of HTML, and text for a terminal."""

from __future__ import annotations

from matheur.problems.party.picture.html import draw_html
from matheur.problems.party.picture.png import draw_png
from matheur.problems.party.picture.scene import scene_of
from matheur.problems.party.picture.svg import draw_svg
from matheur.problems.party.picture.terminal import draw_text
from matheur.problems.pictures import Pictures

__all__ = ["picture"]

picture = Pictures(scene_of, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
"""Draw a party, or the formation if there is none; violations of a party are marked."""
