"""Headers of text files, and which kind of problem a file holds."""

from __future__ import annotations

import pytest

from matheur.engine.recognition import Recognition, headers, names_header
from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.running import loading

KNOWN = {"goal": ["blank-first", "blank-last"], "title": []}


def text(*lines: str) -> Source:
    return Source("f", "\n".join(lines).encode())


@pytest.mark.parametrize(
    "line", ["# goal: blank-first", "#goal:blank-first", "## Goal = Blank First", "#\tgoal : blank_first"]
)
def test_headers_are_read_however_they_are_spelt(line: str) -> None:
    """Case, blanks, hyphens and underscores make no difference."""
    assert headers(text("1 2", line), KNOWN) == {"goal": ("blank-first", 2)}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["# gaol: blank-first"], "f:1: unknown header 'gaol'. Maybe 'goal'?"),
        (["", "# goals: blank-first"], "f:2: unknown header 'goals'. Maybe 'goal'?"),
        (["# goal: 1 2 3 4"], "f:1: unknown goal '1 2 3 4'. Maybe one of: blank-first, blank-last."),
        (["# goal: blank-frist"], "f:1: unknown goal 'blank-frist'. Maybe 'blank-first'?"),
        (["# goal: blank-first", "# goal: blank-last"], "f:2: a second goal ('blank-last'), first in line 1"),
    ],
)
def test_wrong_headers_are_refused(lines: list[str], message: str) -> None:
    """A misspelt key, a value that does not exist and a contradiction are errors with their line."""
    with pytest.raises(InputError) as caught:
        headers(text(*lines), KNOWN)
    assert str(caught.value) == message


def test_comments_that_look_like_headers_are_noted() -> None:
    """An unknown word is a comment, which is said unless it merely describes the file."""
    source = text("# states: 3", "# author: somebody", "# what follows: rows", "1 2")
    assert headers(source, KNOWN) == {}
    assert source.assumed == ["line 1, '# states: 3', is a comment"]


def test_a_header_names_its_problem() -> None:
    """Also one that is misspelt, so that the reader can say so."""
    assert names_header(text("1 2", "# goal: nonsense"), ["goal"])
    assert names_header(text("# gaol: blank-first"), ["goal"])
    assert not names_header(text("# pattern: king"), ["goal"])
    assert not names_header(Source("f", b"# goal: x\n\xff\0"), ["goal"])


class _Kind:
    def __init__(self, name: str, claim: Recognition | bool) -> None:
        self.name, self.claim = name, claim

    def recognises(self, source: Source) -> Recognition | bool:
        return self.claim


def _ask(monkeypatch: pytest.MonkeyPatch, **claims: Recognition | bool) -> str:
    kinds = {name: _Kind(name, claim) for name, claim in claims.items()}

    class Types:
        names = staticmethod(lambda: list(kinds))
        get = staticmethod(kinds.__getitem__)

    monkeypatch.setattr(loading, "problem_types", Types)
    return loading.recognise(Source("f", b"1 2")).name


def test_the_surest_claim_counts_whatever_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that proves its kind is not taken by a reader that merely could read it."""
    assert _ask(monkeypatch, a=True, b=Recognition.PROVED, c=Recognition.FITS) == "b"
    assert _ask(monkeypatch, a=False, b=True, c=Recognition.NO) == "b"


def test_two_equal_claims_are_an_error_that_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody guesses between two kinds."""
    with pytest.raises(InputError, match=r"f: may be an instance of a, b or c\. .* --problem a"):
        _ask(monkeypatch, a=True, b=True, c=Recognition.FITS)
    with pytest.raises(InputError, match="not an instance of a known problem"):
        _ask(monkeypatch, a=False, b=Recognition.NO)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("empty.mps", b"", "empty.mps: the file is empty"),
        ("blank.txt", b" \n\n", "blank.txt: the file is empty"),
        ("words.mps", b"\nhello world\n", "words.mps: neither an MPS nor an LP file: it begins with 'hello world'"),
        ("words.lp.gz", b"nothing", "words.lp.gz: neither an MPS nor an LP file: it begins with 'nothing'"),
        ("words.txt", b"nothing", "words.txt: not an instance of a known problem"),
        ("model.nl", b"g3 1 1 0\n", "model.nl: a model for solvers of AMPL. Maybe write it as an MPS or LP file?"),
        ("sat.CNF.gz", b"p cnf 2 1\n1 -2 0\n", "sat.CNF.gz: a satisfiability problem. Maybe write it as"),
        ("own.py", b"import pyomo\n", "own.py: a program in Python. Maybe call matheur.solve(model) in it"),
    ],
)
def test_a_file_that_nobody_claims_is_told_by_those_who_know_its_ending(name: str, data: bytes, message: str) -> None:
    """And an empty one by what it is."""
    source = Source(name, data)
    with pytest.raises(InputError) as caught:
        loading.recognise(source).read(source)
    assert str(caught.value).startswith(message)
