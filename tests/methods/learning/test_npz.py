"""Archives of arrays, right ones and hostile ones."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from matheur.errors import InputError
from matheur.methods.learning.labels import read_labels
from matheur.methods.learning.model_file import read_model
from matheur.methods.learning.npz import MALFORMED, read_arrays
from matheur.problems.sliding_tile.pair_values import read_pairs


def member(header: str, data: bytes = b"", *, version: int = 1) -> bytes:
    """What a member of an archive holds."""
    text = header.encode("latin1")
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(2 if version == 1 else 4, "little") + text + data


def archive(path: Path, members: dict[str, bytes], *, packed: bool = True) -> Path:
    """A file of such members."""
    kind = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", kind) as file:
        for name, data in members.items():
            file.writestr(f"{name}.npy", data)
    return path


def header(descr: object = "<f4", order: object = False, shape: object = (2,)) -> str:
    """As numpy writes it."""
    return repr({"descr": descr, "fortran_order": order, "shape": shape})


@pytest.mark.parametrize("packed", [True, False])
def test_what_numpy_writes_is_read(tmp_path: Path, packed: bool) -> None:
    """All shapes, orders and kinds of numbers."""
    rng = np.random.default_rng(0)
    arrays = {
        "first": np.arange(3, dtype=np.uint8),
        "matrix": rng.random((3, 4), dtype=np.float32),
        "turned": np.asfortranarray(rng.integers(9, size=(2, 3, 4))),
        "number": np.array(7, dtype=">i8"),
        "nothing": np.empty((0, 5), dtype=np.int32),
    }
    path = tmp_path / "file.npz"
    (np.savez_compressed if packed else np.savez)(path, **arrays)  # type: ignore[arg-type]
    found = read_arrays(path, "first")
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        assert found[name].shape == array.shape
        assert found[name].dtype == array.dtype
        assert (found[name] == array).all()


HOSTILE = {
    "numbers without end": member(header(shape=(10**15,)), bytes(8)),
    "a product without end": member(header(shape=(10**9, 10**9)), bytes(8)),
    "more than there is": member(header(shape=(3,)), bytes(8)),
    "less than there is": member(header(shape=(1,)), bytes(8)),
    "negative": member(header(shape=(-2,)), bytes(8)),
    "a shape of truths": member(header(shape=(True, 2)), bytes(8)),
    "a malformed shape": member(header(shape="ab"), bytes(8)),
    "objects": member(header("|O", shape=(1,)), bytes(8)),
    "texts": member(header("<U2", shape=(1,)), bytes(8)),
    "fields": member(header([("a", "<f4")]), bytes(8)),
    "not finite": member(header(), np.array([1.0, np.inf], dtype="<f4").tobytes()),
    "no header": b"\x93NUMPY",
    "no array": b"something else",
    "no dictionary": member("[1, 2]", bytes(8)),
    "code": member("__import__('os').abort()", bytes(8)),
    "a header without end": b"\x93NUMPY\x02\x00" + (2**31).to_bytes(4, "little") + b"{" * 100,
    "a nested header": member("(" * 5000, bytes(8)),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_only_claims_to_be_an_array_is_refused(tmp_path: Path, case: str) -> None:
    """Before memory is taken for it, by every reader, in one line."""
    path = archive(tmp_path / "file.npz", {"description": HOSTILE[case]})
    tracemalloc.start()
    with pytest.raises(MALFORMED):
        read_arrays(path, "description")
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()
    for read in (read_model, read_labels, read_pairs):
        with pytest.raises(InputError, match=r"file\.npz"):
            read(path)


def test_a_small_file_that_unpacks_to_much_is_refused(tmp_path: Path) -> None:
    """Zeros pack to a thousandth: that is no network."""
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(300 << 18, dtype=np.float32))
    members = {"description": member(header("|u1", shape=(1,)), b"x"), "a": buffer.getvalue()}
    path = archive(tmp_path / "file.npz", members)
    assert path.stat().st_size < 1 << 20
    tracemalloc.start()
    with pytest.raises(ValueError, match="unpacks to more"):
        read_arrays(path, "description")
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()


def test_what_a_file_is_comes_first(tmp_path: Path) -> None:
    """The other arrays of a file of another kind are not read."""
    path = archive(tmp_path / "f.npz", {"description": member(header("|u1", shape=(1,)), b"x"), "a": b"no array"})

    def refuse(_: object) -> None:
        raise InputError("of another kind")

    with pytest.raises(InputError, match="of another kind"):
        read_arrays(path, "description", refuse)


def test_two_members_of_one_name_are_refused(tmp_path: Path) -> None:
    """Nobody could tell which one is meant."""
    path = tmp_path / "file.npz"
    content = member(header("|u1", shape=(1,)), b"x")
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("description.npy", content)
        with pytest.warns(UserWarning, match="Duplicate"):
            file.writestr("description.npy", content)
    with pytest.raises(ValueError, match="members"):
        read_arrays(path, "description")
