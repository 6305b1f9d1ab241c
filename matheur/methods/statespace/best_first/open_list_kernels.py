"""Kernels of the batch searches: all states in one table, open states in buckets.

Layout. A state is a record of `words + 3` uint64: its key, then six int32: cost so far, estimate, parent (position of a
record), move from the parent, and the next and previous record of its bucket (previous: -1 for the first of a bucket,
`CLOSED` outside, `PENDING` between insertion and being filed). `records` are these uint64, `notes` the same memory as
int32. Positions never change. `slots` (uint32) is a hash table as in
`matheur.kernels.state_table`: position plus 1, above it a tag.

A bucket holds the waiting states of one pair of cost and estimate as a linked stack; `buckets` has rows of cost,
estimate, first record or -1, whether it is in the heap. `places` is a hash table from pairs to buckets (number plus 1).
`heap` orders the buckets in it by (numerator * cost + denominator * estimate, estimate, cost). Filing or taking a state
therefore costs a few steps for any number of open states, for small and large, even and uneven costs; if every state
has its own pair, the buckets become an ordinary binary heap.

Inserting works on blocks of 32 states: the slots of all are prefetched, then their records, then each is looked up, so
that cache misses overlap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matheur.kernels import kernel
from matheur.kernels.state_table import look_ahead, same
from matheur.methods.statespace.heuristics.base import INFINITE
from matheur.methods.statespace.pointers import call_estimate, call_expand

__all__ = [
    "AT",
    "BEST",
    "BUCKETS",
    "COST",
    "COUNT",
    "EMPTY",
    "ESTIMATE",
    "EXPANDED",
    "FIELDS",
    "FULL",
    "GENERATED",
    "GOAL",
    "HOPELESS",
    "MOVE",
    "NUMBERS",
    "PARENT",
    "PAUSED",
    "POPPED",
    "QUEUED",
    "REACHED",
    "TOO_DEAR",
    "UNKNOWN",
    "Block",
    "Order",
    "Store",
    "gather",
    "insert",
    "pop",
    "push",
    "put_back",
    "rebuild_places",
    "run",
    "take",
]

COST, ESTIMATE, PARENT, MOVE, NEXT, PREVIOUS = range(6)
"""Places of the int32 fields behind the key of a record."""

FIELDS = 3
"""uint64 words that these fields take."""

CLOSED, PENDING = np.int32(-2), np.int32(-3)
UNKNOWN = np.int32(-(2**31))
"""Marker of a state that has not been estimated yet."""

COUNT, BUCKETS, QUEUED, POPPED, AT, BEST, GOAL, EXPANDED, GENERATED, HOPELESS, NUMBERS = range(11)
"""Places in `numbers`: records, buckets, buckets in the heap, states of the batch, how many of them are done, cost and
record of the best goal state, states expanded, successors generated, least cost of one with an infinite estimate."""

PAUSED, EMPTY, REACHED, FULL, TOO_DEAR = range(5)
"""Results: the limit is reached; no open state; a better goal state; a table must grow; a cost exceeds int32."""

_COST_MAX = 2**31 - 1
_BLOCK = 32
_FIRST = np.uint64(0xBF58476D1CE4E5B9)


class Store(NamedTuple):
    """The arrays of a search, see above; `popped` (int32[batch]) holds the records of the batch."""

    records: NDArray[np.uint64]
    notes: NDArray[np.int32]
    slots: NDArray[np.uint32]
    buckets: NDArray[np.int32]
    places: NDArray[np.int32]
    heap: NDArray[np.int32]
    popped: NDArray[np.int32]
    numbers: NDArray[np.int64]


class Order(NamedTuple):
    """numerator * cost + denominator * estimate ranks; `trusted` is 1 if estimates are lower bounds, else 0."""

    numerator: int
    denominator: int
    trusted: int


class Block(NamedTuple):
    """Buffers for successors: flat keys, moves, costs, records of the parents, estimates, records to be filed."""

    keys: NDArray[np.uint64]
    moves: NDArray[np.int32]
    costs: NDArray[np.int32]
    parents: NDArray[np.int32]
    estimates: NDArray[np.int32]
    pending: NDArray[np.int32]


@kernel(inline="always")
def _less(buckets, order, one, two):  # type: ignore[no-untyped-def]
    """Whether bucket `one` comes before bucket `two`."""
    g, h = np.int64(buckets[one, 0]), np.int64(buckets[one, 1])
    other_g, other_h = np.int64(buckets[two, 0]), np.int64(buckets[two, 1])
    value = order.numerator * g + order.denominator * h
    other = order.numerator * other_g + order.denominator * other_h
    if value != other:
        return value < other
    return h < other_h or (h == other_h and g < other_g)


@kernel
def _queue(store, order, bucket):  # type: ignore[no-untyped-def]
    """Add a bucket to the heap."""
    heap, buckets, numbers = store.heap, store.buckets, store.numbers
    at = numbers[QUEUED]
    numbers[QUEUED] += 1
    while at > 0:
        above = (at - 1) >> 1
        if not _less(buckets, order, bucket, heap[above]):
            break
        heap[at] = heap[above]
        at = above
    heap[at] = bucket
    buckets[bucket, 3] = 1


@kernel
def _unqueue_first(store, order):  # type: ignore[no-untyped-def]
    """Remove the first bucket from the heap."""
    heap, buckets, numbers = store.heap, store.buckets, store.numbers
    buckets[heap[0], 3] = 0
    numbers[QUEUED] -= 1
    size = numbers[QUEUED]
    moved = heap[size]
    at = np.int64(0)
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and _less(buckets, order, heap[below + 1], heap[below]):
            below += 1
        if not _less(buckets, order, heap[below], moved):
            break
        heap[at] = heap[below]
        at = below
    heap[at] = moved


@kernel(inline="always")
def _pair_place(places, buckets, g, h):  # type: ignore[no-untyped-def]
    """Place of the bucket of a pair, or where it would be entered."""
    mask = np.uint64(len(places) - 1)
    value = (np.uint64(g) << np.uint64(32)) ^ np.uint64(h & 0xFFFFFFFF)
    value = (value ^ (value >> np.uint64(29))) * _FIRST
    place = (value ^ (value >> np.uint64(32))) & mask
    while places[place] != 0:
        bucket = places[place] - 1
        if buckets[bucket, 0] == g and buckets[bucket, 1] == h:
            break
        place = (place + np.uint64(1)) & mask
    return place


@kernel
def rebuild_places(places, buckets, count):  # type: ignore[no-untyped-def]
    """Enter all buckets into an empty table."""
    for bucket in range(count):
        places[_pair_place(places, buckets, np.int64(buckets[bucket, 0]), np.int64(buckets[bucket, 1]))] = bucket + 1


@kernel(inline="always")
def _field(words, record):  # type: ignore[no-untyped-def]
    """Position in `notes` of the first field of a record."""
    return 2 * (record * (words + FIELDS) + words)


@kernel
def _file(store, order, words, record):  # type: ignore[no-untyped-def]
    """Push a state to the bucket of its cost and estimate, unless it cannot lead to a better plan."""
    notes, buckets, places, numbers = store.notes, store.buckets, store.places, store.numbers
    at = _field(words, record)
    g, h = np.int64(notes[at + COST]), np.int64(notes[at + ESTIMATE])
    if h >= INFINITE:
        numbers[HOPELESS] = min(numbers[HOPELESS], g)
        notes[at + PREVIOUS] = CLOSED
        return
    if g + order.trusted * h >= numbers[BEST]:
        notes[at + PREVIOUS] = CLOSED
        return
    place = _pair_place(places, buckets, g, h)
    bucket = np.int64(places[place]) - 1
    if bucket < 0:
        bucket = numbers[BUCKETS]
        numbers[BUCKETS] += 1
        places[place] = bucket + 1
        buckets[bucket, 0], buckets[bucket, 1], buckets[bucket, 2], buckets[bucket, 3] = g, h, -1, 0
    first = np.int64(buckets[bucket, 2])
    notes[at + NEXT], notes[at + PREVIOUS] = first, -1
    if first >= 0:
        notes[_field(words, first) + PREVIOUS] = record
    buckets[bucket, 2] = record
    if buckets[bucket, 3] == 0:
        _queue(store, order, bucket)


@kernel
def _unfile(store, words, record):  # type: ignore[no-untyped-def]
    """Remove an open state from its bucket."""
    notes = store.notes
    at = _field(words, record)
    after, before = np.int64(notes[at + NEXT]), np.int64(notes[at + PREVIOUS])
    if before >= 0:
        notes[_field(words, before) + NEXT] = after
    else:
        place = _pair_place(store.places, store.buckets, np.int64(notes[at + COST]), np.int64(notes[at + ESTIMATE]))
        store.buckets[store.places[place] - 1, 2] = after
    if after >= 0:
        notes[_field(words, after) + PREVIOUS] = before


@kernel
def pop(store, order, words, goal, mask, size):  # type: ignore[no-untyped-def]
    """Fill the batch with the first `size` open states; goal states only improve `numbers[BEST]`, if they can.

    Buckets that cannot lead to a better plan are dropped as a whole. Returns whether a better goal state was found.
    """
    records, notes, buckets, numbers = store.records, store.notes, store.buckets, store.numbers
    taken = np.int64(0)
    better = False
    while taken < size and numbers[QUEUED] > 0:
        bucket = store.heap[0]
        if buckets[bucket, 0] + order.trusted * buckets[bucket, 1] >= numbers[BEST] or buckets[bucket, 2] < 0:
            _unqueue_first(store, order)
            continue
        record = np.int64(buckets[bucket, 2])
        at = _field(words, record)
        after = np.int64(notes[at + NEXT])
        buckets[bucket, 2] = after
        if after >= 0:
            notes[_field(words, after) + PREVIOUS] = -1
        notes[at + PREVIOUS] = CLOSED
        reached = True
        for word in range(words):
            if records[record * (words + FIELDS) + word] & mask[word] != goal[word]:
                reached = False
        if reached:
            numbers[BEST], numbers[GOAL] = notes[at + COST], record
            better = True
        else:
            store.popped[taken] = record
            taken += 1
    numbers[POPPED], numbers[AT] = taken, 0
    return better


@kernel
def put_back(store, order, words):  # type: ignore[no-untyped-def]
    """File the unexpanded states of the batch again, in their old order."""
    numbers = store.numbers
    for i in range(numbers[POPPED] - 1, numbers[AT] - 1, -1):
        record = np.int64(store.popped[i])
        if store.notes[_field(words, record) + PREVIOUS] == CLOSED:
            _file(store, order, words, record)
    numbers[POPPED], numbers[AT] = 0, 0


@kernel
def insert(store, words, keys, moves, costs, parents, count, pending, found):  # type: ignore[no-untyped-def]
    """Enter `count` successors; new or cheaper ones are recorded in `pending` from position `found` on.

    There must be room. Returns the end of `pending`, or -1 if a cost is too large.
    """
    records, notes, slots, numbers = store.records, store.notes, store.slots, store.numbers
    mask, low = np.uint64(len(slots) - 1), np.uint32(len(slots) - 1)
    stride = words + FIELDS
    hashes = np.empty(_BLOCK, dtype=np.uint64)
    for start in range(0, count, _BLOCK):
        many = min(_BLOCK, count - start)
        look_ahead(slots, records, stride, words, keys, start, many, hashes)
        for i in range(many):
            child = start + i
            parent = np.int64(parents[child])
            cost = np.int64(costs[child])
            if parent >= 0:
                cost += np.int64(notes[_field(words, parent) + COST])
            if cost > _COST_MAX:
                return np.int64(-1)
            slot = hashes[i] & mask
            tag = np.uint32(hashes[i] >> np.uint64(32)) & ~low
            record = np.int64(-1)
            while slots[slot] != 0:
                entry = slots[slot]
                if entry & ~low == tag:
                    place = np.int64(entry & low) - 1
                    if same(records, place * stride, keys, child * words, words):
                        record = place
                        break
                slot = (slot + np.uint64(1)) & mask
            if record < 0:
                record = numbers[COUNT]
                numbers[COUNT] += 1
                slots[slot] = tag | np.uint32(record + 1)
                for word in range(words):
                    records[record * stride + word] = keys[child * words + word]
                at = _field(words, record)
                notes[at + ESTIMATE] = UNKNOWN
            else:
                at = _field(words, record)
                if cost >= notes[at + COST]:
                    continue
                if notes[at + PREVIOUS] >= -1:
                    _unfile(store, words, record)
                elif notes[at + PREVIOUS] == PENDING:
                    notes[at + COST], notes[at + PARENT], notes[at + MOVE] = cost, parent, moves[child]
                    continue
            notes[at + COST], notes[at + PARENT], notes[at + MOVE] = cost, parent, moves[child]
            notes[at + PREVIOUS] = PENDING
            pending[found] = record
            found += 1
    return np.int64(found)


@kernel
def gather(store, words, pending, keys):  # type: ignore[no-untyped-def]
    """Copy the keys of the pending states without an estimate to the front of flat `keys`; returns their number."""
    stride = words + FIELDS
    count = np.int64(0)
    for i in range(len(pending)):
        record = np.int64(pending[i])
        if store.notes[_field(words, record) + ESTIMATE] == UNKNOWN:
            for word in range(words):
                keys[count * words + word] = store.records[record * stride + word]
            count += 1
    return count


@kernel
def push(store, order, words, pending, estimates):  # type: ignore[no-untyped-def]
    """File the pending states; `estimates` belong to the keys that `gather` copied."""
    used = 0
    for i in range(len(pending)):
        record = np.int64(pending[i])
        at = _field(words, record)
        if store.notes[at + ESTIMATE] == UNKNOWN:
            store.notes[at + ESTIMATE] = estimates[used]
            used += 1
        _file(store, order, words, record)


@kernel(inline="always")
def _worth_it(store, order, words, record):  # type: ignore[no-untyped-def]
    """Whether a state of the batch should still be expanded: not open again at a lower cost, and not too expensive."""
    notes = store.notes
    at = _field(words, record)
    value = notes[at + COST] + order.trusted * notes[at + ESTIMATE]
    return notes[at + PREVIOUS] == CLOSED and value < store.numbers[BEST]


@kernel
def take(store, order, words, chosen):  # type: ignore[no-untyped-def]
    """Fill `chosen` with the next states of the batch to expand; returns their number."""
    numbers = store.numbers
    count = np.int64(0)
    while numbers[AT] < numbers[POPPED] and count < len(chosen):
        record = np.int64(store.popped[numbers[AT]])
        numbers[AT] += 1
        if _worth_it(store, order, words, record):
            chosen[count] = record
            count += 1
    return count


@kernel
def _expand_some(expander, data, branching, room, store, order, words, block, limit):  # type: ignore[no-untyped-def]
    """Expand states of the batch while their successors fit into the block; (states expanded, successors)."""
    numbers = store.numbers
    filled, spent = np.int64(0), np.int64(0)
    while numbers[AT] < numbers[POPPED] and filled + branching <= room and spent < limit:
        record = np.int64(store.popped[numbers[AT]])
        numbers[AT] += 1
        if not _worth_it(store, order, words, record):
            continue
        key = store.records[record * (words + FIELDS) :]
        found = call_expand(
            expander, key, data, block.keys[filled * words :], block.moves[filled:], block.costs[filled:]
        )  # fmt: skip
        block.parents[filled : filled + found] = record
        filled += found
        spent += 1
    numbers[EXPANDED] += spent
    numbers[GENERATED] += filled
    return spent, filled


@kernel
def run(  # type: ignore[no-untyped-def]
    expander, data, estimator, numbers_of_estimator, goal, mask, branching, batch, limit, left, room,
    store, order, block,
):  # fmt: skip
    """Run batches of a compiled domain and heuristic, until `limit` expansions or a result that the caller must handle.

    Blocks are expanded as a whole, so that the limit does not affect which states are expanded; it may be exceeded by a
    block. `left` limits the size of a batch, since the search ends after this many expansions; `room` is the number of
    records that fit.
    """
    words = len(mask)
    numbers = store.numbers
    size = len(block.parents)
    spent = np.int64(0)
    while spent < limit:
        if numbers[AT] == numbers[POPPED]:
            if pop(store, order, words, goal, mask, min(batch, left - spent)):
                return REACHED
            if numbers[POPPED] == 0:
                return EMPTY
        if numbers[COUNT] + size > room or numbers[BUCKETS] + size > len(store.buckets):
            return FULL
        more, filled = _expand_some(expander, data, branching, size, store, order, words, block, left - spent)
        spent += more
        found = insert(
            store, words, block.keys, block.moves, block.costs, block.parents, filled, block.pending, np.int64(0)
        )
        if found < 0:
            return TOO_DEAR
        pending = block.pending[:found]
        fresh = gather(store, words, pending, block.keys)
        if fresh > 0:
            call_estimate(estimator, block.keys, fresh, numbers_of_estimator, block.estimates)
        push(store, order, words, pending, block.estimates)
    return PAUSED
