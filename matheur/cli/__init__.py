"""The `matheur` command."""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from matheur.errors import MatheurError, printable, shortened

__all__ = ["main"]

LINE_MAX = 1400  # maximum length of an error line; the wrong value in it is shorter
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_AGAIN = 0.02  # seconds after which an interrupt that Python dropped is raised again


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 for a valid answer, 1 for "not valid", 2 for bad input, 130 for an interrupt."""
    _collect_rarely()
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # file names may not be printable
            stream.reconfigure(errors="backslashreplace")
    sys.exit(_interruptible(arguments))


def _open_streams() -> None:
    """Replace closed standard streams by the null device, so that no file of the run gets one of their numbers."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if number:
                setattr(sys, name, os.fdopen(null, "w", encoding="utf-8"))


def _collect_rarely() -> None:
    """Run the cyclic garbage collector less often, and not at the exit.

    Most objects of a short command belong to modules and stay alive. Scanning them takes a fifth to a third of its
    time.
    """
    gc.set_threshold(100_000, 20, 50)
    atexit.register(gc.freeze)


def _interruptible(arguments: list[str] | None) -> int:
    """Run the command line; SIGTERM ends it like Ctrl-C, with all clean-up, and neither prints a traceback."""
    try:
        try:
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            with _none_forgotten():
                return run(arguments, loading=_ended_at_once())
        finally:  # Python would print an error at the exit
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
    except KeyboardInterrupt:  # a second interrupt during the clean-up
        return 130
    except RuntimeError as error:  # Python 3.11 wraps interrupts during class creation
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        return 130


@contextmanager
def _none_forgotten() -> Iterator[None]:
    """Context in which an interrupt that Python would print and drop is raised again a moment later.

    Python drops exceptions in functions that C code or the garbage collector calls, for instance while a kernel is
    loaded.
    """
    former = sys.unraisablehook

    def again(unraisable: sys.UnraisableHookArgs) -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)
        else:
            former(unraisable)

    signal.signal(signal.SIGALRM, signal.default_int_handler)
    sys.unraisablehook = again
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        sys.unraisablehook = former


@contextmanager
def _ended_at_once() -> Iterator[None]:
    """Context in which a signal ends the process immediately, since there is nothing to clean up.

    An exception in the middle of an import might be wrapped, or printed and dropped, by other code.
    """

    def leave(*_: object) -> None:
        os._exit(130)

    former: dict[int, Any] = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    heard = [number for number, handler in former.items() if handler not in (signal.SIG_IGN, None)]
    for number in heard:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, former[number])


def run(arguments: list[str] | None = None, *, loading: AbstractContextManager[None] | None = None) -> int:
    """Run the command line and return the exit code; errors of the user become one line on standard error.

    Parameters
    ----------
    loading
        Context for the import of the command, before any work is done.
    """
    try:
        with loading or nullcontext():
            from matheur.cli.app import command, load
            from matheur.engine.inputs import inputs_noted

            load(sys.argv[1:] if arguments is None else arguments)

        with inputs_noted():
            code = int(command(args=arguments, prog_name="matheur", standalone_mode=False) or 0)
        sys.stdout.flush()
    except MatheurError as error:
        return _refuse(str(error))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stdout = None  # the reader has closed the pipe; Python's flush at the exit would print an error
        return 0
    except (OSError, MemoryError) as error:
        return _refuse(_of_the_system(error))
    except Exception as error:
        # Typer's own errors (usage, abort) are recognised by name, since their base class changed between versions.
        message = getattr(error, "format_message", None)
        if message is not None:
            return _refuse(_usage(message(), error)) if message() else 2
        if type(error).__name__ == "Abort":
            return 130
        if type(error).__name__ == "Exit":
            return int(getattr(error, "exit_code", 0))
        raise
    return code


def _of_the_system(error: OSError | MemoryError) -> str:
    """Message of a system error, with the file, or standard output if that cannot be written."""
    if isinstance(error, MemoryError) or error.strerror is None:
        return str(error) or "not enough memory"
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    # Code that writes files raises its own errors, which name them.
    where = "standard output: cannot write ({})" if error.errno in _FULL else "{}"
    return where.format(error.strerror)


def _usage(message: str, error: Exception) -> str:
    """Message of a usage error, with a reference to the help of the command, if known, or of `matheur`."""
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", None) or "matheur"
    end = "" if message.endswith("?") else "."
    return f"{message.rstrip('.')}{end} See '{command} --help'."


def _refuse(message: str) -> int:
    line = shortened(printable(" ".join(message.split())), LINE_MAX)
    sys.stderr.write(f"error: {line}\n")
    return 2
