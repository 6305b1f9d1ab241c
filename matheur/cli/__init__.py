"""The `matheur` command."""

from __future__ import annotations

import sys

from matheur.errors import MatheurError

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 for a valid answer, 1 for "not valid", 2 for bad input, 130 for an interrupt."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit code; errors of the user become one line on standard error."""
    from matheur.cli.app import app

    try:
        code = app(args=arguments, standalone_mode=False)
    except MatheurError as error:
        print(f"error: {_one_line(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone; Python would complain while it flushes
        return 0
    except Exception as error:
        # Typer's own errors (usage, abort) are known by their face: their base class changed between versions.
        message = getattr(error, "format_message", None)
        if message is not None:
            print(f"error: {_one_line(message())} See 'matheur --help'.", file=sys.stderr)
            return 2
        if type(error).__name__ == "Abort":
            return 130
        if type(error).__name__ == "Exit":
            return int(getattr(error, "exit_code", 0))
        raise
    return int(code or 0)


def _one_line(text: str) -> str:
    return " ".join(text.split())
