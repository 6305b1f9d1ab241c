"""Draw the badges of the README from pyproject.toml, so that the page needs no external service.

    python docs/badges.py

The script writes docs/images/badges.svg.
"""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path

__all__ = ["drawn"]

ROOT = Path(__file__).resolve().parents[1]
HEIGHT, GAP, LETTER, MARGIN = 20, 6, 6.6, 7
GREY, BLUE, GREEN = "#555", "#1f6feb", "#2f7d32"


def drawn() -> str:
    """Return the badges as an SVG text."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    python = project["requires-python"].removeprefix(">=")
    badges = [
        ("version", project["version"], BLUE),
        ("python", f"{python} and newer", BLUE),
        ("license", project["license"], GREEN),
        ("typed", "mypy, strict", GREEN),
    ]
    parts, left = [], 0.0
    for name, value, colour in badges:
        for text, fill in ((name, GREY), (value, colour)):
            width = round(LETTER * len(text) + 2 * MARGIN, 1)
            parts.append(
                f'<rect x="{left:g}" width="{width:g}" height="{HEIGHT}" fill="{fill}"/>'
                f'<text x="{left + width / 2:g}" y="14">{escape(text)}</text>'
            )
            left = round(left + width, 1)
        left += GAP
    wide = left - GAP
    alt = ", ".join(f"{name} {value}" for name, value, _ in badges)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}" height="{HEIGHT}" viewBox="0 0 {wide:g} {HEIGHT}" '
        f'role="img" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" fill="#fff" text-anchor="middle">\n'
        f"<title>{escape(alt)}</title>\n" + "\n".join(parts) + "\n</svg>\n"
    )


if __name__ == "__main__":
    (ROOT / "docs" / "images" / "badges.svg").write_text(drawn(), encoding="utf-8")
