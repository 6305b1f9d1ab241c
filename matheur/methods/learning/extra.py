"""The optional libraries behind the networks."""

from __future__ import annotations

from importlib.util import find_spec

from matheur.errors import ConfigurationError

__all__ = ["need_jax"]


def need_jax(what: str) -> None:
    """Check that the libraries are installed.

    Raises
    ------
    ConfigurationError
        If they are missing. The message says that `what` needs them, and how to install them.
    """
    if any(find_spec(name) is None for name in ("jax", "optax")):
        raise ConfigurationError(f"{what} needs JAX and Optax. Maybe pip install 'matheur[neural]'?")
