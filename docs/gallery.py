"""Draw the pictures of docs/gallery.md with the commands that the page shows.

    python docs/gallery.py

The pictures are written to docs/images.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

__all__ = ["PAGE", "pictures"]

PAGE = Path(__file__).with_suffix(".md")
_PICTURE = re.compile(
    r"^```sh\n(?P<commands>[^`]*--out (?P<name>[\w-]+\.svg)\n)```\n\n<img src=\"images/gallery-(?P=name)\"", re.M
)


def pictures(page: str) -> dict[str, str]:
    """Return the commands by the name of the picture that they write."""
    return {found["name"]: found["commands"] for found in _PICTURE.finditer(page)}


def main() -> None:
    """Run the commands of all pictures."""
    for name, commands in pictures(PAGE.read_text(encoding="utf-8")).items():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["bash", "-euc", commands], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            (PAGE.parent / "images" / f"gallery-{name}").write_bytes((Path(folder) / name).read_bytes())


if __name__ == "__main__":
    main()
