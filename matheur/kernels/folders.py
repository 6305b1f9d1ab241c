"""Folder for machine code if neither the installation nor the user's home is writable.

Its content is executed, so the folder must belong to this user alone: nobody else may create, replace or write to it.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

__all__ = ["private_folder", "writable"]


def private_folder() -> Path | None:
    """The user's private folder for machine code among the temporary files, created if necessary.

    Returns
    -------
    Path or None
        The folder; None if it cannot be created or trusted because it is a link, belongs to another user, or others can
        access or replace it.
    """
    if not hasattr(os, "geteuid"):
        return None  # not POSIX: numba uses a folder in the user's profile
    try:
        parent = Path(tempfile.gettempdir()).resolve()
        folder = parent / f"matheur-kernels-{os.geteuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        above, found = parent.stat(), folder.lstat()
    except OSError:
        return None
    replaceable = above.st_uid not in (0, os.geteuid()) or (above.st_mode & 0o022 and not above.st_mode & stat.S_ISVTX)
    if replaceable or not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        return None
    return folder


def writable(folder: Path) -> bool:
    """Whether a folder, which is created if necessary, is writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
