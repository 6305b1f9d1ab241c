"""The checkpoint file of a training run."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.files import write_atomic
from matheur.errors import ConfigurationError, InputError
from matheur.methods.learning.npz import MALFORMED, read_arrays

__all__ = ["read_training", "write_training"]


def write_training(path: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
    """Write arrays and plain values of a training run."""
    buffer = io.BytesIO()
    text = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
    np.savez(buffer, facts=text, **arrays)  # type: ignore[arg-type]
    write_atomic(path, buffer.getvalue())


def read_training(
    path: Path, asked: Mapping[str, Any], defaults: Mapping[str, Any]
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays and plain values of a training run.

    Parameters
    ----------
    asked
        Domain and options of the training run; they must equal those in the file.
    defaults
        Values of options that an older file does not have.

    Raises
    ------
    ConfigurationError
        If the file belongs to another training run.
    InputError
        If the file is not a checkpoint.
    """
    try:
        arrays = read_arrays(path, "facts", note=False)
        facts = json.loads(arrays.pop("facts").tobytes())
        before = {**defaults, **dict(facts["asked"])}
    except (OSError, *MALFORMED) as error:
        raise InputError(f"not a checkpoint of a training ({type(error).__name__})", source=str(path)) from None
    if before != dict(asked):
        other = next(key for key in {**asked, **before} if key not in before or before[key] != asked.get(key))
        raise ConfigurationError(f"{path}: the checkpoint is of another training ('{other}' differs)")
    return arrays, facts
