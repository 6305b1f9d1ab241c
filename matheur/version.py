"""The version of the installed package, as written into results and files."""

from __future__ import annotations

from importlib.metadata import version

__all__ = ["__version__"]

__version__: str = version("matheur")
