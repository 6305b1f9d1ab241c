"""Hash tables of states: keys of one or more uint64 words, found by slots with linear probing.

Keys are stored in flat arrays, one every `stride` words. `slots` (uint32; their number is a power of two) hold 0 or the
index of a key plus 1. In tagged slots this number is in the low bits, and the higher bits are hash bits not used for
the choice of the slot, so that a probe rarely reads a different key.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import prefetch

__all__ = ["enter", "fill", "find", "look_ahead", "mix", "mixed", "same"]

_BLOCK = 32
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@kernel(inline="always")
def mix(value):  # type: ignore[no-untyped-def]
    """The finaliser of SplitMix64, with shifts of 32, 29 and 32 bits."""
    value ^= value >> np.uint64(32)
    value *= _FIRST
    value ^= value >> np.uint64(29)
    value *= _SECOND
    return value ^ (value >> np.uint64(32))


@kernel(inline="always")
def mixed(keys, at, words, start):  # type: ignore[no-untyped-def]
    """Hash of the `words` words from position `at`, chained from the uint64 `start`."""
    value = start
    for word in range(words):
        value = mix(value ^ keys[at + word])
    return value


@kernel(inline="always")
def same(keys, at, others, place, words):  # type: ignore[no-untyped-def]
    """Whether two keys are equal."""
    differ = np.uint64(0)
    for word in range(words):
        differ |= keys[at + word] ^ others[place + word]
    return differ == 0


@kernel(inline="always")
def look_ahead(slots, keys, stride, words, batch, start, many, hashes):  # type: ignore[no-untyped-def]
    """Write the hashes of `many` flat keys of a batch, beginning with key `start`, and prefetch data for look-ups.

    It prefetches their tagged slots, then the keys to which the slots point, so that the cache misses of a block
    overlap.
    """
    mask, low = np.uint64(len(slots) - 1), np.uint32(len(slots) - 1)
    for i in range(many):
        hashes[i] = mixed(batch, (start + i) * words, words, np.uint64(0))
        prefetch(slots, np.int64(hashes[i] & mask))
    for i in range(many):
        place = np.int64(slots[hashes[i] & mask] & low)
        if place != 0:
            prefetch(keys, (place - 1) * stride)


@kernel
def fill(slots, keys, stride, words, count):  # type: ignore[no-untyped-def]
    """Insert `count` distinct keys into empty tagged slots."""
    mask, low = np.uint64(len(slots) - 1), np.uint32(len(slots) - 1)
    hashes = np.empty(_BLOCK, dtype=np.uint64)
    for start in range(0, count, _BLOCK):
        many = min(_BLOCK, count - start)
        for i in range(many):
            hashes[i] = mixed(keys, (start + i) * stride, words, np.uint64(0))
            prefetch(slots, np.int64(hashes[i] & mask))
        for i in range(many):
            slot = hashes[i] & mask
            while slots[slot] != 0:
                slot = (slot + np.uint64(1)) & mask
            slots[slot] = (np.uint32(hashes[i] >> np.uint64(32)) & ~low) | np.uint32(start + i + 1)


@kernel
def find(slots, keys, words, key, at):  # type: ignore[no-untyped-def]
    """The untagged slot of the key at position `at` of `key`: the slot that holds it, or an empty one."""
    mask = np.uint64(len(slots) - 1)
    slot = mixed(key, at, words, np.uint64(0)) & mask
    while slots[slot] != 0:
        place = (np.int64(slots[slot]) - 1) * words
        equal = True  # comparing all words, as `same` does, was 14 % slower for keys of one word in a plan archive
        for word in range(words):
            if keys[place + word] != key[at + word]:
                equal = False
                break
        if equal:
            break
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def enter(slots, keys, words, count, batch):  # type: ignore[no-untyped-def]
    """Append distinct new keys to the first `count` flat keys, with untagged slots; return the new count."""
    for row in range(len(batch) // words):
        slot = find(slots, keys, words, batch, row * words)
        for word in range(words):
            keys[count * words + word] = batch[row * words + word]
        count += 1
        slots[slot] = np.uint32(count)
    return count
