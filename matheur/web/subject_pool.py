"""A pool of processes for `matheur.web.subjects`, which caches answers and merges equal pending calls."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matheur.campaign.process_pool import Allowance, LostRunError, ProcessExecutor
from matheur.errors import MatheurError
from matheur.web.records import too_deep

__all__ = ["SubjectPool"]

_ALLOWANCE = Allowance(seconds=60.0, memory=4 * 10**9)
_KEPT = 64 * 2**20  # maximum bytes of cached answers
_RECYCLE = 500  # number of calls after which a process is replaced
_OPEN = 64  # maximum number of pending calls

_log = logging.getLogger(__name__)


class SubjectPool:
    """Calls functions in processes, whose crashes or excessive time or memory use do not affect the server.

    Parameters
    ----------
    logs
        Folder for the output of the processes.
    """

    def __init__(self, logs: Path) -> None:
        self._pool = ProcessExecutor(2, recycle=_RECYCLE, allowance=lambda *_: _ALLOWANCE, logs=logs)
        self._kept: OrderedDict[str, Any] = OrderedDict()
        self._size = 0
        self._open: dict[str, asyncio.Future[Any]] = {}
        self._asked = 0

    async def ask(self, function: Callable[..., Any], *arguments: Any, keep: bool = True) -> Any:
        """The result of a function of plain values.

        Raises
        ------
        MatheurError
            From the function; or if its process died, too many calls are pending, or an argument is not plain.
        """
        try:
            key = json.dumps([function.__name__, arguments], sort_keys=True)
        except (TypeError, ValueError, RecursionError) as error:  # such as a date or a number with 5,000 digits
            raise MatheurError(f"this cannot be read ({error})") from None
        if too_deep(arguments):
            raise MatheurError("this cannot be read (lists and tables are nested too deeply)")
        if keep and key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        asked = self._open.get(key) if keep else None
        if asked is None:
            if self._asked >= _OPEN:
                raise MatheurError("too many requests at a time. Maybe try again in a moment?")
            asked = asyncio.ensure_future(asyncio.wrap_future(self._pool.submit(function, *arguments)))
            self._asked += 1
            asked.add_done_callback(self._answered)
            if keep:
                self._open[key] = asked
                asked.add_done_callback(lambda _: self._open.pop(key, None))
        try:
            answer = await asyncio.shield(asked)
        except LostRunError as error:
            raise MatheurError(f"this could not be drawn or read: its process {error}") from None
        except MatheurError:
            raise
        except Exception as error:  # an error in a reader must not stop the server
            _log.warning("%s could not be answered", function.__name__, exc_info=error)
            raise MatheurError(f"this could not be drawn or read ({type(error).__name__})") from None
        if keep and key not in self._kept:
            self._kept[key] = answer
            self._size += len(key) + _size_of(answer)
            while self._size > _KEPT:
                old, gone = self._kept.popitem(last=False)
                self._size -= len(old) + _size_of(gone)
        return answer

    def _answered(self, done: asyncio.Future[Any]) -> None:
        self._asked -= 1
        if not done.cancelled():
            done.exception()  # the caller may have left

    def close(self) -> None:
        """End the processes."""
        self._pool.abandon()


def _size_of(answer: Any) -> int:
    """Approximate size of an answer in bytes."""
    if isinstance(answer, bytes | str):
        return 50 + len(answer)
    inner = answer.values() if isinstance(answer, dict) else answer if isinstance(answer, list | tuple) else ()
    return 50 + sum(_size_of(one) for one in inner)
