"""Write the tables of operators in README.md and docs/problems/ from the registrations of the problems.

    python docs/tables.py

The tables are between `<!-- operators: PROBLEM -->` and `<!-- end -->`; `<!-- operators -->` begins the table of all
problems. The script changes nothing outside these lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from matheur.engine.registration import Registration, built_in
from matheur.engine.registry import Entry
from matheur.running.configuration import preset_names

__all__ = ["PAGES", "renewed"]

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs" / "problems").glob("*.md")))
"""Pages with such tables."""

_KINDS = {
    "construction": "what it does",
    "neighbourhood": "what it does",
    "model": "whole MILP, for `matheur export model`",
}
_MARKED = re.compile(r"(<!-- operators(?:: ([\w-]+))? -->\n).*?(<!-- end -->)", re.DOTALL)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(map(_row, (head, ("---",) * len(head), *rows)))


def _of_kind(registration: Registration, kind: str) -> Iterator[tuple[str, Entry]]:
    for entry in registration.operators:
        what, _, name = entry.name.partition(".")
        if what == kind:
            yield name, entry


def _page_tables(registration: Registration) -> str:
    """Return the operators of one problem, in one table for each kind."""
    tables = []
    for kind, meaning in _KINDS.items():
        rows = [(f"`{name}`", entry.summary) for name, entry in _of_kind(registration, kind)]
        if rows:
            tables.append(_table((kind, meaning), rows))
    return "\n\n".join(tables)


def _overview(registrations: Mapping[str, Registration]) -> str:
    """Return a table of operators and presets with a row for each problem; shared operators have their own rows."""
    kinds = ("construction", "neighbourhood")
    shared: dict[str, dict[str, list[str]]] = {}  # by package, by kind
    for registration in registrations.values():
        for kind in kinds:
            for package, names in _names(registration, kind).items():
                if package != registration.package:
                    known = shared.setdefault(package, {}).setdefault(kind, [])
                    known += [name for name in names if name not in known]

    def cell(registration: Registration, kind: str) -> str:
        names = _names(registration, kind)
        shown = names.pop(registration.package, [])
        for package, taken in names.items():
            missing = [name for name in shared[package][kind] if name not in taken]
            shown.append(_shared(package) + (f" but {', '.join(missing)}" if missing else ""))
        return ", ".join(shown)

    rows = [
        (f"`{name}`", *(cell(one, kind) for kind in kinds), ", ".join(f"`{preset}`" for preset in preset_names(name)))
        for name, one in registrations.items()
    ]
    rows += [(_shared(package), *(", ".join(of.get(kind, [])) for kind in kinds), "") for package, of in shared.items()]
    return _table(("problem", "constructions", "neighbourhoods", "presets"), rows)


def _shared(package: str) -> str:
    """Name in the table of a package whose operators several problems share."""
    return f"*{package.rpartition('.')[2]}*"


def _names(registration: Registration, kind: str) -> dict[str, list[str]]:
    """Names of operators, in code marks, by the package of their problem or the package that several problems share."""
    found: dict[str, list[str]] = {}
    for name, entry in _of_kind(registration, kind):
        inside = str(entry.target).startswith(f"{registration.package}.")
        package = registration.package if inside else ".".join(str(entry.target).split(".")[:3])
        found.setdefault(package, []).append(f"`{name}`")
    return found


def renewed(text: str) -> str:
    """Return the text of a page with new tables."""
    registrations = built_in()

    def table(match: re.Match[str]) -> str:
        problem = match[2]
        made = _page_tables(registrations[problem]) if problem else _overview(registrations)
        return f"{match[1]}\n{made}\n\n{match[3]}"

    return _MARKED.sub(table, text)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(renewed(page.read_text(encoding="utf-8")), encoding="utf-8")
