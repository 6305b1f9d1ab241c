"""Input bytes as text and lines: every reader accesses files through this module.

It handles encodings, byte order marks, line ends, size limits and compression, and records the assumptions of readers,
which are reported on the screen and in the result.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import unicodedata
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from matheur.engine.compression import ending_of, form_of, unpack, without_ending
from matheur.engine.inputs import BYTES_MAX, read_bytes
from matheur.errors import InputError, shown

__all__ = ["Source", "open_source"]

_PACKED = {
    b"PK\x03\x04": "zip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf": "7z",
}

_NEWLINE = re.compile(r"\r\n|\n|\r")
_PART = re.compile(r"(?<=[^/])#[0-9]{1,9}\Z")  # the number of an instance after the name of its file
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark begins it
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b"))
_END_OF_FILE = "\x1a"  # some old editors end a text with it


@dataclass(frozen=True, slots=True)
class Source:
    """Bytes with the name that error messages use (a path, `<url>`, `<stdin>`).

    Attributes
    ----------
    name, data
        Name for messages, and content.
    part
        Number of the instance in a file with several (`FILE#3`), from 1; None if not given.
    assumed
        Assumptions that readers made where the content is ambiguous, one phrase each; see `assume`.
    confined
        Whether files that this one names must be in its own folder, as for untrusted uploads.
    """

    name: str
    data: bytes
    part: int | None = None
    assumed: list[str] = field(default_factory=list, compare=False)
    confined: bool = False
    _parsed: dict[bytes, Any] = field(default_factory=dict, compare=False, repr=False)  # shared with copies

    def assume(self, phrase: str) -> None:
        """Record an assumption of the reader, such as `goal blank-first, the only one within reach`."""
        if phrase not in self.assumed:
            self.assumed.append(phrase)

    @property
    def file(self) -> str:
        """Name of the file without the number of an instance in it; empty for a URL or standard input."""
        return "" if self.name.startswith("<") else _PART.sub("", self.name)

    @property
    def suffix(self) -> str:
        """Lower-case suffix of the file's name, without that of compression: `.clq` for `A.CLQ.gz#2`; empty if none."""
        return ending_of(self.file.partition("\0")[0])

    @property
    def stem(self) -> str:
        """File name without folder and suffixes, for display; empty for a URL or standard input."""
        return PurePath(without_ending(self.file)).stem

    @property
    def plain(self) -> bytes:
        """Bytes as UTF-8 without a byte order mark, for readers of plain ASCII formats that parse bytes.

        Bytes without a mark are returned unchanged; the reader checks them.

        Raises
        ------
        InputError
            If the bytes have a mark of UTF-16 or UTF-32 and are not valid in that encoding.
        """
        for mark, encoding in _MARKS:
            if self.data.startswith(mark):
                rest = self.data[len(mark) :]
                return rest if encoding == "utf-8" else self._decoded(rest, encoding).encode("utf-8", "surrogatepass")
        return self.data

    @property
    def text(self) -> str:
        """Bytes as text: by the byte order mark, else UTF-8, else Windows-1252 for the other lines (an assumption).

        Raises
        ------
        InputError
            If they are not text, with the line of the first invalid byte.
        """
        for mark, encoding in _MARKS:
            if self.data.startswith(mark):
                return self._decoded(self.data[len(mark) :], encoding).rstrip(_END_OF_FILE)
        try:
            return self.data.decode().rstrip(_END_OF_FILE)
        except UnicodeDecodeError as error:
            # Text in an older encoding has no control characters.
            if len(self.data.translate(None, _CONTROL)) < len(self.data):
                raise self._not_text("UTF-8", error) from None
        self.assume("encoding Windows-1252 in the lines that are not UTF-8")
        return "".join(map(_decoded_line, self.data.splitlines(keepends=True))).rstrip(_END_OF_FILE)

    @property
    def lines(self) -> list[str]:
        """Lines of the text, without their ends (LF, CR LF or CR; no other character ends a line).

        Raises
        ------
        InputError
            If the bytes are not text.
        """
        found = _NEWLINE.split(self.text)
        return found if found[-1] else found[:-1]

    @property
    def json(self) -> Any:
        """Value of a JSON text, parsed once; not to be changed.

        Raises
        ------
        InputError
            If the text is not JSON (with the line), is nested too deeply, or holds a number that Python does not read.
        """
        if self.data in self._parsed:
            return self._parsed[self.data]
        try:
            found = json.loads(self.text)
        except json.JSONDecodeError as error:
            raise self.error(f"not JSON: {error.msg}", error.lineno) from None
        except RecursionError:
            raise self.error("the JSON is nested too deeply") from None
        except ValueError:
            raise self.error("a number in the JSON has too many digits") from None
        self._parsed[self.data] = found
        return found

    def limited(self, most: int, what: str) -> Source:
        """The source itself, if it has at most `most` bytes.

        Raises
        ------
        InputError
            If it is larger: `what` (such as `a board`) has at most this many bytes.
        """
        if len(self.data) > most:
            raise InputError(f"{what} has at most {most:,} bytes ({len(self.data):,})", source=self.name)
        return self

    def single(self, what: str) -> Source:
        """The source itself, for readers of files with one instance.

        Parameters
        ----------
        what
            Content of such a file, as `one board`.

        Raises
        ------
        InputError
            If another part than the first is given (`FILE#2`).
        """
        if self.part not in (None, 1):
            raise self.error(f"a file holds {what}, there is no number {self.part}")
        return self

    def chosen(self, count: int, what: str) -> int:
        """Index of the instance to read in a file with several: that of `part`, else the first, which is noted.

        Parameters
        ----------
        count
            Number of instances in the file.
        what
            Name of an instance, as `graph`.

        Raises
        ------
        InputError
            If the file has no instance of this number.
        """
        part = 1 if self.part is None else self.part
        if not 1 <= part <= count:
            raise self.error(f"a file with {count:,} {what}s, there is no number {part}")
        if self.part is None and count > 1:
            self.assume(f"{what} #1 of {count:,}")
        return part - 1

    @property
    def unpacked(self) -> Source:
        """The source decompressed, if it is compressed by gzip, bzip2 or xz.

        Raises
        ------
        InputError
            If it is compressed in another format, or is incomplete.
        """
        for magic, form in _PACKED.items():
            if self.data.startswith(magic):
                raise self.error(f"compressed ({form}). Maybe unpack it first?")
        form = form_of(self.data)
        if not form:
            return self
        try:
            data = unpack(self.data, form, BYTES_MAX)
        except ValueError as error:
            raise self.error(f"not a whole {form} file ({error})") from None
        if len(data) > BYTES_MAX:
            raise self.error(f"larger than {BYTES_MAX >> 20} MiB")
        return replace(self, data=data)

    def companion(self, name: str) -> Source:
        """A file that this one names; its path is relative to the folder of this file, else to the current folder.

        Raises
        ------
        InputError
            If it cannot be read, or is outside this folder although the source is `confined`.
        """
        folder = Path() if self.name.startswith("<") else Path(self.name).parent
        if self.confined and (
            not name or "/" in name or "\\" in name or name.startswith(".") or (folder / name).is_symlink()
        ):
            raise self.error(f"must name a file that is also given ({shown(name, 60)})")
        return replace(open_source(_existing(folder / name)), confined=self.confined)

    def error(self, message: str, line: int | None = None) -> InputError:
        """An error in this source."""
        return InputError(message, source=self.name, line=line)

    def _decoded(self, data: bytes, encoding: str) -> str:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            raise self._not_text(encoding.upper(), error) from None

    def _not_text(self, encoding: str, error: UnicodeDecodeError) -> InputError:
        line = error.object[: error.start].count(b"\n") + 1
        wrong = shown(error.object[error.start : error.start + 1])
        return self.error(f"not {encoding} text (byte {wrong}). Maybe a binary file?", line)


def _decoded_line(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def _existing(path: Path) -> Path:
    """The path in the Unicode normal form (composed or decomposed accents) that exists in the file system."""
    for form in ("NFC", "NFD"):
        other = Path(unicodedata.normalize(form, str(path)))
        try:
            if not path.exists() and other.exists():
                return other
        except (OSError, ValueError):  # too long, or a NUL in it
            break
    return path


def open_source(path: str | os.PathLike[str], name: str | None = None, part: int | None = None) -> Source:
    """The content of a file, decompressed if it is compressed by gzip, bzip2 or xz.

    Parameters
    ----------
    name
        Name for messages; the path if None.
    part
        Number of the instance in a file with several.

    Raises
    ------
    InputError
        If there is no such file, it is unreasonably large, or compressed in another format.
    """
    name = str(path) if name is None else name
    try:
        return Source(name, read_bytes(os.fspath(path), BYTES_MAX), part).unpacked
    except OSError as error:
        raise InputError(f"cannot read ({error.strerror})", source=name or "''") from None
    except ValueError as error:  # a NUL in the name
        raise InputError(f"cannot read ({error})", source=repr(name)) from None
