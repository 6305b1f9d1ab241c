"""Bytes from outside as text and lines."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matheur.engine.source import Source
from matheur.errors import InputError, printable, shown
from matheur.running.loading import read_source

COMPRESSED = [("gz", "gzip", gzip.compress), ("BZ2", "bzip2", bz2.compress), ("xz", "xz", lzma.compress)]


@pytest.mark.parametrize(
    "data",
    [
        "Höhe\n1".encode(),
        codecs.BOM_UTF8 + "Höhe\n1".encode(),
        "Höhe\n1".encode("utf-16"),
        codecs.BOM_UTF16_BE + "Höhe\n1".encode("utf-16-be"),
        "Höhe\n1".encode("utf-32"),
        "Höhe\n1".encode("cp1252"),
        "Höhe\n1\x1a".encode(),
    ],
)
def test_text_of_the_usual_encodings_is_read(data: bytes) -> None:
    """A byte order mark decides, else UTF-8, else Windows-1252."""
    assert Source("f", data).lines == ["Höhe", "1"]


def test_a_guessed_encoding_is_an_assumption() -> None:
    """What is not UTF-8 is read as Windows-1252 line by line, and noted once."""
    source = Source("f", "größer\n".encode() + "größer\n".encode("cp1252"))
    assert source.lines == ["größer", "größer"]
    assert source.lines
    assert source.assumed == ["encoding Windows-1252 in the lines that are not UTF-8"]


def test_bytes_that_are_no_text_are_refused_with_their_line() -> None:
    """Control characters and broken UTF-16 stand in no text."""
    for data, line in ((b"a\n\xff\0", 2), (codecs.BOM_UTF16_LE + b"a\0\n\0\x00\xd8", 2)):
        with pytest.raises(InputError, match="Maybe a binary file") as caught:
            Source("f", data).text  # noqa: B018 - reading is what fails
        assert caught.value.line == line


@given(st.lists(st.text(alphabet=st.characters(exclude_characters="\r\n\x1a", codec="utf-8"), min_size=1), min_size=1))
def test_only_line_feeds_and_carriage_returns_end_lines(lines: list[str]) -> None:
    """Other characters that Python takes for line ends do not, so that line numbers are those of an editor."""
    if lines[0].startswith("\ufeff"):
        return
    for end in ("\n", "\r\n", "\r"):
        assert Source("f", (end.join(lines) + end).encode()).lines == lines


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_source(data: bytes) -> None:
    """Any bytes are text or an `InputError`."""
    with suppress(InputError):
        assert len(Source("f", data).lines) <= len(data) + 1


@pytest.mark.parametrize(("ending", "form", "compress"), COMPRESSED)
def test_what_is_compressed_is_unpacked(
    tmp_path: Path, ending: str, form: str, compress: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A compressed file is read as its content, also in parts; one that is broken or too large is one sentence."""
    path = tmp_path / f"x.clq.{ending}"
    path.write_bytes(compress(b"p edge ") + compress(b"2 1\n"))
    source = read_source(str(path))
    assert (source.data, source.suffix, source.stem) == (b"p edge 2 1\n", ".clq", "x")
    path.write_bytes(compress(b"p edge 2 1\n" * 50)[:-9])
    with pytest.raises(InputError, match=f"not a whole {form} file"):
        read_source(str(path))
    path.write_bytes(compress(bytes(4 << 20)))
    monkeypatch.setattr("matheur.engine.source.BYTES_MAX", 1 << 20)
    with pytest.raises(InputError, match="larger than 1 MiB"):
        read_source(str(path))


def test_xz_gets_a_limited_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file whose head asks for more is refused before anything is unpacked."""
    path = tmp_path / "x.xz"
    path.write_bytes(lzma.compress(b"p edge 2 1\n"))
    monkeypatch.setattr("matheur.engine.compression._MEMORY", 1 << 16)
    with pytest.raises(InputError, match="not a whole xz file"):
        read_source(str(path))


def test_other_compression_is_named(tmp_path: Path) -> None:
    """Archives are not unpacked."""
    path = tmp_path / "x.zip"
    path.write_bytes(b"PK\x03\x04rest")
    with pytest.raises(InputError, match="compressed \\(zip\\)"):
        read_source(str(path))


@given(st.text() | st.binary())
def test_shown_values_are_printable_and_short(value: str | bytes) -> None:
    """No value of a file acts on a terminal."""
    for text in (shown(value), printable(shown(value, most=10)), printable(str(value))):
        assert text.isprintable()
    assert len(shown(value, most=10)) <= 10 * 10 + 5
