"""Shared parts of the pictures of all problems: picture kinds, safe names, and plots by matplotlib."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any, TypeVar
from warnings import catch_warnings, simplefilter

from matheur.errors import ConfigurationError, nearest
from matheur.running import charts

__all__ = ["Pictures", "blank_figure", "json_for_script", "png_of", "readable"]

Scene = TypeVar("Scene")


class Pictures:
    """Pictures of a problem and its solutions: a scene, and a function that draws it for each kind of picture.

    Parameters
    ----------
    scene
        Function that creates the scene of a problem and a solution, or of the problem alone (None).
    **drawers
        Function of the scene for each kind, such as `svg` and `text`; texts are encoded as UTF-8.
    """

    def __init__(self, scene: Callable[[Any, Any], Scene], **drawers: Callable[[Scene], bytes | str]) -> None:
        self._scene = scene
        self._drawers = drawers

    def __call__(self, problem: Any, solution: Any | None, kind: str) -> bytes:
        """Draw a solution, or the problem if there is none.

        Raises
        ------
        ConfigurationError
            If the kind is unknown, or matplotlib is missing for a `png`.
        """
        if kind not in self._drawers:
            raise ConfigurationError(f"unknown kind of picture {kind!r}. {nearest(kind, self._drawers)}")
        picture = self._drawers[kind](self._scene(problem, solution))
        return picture if isinstance(picture, bytes) else picture.encode("utf-8")


def blank_figure(what: str, size: tuple[float, float], *, dpi: float = 144, colour: str = "white") -> Any:
    """Create an empty matplotlib figure without the global state of pyplot.

    Parameters
    ----------
    what
        Subject of the pictures, for the error message.
    size
        Width and height in inches.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    """
    advice = f"PNG pictures of {what} need matplotlib. Maybe pip install 'matheur[plot]', or draw SVG or HTML?"
    return charts.blank_figure(size, advice, dpi=dpi, colour=colour)


def png_of(figure: Any, title: str) -> bytes:
    """Encode a figure as PNG, with as much of its title as the format can hold."""
    file = BytesIO()
    with catch_warnings():
        simplefilter("ignore")  # characters that the font lacks become boxes
        figure.savefig(file, format="png", metadata={"Title": title.encode("latin-1", "replace").decode("latin-1")})
    return file.getvalue()


def json_for_script(data: Any) -> str:
    """Encode plain values as JSON without characters that could close the surrounding HTML element.

    Examples
    --------
    >>> json_for_script(["</script>"])
    '["\\\\u003c/script>"]'
    """
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")


def readable(text: str, most: int = 80) -> str:
    """Replace characters of a name that XML or a terminal cannot handle, and shorten it.

    Examples
    --------
    >>> readable("two\\nlines"), readable("abcdef", most=3)
    ('two�lines', 'abc…')
    """
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text[:most])
    return shown + "\N{HORIZONTAL ELLIPSIS}" if len(text) > most else shown
