"""Heuristics by name, as in a configuration."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from matheur.engine.budget import Budget
from matheur.errors import ConfigurationError, nearest
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics.base import Heuristic, zero
from matheur.methods.statespace.heuristics.combine import maximum, minimum, total
from matheur.methods.statespace.heuristics.databases import MEMORY, pattern_databases
from matheur.methods.statespace.heuristics.tables import Progress
from matheur.methods.statespace.packing import Packing

__all__ = ["LEARNT", "file_and_options", "file_named", "heuristic_by_name", "heuristic_names", "leaves_of"]

LEARNT = "learnt"
"""Name for the trained network that is shipped with matheur for the puzzle, in place of a file."""

_BUILT_IN = {
    "zero": "0 everywhere",
    "pattern-database": "exact distances of parts of the puzzle; options bits, patterns, symmetric",
    "max": "the largest of several: max(a,b)",
    "min": "the least of several: min(a,b)",
    "sum": "the sum of several: sum(a,b); not admissible",
}
_COMBINED: dict[str, Callable[[Packing, list[Heuristic]], Heuristic]] = {
    "max": maximum,
    "min": minimum,
    "sum": total,
}
_TOKEN = re.compile(r"[^(),=\s][^(),=]*?\.npz(?=\s*(?:[(),]|$))|[^(),=\s]+|[(),=]")  # names of files may hold blanks
_FILE_END = re.compile(r"\.npz(?=\(|$)")
_DEPTH_MAX = 20


@dataclass(frozen=True)
class _Term:
    """`name(part, part, option=value)`."""

    name: str
    parts: list[_Term] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)


def heuristic_names(domain: Domain) -> dict[str, str]:
    """Names that a specification may use for this domain, each with a one-line description; the domain's own first."""
    own = dict.fromkeys(domain.heuristics(), f"of the domain '{domain.name}'")
    return {**own, **_BUILT_IN}


def heuristic_by_name(
    domain: Domain,
    spec: str,
    *,
    memory: int = MEMORY,
    budget: Budget | None = None,
    progress: Progress | None = None,
    files: Callable[[Domain, str, Mapping[str, str]], Heuristic] | None = None,
    **options: Any,
) -> Heuristic:
    """The heuristic for a specification.

    Parameters
    ----------
    spec
        `zero`, one of the domain's own (`hamming`), `pattern-database`, or `max(...)`, `min(...)` and `sum(...)` of
        these. `pattern-database` takes options, in brackets or as keywords: `bits=20` (most bits of a pattern),
        `patterns=0.1.2+3.4` (components joined by dots, patterns joined by plus signs; overlapping ones are maximised)
        and `symmetric=no`. A name that ends in `.npz` is a file, which may have any name if it exists and stands alone;
        `learnt` is the trained one that comes with matheur.
    memory
        Memory limit in bytes for all tables together.
    budget, progress
        See `distance_table`; when the budget ends, pattern databases are capped, and the heuristic stays admissible.
    files
        Function that returns the trained heuristic for a file, or for `LEARNT`, with the options after its name; None
        if there are none.

    Raises
    ------
    ConfigurationError
        If a name or option is unknown, the text is malformed, or the tables are impossible.
    OutOfBudgetError
        If the budget ended before the tables of a heuristic of the domain were built.
    """
    term = _parse(spec)
    if options:
        term = _Term(term.name, term.parts, {**term.options, **{key: str(one) for key, one in options.items()}})

    def make(term: _Term, left: int) -> Heuristic:
        if term.name in _COMBINED:
            return combined(term, left)
        if term.parts:
            raise ConfigurationError(f"heuristic '{term.name}' is not made of others ('{term.parts[0].name}')")
        if term.name == "pattern-database":
            return pattern_databases(
                domain, memory=left, budget=budget, progress=progress, **_pattern_options(term.options)
            )
        if files is not None and (term.name == LEARNT or term.name.endswith(".npz")):
            return files(domain, term.name, term.options)
        if term.options:
            raise ConfigurationError(f"heuristic '{term.name}' has no option '{next(iter(term.options))}'")
        own = domain.heuristics()
        if term.name in own:
            make_own = own[term.name]
            timed = "budget" in inspect.signature(make_own).parameters
            made: Heuristic = make_own(budget=budget) if timed else make_own()
            return made
        if term.name == "zero":
            return zero()
        raise ConfigurationError(f"unknown heuristic '{term.name}'. {_known(term.name, heuristic_names(domain))}")

    def combined(term: _Term, left: int) -> Heuristic:
        if term.options or not term.parts:
            raise ConfigurationError(f"'{term.name}' takes heuristics: {term.name}(a,b)")
        parts = []
        for part in term.parts:
            parts.append(make(part, left))
            left -= parts[-1].memory
        return _COMBINED[term.name](domain.packing, parts)

    return make(term, memory)


def leaves_of(spec: str) -> list[tuple[str, dict[str, str]]]:
    """The heuristics that a specification combines, each with its options.

    Raises
    ------
    ConfigurationError
        If the text is malformed.
    """

    def leaves(term: _Term) -> Iterator[tuple[str, dict[str, str]]]:
        if term.name not in _COMBINED:
            yield term.name, term.options
        for part in term.parts:
            yield from leaves(part)

    return list(leaves(_parse(spec)))


def file_and_options(spec: str) -> tuple[str, dict[str, str]]:
    """The name of a file and the options in brackets after it.

    Raises
    ------
    ConfigurationError
        If the text is malformed.
    """
    term = _parse(spec)
    if term.parts:
        raise ConfigurationError(f"'{term.name}' takes options, name=value, not '{term.parts[0].name}'")
    return term.name, term.options


def file_named(spec: str) -> tuple[str, dict[str, str]] | None:
    """The file of which a specification consists, with the options in brackets after it; None for other heuristics.

    Raises
    ------
    ConfigurationError
        If the text is malformed.
    """
    term = _parse(spec)
    return (term.name, term.options) if term.name.endswith(".npz") and not term.parts else None


def _known(name: str, names: Iterable[str]) -> str:
    """Hint with the nearest name and all names."""
    close, every = nearest(name, names), ", ".join(sorted(names))
    return close if every in close else f"{close} Known: {every}."


def _parse(spec: str) -> _Term:
    """Parse a text to a term."""
    names = (spec[: match.end()] for match in _FILE_END.finditer(spec))
    file = next(filter(os.path.isfile, names), None)  # its name may hold brackets and commas
    tokens = _TOKEN.findall(spec) if file is None else [file, *_TOKEN.findall(spec[len(file) :])]
    term, rest = _term(tokens, spec, 0)
    if rest:
        raise ConfigurationError(f"cannot read the heuristic '{spec}' from '{rest[0]}' on")
    return term


def _term(tokens: list[str], spec: str, depth: int) -> tuple[_Term, list[str]]:
    """The first term of the tokens, and the remaining tokens."""
    if not tokens or tokens[0] in "(),=" or depth > _DEPTH_MAX:
        raise ConfigurationError(f"cannot read the heuristic '{spec}'. Maybe pattern-database(bits=20) or max(a,b)")
    term, tokens = _Term(tokens[0]), tokens[1:]
    if tokens[:1] != ["("]:
        return term, tokens
    while tokens[:1] != [")"]:
        tokens = tokens[1:]  # the bracket or the comma
        if tokens[1:2] == ["="] and len(tokens) > 2:
            term.options[tokens[0]] = tokens[2]
            tokens = tokens[3:]
        else:
            part, tokens = _term(tokens, spec, depth + 1)
            term.parts.append(part)
        if tokens[:1] not in ([","], [")"]):
            raise ConfigurationError(f"cannot read the heuristic '{spec}': a bracket is not closed")
    return term, tokens[1:]


def _pattern_options(options: Mapping[str, str]) -> dict[str, Any]:
    """Options of `pattern-database` as arguments of `pattern_databases`."""
    readers: dict[str, Callable[[str], Any]] = {
        "bits": _integer,
        "patterns": lambda text: [tuple(_integer(one) for one in part.split(".")) for part in text.split("+")],
        "symmetric": _truth,
    }
    for key in options:
        if key not in readers:
            raise ConfigurationError(f"heuristic 'pattern-database' has no option '{key}'. {nearest(key, readers)}")
    return {key: readers[key](text) for key, text in options.items()}


def _integer(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ConfigurationError(f"not a number ('{text}')")
    return int(text)


def _truth(text: str) -> bool:
    words = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
    if text.lower() not in words:
        raise ConfigurationError(f"neither yes nor no ('{text}')")
    return words[text.lower()]
