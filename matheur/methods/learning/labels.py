"""Files of optimal plans. A plan labels every state on it with its distance, so only start and moves are kept.

A plan of 53 slides on the 4 x 4 board takes about 15 bytes of a file, and labels 53 states. For training on the starts
alone, the moves are left out (`Labels.alone`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError, InputError
from matheur.methods.learning.archive import MALFORMED, Archive
from matheur.methods.learning.sampling import Ball
from matheur.methods.statespace.domain import Domain

__all__ = ["Labels", "check_labels", "labelled_states", "read_labels", "starts_of", "write_labels"]

_ARCHIVE = Archive("matheur-labels", 1, "a file of labels")
_AT_ONCE = 1 << 14  # plans that are followed together


@dataclass(frozen=True, slots=True)
class Labels:
    """Optimal plans to one goal, every move at cost 1.

    Attributes
    ----------
    starts
        uint8[plans, components].
    lengths
        int32[plans].
    moves
        uint8[sum of the lengths], or uint16 or uint32 if the domain has more than 256 moves: concatenated plans; empty
        if the lengths label the starts alone.
    domain, fingerprint, goal
        Domain of the plans, as in `Model`.
    facts
        Plain values that describe how the labels were made.
    """

    starts: NDArray[np.uint8]
    lengths: NDArray[np.int32]
    moves: NDArray[np.unsignedinteger]
    domain: str
    fingerprint: str
    goal: NDArray[np.uint8]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        whole = self.starts.ndim == 2 and self.lengths.shape == (len(self.starts),) and self.moves.ndim == 1
        if not whole or (len(self.lengths) and self.lengths.min() < 0) or len(self.moves) not in (0, self.states):
            raise ConfigurationError("starts, lengths and moves of the plans do not fit together")

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def states(self) -> int:
        """Number of states on all plans, without the goals; the same if the moves have been left out."""
        return int(self.lengths.sum())

    def alone(self) -> Labels:
        """The starts and their distances, without the moves."""
        return replace(self, moves=self.moves[:0])

    @classmethod
    def joined(cls, parts: Sequence[Labels]) -> Labels:
        """Labels of one goal joined into one set, with the facts of the first part.

        Raises
        ------
        ConfigurationError
            If the parts are for different domains or goals, or only some have moves.
        """
        first = parts[0]
        if any((one.fingerprint, one.goal.tolist()) != (first.fingerprint, first.goal.tolist()) for one in parts):
            raise ConfigurationError("labels of different puzzles or goals cannot be combined")
        return replace(
            first,
            starts=np.concatenate([one.starts for one in parts]),
            lengths=np.concatenate([one.lengths for one in parts]),
            moves=np.concatenate([one.moves for one in parts]),
        )

    def first(self, count: int) -> Labels:
        """The first `count` plans."""
        lengths = self.lengths[:count]
        return replace(self, starts=self.starts[:count], lengths=lengths, moves=self.moves[: int(lengths.sum())])

    def after(self, count: int) -> Labels:
        """All but the first `count` plans."""
        moves = self.moves[int(self.lengths[:count].sum()) :]
        return replace(self, starts=self.starts[count:], lengths=self.lengths[count:], moves=moves)


def write_labels(path: Path, labels: Labels) -> None:
    """Write a file of labels, atomically."""
    arrays: dict[str, NDArray[Any]] = {"starts": labels.starts, "lengths": labels.lengths, "moves": labels.moves}
    facts = {
        "domain": labels.domain,
        "fingerprint": labels.fingerprint,
        "goal": labels.goal.tolist(),
        "facts": dict(labels.facts),
    }
    _ARCHIVE.write(path, arrays, facts)


def read_labels(path: Path, *, note: bool = True) -> Labels:
    """The labels in a file. `labelled_states` follows the plans, and so checks that each leads to the goal.

    Parameters
    ----------
    note
        False for a file that will be extended and written again.

    Raises
    ------
    InputError
        If the file does not hold labels, or has been damaged or changed. The message is one line.
    """
    arrays, description = _ARCHIVE.read(path, note=note)
    kinds = {"starts": ("uint8",), "lengths": ("int32",), "moves": ("uint8", "uint16", "uint32")}
    try:
        if set(arrays) != set(kinds) or not all(arrays[name].dtype.name in some for name, some in kinds.items()):
            raise ValueError("arrays are missing, too many, or of another type")
        return Labels(
            **arrays,
            domain=str(description["domain"]),
            fingerprint=str(description["fingerprint"]),
            goal=np.array(description["goal"], dtype=np.uint8),
            facts=dict(description["facts"]),
        )
    except (ConfigurationError, *MALFORMED) as error:
        raise _ARCHIVE.malformed(path, error) from None


def check_labels(labels: Labels, domain: Domain) -> None:
    """Check that labels belong to this domain and its goal.

    Raises
    ------
    ConfigurationError
        If they belong to another domain or goal.
    """
    if labels.domain != domain.name:
        raise ConfigurationError(f"these labels belong to '{labels.domain}', not to '{domain.name}'")
    if labels.fingerprint != domain.fingerprint or not np.array_equal(labels.goal, domain.goal):
        raise ConfigurationError(f"these labels belong to a '{domain.name}' with another goal or other moves")


def labelled_states(domain: Domain, labels: Labels) -> Ball:
    """All states on the plans except the goal, plan after plan, with their distances; without moves, only the starts.

    Raises
    ------
    ConfigurationError
        If the labels are for another domain or goal, or moves have costs other than 1.
    InputError
        If a plan does not lead to the goal.
    """
    check_labels(labels, domain)
    if not domain.unit_costs:
        raise ConfigurationError(f"labels count moves of cost 1, and those of '{domain.name}' cost more")
    if labels.starts.shape[1] != domain.packing.size:
        raise InputError(f"a state has {domain.packing.size} components, not {labels.starts.shape[1]}")
    if not len(labels.moves):
        keys, away = _packed(domain, labels.starts), labels.lengths > 0
        if not np.array_equal(domain.is_goal(keys), ~away):
            raise InputError("a plan of the labels has no moves, and does not lead to the goal")
        return Ball(keys[away], labels.lengths[away])
    keys = np.empty((len(labels.moves), domain.packing.words), dtype=np.uint64)
    begins = np.cumsum(labels.lengths, dtype=np.int64) - labels.lengths
    for low in range(0, len(labels), _AT_ONCE):
        some = slice(low, low + _AT_ONCE)
        _follow(domain, labels.starts[some], labels.lengths[some], begins[some], labels.moves, keys)
    ends = np.repeat(begins + labels.lengths, labels.lengths)
    distances = (ends - np.arange(len(keys))).astype(np.int32)
    return Ball(keys, distances)


def starts_of(labels: Labels) -> NDArray[np.int64]:
    """Rows of `labelled_states` that are starts of plans; a plan of no moves has none."""
    if not len(labels.moves):
        return np.arange(int((labels.lengths > 0).sum()))
    begins = np.cumsum(labels.lengths, dtype=np.int64) - labels.lengths
    return begins[labels.lengths > 0]


def _packed(domain: Domain, starts: NDArray[np.uint8]) -> NDArray[np.uint64]:
    try:
        return domain.packing.pack(starts)
    except ValueError as error:
        raise InputError(f"the labels hold something that is not a state ({error})") from None


def _follow(
    domain: Domain,
    starts: NDArray[np.uint8],
    lengths: NDArray[np.int32],
    begins: NDArray[np.int64],
    moves: NDArray[np.unsignedinteger],
    keys: NDArray[np.uint64],
) -> None:
    """Follow some plans, all one step at a time, and store their states at the offsets of their moves."""
    here = _packed(domain, starts)
    for step in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > step)
        keys[begins[rows] + step] = here[rows]
        found = domain.expand(here[rows])
        chosen = np.flatnonzero(found.moves == moves[begins[rows] + step][found.parents])
        if not np.array_equal(found.parents[chosen], np.arange(len(rows))):
            raise InputError("a plan of the labels makes a move that is not possible")
        here[rows] = found.keys[chosen]
    if not domain.is_goal(here).all():
        raise InputError("a plan of the labels does not lead to the goal")
