"""The architecture of a network, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

from matheur.errors import ConfigurationError

__all__ = ["PRESETS", "Activation", "NetworkSpec"]

Activation = Literal["relu", "elu"]
_LARGEST = 1 << 16


@dataclass(frozen=True, slots=True)
class NetworkSpec:
    """A network of fully connected layers, some of them in residual blocks.

    Attributes
    ----------
    inputs, outputs
        Units of the first and of the last layer.
    hidden
        Units of each layer before the blocks.
    blocks
        Residual blocks of two layers each, as wide as the last hidden layer.
    activation
        Activation after every hidden layer: `relu` or `elu`.
    normalised
        Batch normalisation before every activation.
    dropout
        Share of the units of a hidden layer that are dropped in training.
    """

    inputs: int
    outputs: int
    hidden: tuple[int, ...]
    blocks: int = 0
    activation: Activation = "relu"
    normalised: bool = True
    dropout: float = 0.0

    def __post_init__(self) -> None:
        widths = (self.inputs, self.outputs, *self.hidden)
        if not self.hidden or not all(isinstance(one, int) and 0 < one <= _LARGEST for one in widths):
            raise ConfigurationError(f"layers of a network must have 1 to {_LARGEST} units ({widths})")
        if not (isinstance(self.blocks, int) and 0 <= self.blocks <= 64):
            raise ConfigurationError(f"a network has 0 to 64 residual blocks ({self.blocks})")
        if self.activation not in get_args(Activation):
            raise ConfigurationError(f"activation must be relu or elu ({self.activation!r})")
        if not 0 <= self.dropout < 1:
            raise ConfigurationError(f"dropout must be at least 0 and less than 1 ({self.dropout})")

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "hidden": list(self.hidden)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> NetworkSpec:
        """The inverse of `to_dict`.

        Raises
        ------
        ConfigurationError
            If something is missing, unknown or out of range.
        """
        try:
            return cls(**{**values, "hidden": tuple(values["hidden"])})
        except (KeyError, TypeError) as error:
            raise ConfigurationError(f"this does not describe a network: {error}") from None

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every array of the network."""
        found: dict[str, tuple[int, ...]] = {}

        def layer(name: str, here: int, there: int, *, normalised: bool) -> None:
            found[f"{name}.weight"], found[f"{name}.bias"] = (here, there), (there,)
            if normalised:
                found.update({f"{name}.{part}": (there,) for part in ("scale", "shift", "mean", "variance")})

        widths = (self.inputs, *self.hidden)
        for number, (here, there) in enumerate(pairwise(widths)):
            layer(f"hidden{number}", here, there, normalised=self.normalised)
        for number in range(self.blocks):
            for half in "ab":
                layer(f"block{number}{half}", widths[-1], widths[-1], normalised=self.normalised)
        layer("output", widths[-1], self.outputs, normalised=False)
        return found


PRESETS: dict[str, dict[str, Any]] = {
    "small": {"hidden": (256, 128), "blocks": 1, "normalised": False},
    "compact": {"hidden": (512, 256, 64), "normalised": False},
    "medium": {"hidden": (512, 256), "blocks": 2, "normalised": True},
    "wide": {"hidden": (1024, 256), "blocks": 1, "normalised": False},
    "ann-distance": {"hidden": (1024, 1024, 512, 128, 64), "activation": "elu", "dropout": 0.1},
    "deepcubea": {"hidden": (5000, 1000), "blocks": 4},
    "deepcubea-large": {"hidden": (5000, 1000), "blocks": 6},
}
"""Networks by name, without inputs and outputs: four for a processor, that of Cahlik and Surynek (2019, section 4),
and those of Agostinelli, McAleer, Shmakov and Baldi (2019)."""
