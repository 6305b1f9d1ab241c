"""The files of a report."""

from __future__ import annotations

import csv
import io
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote

import pytest
from campaign.report.conftest import HOSTILE, VARIANT
from typer.testing import CliRunner

from matheur.campaign import Store, make_plan, read_campaign
from matheur.campaign.report import Report, Written, write_report
from matheur.campaign.report.document import Cell, Column, Section, Table
from matheur.campaign.report.markdown import escape_markdown, write_markdown
from matheur.campaign.report.page import write_page
from matheur.campaign.report.tables import escape_latex, write_csv, write_latex
from matheur.cli.app import app
from matheur.errors import InputError

ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "h1", "h2", "h3", "p", "bdi", "dl", "div", "dt",
    "dd", "nav", "ul", "li", "main", "section", "table", "caption", "thead", "tbody", "tr", "th", "td", "button",
    "details", "summary", "figure", "figcaption", "svg", "g", "path", "text", "circle", "img", "pre", "script",
    "wbr",
}  # fmt: skip


class Elements(HTMLParser):
    """Elements and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def strange(*texts: str) -> Table:
    """A table of such texts."""
    columns = (Column("name <i>", hint='"hint"'), Column("n & m", True))
    return Table("strange", texts[0], columns, [[Cell(text, text), Cell("1", 1)] for text in texts], note=texts[-1])


def test_the_page_has_our_elements_alone(written: Written) -> None:
    """No element and no attribute comes from a name; nothing is loaded; the policy allows our style and script."""
    text = written.page.read_text()
    found = Elements(text)
    assert set(found.names) <= ELEMENTS
    assert found.names.count("script") == found.names.count("style") == 1
    assert not [name for name, _ in found.attributes if name.startswith("on") or name == "style"]
    sources = [value for name, value in found.attributes if name == "src"]
    assert sources
    assert all(value.startswith("data:image/svg+xml;base64,") for value in sources)
    links = [value for name, value in found.attributes if name == "href"]
    assert not [value for value in links if re.match(r"[a-z]+:|//", value)]
    (policy,) = [value for _, value in found.attributes if value.startswith("default-src")]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_files_lie_beside_the_page(written: Written) -> None:
    """Tables as CSV and LaTeX, figures as SVG, by the names that Markdown and page use."""
    tables = sorted(path.name for path in (written.files / "tables").iterdir())
    assert {"variants.csv", "variants.tex", "instances.csv", "runs.csv", "operators.tex"} <= set(tables)
    text = written.markdown.read_text()
    images = re.findall(r"!\[.*?[^\\]\]\(([^)]*)\)", text)
    assert len(images) > 4
    for address in images:
        assert (written.markdown.parent / unquote(address)).is_file(), address
    assert "(report.html)" in text


def test_csv_has_all_runs(written: Written) -> None:
    """One row a run, numbers in full, names as they are; formulas are disarmed."""
    with (written.files / "tables" / "runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 39
    names = {row["instance"] for row in rows}
    assert HOSTILE[0] in names
    assert "'" + HOSTILE[2] in names
    assert not [name for name in names if name.startswith("=")]
    assert {row["variant"] for row in rows} == {"random", VARIANT}
    assert all(float(row["gap"]) >= 0 for row in rows if row["gap"])


def test_markdown_tables_keep_their_columns() -> None:
    """Bars, line breaks, links and tags in names are text; each row has as many cells as the head."""
    report = Report("*t*", "s", [("a", "`b`")], [Section("x", "# y", [strange(*HOSTILE)])])
    text = write_markdown(report, page="a b.html", files="f")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(HOSTILE)
    assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 3 for row in rows)
    assert not re.search(r"(?<!\\)<", text)
    assert not re.search(r"(?<!\\)\]\(javascript", text)
    assert escape_markdown("1. - # a\n- b") == r"1\. - # a - b"
    assert [escape_markdown(text) for text in ("# x", "21.6 %", "-3")] == [r"\# x", "21.6 %", r"\-3"]
    assert escape_markdown("- b") == r"\- b"


def test_latex_is_only_text() -> None:
    """No name begins a command, a comment or mathematics."""
    text = write_latex(strange(*HOSTILE))
    body = text.split("\\midrule\n")[1].split("\\bottomrule")[0]
    assert body.count(" & ") == body.count("\\\\\n") == len(HOSTILE)
    commands = set(re.findall(r"\\([a-z]+)", body))
    assert commands <= {"textbackslash", "textless", "textgreater", "textbar", "textquotedbl", "textquotesingle",
                        "textasciicircum", "textasciitilde", "textasciigrave"}  # fmt: skip
    assert not re.search(r"(?<!\\)[%#$_]", body)
    assert [escape_latex(text) for text in ("ü–é漢", "a--b-c---")] == ["ü--é?", "a-{}-b-c-{}-{}-"]
    long = strange(*[str(i) for i in range(60)])
    assert "\\begin{longtable}{lr}" in write_latex(long)


def test_values_are_written_in_full() -> None:
    """CSV has the value, not what people see, and nothing for nothing."""
    row = [Cell("33.3 %", 1 / 3), Cell("-", None), Cell("x", "x"), Cell("1,234", 1234)]
    table = Table("t", "t", [Column(str(i)) for i in range(4)], [row])
    assert next(csv.reader(io.StringIO(write_csv(table).splitlines()[1]))) == [repr(1 / 3), "", "x", "1234"]


def test_long_tables_are_cut_on_the_page() -> None:
    """With a note and a link to the whole."""
    columns = (Column("name"), Column("n", True))
    rows = [[Cell(f"row{i}", f"row{i}"), Cell(str(i), i)] for i in range(30)]
    table = Table("long", "Long", columns, rows, shown=10, folded=True)
    text = write_page(Report("t", "s", [], [Section("a", "A", [table])]), files="x-files", refresh=5)
    assert "row9<" in text
    assert "row10<" not in text
    assert 'href="x-files/tables/long.csv"' in text
    assert '<meta http-equiv="refresh" content="5">' in text


def test_a_report_elsewhere_finds_its_runs(campaign: Path, tmp_path: Path) -> None:
    """Addresses start from where the page is, also from a folder with a strange name; old figures go."""
    out = tmp_path / "a b#c%20" / "page.html"
    out.parent.mkdir()
    (out.parent / "page-files" / "figures").mkdir(parents=True)
    stale = out.parent / "page-files" / "figures" / "stale.svg"
    stale.write_text("old")
    written = write_report(campaign, out, pictures=1)
    assert not stale.exists()
    links = {value for name, value in Elements(written.page.read_text()).attributes if name == "href"}
    results = [link for link in links if link.endswith(".json")]
    assert len(results) > 20
    assert all((out.parent / unquote(link)).is_file() for link in results)
    assert len(list((written.files / "figures").glob("solution-*.svg"))) == 1


def test_the_command(campaign: Path, tmp_path: Path) -> None:
    """`matheur campaign report` writes the files and says where; wrong names are refused."""
    runner = CliRunner()
    done = runner.invoke(app, ["campaign", "report", str(campaign), "--out", str(tmp_path / "r.html"), "--json"])
    assert done.exit_code == 0
    assert str(tmp_path / "r.md") in done.stdout
    assert (tmp_path / "r-files" / "tables" / "runs.csv").is_file()
    with pytest.raises(InputError, match=r"Maybe a name that ends in \.html"):
        write_report(campaign, tmp_path / "r.md")
    with pytest.raises(InputError, match="no such folder"):
        write_report(campaign, tmp_path / "nowhere" / "r.html")


def test_the_page_follows_a_campaign(campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `--every` it is written until nothing is left; the last page is not looked at again."""
    from matheur.campaign import status
    from matheur.cli import campaign_report

    left, clock = iter([1, 1, 0]), iter(range(100))
    pages: list[str] = []
    out = tmp_path / "r.html"

    def read(_: Path) -> SimpleNamespace:
        pages.append(out.read_text() if out.exists() else "")
        return SimpleNamespace(left=next(left))

    monkeypatch.setattr(status, "read_status", read)
    monkeypatch.setattr(campaign_report, "time", SimpleNamespace(monotonic=lambda: next(clock), sleep=lambda _: None))
    done = CliRunner().invoke(app, ["campaign", "report", str(campaign), "--out", str(out), "--every", "7"])
    assert done.exit_code == 0
    assert ['<meta http-equiv="refresh" content="7">' in page for page in pages] == [False, True, True]
    assert "refresh" not in out.read_text()


def test_a_campaign_without_runs(campaign: Path, tmp_path: Path) -> None:
    """A report can be made before the first run has ended, and without any solution."""
    toml = campaign.with_suffix(".toml")
    shutil.copy(toml.parent / "best.csv", tmp_path / "best.csv")
    for path in toml.parent.glob("*.t[ox]*"):
        shutil.copy(path, tmp_path / path.name)
    store = Store(tmp_path / "tried.campaign")
    store.prepare()
    store.save_plan(make_plan(read_campaign(tmp_path / "tried.toml")))
    text = write_report(tmp_path / "tried.toml").page.read_text()
    assert "0 runs of 40 finished, 40 left." in text
    assert set(Elements(text).names) <= ELEMENTS
