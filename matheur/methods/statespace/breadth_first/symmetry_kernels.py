"""Canonical representatives under symmetries, compiled."""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["canonical"]


@kernel
def canonical(keys, out, sizes, fields, words_to, images):  # type: ignore[no-untyped-def]
    """Write the smallest image of each key [n, words] to `out`, and the number of its different images to `sizes`.

    fields: (word, shift, mask) of each component. If component i has the value v, image j of a key has the bits
    `images[j, i, v]` in word `words_to[j, i]`. Keys are compared from their last word on.
    """
    words = keys.shape[1]
    many, size = words_to.shape
    image = np.empty(words, dtype=np.uint64)
    state = np.empty(size, dtype=np.int64)
    for row in range(len(keys)):
        for i in range(size):
            state[i] = np.int64((keys[row, fields[i, 0]] >> np.uint64(fields[i, 1])) & np.uint64(fields[i, 2]))
        for word in range(words):
            out[row, word] = keys[row, word]
        # The number of images equal to the smallest one is the number of symmetries that fix the state.
        equal = np.int64(0)
        for j in range(many):
            image[:] = np.uint64(0)
            for i in range(size):
                image[words_to[j, i]] |= images[j, i, state[i]]
            word = words - 1
            while word > 0 and image[word] == out[row, word]:
                word -= 1
            if image[word] == out[row, word]:
                equal += 1
            elif image[word] < out[row, word]:
                equal = np.int64(1)
                for other in range(words):
                    out[row, other] = image[other]
        sizes[row] = many // equal
