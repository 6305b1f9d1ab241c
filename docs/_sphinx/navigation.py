"""The links of the pages that list others are the navigation of the site, in their order.

A code host would show a `toctree` as a block of code, so the pages have none. On the first page the paragraphs that end
with a colon are the captions.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["contents", "setup"]

LISTS = {"docs/index": "", "docs/api": "api/", "docs/decisions/README": "0", "docs/reproduce": "../experiments/"}
"""Pages that list others, and how the links to those begin."""
_CAPTION_OR_LINK = re.compile(r"^(\w[^\n\]]*):$|\]\(([^)#:]+\.(?:md|rst))\)", re.MULTILINE)


def contents(text: str, prefix: str) -> str:
    """Tables of contents of the pages that a page links to, one for each caption."""
    found: list[tuple[str, list[str]]] = [("", [])]
    seen: set[str] = set()
    for caption, link in _CAPTION_OR_LINK.findall(text):
        if caption and not prefix:
            found.append((caption, []))
        elif link.startswith(prefix) and link and link not in seen:
            seen.add(link)
            found[-1][1].append(link)
    lines = []
    for caption, links in found:
        if links:
            lines += ["", "```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), "", *links, "```"]
    return "\n".join(lines)


def _add_contents(_app: Any, name: str, source: list[str]) -> None:
    if name in LISTS:
        source[0] += "\n" + contents(source[0], LISTS[name])


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", _add_contents, priority=900)  # after links have been made
    return {"parallel_read_safe": True, "parallel_write_safe": True}
