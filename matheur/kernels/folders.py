"""Where machine code may be kept when neither the installation nor the user's home can be written to.

What lies there is executed, so the folder must be this user's alone: nobody else may have made it, write into it or put
another in its place.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

__all__ = ["private_folder", "writable"]


def private_folder() -> Path | None:
    """The user's own folder for machine code among the temporary files, made if need be.

    Returns
    -------
    Path or None
        None if it cannot be made or cannot be trusted: it is a link, belongs to somebody else, or others may write into
        it or replace it.
    """
    if not hasattr(os, "geteuid"):
        return None  # no POSIX: numba finds a folder in the user's profile
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
    """Whether files can be written into a folder, which is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
