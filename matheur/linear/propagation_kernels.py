"""Bound propagation on the rows of a linear model, and dives that fix one integer column after the other: the kernels.

Memory layout, all arrays owned by the caller:

- `starts`, `columns`, `data`, `row_lower`, `row_upper`: the rows (CSR); `column_starts`, `column_rows`, `column_data`:
  the columns (CSC).
- `lower`, `upper`: the bounds so far; they only get tighter, except in `undo`.
- `queue`: rows to examine, a ring buffer; `queued[row]`: whether the row is in it. `state[HEAD]`: its start,
  `state[WAITING]`: its length.
- `saved[column]`: the number of the decision in which the bounds of a column were last saved to `trail`, `old_lower`,
  `old_upper`, so that a decision can be undone. `state[DECISION]` is its number, `state[SAVED]` the length of the
  trail.
- `state[EFFORT]`: coefficients examined so far.

- `slack[row]`: by how much the activities of a row may still change before anything can follow from it; below 0 if
  unknown. The row is queued only when it is below 0, so that a long row is not examined after each change.

Each examination of a row computes its least and its largest activity from scratch: rounding errors do not accumulate,
and the error of a sum has a known bound.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import splitmix_uniform

__all__ = ["dive", "propagate", "tighten", "undo"]

# Entries of `state`.
HEAD, WAITING, DECISION, SAVED, EFFORT, PLACE, CONFLICTS, TURNED = 0, 1, 2, 3, 4, 5, 6, 7
STATE_LENGTH = 8

DONE, STOPPED = -1, -2
"""Answers of `propagate`, where a row in conflict is its number; STOPPED: the effort is spent."""

# How `dive` chooses a value.
UP, DOWN, RANDOM, CHEAP, SAFE, POINT, DEAR = 0, 1, 2, 3, 4, 5, 6

_EPSILON = 2.3e-16
_HUGE = 1e12  # larger bounds are useless in floating point
_WORTH = 0.05  # the interval of a continuous column has to shrink by this share, or by this amount
_WIDE = 1e6  # an integer column with more values is fixed near 0


@kernel
def tighten(column, low, high, rows, box, trail, state):  # type: ignore[no-untyped-def]
    """Tighten the bounds of a column, save the previous ones, and queue the rows that may propagate."""
    column_starts, column_rows, column_data, queue, queued, slack = rows
    lower, upper = box
    place, old_lower, old_upper, saved = trail
    if saved[column] != state[DECISION]:
        saved[column] = state[DECISION]
        at = state[SAVED]
        place[at] = column
        old_lower[at] = lower[column]
        old_upper[at] = upper[column]
        state[SAVED] = at + 1
    moved = 0.0
    if low != lower[column]:
        moved += low - lower[column]
    if high != upper[column]:
        moved += upper[column] - high
    lower[column] = low
    upper[column] = high
    size = len(queue)
    state[EFFORT] += column_starts[column + 1] - column_starts[column]
    for at in range(column_starts[column], column_starts[column + 1]):
        row = column_rows[at]
        slack[row] -= abs(column_data[at]) * moved
        if slack[row] < 0 and not queued[row]:
            queued[row] = True
            queue[(state[HEAD] + state[WAITING]) % size] = row
            state[WAITING] += 1


@kernel
def undo(rows, box, trail, state):  # type: ignore[no-untyped-def]
    """Undo all bound changes since the decision, and clear the queue."""
    column_starts, column_rows, _, queue, queued, slack = rows
    lower, upper = box
    place, old_lower, old_upper, saved = trail
    for at in range(state[SAVED]):
        column = place[at]
        lower[column] = old_lower[at]
        upper[column] = old_upper[at]
        saved[column] = -1
        state[EFFORT] += column_starts[column + 1] - column_starts[column]
        for k in range(column_starts[column], column_starts[column + 1]):
            slack[column_rows[k]] = -1.0
    state[SAVED] = 0
    size = len(queue)
    for at in range(state[WAITING]):
        queued[queue[(state[HEAD] + at) % size]] = False
    state[WAITING] = 0


@kernel
def propagate(limit, matrix, integral, rows, box, trail, state):  # type: ignore[no-untyped-def]
    """Propagate the queued rows; return a row that cannot hold, DONE, or STOPPED at the limit of effort."""
    starts, columns, data, row_lower, row_upper = matrix
    _, _, _, queue, queued, slack = rows
    lower, upper = box
    size = len(queue)
    while state[WAITING] > 0:
        if state[EFFORT] >= limit:
            return STOPPED
        row = queue[state[HEAD]]
        state[HEAD] = (state[HEAD] + 1) % size
        state[WAITING] -= 1
        queued[row] = False
        begin, end = starts[row], starts[row + 1]
        least = most = sizes = span = 0.0
        least_open = most_open = 0
        for at in range(begin, end):
            a = data[at]
            low, high = lower[columns[at]], upper[columns[at]]
            if high > low:
                span = max(span, abs(a) * (high - low))
            if a < 0:
                low, high = high, low
            if np.isinf(low):
                least_open += 1
            else:
                least += a * low
                sizes += abs(a * low)
            if np.isinf(high):
                most_open += 1
            else:
                most += a * high
                sizes += abs(a * high)
        state[EFFORT] += end - begin
        error = (end - begin + 2) * _EPSILON * sizes
        low_side, high_side = row_lower[row], row_upper[row]
        if (least_open == 0 and least - error > high_side) or (most_open == 0 and most + error < low_side):
            return row
        room_above = room_below = np.inf
        if not np.isinf(high_side):
            room_above = high_side - least - error - span if least_open == 0 else -1.0
        if not np.isinf(low_side):
            room_below = most - low_side - error - span if most_open == 0 else -1.0
        slack[row] = min(room_above, room_below)
        above = room_above < 0 and least_open <= 1 and (most_open > 0 or most + error > high_side)
        below = room_below < 0 and most_open <= 1 and (least_open > 0 or least - error < low_side)
        if not above and not below:
            continue
        state[EFFORT] += end - begin
        for at in range(begin, end):
            a, column = data[at], columns[at]
            low, high = lower[column], upper[column]
            if low >= high:
                continue
            new_low, new_high = low, high
            first, last = (low, high) if a > 0 else (high, low)  # error bounds of the least and of the largest activity
            if above and (least_open == 0 or np.isinf(first)):
                rest = least if np.isinf(first) else least - a * first
                limit_here = (high_side - rest + error) / a
                if a > 0:
                    new_high = min(new_high, limit_here)
                else:
                    new_low = max(new_low, limit_here)
            if below and (most_open == 0 or np.isinf(last)):
                rest = most if np.isinf(last) else most - a * last
                limit_here = (low_side - rest - error) / a
                if a > 0:
                    new_low = max(new_low, limit_here)
                else:
                    new_high = min(new_high, limit_here)
            if integral[column]:
                if new_low > low:
                    new_low = np.ceil(new_low - 1e-9 * max(1.0, abs(new_low)))
                if new_high < high:
                    new_high = np.floor(new_high + 1e-9 * max(1.0, abs(new_high)))
            else:
                new_low -= 1e-9 * max(1.0, abs(new_low)) if new_low > low else 0.0
                new_high += 1e-9 * max(1.0, abs(new_high)) if new_high < high else 0.0
                worth = _WORTH * max(min(high - low, 1e6), 1e-3)
                if not np.isinf(low) and new_low < low + worth:
                    new_low = low
                if not np.isinf(high) and new_high > high - worth:
                    new_high = high
            if abs(new_low) > _HUGE or new_low < low:
                new_low = low
            if abs(new_high) > _HUGE or new_high > high:
                new_high = high
            if new_low > new_high:
                if integral[column] or new_low > new_high + 1e-9 * max(1.0, abs(new_low)):
                    return row
                new_low = new_high = 0.5 * (new_low + new_high)
            if new_low > low or new_high < high:
                # The sums above still use the previous bounds: they are valid but weaker, and the row is queued again.
                tighten(column, new_low, new_high, rows, box, trail, state)
    return DONE


@kernel
def _chosen(column, mode, low, high, cost, locks, point, random):  # type: ignore[no-untyped-def]
    """A value between two bounds."""
    locks_up, locks_down = locks
    if mode == POINT:
        near = np.floor(point[column] + splitmix_uniform(random))
        return min(max(near, low), high)
    up = False
    if mode == UP:
        up = True
    elif mode == RANDOM:
        up = splitmix_uniform(random) < 0.5
    elif mode == CHEAP and cost[column] != 0:
        up = cost[column] < 0
    elif mode == DEAR and cost[column] != 0:
        up = cost[column] > 0
    elif mode != DOWN:
        up = locks_up[column] < locks_down[column]
        if locks_up[column] == locks_down[column]:
            up = splitmix_uniform(random) < 0.5
    value = high if up else low
    if np.isinf(value):
        value = low if up else high
    if np.isinf(value) or (abs(value) > _WIDE and low < 0 < high):
        value = 0.0
    return value


@kernel
def dive(  # type: ignore[no-untyped-def]
    limit, step, order, mode, matrix, integral, rows, box, trail, cost, locks, point, random, state
):
    """Fix the columns of `order` one after another, from place `state[PLACE]` on; True once all are fixed.

    After each, bounds are propagated. A value that leads to a conflict is undone, and another one tried; if that fails
    too, the column is still fixed, without propagation: `state[CONFLICTS]` counts those. Returns False when
    `state[EFFORT]` has reached `limit`; `step` is the limit of effort for a single propagation.
    """
    lower, upper = box
    while state[PLACE] < len(order):
        if state[EFFORT] >= limit:
            return False
        column = order[state[PLACE]]
        state[PLACE] += 1
        state[EFFORT] += 1
        low, high = lower[column], upper[column]
        if low == high:
            continue
        value = _chosen(column, mode, low, high, cost, locks, point, random)
        other = high if value == low else low
        if np.isinf(other):
            other = value + 1 if value + 1 <= high else value - 1
        fixed = False
        for attempt in range(2):
            chosen = value if attempt == 0 else other
            state[DECISION] += 1
            state[SAVED] = 0
            tighten(column, chosen, chosen, rows, box, trail, state)
            if propagate(state[EFFORT] + step, matrix, integral, rows, box, trail, state) < 0:
                fixed = True
                state[TURNED] += attempt
                break
            undo(rows, box, trail, state)
        if not fixed:
            state[CONFLICTS] += 1
            lower[column] = value
            upper[column] = value
    return True
