"""numba's disk cache, with a stamp that covers everything on which the machine code of a kernel depends.

There is one file per kernel, stamp and key, named by digests of both. The stamp (`dependencies.uses`) identifies the
sources of the machine code; the key identifies its target: types of the arguments, processor, options, values in the
closure. There is no index, so processes that write simultaneously cannot mix up each other's files, even if one of them
still runs the code from before an upgrade. Files with another stamp are removed when a kernel is stored.

Nothing is looked up before the first call of a kernel: by then everything that it uses is defined, and a command pays
only for the kernels that it calls. This module uses private classes of numba, unchanged from 0.61 to 0.68; if they
move, `matheur.kernels` uses `matheur.kernels.fallback` instead.
"""

from __future__ import annotations

import logging
import os
from functools import cache
from hashlib import sha256
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

from numba import config
from numba.core import sigutils
from numba.core.caching import (
    CompileResultCacheImpl,
    IndexDataCacheFile,
    NullCache,
    _Cache,
    _CacheLocator,
    _SourceFileBackedLocatorMixin,
)
from numba.core.ccallback import CFunc

from matheur.compiling import compilation
from matheur.kernels.dependencies import code_digest, uses, values_digest
from matheur.kernels.folders import private_folder

__all__ = ["KernelCache", "attach", "cached_callback"]

_log = logging.getLogger(__name__)
_DIGITS = 20  # hexadecimal digits of a digest in a file name
_SETTINGS = ("BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DISABLE_INTEL_SVML")
"""Settings of numba that affect the machine code, in addition to the processor."""


class _TemporaryLocator(_SourceFileBackedLocatorMixin, _CacheLocator):
    """Locator of last resort for writing: the user's private folder among the temporary files."""

    def __init__(self, function: Any, source: str) -> None:
        self._py_file = source
        self._lineno = function.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        """The folder for the functions of one source folder.

        Raises
        ------
        PermissionError
            If the private folder cannot be created or trusted. It is checked each time, because it may have been
            removed with other temporary files, and another user may have created one in its place.
        """
        folder = private_folder()
        if folder is None:
            raise PermissionError("no private folder among the temporary files")
        return str(folder / self.get_suitable_cache_subpath(self._py_file))


class _ReadOnlyLocator(_SourceFileBackedLocatorMixin, _CacheLocator):
    """Last locator, for loading only: machine code stored next to the modules before they became read-only."""

    def __init__(self, function: Any, source: str) -> None:
        self._py_file = source
        self._lineno = function.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        """The folder next to the module."""
        return str(Path(self._py_file).parent / "__pycache__")

    def ensure_cache_path(self) -> None:
        """Check that the folder exists, without creating it."""
        os.listdir(self.get_cache_path())


class _Place(CompileResultCacheImpl):
    """numba's choice of a folder (`NUMBA_CACHE_DIR`, `__pycache__`, the user's cache) and of file names."""

    _locator_classes = (*CompileResultCacheImpl._locator_classes, _TemporaryLocator, _ReadOnlyLocator)

    def folders(self) -> list[str]:
        """The folder for storing and loading machine code, then one for loading only: next to a read-only module."""
        found = [self.locator.get_cache_path()]
        neighbour = str(Path(self.locator._py_file).parent / "__pycache__")
        return found if config.CACHE_DIR or neighbour in found else [*found, neighbour]


class _Files(IndexDataCacheFile):
    """The files of one kernel, without numba's index."""

    def __init__(self, folder: str, base: str) -> None:
        super().__init__(folder, base, "")
        self._base = base

    def _name(self, stamp: str, key: str) -> str:
        return f"{self._base}.{stamp[:_DIGITS]}.{key[:_DIGITS]}.nbc"

    @property
    def folder(self) -> str:
        """Folder of the files."""
        return str(self._cache_path)

    def load_code(self, stamp: str, key: str, types: Any) -> Any:
        """Machine code stored under a stamp, a key and types; None if there is none."""
        try:
            found = self._load_data(self._name(stamp, key))
        except FileNotFoundError:
            return None
        return found[3] if found[:3] == (stamp, key, types) else None

    def save_code(self, stamp: str, key: str, types: Any, code: Any) -> None:
        """Store machine code, and remove code compiled from an earlier state of the sources."""
        self._save_data(self._name(stamp, key), (stamp, key, types, code))
        self._clear(keep=f"{self._base}.{stamp[:_DIGITS]}.")

    def _clear(self, keep: str | None = None) -> None:
        """Remove the kernel's files (also those of numba's own cache), except names that start with `keep`."""
        for path in list(Path(self._cache_path).iterdir()):
            ours = path.name.startswith(f"{self._base}.") and path.suffix in (".nbc", ".nbi")
            if ours and not (keep and path.name.startswith(keep)):
                path.unlink(missing_ok=True)

    def flush(self) -> None:
        """Remove all files of the kernel."""
        self._clear()


class KernelCache(_Cache):
    """The disk cache of one kernel. A cache that cannot be read or written costs time but causes no failure.

    Parameters
    ----------
    function
        The Python function.
    options
        Options of its compilation.
    """

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        self._function = function
        self._options = options
        self._enabled = True
        self._searched = False
        self._place: _Place | None = None
        self._stamp: str | None = None

    def _files(self) -> list[_Files]:
        """The kernel's files: in the folder for storing, then in other folders for loading; empty without a folder."""
        if not self._searched:
            self._searched = True
            try:
                self._place = _Place(self._function)
            except RuntimeError:  # numba: no locator available
                if os.path.exists(self._function.__code__.co_filename):
                    _tell()
        if self._place is None or not self._enabled:
            return []
        try:
            return [_Files(folder, self._place.filename_base) for folder in self._place.folders()]
        except OSError:
            return []

    def _key(self, types: Any, codegen: Any) -> str:
        """Digest of the target of the machine code."""
        function = self._function
        closure = [cell.cell_contents for cell in function.__closure__ or ()]
        settings = [getattr(config, name, None) for name in _SETTINGS]
        made_for = (repr(types), codegen.magic_tuple(), code_digest(function.__code__), repr(settings))
        varied = values_digest(self._options, function.__defaults__, function.__kwdefaults__, closure)
        return sha256(repr((made_for, varied)).encode()).hexdigest()

    @property
    def cache_path(self) -> str | None:
        """Folder in which the files are stored; None if there is none."""
        files = self._files()
        return files[0].folder if files else None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for the types `sig`; None if it is not stored, or out of date."""
        everywhere = self._files()
        if not everywhere:
            return None
        target_context.refresh()
        self._stamp = uses(self._function)
        for files in everywhere:
            try:
                code = files.load_code(self._stamp, self._key(sig, target_context.codegen()), sig)
                if code is not None:
                    found = self._place.rebuild(target_context, code)  # type: ignore[union-attr]
                    compilation.loaded += 1
                    return found
            except Exception:  # a damaged file may cause any error
                _log.debug("cannot load %s from %s", self._function.__qualname__, files.folder, exc_info=True)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a function that was compiled for the types `sig`."""
        files, place = self._files(), self._place
        if not files or place is None or " at 0x" in repr(sig) or not place.check_cachable(data):
            return  # a type with an address differs in each process: its file would never be found again
        stamp, code = self._stamp or uses(self._function), place.reduce(data)
        try:
            place.locator.ensure_cache_path()
            files[0].save_code(stamp, self._key(sig, data.codegen), sig, code)
        except OSError:
            _tell()

    def enable(self) -> None:
        """Enable reading and writing of files."""
        self._enabled = True

    def disable(self) -> None:
        """Disable reading and writing of files."""
        self._enabled = False

    def flush(self) -> None:
        """Remove the kernel's files."""
        for files in self._files()[:1]:
            files.flush()


def attach(compiled: Any, function: Any, options: dict[str, Any]) -> bool:
    """Set the cache of a numba dispatcher; return False if this version of numba stores it elsewhere."""
    if compiled is function:
        return True  # NUMBA_DISABLE_JIT: nothing is compiled
    if not isinstance(getattr(compiled, "_cache", None), NullCache):
        return False
    compiled._cache = KernelCache(function, options)
    return True


def cached_callback(function: Any, signature: Any, options: dict[str, Any]) -> Any:
    """A compiled C callback with its cache; None if this version of numba stores caches elsewhere."""
    compiled = CFunc(function, sigutils.normalize_signature(signature), locals={}, options=options)
    if not attach(compiled, function, options):
        return None
    compiled.compile()
    return compiled


@cache
def _tell() -> None:
    """Log once, but not in worker processes, that compiled kernels are not cached."""
    if parent_process() is None:
        _log.warning(
            "compiled kernels cannot be kept: each start compiles them. Set NUMBA_CACHE_DIR to a writable folder."
        )
