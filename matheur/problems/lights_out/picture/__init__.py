"""Pictures of boards and presses: SVG, PNG, a page that presses cell by cell, and text for a terminal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.problems.lights_out.picture.html import draw_html
from matheur.problems.lights_out.picture.png import draw_png
from matheur.problems.lights_out.picture.scene import scene_of
from matheur.problems.lights_out.picture.svg import draw_svg
from matheur.problems.lights_out.picture.terminal import draw_text
from matheur.problems.lights_out.problem import LightsOut
from matheur.problems.pictures import drawn

__all__ = ["picture"]


def picture(problem: LightsOut, presses: NDArray[np.int32] | None, kind: str) -> bytes:
    """The lights, and numbers on the cells to press if there is a solution, as `svg`, `png`, `html` or `text`.

    Raises
    ------
    ConfigurationError
        If the kind is unknown, or matplotlib is missing for a `png`.
    """
    return drawn(lambda: scene_of(problem, presses), kind, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
