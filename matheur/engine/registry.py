"""Registries of named objects: built in, added at run time, or provided by other packages through entry points."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from matheur.entry_points import entry_points
from matheur.errors import ConfigurationError, MatheurError, nearest

__all__ = ["Entry", "Registry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered name: its object or `module:attribute`, imported on use; a one-line summary; its origin."""

    name: str
    target: str | Any
    summary: str = ""
    origin: str = ""  # the entry point of another package

    def load(self) -> Any:
        """The object itself.

        Raises
        ------
        ConfigurationError
            If it cannot be imported: the target of an entry point is misspelt, or a package is missing or broken.
        """
        if isinstance(self.target, MatheurError):
            raise self.target
        if not isinstance(self.target, str):
            return self.target
        module, _, attribute = self.target.partition(":")
        try:
            return getattr(import_module(module), attribute)
        except Exception as error:  # importing a package may raise any error
            brought = f" ({self.origin})" if self.origin else ""
            wrong = f"'{self.name}' cannot be loaded from '{self.target}'{brought}: {error or type(error).__name__}"
            if getattr(error, "name", None) == "matheur.models":  # only an installation has them
                wrong += ". Maybe call it from another folder? Here Python takes the sources of matheur"
            raise ConfigurationError(wrong) from error


class Registry:
    """Names to entries, with an entry-point group for other packages.

    Parameters
    ----------
    what
        Kind of the registered objects, for messages ("schedule", "problem").
    group
        Entry-point group that other packages use; read on the first look-up that needs it.
    entries
        Built-in entries, or a function that returns them, called on first use. Other packages cannot take their names.
    installed
        Function that returns the entries that other packages provide outside the group; called when the group is read.
    """

    def __init__(
        self,
        what: str,
        group: str,
        entries: Iterable[Entry] | Callable[[], Iterable[Entry]] = (),
        installed: Callable[[], Iterable[Entry]] = tuple,
    ) -> None:
        self.what: str = what
        self.group: str = group
        self._built_in = entries if callable(entries) else lambda: entries
        self._installed = installed
        self._scanned = False

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        return {entry.name: entry for entry in self._built_in()}

    def add(self, name: str, target: str | Any, summary: str = "") -> None:
        """Register an object at run time, or the place to import it from (`MODULE:OBJECT`)."""
        if not isinstance(name, str) or not name.strip():
            raise ConfigurationError(f"the name of a {self.what} must be a text that is not empty ({name!r})")
        if target is None or (isinstance(target, str) and not all(target.partition(":"))):
            raise ConfigurationError(
                f"{self.what} '{name}': {target!r} is neither an object nor of the form MODULE:OBJECT"
            )
        if name in self._entries:
            raise ConfigurationError(f"{self.what} '{name}' is already registered")
        self._entries[name] = Entry(name, target, summary)

    def remove(self, name: str) -> None:
        """Remove an entry added by `add`."""
        del self._entries[name]

    def _scan(self) -> None:
        if self._scanned:
            return
        self._scanned = True
        for entry in self._installed():
            self._entries.setdefault(entry.name, entry)
        for point in entry_points(group=self.group):
            origin = f"entry point '{point.name}' of {self.group}"
            self._entries.setdefault(point.name, Entry(point.name, point.value, f"from {point.module}", origin))

    def entry(self, name: str) -> Entry:
        """The entry of a name; a `ConfigurationError` that suggests the nearest known name if there is none."""
        if name not in self._entries:
            self._scan()
        try:
            return self._entries[name]
        except KeyError:
            raise ConfigurationError(f"unknown {self.what} '{name}'. {nearest(name, self.names())}") from None

    def get(self, name: str) -> Any:
        """The object of a name."""
        return self.entry(name).load()

    def names(self) -> list[str]:
        """All names in order of registration, entry points last."""
        self._scan()
        return list(self._entries)

    def entries(self) -> list[Entry]:
        """All entries."""
        self._scan()
        return list(self._entries.values())
