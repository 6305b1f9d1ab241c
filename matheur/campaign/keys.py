"""Keys that identify runs by the content of the instance, the configuration, the seed and the version of the code.

A key has two parts, `TASK-CODE`. The same task under a different version of the code has the same first part.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from matheur.engine.events import plain
from matheur.engine.inputs import read_bytes
from matheur.running.earlier_words import as_before
from matheur.running.result import versions

__all__ = ["code_version", "file_digests", "located", "run_key"]

_OUTSIDE = ("campaign", "cli", "designing")  # packages on which no result depends
_LIBRARIES = ("pyomo", "highspy", "pyscipopt", "numba", "numpy", "scipy")
_NETWORK = re.compile(r"[^(),=\s][^(),=]*?\.npz(?=\s*[(),])")  # in a combination of heuristics


def _digest(*parts: bytes, size: int) -> str:
    hasher = hashlib.blake2b(digest_size=size)
    for part in parts:
        hasher.update(len(part).to_bytes(8, "little"))
        hasher.update(part)
    return hasher.hexdigest()


def _sources() -> Iterator[Path]:
    root = Path(__file__).resolve().parents[1]
    models = Path(import_module("matheur.models").__path__[0])
    inner = (path for path in root.rglob("*.py") if path.relative_to(root).parts[0] not in (*_OUTSIDE, "models"))
    yield from sorted(inner)
    yield from sorted(models.rglob("*.py"))


@cache
def code_version(label: str | None = None) -> str:
    """Version of the code that produces results, as eight hexadecimal digits.

    Parameters
    ----------
    label
        Name to use in place of the code: all code under the same label counts as the same version.

    Notes
    -----
    Without a label, the digits are a digest of matheur's sources (except packages on which no result depends, such as
    the command line and the campaigns) and of the versions of the libraries that it calls.
    """
    if label is not None:
        return _digest(b"label", label.encode(), size=4)
    libraries = {name: versions().get(name) for name in _LIBRARIES}
    sources = [path.read_bytes() for path in _sources()]
    return _digest(json.dumps(libraries, sort_keys=True).encode(), *sources, size=4)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)


def _files(text: str, folder: Path) -> list[tuple[slice, Path]]:
    """The files that a text of a configuration names, looked up in the folder, then in the current folder.

    For each file, its place in the text: a file alone, with the options of its reader in brackets or the name of a
    table behind `#`, or as a part of a combination such as `max(manhattan,FILE.npz)`.
    """
    if "\0" in text or not ("/" in text or "." in text):
        return []
    ends = [len(text), *(at for at, letter in enumerate(text) if letter in "(#")]  # names may hold them, too
    for end in filter(None, ends):
        path = _existing(text[:end], folder)
        if path is not None:
            return [(slice(end), path)]
    parts = [slice(*match.span()) for match in _NETWORK.finditer(text)] if ".npz" in text and "(" in text else []
    return [(part, path) for part in parts if (path := _existing(text[part], folder)) is not None]


def _existing(name: str, folder: Path) -> Path | None:
    return next((place / name for place in (folder, Path()) if os.path.isfile(place / name)), None)


def file_digests(configuration: Mapping[str, Any], folder: Path | None = None) -> dict[str, str]:
    """Digests of the files that a configuration names (such as a trained network), by the text that names them.

    Parameters
    ----------
    folder
        Folder of relative names; the current folder if None, or if there is no such file.
    """
    found = {}
    for text in sorted(set(_strings(configuration))):
        digests = [_digest(read_bytes(path), size=16) for _, path in _files(text, folder or Path())]
        if digests:
            found[text] = "+".join(digests)
    return found


def located(configuration: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The configuration with absolute paths of the files that it names, since runs may be made in any folder."""

    def whole(value: Any) -> Any:
        if isinstance(value, str):
            return _located(value, folder)
        if isinstance(value, Mapping):
            return {key: whole(inner) for key, inner in value.items()}
        return [whole(inner) for inner in value] if isinstance(value, list | tuple) else value

    return {key: whole(value) for key, value in configuration.items()}


def _located(text: str, folder: Path) -> str:
    for place, path in reversed(_files(text, folder)):
        name, before, behind = str(path.resolve()), text[: place.start or 0], text[place.stop :]
        ends = "(),=" if before else "#" if behind.startswith("#") else ""  # signs that would end the name there
        if not set(name) & set(ends):
            text = f"{before}{name}{behind}"
    return text


def run_key(
    fingerprint: str, configuration: Mapping[str, Any], seed: int, code: str, files: Mapping[str, str] | None = None
) -> str:
    """The key of a run, a file name of 29 characters.

    Parameters
    ----------
    fingerprint
        Fingerprint of the instance's content, with the name of its problem.
    configuration
        Resolved configuration as plain values; its `seed` is ignored.
    seed
        Seed of the run.
    code
        Version of the code, see `code_version`.
    files
        Digests of the files that the configuration names; computed if None.
    """
    rest = as_before({key: value for key, value in plain(configuration).items() if key != "seed"})
    named = file_digests(rest) if files is None else dict(files)
    text = json.dumps([fingerprint, rest, seed, named], sort_keys=True, separators=(",", ":"))
    return f"{_digest(text.encode(), size=10)}-{code}"
