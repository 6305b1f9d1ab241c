"""A watcher that ends a process group, and removes its folder, when this process is gone, however it went."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["watched"]

# It waits in a session of its own, as no child of this process, for the end of its input, of which this process alone
# holds the other end. So it survives when this process and all that it has started are killed. The folder is removed by
# its name, which comes as an argument and is no part of the script.
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
    """Watch over a process group that is about to be started; what it gives takes the number of the group.

    Parameters
    ----------
    folder
        Removed as well when this process is killed; None for nothing.

    Notes
    -----
    A handler at the exit would not do: `kill -9` and a killed machine's memory leave no time for one. Without `/bin/sh`
    nothing is watched.
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
    watcher.wait()  # for the shell that has started it

    def say(text: str) -> None:
        with contextlib.suppress(OSError):
            os.write(words.fileno(), f"{text}\n".encode())

    try:
        yield lambda group: say(f"group {group}")
    finally:
        say("done")
        with contextlib.suppress(OSError):
            words.close()
