"""Instances and solutions by path, URL, built-in name or standard input."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, partial
from typing import Any

from matheur.engine.inputs import BYTES_MAX
from matheur.engine.problem_form import check_form
from matheur.engine.problem_type import ProblemType
from matheur.engine.problem_types import of_working, problem_types, tool_of, with_tool
from matheur.engine.recognition import Recognition
from matheur.engine.source import Source, open_source
from matheur.engine.streams import read_stream
from matheur.errors import InputError, nearest

__all__ = [
    "assumptions_of",
    "claims",
    "claims_of",
    "decoded",
    "file_of",
    "instance_of_result",
    "is_result",
    "load_instance",
    "load_solution",
    "load_start",
    "options_of_result",
    "problem_type",
    "read_source",
    "recognise",
    "refuse_cut",
]

_OBJECT = re.compile(rb'\s*\{\s*("|\Z)')


def problem_type(name: str) -> ProblemType:
    """Problem type by name."""
    found: ProblemType = problem_types.get(name)
    return found


def read_source(name: str) -> Source:
    """The bytes of a file, of standard input (`-`), or a URL as text; `FILE#3` is the third instance in a file.

    A file compressed by gzip, bzip2 or xz is unpacked.

    Raises
    ------
    InputError
        If there is no such file, it is unreasonably large, or compressed in another way.
    """
    if name == "-":
        return _standard_input().unpacked
    if name.lower().startswith(("http://", "https://")):
        return Source("<url>", name.encode("utf-8", "surrogateescape"))
    path, part = _place(name)
    return open_source(path, name, part)


def _place(name: str) -> tuple[str, int | None]:
    """The path that a name stands for, and which of several instances in the file is meant."""
    base, _, number = name.rpartition("#")
    if base and re.fullmatch(r"[0-9]{1,9}", number) and not os.path.exists(name):
        return base, int(number)
    return name, None


def file_of(name: str) -> str | None:
    """The path of the file that the name of an instance or a solution means, None if it means no file."""
    path, _ = _place(name)
    try:
        return path if os.path.exists(path) else None
    except ValueError:  # a NUL in the name
        return None


@cache
def _standard_input() -> Source:
    """Read standard input once and cache it, since several readers may use it."""
    if sys.stdin is None:
        raise InputError("standard input is closed", source="<stdin>")
    try:
        file = sys.stdin.buffer.fileno()
    except (OSError, ValueError):  # standard input is not a file but an object that a program has installed
        data = sys.stdin.buffer.read(BYTES_MAX + 1)
    else:
        try:
            data = read_stream(file, BYTES_MAX, named=False)
        except OSError as error:
            raise InputError(f"cannot read ({error.strerror})", source="<stdin>") from None
    if len(data) > BYTES_MAX:
        raise InputError(f"larger than {BYTES_MAX >> 20} MiB", source="<stdin>")
    return Source("<stdin>", data)


def load_instance(
    name: str,
    problem: str | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    confined: bool = False,
) -> tuple[ProblemType, Any]:
    """Load an instance: the problem type and the `Problem` behind a file, a URL, `-` or a built-in name.

    Parameters
    ----------
    name
        `PROBLEM/NAME` is a built-in instance unless a file of that name exists.
    problem
        Kind of problem; recognised from the content if None.
    options
        Options of the reader (for edge matching `sides`, `hints`, ...).
    confined
        Whether files that the instance names must lie in its own folder.

    Raises
    ------
    InputError
        Unreadable or unrecognised content, unknown built-in name.
    ConfigurationError
        If the problem that a reader of another package gives has members of the wrong kind.
    """
    found, read = _load(name, problem, options or {}, confined)
    check_form(read)
    return found, read


def _load(name: str, problem: str | None, options: Mapping[str, Any], confined: bool) -> tuple[ProblemType, Any]:
    kind, _, short = name.partition("/")
    if short and kind in problem_types.names() and file_of(name) is None:
        found = problem_type(kind)
        if problem is not None and problem_type(problem) is not found:
            raise InputError(f"'{name}' is an instance of '{kind}', not of '{problem}'")
        known = found.builtins()
        if short not in known:
            raise InputError(f"no built-in instance '{name}'. {nearest(name, [f'{kind}/{item}' for item in known])}")
        return found, found.builtin(short, options)
    try:
        source = replace(read_source(name), confined=confined)
    except InputError as error:
        raise _misspelt(name, error) from None
    if problem is not None:
        found = problem_type(problem)
        return found, found.read(source, options)
    found = recognise(source)
    return found, found.read(source, options)


def recognise(source: Source) -> ProblemType:
    """The kind of problem in a file: all kinds are tried, and the surest claim counts.

    A kind of problem that registers the ending of the file is tried first. If it is sure, the others, which take a
    third of a second to load, are not tried. If no kind claims the file, it is assigned to the kind with that ending,
    whose reader gives the best error message.

    Raises
    ------
    InputError
        If no kind of problem claims the file, or several do, equally surely.
    """
    if not source.data.strip():
        raise source.error("the file is empty")
    owners = [name for name in with_tool("endings") if any(of_working(name, partial(_owns, name, source)))]
    for name in owners:
        if Recognition.PROVED in _claim(name, source):
            return problem_type(name)
    found = claims(source)
    surest = max(found.values(), default=Recognition.NO)
    names = [name for name, claim in found.items() if claim == surest]
    if surest != Recognition.NO and len(names) == 1:
        return problem_type(names[0])
    if surest != Recognition.NO:
        several = f"{', '.join(names[:-1])} or {names[-1]}"
        raise source.error(f"may be an instance of {several}. Maybe say which with --problem {names[0]}?")
    result = _result_file(source)
    if result is not None:
        of = f" of {result['instance']}" if isinstance(result.get("instance"), str) else ""
        raise source.error(f"a result{of}, not an instance. Maybe 'matheur show', 'matheur verify' or --start?")
    if owners:
        return problem_type(owners[0])
    refuse_cut(source)
    for name in with_tool("endings"):
        for said in of_working(name, partial(_foreign, name, source)):
            if said:
                raise source.error(said)
    known = ", ".join(problem_types.names())
    raise source.error(f"not an instance of a known problem ({known}). Maybe name it with --problem?")


def claims(source: Source) -> dict[str, Recognition]:
    """How surely each kind of problem claims a file; broken kinds of other packages are left out."""
    return {name: claim for name in problem_types.names() for claim in _claim(name, source)}


def _owns(name: str, source: Source) -> bool:
    """Whether a kind of problem registers the ending of a file."""
    return source.suffix in tool_of(name, "endings")["own"]


def _foreign(name: str, source: Source) -> str:
    """Message of a problem type for a file ending that no reader accepts; empty if there is none."""
    others: Mapping[str, str] = tool_of(name, "endings").get("others", {})
    return others.get(source.suffix, "")


def _claim(name: str, source: Source) -> Iterator[Recognition]:
    return of_working(name, lambda: Recognition(problem_type(name).recognises(source)))


def assumptions_of(problem: Any) -> tuple[str, ...]:
    """Assumptions of the reader of the instance, a phrase each."""
    return tuple(getattr(problem, "assumptions", ()))


def _misspelt(name: str, error: InputError) -> InputError:
    """What to say of a name that is neither a file nor a built-in instance: the built-in one that may be meant."""
    kind, _, short = name.partition("/")
    close = get_close_matches(kind, problem_types.names(), n=1, cutoff=0.7)
    if not close or file_of(name) is not None:
        return error
    known = list(problem_type(close[0]).builtins())
    meant = nearest(f"{close[0]}/{short}", [f"{close[0]}/{item}" for item in (known if short else known[:1])])
    return InputError(f"no such file, and no such built-in instance. {meant}", source=name)


def _result_file(source: Source) -> dict[str, Any] | None:
    """The object of a result file, or None if the source is something else."""
    try:
        if source.plain.lstrip()[:1] != b"{":
            return None
        content = source.json
    except InputError:
        return None
    return content if is_result(content) else None


def is_result(content: Any) -> bool:
    """Whether plain values are those of a result file."""
    return isinstance(content, Mapping) and "solution" in content


def refuse_cut(source: Source) -> None:
    """Say what is wrong with a file that begins as a JSON object but is not valid JSON, such as a result that was cut.

    Raises
    ------
    InputError
        If it is one.
    """
    if _OBJECT.match(source.plain):
        _ = source.json  # raises, with the line


def load_solution(kind: ProblemType, problem: Any, name: str) -> Any:
    """A solution of `problem` from a result file or from any format of its field.

    Raises
    ------
    InputError
        If it cannot be read, or belongs to another kind of problem.
    """
    return _loaded(kind, name, partial(kind.read_solution, problem), problem.decode)


def load_start(kind: ProblemType, problem: Any, name: str) -> Any:
    """As `load_solution`, for a start, which may be incomplete if the problem has a tool `starts`."""
    starts = tool_of(kind.name, "starts")
    if starts is None:
        return load_solution(kind, problem, name)
    return _loaded(kind, name, partial(starts.read, problem), partial(starts.decode, problem))


def _loaded(kind: ProblemType, name: str, read: Callable[[Source], Any], decode: Callable[[Any], Any]) -> Any:
    source = read_source(name)
    result = _result_file(source)
    if result is None:
        try:
            return read(source)
        except InputError as error:
            raise error.located(source.name) from None
    try:
        return _solution_of(result, kind.name, decode)
    except InputError as error:
        raise error.located(source.name) from None


def _solution_of(result: Mapping[str, Any], name: str, decode: Callable[[Any], Any]) -> Any:
    if result.get("problem", name) != name:
        raise InputError(f"a solution of '{result['problem']}', not of '{name}'")
    if result["solution"] is None:
        raise InputError(f"holds no solution (status {result.get('status')!r})")
    return decode(result["solution"])


def decoded(problem: Any, result: Mapping[str, Any]) -> Any:
    """The start in the plain values of a result.

    Raises
    ------
    InputError
        If there is none, or it is of another kind of problem.
    """
    starts = tool_of(problem.name, "starts")
    return _solution_of(result, problem.name, problem.decode if starts is None else partial(starts.decode, problem))


def instance_of_result(name: str) -> tuple[str, dict[str, Any]] | None:
    """Name of the instance of a result file, and its reader options; None if it is not a result file."""
    if name != "-" and not os.path.exists(name):
        return None  # a URL, or the name of a built-in instance
    result = _result_file(read_source(name))
    if result is None or not isinstance(result.get("instance"), str):
        return None
    return result["instance"], _options_in(result)


def options_of_result(name: str) -> dict[str, Any]:
    """Reader options of the instance of a result file, since they determine what was solved; empty for other files."""
    return _options_in(claims_of(name))


def _options_in(result: Mapping[str, Any]) -> dict[str, Any]:
    configuration = result.get("configuration")
    options = configuration.get("instance") if isinstance(configuration, dict) else None
    return options if isinstance(options, dict) else {}


def claims_of(name: str) -> dict[str, Any]:
    """Values of a result file; empty for other files."""
    return _result_file(read_source(name)) or {}
