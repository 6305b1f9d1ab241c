"""The version of the installed package: whoever stamps a result or a file with it asks here."""

from __future__ import annotations

from importlib.metadata import version

__all__ = ["__version__"]

__version__: str = version("matheur")
