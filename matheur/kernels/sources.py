"""Digests of the content of source files."""

from __future__ import annotations

import sys
from functools import cache
from hashlib import sha256
from pathlib import Path

__all__ = ["file_digest", "package_digest"]


@cache
def file_digest(path: str) -> bytes:
    """Digest of a file's content, read once per process; empty if the file cannot be read."""
    try:
        return sha256(Path(path).read_bytes()).digest()
    except OSError:
        return b""


@cache
def package_digest(module: str) -> str:
    """Hexadecimal digest of all source files of the package of `module`, or of its file if it has no package."""
    root = sys.modules.get(module.partition(".")[0])
    found = sha256()
    for folder in getattr(root, "__path__", ()):
        for path in sorted(Path(folder).rglob("*.py")):
            found.update(f"{path.relative_to(folder)}\0".encode() + file_digest(str(path)))
    if root is not None and not hasattr(root, "__path__"):
        found.update(file_digest(str(getattr(root, "__file__", None))))
    return found.hexdigest()
