"""Documentation, docstrings, comments and messages are in plain English, without the words of a list."""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from docs.pages import FORMS, PAGES, ROOT

WORDS = {
    r"beside": "next to, in addition to, compared with",
    r"besides": "in addition to, moreover",
    r"anew": "again",
    r"for ever": "forever",
    r"in vain": "without success, without gain",
    r"as of(?! \d)": "as in, as for, see",
    r"so many(?!( \w+)? that)": "this many, or the number by its name",
    r"so much(?!( \w+)? (that|as|more|less|the))": "this much, or the amount by its name",
    r"gone on": "continued",
    r"(?<![.\"])figures(?! \d)(?![/{\"])": "values, measures, statistics; plots",
    r"whoever": "anybody who, a user who, the run that",
    r"what is more": "moreover",
    r"let be": "left as it is",
    r"mend(s|ed|ing)?": "fix, repair, correct",
    r"all the same": "still, nevertheless",
    r"in the mean": "on average",
    r"held against": "checked against, compared with",
    r"to be had": "available, possible",
    r"once more": "again",
    r"little by little": "gradually",
    r"(?<!there )(is|are|was|were) (?-i:none)(?! (of|other|below|at))": "is not a ..., is malformed",
}
"""Patterns and their replacements."""

FOLDERS = ("benchmarks", "examples", "experiments", "matheur", "models")

FRAGMENTS = ("Of", "That", "By", "Among", "Whose", "Under", "As of")
"""First words of descriptions that cannot be read without the name above them."""


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _found(text: str) -> Iterator[str]:
    """Yield the forbidden words of a text, with their context and a replacement."""
    text = _plain(text)
    for pattern, instead in WORDS.items():
        for match in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w-])", text, re.IGNORECASE):
            around = text[max(0, match.start() - 40) : match.end() + 40].strip()
            yield f"'{match[0]}' in '... {around} ...': say {instead}"


def _sources() -> list[Path]:
    """Return the modules and the lists of operators whose texts people read."""
    found = [
        *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")),
        *(ROOT / "matheur").rglob("registration.toml"),
        *(ROOT / "matheur").rglob("*.md"),
    ]
    names = {path.resolve(): path for path in found}  # `matheur/models` may be a link to `models`
    return sorted(names.values())


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield strings of more than one word and blocks of comments, with their lines."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield 1, source
        return
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value
    comments: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comments.append((token.start[0], token.string.lstrip("# ")))
    begin, text = 0, ""
    for line, comment in comments:
        if text and line == begin + text.count("\n") + 1:
            text += "\n" + comment
            continue
        if text:
            yield begin, text
        begin, text = line, comment
    if text:
        yield begin, text


def test_words_that_are_found() -> None:
    """The list finds its words, also across line ends, but not in file names or with other meanings."""
    assert len(list(_found("It is laid anew beside the board, for\n  ever."))) == 3
    assert not list(_found("Figures 7 and 8; `0046-networks-and-tables.md`; so many pieces that it fails"))


@pytest.mark.parametrize(
    "page",
    [*PAGES, *FORMS, *sorted((ROOT / "experiments").rglob("*.md"))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_pages_are_in_plain_words(page: Path) -> None:
    """No page uses a word of the list."""
    assert not list(_found(page.read_text(encoding="utf-8")))


def test_sources_are_in_plain_words() -> None:
    """No docstring, comment or message uses a word of the list."""
    sources = _sources()
    assert len(sources) > 500
    found = [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in sources
        for line, text in _texts(path)
        for word in _found(text)
        if not (word.startswith("'figures'") and (ROOT / "experiments") in path.parents)  # figures of the papers
    ]
    assert not found, "\n".join(found)


def _descriptions(docstring: str) -> Iterator[tuple[str, str]]:
    """Yield the names in the sections Parameters and Attributes with the first line of each description."""
    lines = docstring.split("\n")
    section = ""
    for line, following in itertools.pairwise(lines):
        if re.fullmatch(r"\s*-{3,}\s*", following):
            section = line.strip()
        indent, deeper = (len(one) - len(one.lstrip()) for one in (line, following))
        if section in ("Parameters", "Attributes") and line.strip() and following.strip() and deeper > indent:
            yield line.strip(), following.strip()


def test_descriptions_stand_alone() -> None:
    """A description of a parameter can be read without its name: 'Seed of ...', not 'Of ...'."""
    found, count = [], 0
    for path in _sources():
        if path.suffix != ".py":
            continue
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value:
                for name, text in _descriptions(node.value):
                    count += 1
                    if re.match(rf"({'|'.join(FRAGMENTS)})\b", text):
                        found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {name}: {text}")
    assert count > 1000
    assert not found, "\n".join(found)
