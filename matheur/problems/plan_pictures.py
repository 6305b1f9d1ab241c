"""Shared parts of puzzle pictures: sheets of boards along a plan, and pages that play it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, TypeVar

from matheur.problems.pictures import blank_figure, json_for_script

__all__ = ["CAPTION", "PAGE_STYLE", "PLAN_CONTROLS", "Sheet", "first_and_last", "page", "player", "svg_start", "titled"]

Frame = TypeVar("Frame")

CAPTION = 16.0
"""Height of the words above a board."""

_NAME_MAX = 60
_MARGIN, _HEAD = 14.0, 48.0
_WIDTH = 1000  # width of a row of boards

PAGE_STYLE = """
:root{color-scheme:light dark;--ink:#222;--paper:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#15191c}}
body{font:15px/1.4 sans-serif;color:var(--ink);background:var(--paper);margin:1.2rem}
h1{font-size:1.15rem;margin:.2rem 0}
"""

PLAN_CONTROLS = (
    '<p><button id="back" type="button">Back</button> <button id="play" type="button">Play</button> '
    '<button id="next" type="button">Next</button> '
    '<input id="range" type="range" min="0" value="0" aria-label="UNIT"></p>'
    '<p id="words" aria-live="polite"></p>'
)
"""Buttons and a slider that `player` listens to; `UNIT` stands for what a move is called."""

_PLAYER = """\
function stop() { clearInterval(timer); timer = null; play.textContent = "Play"; }
document.getElementById("back").onclick = () => { stop(); go(step - 1); };
document.getElementById("next").onclick = () => { stop(); go(step + 1); };
play.onclick = () => {
  if (timer) { stop(); return; }
  if (step === LAST) go(0);
  play.textContent = "Pause";
  timer = setInterval(() => { go(step + 1); if (step === LAST) stop(); }, PACE);
};
range.max = LAST;
range.oninput = () => { stop(); go(Number(range.value)); };
POINTER\
document.addEventListener("keydown", event => {
  if (event.target === range) return;
KEYS\
  const to = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: LAST }[event.key];
  if (to !== undefined) { event.preventDefault(); stop(); go(to); }
});
"""


def titled(what: str, title: str) -> str:
    """Title line of a picture: its subject, and the title of the instance, truncated to 60 characters."""
    short = title if len(title) <= _NAME_MAX else title[: _NAME_MAX - 1] + "…"
    return what + (f", {short}" if short else "")


def first_and_last(frames: Sequence[Frame], most: int) -> list[Frame]:
    """All frames, or, if there are more than `most`, the first ones and the last."""
    return list(frames) if len(frames) <= most else [*frames[: most - 1], frames[-1]]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Boards of the same size in rows, under two lines of text.

    Attributes
    ----------
    frames
        Number of boards; if there are several, each has a caption.
    rows, columns, side
        Cells of a board, and the side of a cell.
    gap, least
        Gap between boards, and minimum width of the sheet.
    """

    frames: int
    rows: int
    columns: int
    side: float
    gap: float = 14.0
    least: float = 340.0

    @property
    def across(self) -> int:
        """Boards per row."""
        fit = 1 if self.frames == 1 else max(1, int(_WIDTH / (self.columns * self.side + self.gap)))
        return min(fit, self.frames)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        width = max(2 * _MARGIN + self.across * (self.columns * self.side + self.gap) - self.gap, self.least)
        down = -(-self.frames // self.across)
        return width, _HEAD + down * (self.rows * self.side + self.gap + CAPTION) + _MARGIN

    def places(self) -> Iterator[tuple[float, float]]:
        """Left and upper edge of each board with its caption."""
        for number in range(self.frames):
            x = _MARGIN + number % self.across * (self.columns * self.side + self.gap)
            yield x, _HEAD + number // self.across * (self.rows * self.side + self.gap + CAPTION)

    def svg(self, title: str, state: str, style: str, parts: Iterable[str], defs: Iterable[str] = ()) -> str:
        """Assemble the SVG of the sheet with the parts on it."""
        width, height = self.size
        lines = [
            *svg_start(width, height, title),
            f"<style>{style}</style>",
            *defs,
            f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>',
            f'<text x="{_MARGIN:g}" y="20" font-size="15" font-weight="bold">{escape(title)}</text>',
            f'<text x="{_MARGIN:g}" y="38" font-size="12">{escape(state)}</text>',
            *parts,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def axes(self, what: str, title: str, state: str) -> tuple[Any, Any]:
        """Create a matplotlib figure and axes with the text of the sheet; `what` is the subject of the pictures.

        Raises
        ------
        ConfigurationError
            If matplotlib is not installed.
        """
        width, height = self.size
        figure = blank_figure(what, (width / 96, height / 96))
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        axes.axis("off")
        axes.text(14, 15, title, fontsize=11, fontweight="bold", va="center", parse_math=False)
        axes.text(14, 34, state, fontsize=9, va="center", parse_math=False)
        return figure, axes


def svg_start(width: float, height: float, title: str) -> list[str]:
    """Opening lines of an SVG."""
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img">',
        f"<title>{escape(title)}</title>",
    ]


def player(last: str, pace: int, *, pointer: str = "", keys: str = "") -> str:
    """End of a script that plays a plan: buttons, slider and keys call its function `go` with a step.

    Parameters
    ----------
    last
        JavaScript expression for the number of the last step.
    pace
        Milliseconds per step.
    pointer, keys
        Additional code, inserted before the key handling and within it; each ends with its own line break.
    """
    script = _PLAYER.replace("LAST", last).replace("PACE", str(pace))
    return script.replace("POINTER", pointer).replace("KEYS", keys)


def page(title: str, state: str, style: str, body: str, data: Any, script: str) -> str:
    """Build a page as a single file; the script finds the data as JSON in the element `data`."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body>"
        f"<h1>{escape(title)}</h1><p>{escape(state)}</p>{body}"
        f'<script type="application/json" id="data">{json_for_script(data)}</script>'
        f"<script>{script}</script></body></html>\n"
    )
