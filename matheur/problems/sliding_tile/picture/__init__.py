"""Pictures of boards and plans: SVG, PNG, a page that plays the plan, and text for a terminal."""

from __future__ import annotations

from matheur.problems.pictures import Pictures
from matheur.problems.sliding_tile.picture.html import draw_html
from matheur.problems.sliding_tile.picture.png import draw_png
from matheur.problems.sliding_tile.picture.scene import scene_of
from matheur.problems.sliding_tile.picture.svg import draw_svg
from matheur.problems.sliding_tile.picture.terminal import draw_text

__all__ = ["picture"]

picture = Pictures(scene_of, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
"""A plan step by step, or the start if there is none."""
