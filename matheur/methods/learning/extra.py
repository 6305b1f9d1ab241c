"""The optional libraries behind the networks."""

from __future__ import annotations

from importlib.util import find_spec

from matheur.errors import ConfigurationError

__all__ = ["need_jax"]


def need_jax(what: str) -> None:
    """Say how to get the libraries if they are missing.

    Raises
    ------
    ConfigurationError
        With `what` needs them.
    """
    if any(find_spec(name) is None for name in ("jax", "optax")):
        raise ConfigurationError(f"{what} needs JAX and Optax. Maybe pip install 'matheur[neural]'?")
