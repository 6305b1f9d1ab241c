"""Pictures of boards and presses: SVG, PNG, a page that presses cell by cell, and text for a terminal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError, nearest
from matheur.problems.lights_out.picture.html import draw_html
from matheur.problems.lights_out.picture.png import draw_png
from matheur.problems.lights_out.picture.scene import scene_of
from matheur.problems.lights_out.picture.svg import draw_svg
from matheur.problems.lights_out.picture.terminal import draw_text
from matheur.problems.lights_out.problem import LightsOut

__all__ = ["KINDS", "picture"]

KINDS = ("html", "png", "svg", "text")


def picture(problem: LightsOut, presses: NDArray[np.int32] | None, kind: str) -> bytes:
    """The lights, and numbers on the cells to press if there is a solution, as `svg`, `png`, `html` or `text`.

    Raises
    ------
    ConfigurationError
        If the kind is unknown, or matplotlib is missing for a `png`.
    """
    if kind not in KINDS:
        raise ConfigurationError(f"unknown kind of picture {kind!r}. {nearest(kind, KINDS)}")
    scene = scene_of(problem, presses)
    if kind == "png":
        return draw_png(scene)
    return {"svg": draw_svg, "html": draw_html, "text": draw_text}[kind](scene).encode("utf-8")
