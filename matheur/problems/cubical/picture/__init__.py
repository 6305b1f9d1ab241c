"""Pictures of cubical puzzles and plans: SVG, PNG, a page that plays the plan, and text for a terminal."""

from __future__ import annotations

from matheur.problems.cubical.picture.html import draw_html
from matheur.problems.cubical.picture.png import draw_png
from matheur.problems.cubical.picture.scene import scene_of
from matheur.problems.cubical.picture.svg import draw_svg
from matheur.problems.cubical.picture.terminal import draw_text
from matheur.problems.pictures import Pictures

__all__ = ["picture"]

picture = Pictures(scene_of, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
"""A plan step by step, or the start if there is no plan; illegal moves are drawn, too, and marked."""
