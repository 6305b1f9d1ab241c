"""The optional libraries behind the workbench."""

from __future__ import annotations

from importlib.util import find_spec

from matheur.errors import ConfigurationError

__all__ = ["need_web"]


def need_web() -> None:
    """Say how to get the libraries if they are missing.

    Raises
    ------
    ConfigurationError
        That names the extra.
    """
    if any(find_spec(name) is None for name in ("starlette", "uvicorn", "python_multipart")):
        raise ConfigurationError(
            "the workbench needs Starlette, uvicorn and python-multipart. Maybe pip install 'matheur[web]'?"
        )
