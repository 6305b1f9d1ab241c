"""Patterns of instances: built-in names or files."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path

from matheur.engine.problem_types import problem_types

__all__ = ["from_here", "is_built_in"]

_PARTS = re.compile(r"#[0-9]{1,9}(-[0-9]{1,9})?\Z")


def is_built_in(pattern: str, folder: Path) -> bool:
    """Whether a pattern means built-in instances: it begins with the name of a problem, and no file fits it."""
    kind, _, short = pattern.partition("/")
    if not short or kind not in problem_types.names():
        return False
    file = _PARTS.sub("", pattern)
    if any(os.path.exists(folder / one) for one in (pattern, file)):  # false for names too long for a file system
        return False
    return not (glob.has_magic(file) and any(glob.iglob(_joined(folder, file), recursive=True)))


def from_here(pattern: str) -> str:
    """A pattern whose path starts from the current folder; built-in names and URLs are unchanged."""
    if not pattern.strip() or pattern.startswith(("http://", "https://", "$")) or is_built_in(pattern, Path()):
        return pattern
    here, there = Path.cwd(), os.path.exists(pattern)
    return _joined(here, pattern) if glob.has_magic(pattern) and not there else os.path.join(here, pattern)


def _joined(folder: Path, pattern: str) -> str:
    return os.path.join(glob.escape(str(folder)), pattern)
