"""Model files: the arrays of a network, float32, and what it was trained for (`matheur.methods.learning.archive`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.learning.archive import MALFORMED, Archive
from matheur.methods.learning.encoding import Encoding
from matheur.methods.learning.specification import NetworkSpec

__all__ = ["Model", "read_model", "write_model"]

_ARCHIVE = Archive("matheur-network", 1, "a model file")

Output = Literal["distance", "policy", "actions", "difference"]


@dataclass(frozen=True, slots=True)
class Model:
    """A trained network, with what it was trained for.

    Attributes
    ----------
    spec, arrays
        The network.
    encoding
        Encoding of the states.
    output
        `distance`: one value, the cost to the goal. `policy`: one value for each move, the logarithm of its
        probability. `actions`: for each move, its cost plus the cost to the goal after it. `difference`: for two
        states, concatenated in the input and in the goal, how much farther the first one is.
    domain
        Name of the domain.
    fingerprint
        Fingerprint of its moves, as in `Domain.fingerprint`; empty if the domain has none.
    goal
        uint8[components].
    training
        Plain values that describe the training: method, seed, numbers of samples and steps, versions.
    """

    spec: NetworkSpec
    arrays: Mapping[str, NDArray[np.float32]]
    encoding: Encoding
    output: Output
    domain: str
    fingerprint: str
    goal: NDArray[np.uint8]
    training: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shapes = {name: tuple(array.shape) for name, array in self.arrays.items()}
        if shapes != self.spec.shapes:
            raise ConfigurationError("the arrays are not those that the description of the network requires")
        if self.encoding.units != self.spec.inputs:
            raise ConfigurationError(f"the encoding has {self.encoding.units} units, the network {self.spec.inputs}")

    @property
    def parameters(self) -> int:
        """Number of values in all arrays."""
        return sum(int(array.size) for array in self.arrays.values())


def write_model(path: Path, model: Model) -> None:
    """Write a model file, atomically."""
    arrays = {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in model.arrays.items()}
    description = {
        "network": model.spec.to_dict(),
        "encoding": list(model.encoding.sizes),
        "output": model.output,
        "domain": model.domain,
        "fingerprint": model.fingerprint,
        "goal": model.goal.tolist(),
        "training": dict(model.training),
    }
    _ARCHIVE.write(path, arrays, description)


def read_model(path: Path) -> Model:
    """The model in a file.

    Raises
    ------
    InputError
        If the file is not a model file, or has been damaged or changed. The message is one line.
    """
    arrays, description = _ARCHIVE.read(path)
    try:
        for name, array in arrays.items():
            if array.dtype != np.float32:
                raise ValueError(f"'{name}' is not an array of float32")
        if description["output"] not in get_args(Output):
            raise ConfigurationError(f"unknown output {description['output']!r}")
        return Model(
            NetworkSpec.from_dict(description["network"]),
            arrays,
            Encoding(tuple(int(one) for one in description["encoding"])),
            description["output"],
            str(description["domain"]),
            str(description["fingerprint"]),
            np.array(description["goal"], dtype=np.uint8),
            dict(description["training"]),
        )
    except (ConfigurationError, *MALFORMED) as error:
        raise _ARCHIVE.malformed(path, error) from None
