"""Cubes and plans as SVG: a sheet of nets, one after each turn."""

from __future__ import annotations

from html import escape

from matheur.problems.rubik.picture.scene import COLOURS, NET, Frame, Scene

__all__ = ["FRAMES_MAX", "chosen_frames", "draw_svg", "sheet"]

FRAMES_MAX = 120  # of longer plans the first ones and the last are drawn
_MARGIN, _HEAD, _GAP, _CAPTION = 14.0, 48.0, 16.0, 16.0


def chosen_frames(scene: Scene, most: int) -> list[Frame]:
    """All frames, or the first ones and the last."""
    frames = list(scene.frames)
    return frames if len(frames) <= most else [*frames[: most - 1], frames[-1]]


def sheet(frames: int) -> tuple[float, int, float, float]:
    """Side of a sticker, nets per row, width and height of a sheet."""
    side = 34.0 if frames == 1 else 12.0
    across = 1 if frames == 1 else min(frames, 6)
    width = 2 * _MARGIN + across * (12 * side + _GAP) - _GAP
    down = -(-frames // across)
    return side, across, max(width, 340.0), _HEAD + down * (9 * side + _GAP + _CAPTION) + _MARGIN


def draw_svg(scene: Scene) -> str:
    """Nets: U above F, D below it, L, F, R and B side by side; the face that was turned has a dark rim."""
    frames = chosen_frames(scene, FRAMES_MAX)
    side, across, width, height = sheet(len(frames))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img">',
        f"<title>{escape(scene.title)}</title>",
        "<style>text{font-family:sans-serif;fill:#222}.c{font-size:11px}.s{stroke:#222;stroke-width:.8}</style>",
        f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>',
        f'<text x="{_MARGIN:g}" y="20" font-size="15" font-weight="bold">{escape(scene.title)}</text>',
        f'<text x="{_MARGIN:g}" y="38" font-size="12">{escape(scene.state)}</text>',
    ]
    for number, frame in enumerate(frames):
        x = _MARGIN + number % across * (12 * side + _GAP)
        y = _HEAD + number // across * (9 * side + _GAP + _CAPTION)
        if len(frames) > 1:
            parts.append(f'<text class="c" x="{x:g}" y="{y + 11:g}">{escape(frame.caption)}</text>')
            y += _CAPTION
        parts.append(_net(frame, x, y, side))
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _net(frame: Frame, x: float, y: float, side: float) -> str:
    parts = [f'<g transform="translate({x:g} {y:g})">']
    for letter, (row, column) in zip(frame.facelets, NET, strict=True):
        parts.append(
            f'<rect class="s" x="{column * side:g}" y="{row * side:g}" width="{side:g}" height="{side:g}" '
            f'fill="{COLOURS[letter]}"/>'
        )
    if frame.face:
        row, column = NET[9 * "URFDLB".index(frame.face)]
        parts.append(
            f'<rect x="{column * side:g}" y="{row * side:g}" width="{3 * side:g}" height="{3 * side:g}" fill="none" '
            f'stroke="#111" stroke-width="{side / 5:.2g}"/>'
        )
    parts.append("</g>")
    return "".join(parts)
