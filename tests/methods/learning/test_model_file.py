"""Model files: back as they were, or refused in one line."""

import io
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matheur.errors import InputError
from matheur.methods.learning import Model, read_model, write_model


def test_back_as_it_was(model: Model, tmp_path: Path) -> None:
    """Everything of a model is in its file."""
    write_model(tmp_path / "m.npz", model)
    again = read_model(tmp_path / "m.npz")
    assert (again.spec, again.encoding, again.output) == (model.spec, model.encoding, model.output)
    assert (again.domain, again.fingerprint, again.training) == (model.domain, model.fingerprint, model.training)
    assert np.array_equal(again.goal, model.goal)
    for name, array in model.arrays.items():
        assert np.array_equal(again.arrays[name], array)
    assert again.parameters == sum(array.size for array in model.arrays.values())


def _rewritten(path: Path, change: dict[str, object]) -> bytes:
    """The file with members replaced."""
    with np.load(path, allow_pickle=False) as archive:
        members = {name: archive[name] for name in archive.files}
    buffer = io.BytesIO()
    np.savez(buffer, **{**members, **change})  # type: ignore[arg-type]
    return buffer.getvalue()


def test_damage_and_malice_are_refused(model: Model, tmp_path: Path) -> None:
    """Changed numbers, wrong shapes, pickled objects, other formats: one line that names the file."""
    path = tmp_path / "m.npz"
    write_model(path, model)
    good = path.read_bytes()
    with np.load(path, allow_pickle=False) as archive:
        description = json.loads(archive["description"].tobytes())
        bias = archive["output.bias"]

    def described(**change: object) -> dict[str, object]:
        return {"description": np.frombuffer(json.dumps({**description, **change}).encode(), dtype=np.uint8)}

    bad = {
        "changed": _rewritten(path, {"output.bias": bias + 1}),
        "infinite": _rewritten(path, {"output.bias": np.array([np.inf], dtype=np.float32)}),
        "shape": _rewritten(path, {"output.bias": np.zeros(3, dtype=np.float32)}),
        "double": _rewritten(path, {"output.bias": bias.astype(float)}),
        "object": _rewritten(path, {"output.bias": np.array([print], dtype=object)}),
        "version": _rewritten(path, described(version=99)),
        "format": _rewritten(path, described(format="other")),
        "network": _rewritten(path, described(network={"hidden": 5})),
        "encoding": _rewritten(path, described(encoding=[1, 2])),
        "output": _rewritten(path, described(output="code")),
        "truncated": good[: len(good) // 2],
        "empty": b"",
        "pickle": pickle.dumps({"a": 1}),
        "text": b"hello",
    }
    for name, data in bad.items():
        other = tmp_path / f"{name}.npz"
        other.write_bytes(data)
        with pytest.raises(InputError) as caught:
            read_model(other)
        assert str(caught.value).startswith(str(other))
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="cannot be read"):
        read_model(tmp_path / "none.npz")


@given(st.binary(max_size=300), st.integers(0, 10**6))
def test_any_bytes_are_refused(junk: bytes, place: int) -> None:
    """No bytes crash the reader, alone or amid a good file."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.npz"
        path.write_bytes(b"PK\x03\x04" * (place % 2) + junk)
        with pytest.raises(InputError):
            read_model(path)
