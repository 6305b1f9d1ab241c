"""The small package of kernels, copied to be changed and run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matheur

__all__ = ["START", "Package", "finished"]

LIBRARY = Path(matheur.__file__).parents[1]
START = "from small import upper; upper.main()"


@dataclass(frozen=True, slots=True)
class Package:
    """A copy of the package `small`.

    Attributes
    ----------
    folder
        The folder that contains it.
    """

    folder: Path

    @property
    def cached(self) -> set[Path]:
        """The files of machine code next to the modules."""
        return set((self.folder / "small" / "__pycache__").glob("*.nb?"))

    def change(self, module: str, old: str, new: str) -> None:
        """Change a module as an upgrade can do it: the file keeps its size and its time."""
        path = self.folder / "small" / f"{module}.py"
        text, before = path.read_text(), path.stat()
        assert text.count(old) == 1
        assert len(old) == len(new)
        path.write_text(text.replace(old, new))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def start(self, *arguments: str, code: str = START, **environment: str) -> subprocess.Popen[str]:
        """Start Python on the package."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
        # Python's own cache believes in times, which is not what these tests are about.
        own = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": f"{self.folder}{os.pathsep}{LIBRARY}"}
        return subprocess.Popen(
            [sys.executable, "-c", code, *arguments], env=kept | own | environment, cwd=self.folder, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, code: str = START, **environment: str) -> dict[str, Any]:
        """What the package's command prints, and its errors."""
        return finished(self.start(code=code, **environment))


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What a process of the package prints, and its errors."""
    out, errors = process.communicate("\n")
    assert process.returncode == 0, errors
    return {**json.loads(out.splitlines()[-1]), "errors": errors}
