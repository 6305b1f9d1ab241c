"""Terms of the synergy that are weight functions: the columns that they read, and tables of their values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from matheur.problems.party.catalogue import Catalogue, Trait
from matheur.problems.party.formats.document import Node
from matheur.problems.party.synergy import Synergy
from matheur.problems.party.weight_function import Cells, WeightFunction

__all__ = ["function_of", "function_terms", "with_functions"]

_KINDS_MAX = 500  # maximum number of kinds of items that a function distinguishes; all pairs of them become a table


def function_of(node: Node) -> WeightFunction:
    """Read the weight function in the key `function` of a term.

    Raises
    ------
    InputError
        If it is not a valid expression.
    """
    try:
        return WeightFunction.parse(node.text())
    except ValueError as error:
        raise node.error(str(error)) from None


def function_terms(root: Node) -> Iterator[tuple[int, Node]]:
    """Yield number and node of each function among the terms of a puzzle."""
    for number, term in enumerate(root["synergy"]["terms"].items()):
        if "function" in term:
            yield number, term["function"]


def with_functions(root: Node, synergy: Synergy | None, catalogue: Catalogue) -> tuple[Synergy | None, Catalogue]:
    """Return the synergy with the values of its functions as pairs, and the catalogue with the kinds of items.

    Raises
    ------
    InputError
        If a function distinguishes too many kinds of items, is not symmetric, or yields a value outside [0, 1].
    """
    if synergy is None:
        return None, catalogue
    terms, traits = list(synergy.terms), dict(catalogue.traits)
    for number, node in function_terms(root):
        function = function_of(node)
        kinds, trait = _kinds(function, node, catalogue)
        traits[terms[number].column] = trait
        terms[number] = replace(terms[number], pairs=_pairs(function, node, kinds, trait))
    if len(traits) == len(catalogue.traits):
        return synergy, catalogue
    return replace(synergy, terms=tuple(terms)), replace(catalogue, traits=traits)


def _kinds(function: WeightFunction, node: Node, catalogue: Catalogue) -> tuple[list[Cells], Trait]:
    """Return the distinct rows of cells in the columns of a function, and the row of each item as a trait."""
    keys: list[NDArray[np.int64]] = []
    missing = np.zeros(len(catalogue), dtype=bool)
    for column in function.columns:
        if column in function.numeric:
            measure = catalogue.measures[column]
            keys.append(measure.amounts)
            missing |= measure.missing
        else:
            keys.append(catalogue.traits[column].codes.astype(np.int64))
            missing |= keys[-1] < 0
    if not keys:
        raise node.error("reads no column of a or b")
    rows = np.stack(keys, axis=1)[~missing]
    found, inverse = np.unique(rows, axis=0, return_inverse=True)
    if len(found) > _KINDS_MAX:
        raise node.error(
            f"distinguishes {len(found)} kinds of items, more than {_KINDS_MAX}. Maybe fewer columns, or coarser ones?"
        )
    cells = [_cells(function, catalogue, row) for row in found.tolist()]
    texts = [json.dumps([str(one[column]) for column in function.columns], ensure_ascii=False) for one in cells]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    ranks = np.empty(len(texts), dtype=np.int32)
    ranks[order] = np.arange(len(texts), dtype=np.int32)
    codes = np.full(len(catalogue), -1, dtype=np.int32)
    codes[~missing] = ranks[inverse.ravel()]
    return [cells[number] for number in order], Trait(tuple(texts[number] for number in order), codes)


def _cells(function: WeightFunction, catalogue: Catalogue, row: list[int]) -> Cells:
    cells: dict[str, Fraction | str] = {}
    for column, value in zip(function.columns, row, strict=True):
        if column in function.numeric:
            cells[column] = Fraction(value, catalogue.measures[column].scale)
        else:
            cells[column] = catalogue.traits[column].values[value]
    return cells


def _pairs(function: WeightFunction, node: Node, kinds: list[Cells], trait: Trait) -> dict[tuple[str, str], Fraction]:
    """Return all non-zero weights."""
    pairs = {}
    for i, one in enumerate(kinds):
        for j, two in enumerate(kinds[: i + 1]):
            try:
                weight, back = function(one, two), function(two, one)
            except ValueError as error:
                raise node.error(f"{error}, for {_told(one)} and {_told(two)}") from None
            if weight != back:
                raise node.error(
                    f"is not symmetric: it gives {float(weight):g} for {_told(one)} and {_told(two)}, "
                    f"{float(back):g} the other way round"
                )
            if weight:
                pairs[trait.values[i], trait.values[j]] = weight
    return pairs


def _told(cells: Cells) -> str:
    shown = (
        f"{column} {float(value):g}" if isinstance(value, Fraction) else f"{column} {value}"
        for column, value in cells.items()
    )
    return f"({', '.join(shown)})"
