"""The page for solving a puzzle by hand. It works with forms alone; the script only avoids reloading."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from matheur.campaign.report import words
from matheur.web.markup import Markup, join, named, tag
from matheur.web.pages.frame import fields, frame

__all__ = ["play_page"]

_SIDES = ("h40l-20 20z", "m40 0v40l-20-20z", "m40 40h-40l20-20z", "m0 40v-40l20 20z")
_VIOLATIONS = 6


def play_page(
    name: str, hidden: Mapping[str, str], moves: Sequence[str], now: Mapping[str, Any], best: Mapping[str, Any] | None
) -> str:
    """The page.

    Parameters
    ----------
    name
        Name of the instance.
    hidden
        Hidden form fields that identify the instance.
    moves
        Moves so far.
    now
        See `matheur.web.puzzles.position`.
    best
        Score, status and bound (as a score) of a run, to compare with; None if there is none.
    """
    asked = json.dumps(list(moves))
    same = [tag("input", type="hidden", name=key, value=value) for key, value in hidden.items()]
    same.append(tag("input", type="hidden", name="moves", value=asked))
    steps = moves and not now["fields"]  # lists have no order in which they were chosen
    back = [
        tag("button", "Take back", name="back", value="1", data_key="Backspace") if steps else None,
        tag("button", "Start again", name="restart", value="1") if moves else None,
        _onward(moves, now),
    ]
    game = tag(
        "form",
        same,
        _judgement(moves, now, best),
        tag("p", now["words"], class_="note"),
        _picture(now),
        _board(now),
        _fields(now),
        tag("div", *(_choice(one) for one in now["choices"]), class_="choices") if now["choices"] else None,
        tag("div", *back, class_="buttons"),
        tag("ul", *(tag("li", text) for text in now["violations"][:_VIOLATIONS]), class_="note")
        if not now["valid"] and (moves or now["fields"])
        else None,
        method="post",
        action="/play",
        id="game",
        **_measured(now, best),
    )
    solve = tag("p", tag("a", "Let matheur solve it from the start", href=f"/new?{urlencode(hidden)}"))
    # Filled by the script: the solutions are stored in the browser, not on the server.
    kept = tag("section", id="kept", data_instance=f"{now['problem']} {now['fingerprint']}",
               data_former=urlencode(hidden), hidden=True)  # fmt: skip
    return frame(f"Play {name}", tag("h1", "Solve it yourself: ", named(name)), game, kept, solve)


def _measured(now: Mapping[str, Any], best: Mapping[str, Any] | None) -> dict[str, Any]:
    """Values that the script stores with a solution, and values with which it compares stored solutions."""
    found: dict[str, Any] = {"data_unit": now["unit"]}
    if now["valid"]:
        found |= {"data_score": words.number(now["score"]), "data_objective": now["objective"]}
    if best is not None and best["objective"] is not None:
        found |= {"data_best": best["objective"], "data_proved": "yes" if best["status"] == "optimal" else "no"}
    return found


def _onward(moves: Sequence[str], now: Mapping[str, Any]) -> Markup | None:
    """The button that lets matheur improve the solution, or solve the rest of the puzzle; None if neither applies."""
    if not now["valid"] and not (now["text"] and moves):
        return None
    text = "Let matheur improve it" if now["valid"] else "Let matheur solve it from here"
    return tag("button", text, formaction="/new")


def _judgement(moves: Sequence[str], now: Mapping[str, Any], best: Mapping[str, Any] | None) -> Markup:
    pairs: list[tuple[str, Any]] = [("your score", words.number(now["score"]))]
    pairs += [] if now["fields"] else [("moves", f"{len(moves):,}")]
    if best is not None:
        what = "optimum" if best["status"] == "optimal" else "best of matheur"
        pairs += [(what, words.number(best["score"])), ("bound", words.number(best["bound"]))]
    good = "good" if now["valid"] else None
    return join(fields(*pairs), tag("p", _verdict(now, best), class_=good, role="status"))


def _verdict(now: Mapping[str, Any], best: Mapping[str, Any] | None) -> str:
    if not now["valid"]:
        return "Not solved yet."
    if now["perfect"]:
        return "Solved: no better one exists."
    if best is None or best["objective"] is None:
        return "This is a valid solution."
    more = now["objective"] - best["objective"]
    apart = words.number(abs(more) * now["unit"])
    if best["status"] == "optimal":
        return "No better one exists." if more == 0 else f"A valid solution, {apart} worse than the optimum."
    if more == 0:
        return "A valid solution, as good as the best of matheur."
    return f"A valid solution, {apart} {'worse' if more > 0 else 'better'} than the best of matheur."


def _picture(now: Mapping[str, Any]) -> Markup | None:
    if not now["svg"]:
        return None
    data = base64.b64encode(now["svg"].encode()).decode()
    return tag("div", tag("img", src=f"data:image/svg+xml;base64,{data}", alt="where it stands"), class_="frame")


def _choice(one: Mapping[str, Any]) -> Markup:
    closed = not one["open"]
    return tag("button", one["label"], name="move", value=one["move"], data_key=one["key"] or None, disabled=closed)


def _board_size(columns: int) -> str:
    """The style class by the size of a board, for cells that fit on a phone; the script uses the same rule."""
    return "few" if columns <= 6 else "" if columns <= 10 else "small" if columns <= 12 else "tiny"


def _board(now: Mapping[str, Any]) -> Markup | None:
    columns, cells = now["columns"], now["cells"]
    if not cells:
        return None
    rows = (
        tag("tr", *(tag("td", _cell(one)) for one in cells[i : i + columns])) for i in range(0, len(cells), columns)
    )
    table = tag("table", *rows, class_=f"board {_board_size(columns)}".strip(), role="presentation")
    return tag("div", table, class_="wide")


def _cell(one: Mapping[str, Any]) -> Markup:
    inner: Any = one["text"]
    if one["sides"]:
        paths = (tag("path", d=f"M0 0{shape}", fill=colour) for colour, shape in zip(one["sides"], _SIDES, strict=True))
        number = tag("text", one["text"], x=20, y=24)
        inner = tag("svg", *paths, number, viewBox="0 0 40 40", aria_hidden="true")
    if not one["move"]:
        return tag("span", inner, class_=f"cell {one['look']}", title=one["label"])
    return tag("button", inner, name="move", value=one["move"], class_=f"cell {one['look']}", aria_label=one["label"])


def _fields(now: Mapping[str, Any]) -> Markup | None:
    if not now["fields"]:
        return None
    rows = []
    for number, one in enumerate(now["fields"]):
        options = (
            tag("option", label, value=value, selected=value == one["chosen"]) for value, label in one["options"]
        )
        select = tag("select", *options, name="put", id=f"put-{number}")
        rows.append(tag("p", tag("label", named(one["name"]), for_=f"put-{number}"), select, class_="field"))
    return join(tag("div", *rows, class_="slots"), tag("button", "Judge it", class_="go"))
