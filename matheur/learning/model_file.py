"""Model files: plain arrays and a JSON description with a checksum. Reading one executes nothing.

An uncompressed or compressed NumPy archive (`.npz`). Its member `description` is the JSON text as bytes, all others are
the arrays of the network, float32.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from matheur.engine.files import write_atomic
from matheur.errors import ConfigurationError, InputError
from matheur.learning.encoding import Encoding
from matheur.learning.specification import NetworkSpec

__all__ = ["Model", "read_model", "write_model"]

FORMAT, VERSION = "matheur-network", 1
_LARGEST = 1 << 30  # bytes of a file, and of what it unpacks to
_DESCRIPTION = "description"

Output = Literal["distance", "policy", "actions"]


@dataclass(frozen=True, slots=True)
class Model:
    """A trained network, with what it was trained for.

    Attributes
    ----------
    spec, arrays
        The network.
    encoding
        Of the states.
    output
        `distance`: one number, the cost to the goal. `policy`: a number for each move, the logarithm of a chance.
        `actions`: for each move its cost and what it then costs to the goal.
    domain
        Name of the domain.
    fingerprint
        Of its moves, as `Domain.fingerprint`; empty if the domain has none.
    goal
        uint8[components].
    training
        How it was made: method, seed, numbers of samples and steps, versions; plain values.
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
            raise ConfigurationError("the arrays are not those that the description of the network asks for")
        if self.encoding.units != self.spec.inputs:
            raise ConfigurationError(f"the encoding has {self.encoding.units} units, the network {self.spec.inputs}")

    @property
    def parameters(self) -> int:
        """Numbers in all arrays."""
        return sum(int(array.size) for array in self.arrays.values())


def write_model(path: Path, model: Model) -> None:
    """Write a model file, atomically."""
    arrays = {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in model.arrays.items()}
    description = {
        "format": FORMAT,
        "version": VERSION,
        "network": model.spec.to_dict(),
        "encoding": list(model.encoding.sizes),
        "output": model.output,
        "domain": model.domain,
        "fingerprint": model.fingerprint,
        "goal": model.goal.tolist(),
        "training": dict(model.training),
        "checksum": _checksum(arrays),
    }
    text = np.frombuffer(json.dumps(description).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{_DESCRIPTION: text}, **arrays)  # type: ignore[arg-type]
    write_atomic(path, buffer.getvalue())


def read_model(path: Path) -> Model:
    """The model in a file.

    Raises
    ------
    InputError
        If it is no model file, or not as it was written; in one line.
    """
    source = str(path)
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError("too large for a model file", source=source)
        members = _members(path.read_bytes())
        description = json.loads(members.pop(_DESCRIPTION).tobytes())
        if description["format"] != FORMAT:
            raise InputError("not a model file of matheur", source=source)
        if description["version"] != VERSION:
            raise InputError(f"version {description['version']!r} of the format is unknown", source=source)
        if description["checksum"] != _checksum(members):
            raise InputError("the checksum is wrong: the file is damaged", source=source)
        if description["output"] not in get_args(Output):
            raise InputError(f"unknown output {description['output']!r}", source=source)
        return Model(
            NetworkSpec.from_dict(description["network"]),
            members,
            Encoding(tuple(int(one) for one in description["encoding"])),
            description["output"],
            str(description["domain"]),
            str(description["fingerprint"]),
            np.array(description["goal"], dtype=np.uint8),
            dict(description["training"]),
        )
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", source=source) from None
    except ConfigurationError as error:
        raise InputError(str(error), source=source) from None
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError, zipfile.BadZipFile, EOFError) as error:
        raise InputError(f"not a model file of matheur ({type(error).__name__})", source=source) from None


def _members(data: bytes) -> dict[str, NDArray[Any]]:
    """All arrays of an archive; its members must say beforehand that they are small enough."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(one.file_size for one in archive.infolist()) > _LARGEST:
            raise ValueError("too large")
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        found = {name: archive[name] for name in archive.files}
    for name, array in found.items():
        wanted = np.uint8 if name == _DESCRIPTION else np.float32
        if array.dtype != wanted or not (name == _DESCRIPTION or math.isfinite(float(np.abs(array).max(initial=0.0)))):
            raise ValueError(f"'{name}' is no array of finite numbers")
    return found


def _checksum(arrays: Mapping[str, NDArray[Any]]) -> str:
    """BLAKE2b (16 bytes) of names, shapes and numbers."""
    digest = blake2b(digest_size=16)
    for name in sorted(arrays):
        digest.update(f"{name}{arrays[name].shape}".encode())
        digest.update(np.ascontiguousarray(arrays[name], dtype="<f4").tobytes())
    return digest.hexdigest()
