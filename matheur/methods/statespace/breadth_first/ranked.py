"""Breadth-first levels on bit arrays, for domains whose states have small numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.breadth_first import ranked_kernels
from matheur.methods.statespace.domain import Domain, LevelStep
from matheur.methods.statespace.pace import limit_reached
from matheur.methods.statespace.packing import Packing
from matheur.methods.statespace.ranking import PartialPermutationRanking

__all__ = ["Indexing", "RankedLevels", "ranked_levels"]

_STATES, _PAGES = 20_000, 1 << 15
_SPARSE = 64
"""A level with less than one state per this many words is expanded state by state, even if whole words are possible."""

_INDEX_BITS_MAX = 40


class Indexing:
    """The number of each state: its key, or its rank.

    Parameters
    ----------
    packing
        Packing of the states.
    ranking
        Ranking of all components together, or None for the key itself (of one word).

    Attributes
    ----------
    size
        Number of indices, which are 0 .. size - 1.
    """

    def __init__(self, packing: Packing, ranking: PartialPermutationRanking | None) -> None:
        self.words: int = packing.words
        self.values: int = 0 if ranking is None else ranking.values
        self.size: int = 1 << packing.bits if ranking is None else ranking.states
        masks = [(1 << width) - 1 for width in packing.widths] if ranking is not None else []
        fields = [*zip(packing.word.tolist(), packing.shift.tolist(), masks, strict=False)]
        self.fields: NDArray[np.int64] = np.array(fields, dtype=np.int64).reshape(-1, 3)

    def indices(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Indices int64[n] of keys [n, words]."""
        if self.values == 0:
            return keys[:, 0].astype(np.int64)
        found: NDArray[np.int64] = ranked_kernels.rank_keys(np.ascontiguousarray(keys), self.values, self.fields)
        return found

    def keys(self, indices: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Keys [n, words] of indices."""
        if self.values == 0:
            return indices.astype(np.uint64)[:, None]
        found: NDArray[np.uint64] = ranked_kernels.unrank_keys(indices, self.words, self.values, self.fields)
        return found


class RankedLevels:
    """The levels of a breadth-first search from one state, as bit arrays.

    The arrays take 3 bits per index, 4 with depths, and 1/32 of a bit for the pages.

    Parameters
    ----------
    domain
        A domain with an expander and unit costs.
    indexing
        Numbering of its states.
    source
        uint64[words]: the state of depth 0.
    depths
        Store every state's depth modulo 3, for `path`.

    Attributes
    ----------
    counts
        Number of states at each complete depth; a final 0 means that all states have been reached.
    expanded, generated
        Numbers of expanded states and generated successors (whole-word steps do not count successors).
    nbytes
        Size of the arrays in bytes.
    """

    def __init__(self, domain: Domain, indexing: Indexing, source: NDArray[np.uint64], *, depths: bool) -> None:
        self._domain, self._indexing, self._depths = domain, indexing, depths
        assert domain.expander is not None
        self._expander = domain.expander
        self._step: LevelStep | None = getattr(domain, "levels", None) if indexing.values == 0 else None
        words = -(-indexing.size // 64)
        pages = -(-words // ranked_kernels.PAGE)
        self._level, self._following = np.zeros(words, dtype=np.uint64), np.zeros(words, dtype=np.uint64)
        self._pages, self._following_pages = np.zeros(pages, dtype=np.uint8), np.zeros(pages, dtype=np.uint8)
        self._marks = np.zeros((2 if depths else 1, words), dtype=np.uint64)
        room = domain.branching
        self._out = (np.empty((room, indexing.words), np.uint64), np.empty(room, np.int32), np.empty(room, np.int32))
        self.nbytes: int = bytes_of(indexing.size, depths=depths)
        self.counts: list[int] = [1]
        self.expanded: int = 0
        self.generated: int = 0
        self._fresh = 0
        word, bit = divmod(int(indexing.indices(source[None])[0]), 64)
        self._level[word] = np.uint64(1 << bit)
        self._pages[word // ranked_kernels.PAGE] = 1
        self._mark(word, bit)

    def _mark(self, word: int, bit: int) -> None:
        for plane in range(len(self._marks)):
            if self._code(0) >> plane & 1:
                self._marks[plane, word] |= np.uint64(1 << bit)

    def _code(self, depth: int) -> int:
        return depth % 3 + 1 if self._depths else 1

    @property
    def representation(self) -> str:
        """`bits by key` or `bits by rank`."""
        return "bits by key" if self._indexing.values == 0 else "bits by rank"

    @property
    def depth(self) -> int:
        """The depth of the deepest complete level."""
        return len(self.counts) - 1

    @property
    def stored(self) -> int:
        """Number of states seen."""
        return sum(self.counts) + self._fresh

    def advance(self, budget: Budget) -> str | None:
        """Complete the next level; returns None or the limit that stopped it, after which it cannot be continued."""
        left = budget.work_left
        dense = self.counts[-1] * _SPARSE >= len(self._level)
        if self._step is not None and dense and (left is None or left >= self.counts[-1]):
            limit = self._by_words(self._step, budget)
        else:
            limit = self._by_states(budget)
        if limit is None:
            self._level, self._following = self._following, self._level
            self._pages, self._following_pages = self._following_pages, self._pages
            self.counts.append(self._fresh)
            self._fresh = 0
        return limit

    def _by_states(self, budget: Budget) -> str | None:
        page, indexing, remaining = 0, self._indexing, self.counts[-1]
        while remaining > 0:
            limit = limit_reached(budget)
            if limit is not None:
                return limit
            page, expanded, generated, fresh = ranked_kernels.expand_indices(
                self._expander.address,
                self._expander.data,
                indexing.values,
                indexing.fields,
                self._level,
                self._pages,
                self._following,
                self._following_pages,
                self._marks,
                self._code(len(self.counts)),
                page,
                min(page + _PAGES, len(self._pages)),
                budget.affordable(_STATES),
                self._out,
            )
            self.expanded += expanded
            self.generated += generated
            self._fresh += fresh
            remaining -= expanded
            budget.spend(work=expanded)
        return None

    def _by_words(self, step: LevelStep, budget: Budget) -> str | None:
        total, booked = self.counts[-1], 0
        for chunk in range(step.chunks):
            limit = limit_reached(budget)
            if limit is not None:
                return limit
            step.run(chunk, self._level, self._following)
            share = total * (chunk + 1) // step.chunks - booked
            booked += share
            self.expanded += share
            # The last unit is held back: the level is complete only after the seen states are removed from it.
            budget.spend(work=share if chunk + 1 < step.chunks else share - 1)
        for page in range(0, len(self._pages), _PAGES):
            limit = limit_reached(budget)
            if limit is not None:
                return limit
            self._fresh += ranked_kernels.settle(
                self._level,
                self._pages,
                self._following,
                self._following_pages,
                self._marks,
                self._code(len(self.counts)),
                page,
                min(page + _PAGES, len(self._pages)),
            )
        budget.spend(work=1)
        return None

    def sample(self, most: int) -> NDArray[np.uint64]:
        """Keys [n, words] of up to `most` states of the deepest complete level."""
        found = np.empty(most, dtype=np.int64)
        filled = ranked_kernels.first_bits(self._level, self._pages, found)
        return self._indexing.keys(found[:filled])

    def depth_code(self, key: NDArray[np.uint64]) -> int:
        """0 for a state not seen, else 1 (with depths: the depth modulo 3, plus 1); the key is uint64[words]."""
        word, bit = divmod(int(self._indexing.indices(key[None])[0]), 64)
        return sum((int(plane[word]) >> bit & 1) << i for i, plane in enumerate(self._marks))

    def path(self, key: NDArray[np.uint64], depth: int) -> list[NDArray[np.uint64]]:
        """Keys of a shortest path from a state seen at `depth` back to the source; requires `depths`."""
        keys = [key]
        for closer in range(depth - 1, -1, -1):
            successors = self._domain.expand(keys[-1][None]).keys
            wanted = self._code(closer)
            keys.append(next(row for row in successors if self.depth_code(row) == wanted))
        return keys


def bytes_of(size: int, *, depths: bool) -> int:
    """Size in bytes of the arrays of `RankedLevels` for `size` indices."""
    words = -(-size // 64)
    return words * 8 * (4 if depths else 3) + 2 * -(-words // ranked_kernels.PAGE)


def ranked_levels(
    domain: Domain, source: NDArray[np.uint64], *, memory: int, depths: bool = False
) -> RankedLevels | None:
    """Levels on bit arrays indexed by the key, else by the domain's ranking; None if neither fits.

    The key is faster to compute, but if fewer states than pages have a rank, nearly every state touches pages of its
    own: then the ranking comes first.
    """
    if domain.expander is None:
        return None
    ranking = getattr(domain, "ranking", None)
    bits = domain.packing.bits
    choices = [None] if domain.packing.words == 1 and bits <= _INDEX_BITS_MAX else []
    if ranking is not None and ranking.states * 64 * ranked_kernels.PAGE < 1 << bits:
        choices = []
    for choice in [*choices, ranking] if ranking is not None else choices:
        indexing = Indexing(domain.packing, choice)
        if bytes_of(indexing.size, depths=depths) <= memory:
            return RankedLevels(domain, indexing, source, depths=depths)
    return None
