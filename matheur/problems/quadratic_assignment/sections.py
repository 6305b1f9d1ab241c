"""Extended instances: linear costs, fixed facilities, more locations than facilities, the general form.

A keyword alone on a line begins a part::

    flows
    0 5
    5 0
    distances
    0 8 15
    8 0 13
    15 13 0
    linear
    0 2 2
    1 0 3
    fixed
    1 3

`fixed` has pairs of facility and location, from 1. In place of flows and distances, `pairs` has lines `i k j l cost`,
the joint cost of facility i on location k and facility j on location l; `facilities M` and `locations N` then give the
size.
"""

from __future__ import annotations

import re

import numpy as np

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError, nearest, shown
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.numbers import Numbers, matrix_text, numbers_of, with_decimals
from matheur.problems.quadratic_assignment.parts import PARTS, of_parts

__all__ = ["claim_sections", "read_sections", "write_sections"]

_WORD = re.compile(r"\s*([A-Za-z]{4,12})\s*[:=]?\s*([0-9]{1,9})?\s*(?:[#%!].*|//.*)?", re.ASCII)
_HEAD = 100_000


def claim_sections(source: Source) -> Recognition:
    """How surely this is the text form, judged by keywords alone on lines; never raises."""
    try:
        head = Source(source.name, source.plain[:_HEAD]).lines
    except InputError:
        return Recognition.NO
    words = (match[1].lower() for match in map(_WORD.fullmatch, head) if match)
    first = next((line for line in head if line.strip() and not re.match(r"\s*(#|//|%|!|c\s)", line)), "")
    begun = _WORD.fullmatch(first)
    if begun is None or begun[1].lower() not in PARTS:
        return Recognition.NO
    return Recognition.PROVED if {"flows", "pairs"} & set(words) else Recognition.FITS


def read_sections(source: Source) -> Instance:
    """The instance in a text with keywords.

    Raises
    ------
    InputError
        If it is malformed; the message names the line of the error.
    """
    lines, sizes = source.lines, {}
    ends: list[tuple[str, int]] = []
    for number, line in enumerate(lines):
        match = _WORD.fullmatch(line)
        if match is None:
            continue
        word = match[1].lower()
        if word not in PARTS:
            raise source.error(f"no part is called {shown(word)}. {nearest(word, PARTS)}", number + 1)
        if word in ("facilities", "locations"):
            if match[2] is None:
                raise source.error(f"'{word}' needs a number", number + 1)
            sizes[word] = int(match[2])
        elif match[2] is not None:
            raise source.error(f"'{word}' must be alone on its line, with its numbers below", number + 1)
        if word in (one for one, _ in ends):
            raise source.error(f"'{word}' appears twice", number + 1)
        ends.append((word, number))
    parts: dict[str, Numbers] = {}
    for (word, begin), end in zip(ends, [*(at for _, at in ends[1:]), len(lines)], strict=True):
        # Other lines are kept as empty lines, so that errors name the right line.
        text = "\n" * (begin + 1) + "\n".join(lines[begin + 1 : end]) + "\n"
        parts[word] = numbers_of(Source(source.name, text.encode("utf-8", "surrogatepass")))
        if word in sizes and len(parts[word]):
            raise source.error(f"numbers below '{word}', which belong to no part", parts[word].lines[0])
    return of_parts(source, {word: one for word, one in parts.items() if word not in sizes}, sizes, source.stem)


def write_sections(instance: Instance) -> str:
    """The instance as `read_sections` accepts it; scaled numbers are written with their decimals."""
    one = instance if instance.given is None else instance.given
    of_flows, of_distances = instance.decimals
    blocks = []
    if one.pairs is None:
        blocks += [
            f"flows\n{matrix_text(one.flows, of_flows)}",
            f"distances\n{matrix_text(one.distances, of_distances)}",
        ]
    else:
        values = one.pairs
        lines = [
            f"{i + 1} {k + 1} {j + 1} {h + 1} {with_decimals(int(values[i, k, j, h]), sum(instance.decimals))}\n"
            for i, k, j, h in np.argwhere(values).tolist()
        ]
        blocks += [f"facilities {len(one.flows)}\nlocations {len(one.distances)}\npairs\n{''.join(lines)}"]
    if one.linear is not None:
        blocks.append(f"linear\n{matrix_text(one.linear, of_flows + of_distances)}")
    if instance.given is not None and instance.given.fixed:
        pairs = sorted(instance.given.fixed.items())
        blocks.append("fixed\n" + "".join(f"{facility + 1} {location + 1}\n" for facility, location in pairs))
    return "\n".join(blocks)
