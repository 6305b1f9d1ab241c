"""Pictures of cubical puzzles and plans: SVG, PNG, a page that plays the plan, and text for a terminal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.problems.cubical.picture.html import draw_html
from matheur.problems.cubical.picture.png import draw_png
from matheur.problems.cubical.picture.scene import scene_of
from matheur.problems.cubical.picture.svg import draw_svg
from matheur.problems.cubical.picture.terminal import draw_text
from matheur.problems.cubical.problem import Cubical
from matheur.problems.pictures import drawn

__all__ = ["picture"]


def picture(problem: Cubical, plan: NDArray[np.int32] | None, kind: str) -> bytes:
    """A plan step by step, or the start if there is none, as `svg`, `png`, `html` or `text` (UTF-8).

    Wrong moves are drawn too, and marked.

    Raises
    ------
    ConfigurationError
        If the kind is unknown, or matplotlib is missing for a `png`.
    """
    return drawn(lambda: scene_of(problem, plan), kind, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
