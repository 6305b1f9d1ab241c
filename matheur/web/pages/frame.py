"""Common parts of all pages, and their style."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from matheur.campaign.report.theme import STYLE
from matheur.campaign.report.words import visible
from matheur.web.markup import Markup, join, named, tag

__all__ = ["STATIC", "alert", "button", "damaged_page", "delete_button", "error_page", "fields", "frame",
           "reader_field", "static"]  # fmt: skip

STATIC = {"workbench.css": "text/css; charset=utf-8", "workbench.js": "text/javascript; charset=utf-8"}
"""Names and types of the files that pages load."""

_SENTENCE = 2000  # maximum number of characters of an error message


@cache
def static(name: str) -> tuple[str, str]:
    """Content of a file that pages load, and its digest; the style sheet extends that of reports."""
    text = files("matheur.web").joinpath("static", name).read_text(encoding="utf-8")
    text = STYLE + text if name.endswith(".css") else text
    return text, hashlib.sha256(text.encode()).hexdigest()[:12]


def _address(name: str) -> str:
    return f"/static/{name}?v={static(name)[1]}"


def frame(title: str, *content: Any, refresh: int | None = None) -> str:
    """A complete page; without scripts, browsers reload it after `refresh` seconds."""
    again = tag("noscript", tag("meta", http_equiv="refresh", content=refresh)) if refresh else None
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{visible(title)} · matheur"),
        tag("link", rel="icon", href="data:,"),
        tag("link", rel="stylesheet", href=_address("workbench.css")),
        tag("script", src=_address("workbench.js"), defer=True),
        again,
    )
    body = tag(
        "body",
        tag("a", "To the content", class_="skip", href="#main"),
        tag("nav", tag("a", "matheur", href="/", class_="home"), " workbench", class_="top", aria_label="Workbench"),
        tag("main", *content, id="main", tabindex="-1"),
        tag("p", id="said", class_="said", aria_live="polite"),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def error_page(title: str, sentence: str) -> str:
    """A page with an error message."""
    back = tag("p", tag("a", "To the start page", href="/"))
    return frame(title, tag("h1", title), alert(sentence), back)


def alert(sentence: str, look: str = "bad") -> Markup:
    """An error message in one paragraph, with invisible characters of the names in it shown."""
    return tag("p", visible(" ".join(sentence.split()), most=_SENTENCE), class_=look, role="alert")


def button(address: str, text: str, **attributes: Any) -> Markup:
    """A button that sends a POST request to an address."""
    return tag("form", tag("button", text, **attributes), method="post", action=address)


def delete_button(job: str) -> Markup:
    """The button that deletes a job, after a confirmation if the browser runs scripts."""
    ask = "Delete this run and its result? This cannot be undone."
    return button(f"/jobs/{job}/delete", "Delete", class_="quiet", data_ask=ask)


def damaged_page(name: str, reason: str, *, held: bool) -> str:
    """The page of a job with an unreadable order: the reason, and a button to delete it, or to stop a held one."""
    return frame(
        "Damaged",
        tag("h1", "This run is damaged"),
        tag("p", named(reason, most=300), class_="bad", role="alert"),
        tag("p", f"Its files are in jobs/{name}. Without a whole order it can be neither shown nor resumed.",
            class_="note"),
        tag("div", button(f"/jobs/{name}/stop", "Stop", class_="go") if held
            else delete_button(name), class_="buttons"),
        tag("p", tag("a", "To the start page", href="/")),
    )  # fmt: skip


def reader_field(own: str, text: str = "") -> Markup:
    """The field for options of the reader, with its label; `own` is its identifier in the page."""
    return join(
        tag("label", "One a line, such as cost=pushes, metric=half, goal=blank-first, sides=dlur, level=3", for_=own),
        tag("textarea", text, name="options", id=own, rows=2, spellcheck="false"),
    )


def fields(*pairs: tuple[str, Any]) -> Markup:
    """A list of names and values; values of None are left out."""
    rows = (tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs if value is not None)
    return tag("dl", join(*rows), class_="facts")
