"""The documentation site is built without warnings, is complete, and needs no network."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from docs.pages import PAGES, ROOT

pytest.importorskip("sphinx", reason="the extra 'docs' is not installed")

INNER = re.compile(r"matheur\.((cli|web)(\..*)?|learning\.trained|campaign\.report\.sections|problems\.\w+\.picture)")
"""Packages that other programs do not import."""
_LINK = re.compile(r'<(?:a|link|script|img)\b[^>]*?\b(?:href|src)="([^"]*)"')
_LOADED = re.compile(
    r'<(?:link|script|img|iframe)\b[^>]*?\b(?:href|src)="([^"]*)"|@import|url\((?!["\']?data:)([^)]*)\)'
)
_ANCHOR = re.compile(r'\b(?:id|name)="([^"]*)"')


_WITHOUT_SEARCH = (
    "from sphinx.builders.html import StandaloneHTMLBuilder; StandaloneHTMLBuilder.search = False; "
    "import runpy; runpy.run_module('sphinx', run_name='__main__', alter_sys=True)"
)


def build(source: Path, out: Path, *options: str, search: bool = True) -> subprocess.CompletedProcess[str]:
    """Build a site with the options that the documentation gives."""
    command = [sys.executable, "-P", *(["-m", "sphinx"] if search else ["-c", _WITHOUT_SEARCH])]
    command += ["-q", "-W", "--keep-going", "-c", str(source / "docs"), *options]
    command += ["-d", str(out.parent / "doctrees"), str(source), str(out)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def targets(page: Path) -> Iterator[tuple[str, Path, str]]:
    """Return the links of a page within the site: as written, the file, the anchor."""
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if not re.match(r"[a-z]+:", link):
            name, _, anchor = unquote(html.unescape(link)).partition("#")
            yield link, (page.parent / name.partition("?")[0]).resolve() if name else page, anchor


@pytest.mark.slow
def test_site_is_whole(tmp_path: Path) -> None:
    """The site is built without warnings, has all pages, no broken links, and needs no network.

    The test uses the theme `basic`, because the navigation of the usual theme takes a third of the time, and no index
    of words and no typographic quotes, which take a sixth.
    """
    site = tmp_path / "html"
    done = build(ROOT, site, "-D", "html_theme=basic", "-D", "smartquotes=0", search=False)
    assert done.returncode == 0, done.stdout + done.stderr
    has_all_pages(site)
    has_no_broken_links(site)
    has_the_reference(site)
    assert needs_no_network(site) > 100


def has_all_pages(site: Path) -> None:
    """Check for a page for every Markdown file and every public package."""
    for path in [*PAGES, *(ROOT / "experiments").glob("*/README.md")]:
        assert (site / path.relative_to(ROOT)).with_suffix(".html").exists(), path
    inits = [path for top in ("matheur", "models") for path in (ROOT / top).rglob("__init__.py")]
    folders = [path.parent.relative_to(ROOT) for path in inits if path.parent != ROOT / "matheur" / "models"]
    names = [".".join(folder.parts).replace("models", "matheur.models", 1) for folder in folders]
    public = {name for name in names if not INNER.fullmatch(name)}
    assert {path.stem for path in (site / "docs" / "api").glob("*.html")} == public


def has_no_broken_links(site: Path) -> None:
    """Check that every link has an existing file and anchor, including generated links."""
    pages = {path: set(_ANCHOR.findall(path.read_text(encoding="utf-8"))) for path in site.rglob("*.html")}
    assert len(pages) > 100
    checked = 0
    for page in pages:
        for link, target, anchor in targets(page):
            assert target.exists(), f"{page.name}: {link}"
            assert not anchor or target not in pages or anchor in pages[target], f"{page.name}: {link}"
            checked += 1
    assert checked > 10_000


def has_the_reference(site: Path) -> None:
    """Check that signatures link to their classes and that protocols show their methods."""
    page = (site / "docs" / "api" / "matheur.engine.html").read_text(encoding="utf-8")
    assert 'id="matheur.engine.Neighbourhood.explore"' in page
    assert re.search(r'<a[^>]*href="#matheur.engine.Budget"[^>]*><span class="pre">Budget</span>', page)


def needs_no_network(site: Path) -> int:
    """Check that the pages load no external files, and return the number of loaded files."""
    loaded = 0
    for path in [*site.rglob("*.html"), *site.rglob("*.css")]:
        for match in _LOADED.finditer(path.read_text(encoding="utf-8")):
            assert not re.match(r"\s*[\"']?(?:https?:)?//", match[1] or match[2] or ""), f"{path.name}: {match[0]}"
            loaded += 1
    return loaded


def test_the_theme_needs_no_network(tmp_path: Path) -> None:
    """The pages of the published theme contain their styles, scripts and pictures."""
    docs = small_tree(tmp_path)
    (docs / "index.md").write_text("# Site\n\nNothing\n", encoding="utf-8")
    done = build(docs.parent, tmp_path / "html")
    assert done.returncode == 0, done.stderr
    assert needs_no_network(tmp_path / "html") > 5
    assert "furo" in (tmp_path / "html" / "docs" / "index.html").read_text(encoding="utf-8")


def small_tree(tmp_path: Path) -> Path:
    """Return the folder of documents of a tree with the settings of this one and no page."""
    docs = tmp_path / "tree" / "docs"
    shutil.copytree(ROOT / "docs" / "_sphinx", docs / "_sphinx")
    shutil.copy(ROOT / "docs" / "conf.py", docs)
    return docs


def test_broken_links_fail(tmp_path: Path) -> None:
    """A link to a missing page, heading or name fails the build with an error; valid links cause none."""
    broken = {
        "[nowhere](nowhere.md)": "nowhere.md",
        "[a part](there.md#other)": "other",
        "```{eval-rst}\n`matheur.engine.Budgie`\n```": "matheur.engine.Budgie",
    }
    docs = small_tree(tmp_path)
    text = "\n\n".join(["# Site", "[There](there.md)", "[there](there.md#part)", *broken])
    (docs / "index.md").write_text(f"{text}\n", encoding="utf-8")
    (docs / "there.md").write_text("# There\n\n## Part\n", encoding="utf-8")
    done = build(docs.parent, tmp_path / "html")
    assert done.returncode != 0
    assert "index.md:3" not in done.stderr
    assert "index.md:5" not in done.stderr
    for complaint in broken.values():
        assert complaint in done.stderr
