"""A watcher that kills a process group and removes its folder once this process has ended for any reason."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["watched"]

# The watcher runs in its own session and is not a child of this process, so it survives when this process and all its
# children are killed. It waits for the end of its input; only this process holds the other end. The name of the folder
# is passed as an argument, not as part of the script.
_SCRIPT = """
exec 3<&0
(
  group=
  while read -r word rest <&3; do
    case $word in
      group) group=$rest ;;
      done) exit 0 ;;
    esac
  done
  if [ -n "$group" ]; then kill -s KILL -- "-$group"; fi
  if [ -n "$1" ]; then rm -rf -- "$1"; fi
) >/dev/null 2>&1 &
"""


@contextmanager
def watched(folder: Path | str | None = None) -> Iterator[Callable[[int], None]]:
    """Watch a process group that is about to start. The context value is a function that takes the group's number.

    Parameters
    ----------
    folder
        Folder to remove as well if this process is killed; None for none.

    Notes
    -----
    An exit handler is not enough: it does not run after `kill -9` or if the system kills the process because memory
    runs out. Without `/bin/sh` there is no watcher.
    """
    try:
        watcher = subprocess.Popen(
            ["/bin/sh", "-c", _SCRIPT, "matheur-watcher", "" if folder is None else str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    except OSError:
        yield lambda group: None
        return
    assert watcher.stdin is not None
    words = watcher.stdin
    watcher.wait()  # reap the shell that started it

    def say(text: str) -> None:
        with contextlib.suppress(OSError):
            os.write(words.fileno(), f"{text}\n".encode())

    try:
        yield lambda group: say(f"group {group}")
    finally:
        say("done")
        with contextlib.suppress(OSError):
            words.close()
