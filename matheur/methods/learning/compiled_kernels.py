"""Small networks, compiled: one state after the other, without JAX and without waiting for a batch.

The inputs of the first layer are 0 and 1, so the layer is a sum of rows. The other layers skip inputs that are 0 (about
half of them after `relu`) and process the others in groups of four. Weights are stored as [inputs, outputs].

Fields (int64): 0 words of a key, 1 components, 2 place of the goal and then its mask, 3 units of the first layer, 4
its biases, 5 layers, 6 widest layer, 7 whether `elu`, 8 outputs, 9 entries of the cache (0 for none), 10 and 11 place
of the components and of the layers, 12 and 13 least and largest estimate. Component: word, shift, mask, place of its
rows (of the value 1: value 0 is part of the biases). Layer: inputs, outputs, place of weights, of biases, of scales,
kind (0 plain, 1 first and 2 second of a residual block, 3 output). The place of the weights is in `small` (int8, one
scale for each output) if there are scales, else all is in `floats`.

The cache is a direct-mapped table: words of the key, then the estimate plus 1, so that 0 is empty.
"""

from __future__ import annotations

import numpy as np
from numba import carray

from matheur.kernels import kernel
from matheur.methods.statespace.pointers import (
    heuristic_function,
    pointer_to_floats,
    pointer_to_integers,
    pointer_to_smalls,
    pointer_to_words,
)

__all__ = ["estimate", "outputs"]

_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@kernel(fastmath={"contract"})
def _activate(values, count, elu):  # type: ignore[no-untyped-def]
    if elu:
        for i in range(count):
            if values[i] < 0:
                values[i] = np.expm1(values[i])
    else:
        for i in range(count):
            values[i] = max(values[i], np.float32(0))


@kernel(fastmath={"contract"})
def _dense(values, inputs, weights, place, outputs, found, filled):  # type: ignore[no-untyped-def]
    """Add values [inputs] times weights [inputs, outputs] to `found`."""
    many = 0
    for i in range(inputs):
        filled[many] = i
        many += values[i] != 0
    at = 0
    while at + 4 <= many:
        i0, i1, i2, i3 = filled[at], filled[at + 1], filled[at + 2], filled[at + 3]
        a, b, c, d = values[i0], values[i1], values[i2], values[i3]
        w = weights[place + i0 * outputs : place + (i0 + 1) * outputs]
        x = weights[place + i1 * outputs : place + (i1 + 1) * outputs]
        y = weights[place + i2 * outputs : place + (i2 + 1) * outputs]
        z = weights[place + i3 * outputs : place + (i3 + 1) * outputs]
        for j in range(outputs):
            found[j] += a * np.float32(w[j]) + b * np.float32(x[j]) + (c * np.float32(y[j]) + d * np.float32(z[j]))
        at += 4
    while at < many:
        a = values[filled[at]]
        w = weights[place + filled[at] * outputs : place + (filled[at] + 1) * outputs]
        for j in range(outputs):
            found[j] += a * np.float32(w[j])
        at += 1


@kernel(fastmath={"contract"})
def _forward(keys, row, fields, floats, small, one, two, three, filled):  # type: ignore[no-untyped-def]
    """Outputs of the state in a row of flat keys; returns the buffer that holds them."""
    words, width, elu = fields[0], fields[3], fields[7] != 0
    base = floats[fields[4] : fields[4] + width]
    for j in range(width):
        one[j] = base[j]
    place = fields[10]
    for _ in range(fields[1]):
        value = np.int64(
            (keys[row * words + fields[place]] >> np.uint64(fields[place + 1])) & np.uint64(fields[place + 2])
        )
        if value != 0:
            start = fields[place + 3] + (value - 1) * width
            units = floats[start : start + width]
            for j in range(width):
                one[j] += units[j]
        place += 4
    _activate(one, width, elu)
    place = fields[11]
    now, after, kept = one, two, three
    for _ in range(fields[5]):
        inputs, outputs, weights = fields[place], fields[place + 1], fields[place + 2]
        biases, scales, kind = fields[place + 3], fields[place + 4], fields[place + 5]
        place += 6
        bias = floats[biases : biases + outputs]
        if scales < 0:
            for j in range(outputs):
                after[j] = bias[j]
            _dense(now, inputs, floats, weights, outputs, after, filled)
        else:
            for j in range(outputs):
                after[j] = 0
            _dense(now, inputs, small, weights, outputs, after, filled)
            scale = floats[scales : scales + outputs]
            for j in range(outputs):
                after[j] = after[j] * scale[j] + bias[j]
        if kind == 2:
            for j in range(outputs):
                after[j] += kept[j]
        if kind != 3:
            _activate(after, outputs, elu)
        if kind == 1:
            now, after, kept = after, kept, now
        else:
            now, after = after, now
    return now


@kernel
def outputs(keys, count, fields, floats, small, found):  # type: ignore[no-untyped-def]
    """Outputs float32[count, outputs] of flat keys."""
    widest = fields[6]
    one, two, three = np.empty(widest, np.float32), np.empty(widest, np.float32), np.empty(widest, np.float32)
    filled = np.empty(widest, np.int64)
    for row in range(count):
        values = _forward(keys, row, fields, floats, small, one, two, three, filled)
        for j in range(fields[8]):
            found[row, j] = values[j]


@kernel
def _estimates(keys, count, fields, floats, small, cache, out):  # type: ignore[no-untyped-def]
    words, widest, entries = fields[0], fields[6], fields[9]
    one, two, three = np.empty(widest, np.float32), np.empty(widest, np.float32), np.empty(widest, np.float32)
    filled = np.empty(widest, np.int64)
    goal, least, largest = fields[2], np.float32(fields[12]), np.float32(fields[13])
    for row in range(count):
        at = row * words
        differ = np.uint64(0)
        for word in range(words):
            differ |= (keys[at + word] & np.uint64(fields[goal + words + word])) ^ np.uint64(fields[goal + word])
        if differ == 0:
            out[row] = 0
            continue
        slot = np.int64(0)
        if entries > 0:
            mixed = np.uint64(0)
            for word in range(words):
                mixed ^= keys[at + word]
                mixed ^= mixed >> np.uint64(32)
                mixed *= _FIRST
                mixed ^= mixed >> np.uint64(29)
                mixed *= _SECOND
                mixed ^= mixed >> np.uint64(32)
            slot = np.int64(mixed & np.uint64(entries - 1)) * (words + 1)
            known = cache[slot + words]
            same = known != 0
            for word in range(words):
                same = same and cache[slot + word] == keys[at + word]
            if same:
                out[row] = np.int32(np.int64(known) - 1)
                continue
        value = np.rint(_forward(keys, row, fields, floats, small, one, two, three, filled)[0])
        if not value > least:
            value = least
        out[row] = np.int32(min(value, largest))
        if entries > 0:
            for word in range(words):
                cache[slot + word] = keys[at + word]
            cache[slot + words] = np.uint64(out[row] + 1)


@heuristic_function
def estimate(keys, count, data, out):  # type: ignore[no-untyped-def]
    """First output, rounded, within its limits; 0 at the goal.

    data: addresses of the fields, the floats, the small numbers and the cache; the sizes of these four.
    """
    _estimates(
        carray(keys, (1 << 40,)), count, carray(pointer_to_integers(data[0]), (data[4],)),
        carray(pointer_to_floats(data[1]), (data[5],)), carray(pointer_to_smalls(data[2]), (data[6],)),
        carray(pointer_to_words(data[3]), (data[7],)),
        carray(out, (1 << 40,)),
    )  # fmt: skip
    return 0
