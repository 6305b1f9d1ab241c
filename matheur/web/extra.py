"""The optional libraries behind the workbench."""

from __future__ import annotations

from importlib.util import find_spec

from matheur.errors import ConfigurationError

__all__ = ["need_web"]


def need_web() -> None:
    """Check that the libraries are installed.

    Raises
    ------
    ConfigurationError
        If one is missing; the message names the extra to install.
    """
    if any(find_spec(name) is None for name in ("starlette", "uvicorn", "python_multipart")):
        raise ConfigurationError(
            "the workbench needs Starlette, uvicorn and python-multipart. Maybe pip install 'matheur[web]'?"
        )
