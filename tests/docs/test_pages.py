"""The pages of the documentation are complete and up to date."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from docs.pages import FORMS, PAGES, ROOT

from matheur.cli.earlier_options import _NOW
from matheur.engine import acceptance_criteria, schedules
from matheur.engine.operators import operator_entries
from matheur.problems import problem_types
from matheur.running.configuration import Configuration, preset_names
from matheur.running.solving import solve

_LINK = re.compile(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    headings = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


OTHERS = [page for name in ("examples", "experiments", "matheur") for page in sorted((ROOT / name).rglob("*.md"))]
"""Pages in the folders that they describe."""


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Every link to a file of this repository has an existing target and heading."""
    for match in _LINK.findall(page.read_text(encoding="utf-8")):
        link = match[0] or match[1]
        if link.startswith(("http:", "https:")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_have_the_names_of_today(page: Path) -> None:
    """The pages use no former names of options, although the command line still accepts them."""
    former = re.compile(
        rf"^.*\bmatheur (?:solve|verify|show|diverse|sweep|front)\b.* ({'|'.join(_NOW)})\b", re.MULTILINE
    )
    assert [found[0] for found in former.finditer(page.read_text(encoding="utf-8"))] == []


def test_every_page_can_be_found() -> None:
    """Links from the README lead to every page of the documentation."""
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        for link, _ in _LINK.findall(page.read_text(encoding="utf-8")):
            target = (page.parent / link.partition("#")[0]).resolve()
            if target.suffix == ".md" and target.exists() and target not in reached:
                waiting.append(target)
    assert {page for page in PAGES if page.name != "index.md"} <= reached


def test_forms_are_those_of_a_code_host() -> None:
    """Issue forms have a name and a description in their header, and no relative links, which would break."""
    assert len(FORMS) > 1
    for path in FORMS:
        text = path.read_text(encoding="utf-8")
        assert not _LINK.search(text)
        if path.parent.name == "ISSUE_TEMPLATE":
            assert re.match(r"---\nname: \S.*\nabout: \S.*\n---\n", text), path


def test_operators_are_listed() -> None:
    """The README and the page of the problem name every problem, construction and neighbourhood."""
    for problem in problem_types.names():
        for page in (text_of("README.md"), text_of(f"docs/problems/{problem}.md")):
            for kind in ("construction", "neighbourhood"):
                for entry in operator_entries(problem, kind):  # type: ignore[arg-type]
                    assert f"`{entry.name}`" in page, entry.name
        for preset in preset_names(problem):
            assert f"`{preset}`" in text_of("README.md")


def test_tables_of_operators_are_those_of_the_registrations() -> None:
    """The tables of operators are those that `python docs/tables.py` writes."""
    tables = runpy.run_path(str(ROOT / "docs" / "tables.py"))
    texts = {page: page.read_text(encoding="utf-8") for page in tables["PAGES"]}
    old = [str(page.relative_to(ROOT)) for page, text in texts.items() if tables["renewed"](text) != text]
    assert not old, f"Tables of operators are out of date in {', '.join(old)}. Renew them: python docs/tables.py"
    for problem in problem_types.names():
        assert f"<!-- operators: {problem} -->" in texts[ROOT / "docs" / "problems" / f"{problem}.md"]


def test_choices_are_listed() -> None:
    """The reference lists every schedule, acceptance criterion and configuration key."""
    page = text_of("docs/reference.md")
    for name in (*schedules.names(), *acceptance_criteria.names()):
        assert f"`{name}`" in page, name
    for name in Configuration.__dataclass_fields__:
        assert name in page, name


def test_result_keys_are_listed() -> None:
    """The reference explains every key of a result file and every event."""
    events: list[str] = []
    result = solve(
        "edge-matching/3x3",
        construction="random",
        neighbourhoods=["swap-rotate"],
        iterations=2,
        observers=[lambda event: events.append(event["event"])],
    )
    page = text_of("docs/reference.md")
    for key in (*result.to_dict(), *events):
        assert f"`{key}`" in page, key
