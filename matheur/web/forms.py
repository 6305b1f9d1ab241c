"""Forms and uploads as browsers send them; all other input is refused with a message."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.requests import ClientDisconnect, Request

from matheur.errors import InputError

__all__ = ["form_of", "text_of", "uploads_of", "whole_of"]

_DIGITS = 10
_ESCAPED = {"%22": '"', "%0D": "\r", "%0A": "\n"}  # escapes of browsers for characters that cannot be in a header


@asynccontextmanager
async def form_of(request: Request, *, files: int = 0, fields: int, part: int = 2**20) -> AsyncIterator[FormData]:
    """The fields of a form.

    Parameters
    ----------
    files, fields
        Maximum numbers of files and of other fields.
    part
        Maximum number of bytes of a field.

    Raises
    ------
    InputError
        If the form is malformed, or has an encoding other than UTF-8.
    starlette.exceptions.HTTPException
        If there are too many fields, or if a field is too large.
    """
    said = request.headers.get("content-type", "")
    charset = said.lower().partition("charset=")[2].partition(";")[0].strip().strip('"')
    if charset not in ("", "utf-8", "utf8"):
        raise InputError(f"a form must be in UTF-8 here ({charset[:40]!r})")
    try:
        form = await request.form(max_files=files, max_fields=fields, max_part_size=part)
    except ClientDisconnect:
        raise InputError("the form is incomplete") from None
    except (ValueError, LookupError, UnicodeError) as error:  # also `FormParserError`
        raise InputError(f"the form cannot be read ({type(error).__name__})") from None
    try:
        yield form
    finally:
        await form.close()


def text_of(form: Any, name: str) -> str:
    """A field as text with LF line ends; empty if it is missing."""
    found = form.get(name, "")
    return _plain(found).replace("\r\n", "\n") if isinstance(found, str) else ""


def whole_of(form: Any, name: str) -> int | None:
    """A field as a non-negative integer; None if it is empty.

    Raises
    ------
    InputError
        If it holds anything else, or more than ten digits.
    """
    text = text_of(form, name).strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise InputError(f"'{name}' must be a whole number from 0 ({text[:40]!r})")
    return int(text)


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


async def uploads_of(form: FormData) -> dict[str, bytes]:
    """The uploaded files by their names, without folders.

    Raises
    ------
    InputError
        If two different files have the same name.
    """
    files: dict[str, bytes] = {}
    for upload in form.getlist("files"):
        if not isinstance(upload, UploadFile) or not upload.filename:
            continue
        name, data = _name_of(upload.filename), await upload.read()
        if files.setdefault(name, data) != data:
            raise InputError(f"two different files have the name '{name[:100]}'. Maybe upload them one at a time?")
    return _as_named(files)


def _name_of(sent: str) -> str:
    for escape, sign in _ESCAPED.items():
        sent = sent.replace(escape, sign)
    return _plain(sent.replace("\\", "/").rpartition("/")[2]) or "unnamed"


def _as_named(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same files; tables get the Unicode form of accents (composed or decomposed) that the puzzle uses for them."""
    named = {unicodedata.normalize("NFC", one): one for data in files.values() for one in _tables_of(data)}
    found: dict[str, bytes] = {}
    for name, data in files.items():
        meant = named.get(unicodedata.normalize("NFC", name), name)
        found[name if meant in files or meant in found else meant] = data
    return found


def _tables_of(data: bytes) -> list[str]:
    if data.lstrip()[:1] != b"{":
        return []
    try:
        puzzle = json.loads(data)
    except (ValueError, RecursionError):
        return []
    table = puzzle.get("cards")
    return [table] if isinstance(table, str) else []
