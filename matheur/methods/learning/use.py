"""Use of a model for a domain: checks that they fit, the view of the states, and the way of computation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError, nearest
from matheur.methods.learning.extra import need_jax
from matheur.methods.learning.model_file import Model
from matheur.methods.statespace.domain import Domain, View, ViewedDomain

__all__ = ["Engine", "Precision", "Use", "outputs_by_key", "outputs_through", "view_of"]

Precision = Literal["float32", "bfloat16", "int8"]
Engine = Literal["auto", "compiled", "jax"]

Outputs = Callable[[NDArray[np.uint64]], NDArray[np.float32]]

_COMPILED = 1 << 20  # parameters of the largest network that is compiled unless asked for
_LESS_MAX, _IMAGES_MAX = 1000, 48


@dataclass(frozen=True, slots=True)
class Use:
    """How a network is computed.

    Attributes
    ----------
    precision
        Precision of the weights: `float32`, `bfloat16` (also of products; with JAX), `int8` (one scale for each unit;
        compiled).
    engine
        `compiled`: one state after the other, without JAX, inside the loop of a search. `jax`: in batches. `auto`:
        compiled for up to a million parameters, and for searches that accept only compiled networks.
    cache
        Most states whose estimates a compiled network caches; for searches that return to states, such as `ida_star`
        and `anytime_beam`. A heuristic with a cache may be used by one thread at a time.
    less
        Amount subtracted from every estimate of a distance before rounding. The order of states does not change, except
        near the goal, where estimates are at least 1; but a best-first search continues as long as a plan that is
        shorter by this amount seems possible, so more plans are optimal.
    images
        Number of views of a state: the state itself and its images under the domain's symmetries. The least of their
        estimates is used: fewer estimates are too large, at this many times the work.

    Raises
    ------
    ConfigurationError
        If the precision or engine is unknown, or they do not go together.
    """

    precision: Precision = "float32"
    engine: Engine = "auto"
    cache: int = 1 << 16
    less: float = 0.0
    images: int = 1

    def __post_init__(self) -> None:
        for what, value, known in (
            ("precision", self.precision, get_args(Precision)),
            ("engine", self.engine, get_args(Engine)),
        ):
            if value not in known:
                raise ConfigurationError(f"unknown {what} of a network '{value}'. {nearest(str(value), known)}")
        if (self.precision, self.engine) in (("bfloat16", "compiled"), ("int8", "jax")):
            raise ConfigurationError(f"precision {self.precision} does not go with engine {self.engine}")
        if not 0 <= self.cache <= 1 << 28:
            raise ConfigurationError(f"cache must be 0 to {1 << 28} states ({self.cache})")
        if not 0 <= self.less <= _LESS_MAX:
            raise ConfigurationError(f"less must be 0 to {_LESS_MAX} ({self.less:g})")
        if not 1 <= self.images <= _IMAGES_MAX:
            raise ConfigurationError(f"images must be 1 to {_IMAGES_MAX} ({self.images})")

    @classmethod
    def from_texts(cls, options: Mapping[str, str]) -> Use:
        """Parse options such as `precision=int8,engine=compiled,cache=1000`, given in brackets after a file name.

        Raises
        ------
        ConfigurationError
            If an option is unknown or cannot be read.
        """
        values: dict[str, Any] = dict(options)
        for key in values:
            if key not in cls.__slots__:
                raise ConfigurationError(f"a network has no option '{key}'. {nearest(key, cls.__slots__)}")
        if "less" in values:
            values["less"] = _number(values["less"])
        for key in ("cache", "images"):
            if key in values:
                values[key] = _count(key, values[key])
        return cls(**values)

    def applied(self, model: Model) -> Model:
        """The model with `less` subtracted from its estimates.

        Raises
        ------
        ConfigurationError
            If `less` or `images` is set for a model that does not estimate distances.
        """
        if model.output != "distance" and (self.less or self.images > 1):
            raise ConfigurationError(f"less and images are options of networks of distances, not of '{model.output}'")
        if not self.less:
            return model
        bias = model.arrays["output.bias"] - np.float32(self.less)
        return replace(model, arrays={**model.arrays, "output.bias": bias})

    def one_by_one(self) -> Use:
        """The same for a search that accepts only compiled networks: `auto` means compiled."""
        return replace(self, engine="compiled") if self.engine == "auto" and self.precision != "bfloat16" else self

    def compiles(self, model: Model) -> bool:
        """Whether this model is compiled."""
        if self.precision != "float32" or self.engine != "auto":
            return self.precision == "int8" or self.engine == "compiled"
        return model.parameters <= _COMPILED


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ConfigurationError(f"less must be a number ('{text}')") from None


def _count(key: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ConfigurationError(f"{key} must be a whole number ('{text}')")
    return int(text)


def view_of(model: Model, domain: Domain) -> View | None:
    """View that a model has of the states of a domain; None for the components themselves.

    Raises
    ------
    ConfigurationError
        If the model was trained for other moves or another goal.
    """
    if isinstance(domain, ViewedDomain):
        view = domain.view()
        if view is not None and view.fingerprint == model.fingerprint and len(view.ground) == len(model.encoding.sizes):
            return view
    same = len(model.encoding.sizes) == domain.packing.size and np.array_equal(model.goal, domain.goal)
    if not same or model.fingerprint != domain.fingerprint:
        if (model.domain, model.fingerprint) == (domain.name, domain.fingerprint):
            raise ConfigurationError(f"this network was trained for another goal of '{model.domain}'")
        raise ConfigurationError(f"this network was trained for '{model.domain}', not for '{domain.name}'")
    return None


def outputs_by_key(model: Model, domain: Domain, use: Use) -> Outputs:
    """Function from keys [n, words] to outputs float32[n, outputs].

    Raises
    ------
    ConfigurationError
        If the model does not fit the domain, or JAX is needed and not installed.
    """
    return outputs_through(view_of(model, domain), model, domain, use)


def outputs_through(view: View | None, model: Model, domain: Domain, use: Use) -> Outputs:
    """As `outputs_by_key`, for a model with this view of the states.

    Raises
    ------
    ConfigurationError
        If JAX is needed and not installed.
    """
    if use.compiles(model):
        from matheur.methods.learning.compiled import CompiledNetwork

        return CompiledNetwork(model, domain, view, precision=use.precision)
    need_jax("a trained network of this size")
    from matheur.methods.learning.evaluation import outputs_of

    evaluate, unpack = outputs_of(model, precision=use.precision), domain.packing.unpack

    def outputs(keys: NDArray[np.uint64]) -> NDArray[np.float32]:
        states = unpack(keys)
        return evaluate(states if view is None else view(states))

    return outputs
