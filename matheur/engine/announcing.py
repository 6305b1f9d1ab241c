"""Progress of long preparations, such as tables that take minutes to build, as log records."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["announce", "listening"]

_log = logging.getLogger(__name__)


def announce(name: str, share: float) -> None:
    """Log the progress of a preparation at level INFO.

    Parameters
    ----------
    name
        Name of the preparation.
    share
        Share that is finished, from 0 to 1.
    """
    _log.info("%s: %.0f %%", name, 100 * share, extra={"preparation": (name, share)})


class _Handler(logging.Handler):
    def __init__(self, listener: Callable[[str, float], None]) -> None:
        super().__init__(logging.INFO)
        self.listener = listener

    def emit(self, record: logging.LogRecord) -> None:
        self.listener(*record.preparation)  # type: ignore[attr-defined]


@contextmanager
def listening(listener: Callable[[str, float], None]) -> Iterator[None]:
    """Call `listener(name, share)` for every announcement in this process."""
    handler, before = _Handler(listener), _log.level
    _log.addHandler(handler)
    if not _log.isEnabledFor(logging.INFO):
        _log.setLevel(logging.INFO)
    try:
        yield
    finally:
        _log.removeHandler(handler)
        _log.setLevel(before)
