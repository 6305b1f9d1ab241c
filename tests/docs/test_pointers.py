"""Files, folders and modules that the pages mention exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from docs.pages import PAGES, ROOT

CURRENT = [page for page in (*PAGES, *sorted((ROOT / "experiments").rglob("*.md"))) if page.name != "CHANGELOG.md"]
"""All pages except the change log, which mentions former files."""

_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"(?<![\w./~-])(?:matheur|models|tests|docs|benchmarks|experiments|\.ci)/[\w./*-]+")
_MODULE = re.compile(r"matheur(?:\.\w+)+")
_PLACEHOLDER = re.compile(r"/[^/]*(?:[A-Z]{4}|\*)")
_GROUP = re.compile(r'"(matheur\.\w+)"')
_SCRIPT = re.compile(r"(?<![\w./-])\w+\.py(?!\w)")


def _named(page: Path) -> Iterator[str]:
    """Return the texts in backticks on a page, without fenced blocks."""
    yield from _CODE.findall(_FENCED.sub("", page.read_text(encoding="utf-8")))


def _path_exists(path: str) -> bool:
    """Whether a path exists; of a path with a placeholder (`PROBLEM`, `*`), the part before it."""
    path = _PLACEHOLDER.split(path)[0].rstrip("./")
    return (ROOT / path).exists() or bool(list(ROOT.glob(f"{path}.*")))


def _groups() -> set[str]:
    """Return the names of entry point groups, which look like modules, from the sources."""
    sources = (ROOT / "matheur").rglob("*.py")
    return {name for source in sources for name in _GROUP.findall(source.read_text(encoding="utf-8"))}


def _module_exists(name: str) -> bool:
    """Whether a module exists, or a module with the rest of the name (a class, a function, a method)."""
    parts = name.split(".")[1:]
    place = ROOT / "matheur"
    if parts[0] == "models":  # installed from the top level
        place, parts = ROOT / "models", parts[1:]
    for number, part in enumerate(parts):
        if (place / part).is_dir():
            place /= part
            continue
        source = place / f"{part}.py"
        rest = parts[number + 1 :]
        if not source.exists():
            source, rest = place / "__init__.py", parts[number:]
        words = set(re.findall(r"\w+", source.read_text(encoding="utf-8"))) if source.exists() else set()
        return source.exists() and words.issuperset(rest)
    return True


def test_checks_find_what_is_missing() -> None:
    """The checks find missing paths and modules; a placeholder ends the check of a path."""
    assert _path_exists("matheur/engine/loop.py")
    assert _path_exists("matheur/problems/PROBLEM/operators/NAME.py")
    assert not _path_exists("matheur/engine/lopp.py")
    assert not _path_exists("matheur/operators/PROBLEM/NAME.py")
    assert _module_exists("matheur.engine.loop.LocalSearch.run")
    assert _module_exists("matheur.models.edge_matching")
    assert not _module_exists("matheur.engine.lopp")
    assert not _module_exists("matheur.engine.loop.GlobalSearch")


@pytest.mark.parametrize("page", CURRENT, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_pages_name_exists(page: Path) -> None:
    """Each path, each module of `matheur` and each script that a page mentions exists."""
    groups = _groups()
    scripts = {path.name for folder in ("matheur", "models", "tests", "docs", "benchmarks", "experiments")
               for path in (ROOT / folder).rglob("*.py")}  # fmt: skip
    scripts |= {path.name for path in ROOT.glob("*.py")}
    missing = []
    for code in _named(page):
        missing += [path for path in _PATH.findall(code) if not _path_exists(path)]
        names = _MODULE.findall(code) if re.fullmatch(_MODULE, code) else []
        missing += [name for name in names if name not in groups and not _module_exists(name)]
        missing += [name for name in _SCRIPT.findall(code) if re.fullmatch(r"\w+\.py", code) and name not in scripts]
    assert not missing
