"""Compressed files: gzip, bzip2 and xz."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path, PurePath
from typing import Any

__all__ = ["ending_of", "form_of", "pack", "unpack", "without_ending"]

_ENDINGS = (".gz", ".bz2", ".xz")
_MEMORY = 256 * 2**20  # of xz: its own files with the highest level need 65 MiB


def without_ending(name: str) -> str:
    """The name of a file without the ending of its compression, in either case."""
    return next((name[: -len(one)] for one in _ENDINGS if name.lower().endswith(one)), name)


def ending_of(name: Path | str) -> str:
    """The ending of a name in lower case, without that of its compression: `.clq` for `A.CLQ.gz`; empty if none."""
    return PurePath(without_ending(str(name)).lower()).suffix


def form_of(data: bytes) -> str:
    """The form of compression that the first bytes of the data indicate; empty for other data."""
    return next((form for form, (magic, _) in _FORMS.items() if data.startswith(magic)), "")


def pack(chunks: Iterable[bytes], name: str) -> Iterator[bytes]:
    """The content of a file of this name in chunks, compressed reproducibly in the form that its ending indicates."""
    ending = name[len(without_ending(name)) :].lower()
    packer: Any
    if ending == ".gz":
        import zlib

        packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)  # with the head of gzip, without a time
    elif ending == ".bz2":
        import bz2

        packer = bz2.BZ2Compressor()
    elif ending == ".xz":
        import lzma

        packer = lzma.LZMACompressor()
    else:
        yield from chunks
        return
    yield from map(packer.compress, chunks)
    yield packer.flush()


def unpack(data: bytes, form: str, most: int) -> bytes:
    """Unpacked data; if they exceed `most` bytes, the first `most + 1` bytes.

    Raises
    ------
    ValueError
        If the data are truncated or damaged, or need too much memory.
    """
    return _FORMS[form][1](data, most)


def _gzip(data: bytes, most: int) -> bytes:
    import gzip
    import zlib

    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as file:
            return file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(str(error)) from None


def _bzip2(data: bytes, most: int) -> bytes:
    import bz2

    try:
        with bz2.BZ2File(BytesIO(data)) as file:
            return file.read(most + 1)
    except (OSError, EOFError) as error:
        raise ValueError(str(error)) from None


def _xz(data: bytes, most: int) -> bytes:
    """The streams of a file one after the other: a reader of whole files has no memory limit."""
    import lzma

    found = b""
    while data and len(found) <= most:
        part = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
        try:
            found += part.decompress(data, most + 1 - len(found))
        except lzma.LZMAError as error:
            raise ValueError(str(error)) from None
        if not part.eof and len(found) <= most:
            raise ValueError("it ends too early")
        data = part.unused_data.lstrip(b"\0")
    return found


_FORMS: dict[str, tuple[bytes, Callable[[bytes, int], bytes]]] = {
    "gzip": (b"\x1f\x8b", _gzip),
    "bzip2": (b"BZh", _bzip2),
    "xz": (b"\xfd7zXZ\x00", _xz),
}
