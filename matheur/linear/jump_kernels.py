"""A local search for linear models that changes one or two columns at a time: the kernel.

Each row has a weight, which grows if the row is violated at a point where no move helps (Luteberget, Sartor:
Feasibility Jump, MPC 2023). While rows are violated, the search makes the best of some sampled moves: *tight* moves
(Lin, Zou, Cai, Lin: Local-MIP, CP 2024) set a column to the value that satisfies a violated row as far as its bounds
allow; if none of them helps, *easy* moves set some column to a bound. *Pairs* are the last resort: a tight move, and a
tight move of a row that the first one violates, which together are better; they exchange one assignment for another
(compare the compound moves in the feasibility jump of OR-tools). Once there is a solution, they are made if single
moves have found nothing better for a while. If all rows hold, *lift* moves improve the objective and keep all rows
satisfied. The objective is one more row, "better than the best so far"; its tight moves are the *breakthrough* moves of
Local-MIP. Rows have an upper side only: those with a lower side are negated, and an equation is two rows, each with its
own weight, so that a move may cross it.

Memory layout, all arrays owned by the caller, so that the division into calls does not change the search:

- `matrix`: the rows and the objective as the last of them, as CSR and CSC.
- `table[row]`: activity, upper side, upper side with the tolerance, and weight. The score of a move needs them for each
  row of a column, so they share a cache line.
- `box`: bounds, and whether a column is integer; `values`: of the columns.
- `broken[:state[BROKEN]]`: the violated rows; `place[row]`: position of a row in this list, or -1.
- `changed[:state[CHANGED]]`, `marked[row]`: rows whose activity has changed since no lift move was found: only their
  columns can have one.
- `memory[column]`: the step until which a column may not fall, the step until which it may not rise, and the step of
  its last move.
- `best`, `near`: the best solution, and the local optimum with the fewest violated rows.

Cost of a step: `state[EFFORT]` counts the coefficients examined.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import splitmix_below

__all__ = ["begin", "run"]

# Entries of `state`.
BROKEN, CHANGED, STEPS, EFFORT, FOUND, FEWEST, SINCE, LIFTED = 0, 1, 2, 3, 4, 5, 6, 7
STATE_LENGTH = 8
# Columns of `table`.
ACTIVITY, HIGH, MOST, WEIGHT = 0, 1, 2, 3
# Columns of `memory`.
FALL, RISE, MOVED = 0, 1, 2
# Entries of `measure`.
BEST, STEP, RELATIVE = 0, 1, 2

_ROWS = 8  # violated rows examined for a move
_MOVES = 60  # columns of such a row
_WALK = 300  # columns examined in a row that needs a move, ignoring bars, except for the column moved last
_EASY = 5  # columns examined for an easy move
_LIFTS = 40  # lift moves compared
_PAIRS = 60  # first moves of pairs
_PATIENCE = 3  # passes over the model without a better solution after which pairs are made
_PAIR_LOOKS = 600  # columns of a violated row examined for a first move
_TENURE = 4
_TENURE_MORE = 7
_SMALL = 1e-9
_OTHER = 8  # further cost of examining a move, in coefficients
_STEP = 40  # further cost of a step


@kernel
def begin(matrix, table, values, rows, state):  # type: ignore[no-untyped-def]
    """Compute all activities, and the violated rows, from scratch."""
    starts, columns, data, _, _, _ = matrix
    broken, place, changed, marked = rows
    state[BROKEN] = 0
    state[CHANGED] = 0
    state[EFFORT] += len(data)
    for row in range(len(starts) - 1):
        total = 0.0
        for at in range(starts[row], starts[row + 1]):
            total += data[at] * values[columns[at]]
        table[row, ACTIVITY] = total
        place[row] = -1
        if total > table[row, MOST]:
            place[row] = state[BROKEN]
            broken[state[BROKEN]] = row
            state[BROKEN] += 1
        changed[row] = row
        marked[row] = True
    state[CHANGED] = len(starts) - 1
    state[LIFTED] = 0


@kernel
def _judge(row, table, rows, state):  # type: ignore[no-untyped-def]
    """Add a row to the violated ones, or remove it."""
    broken, place, _, _ = rows
    out = table[row, ACTIVITY] > table[row, MOST]
    if out and place[row] < 0:
        place[row] = state[BROKEN]
        broken[state[BROKEN]] = row
        state[BROKEN] += 1
    elif not out and place[row] >= 0:
        state[BROKEN] -= 1
        last = broken[state[BROKEN]]
        broken[place[row]] = last
        place[last] = place[row]
        place[row] = -1


@kernel
def _move(column, change, matrix, table, box, values, rows, memory, random, state):  # type: ignore[no-untyped-def]
    """Change a column."""
    _, _, _, column_starts, column_rows, column_data = matrix
    lower, upper, integral = box
    _, _, changed, marked = rows
    new = min(max(values[column] + change, lower[column]), upper[column])
    if integral[column]:
        new = np.rint(new)
    change = new - values[column]
    values[column] = new
    for at in range(column_starts[column], column_starts[column + 1]):
        row = column_rows[at]
        table[row, ACTIVITY] += column_data[at] * change
        _judge(row, table, rows, state)
        if not marked[row]:
            marked[row] = True
            changed[state[CHANGED]] = row
            state[CHANGED] += 1
    state[EFFORT] += column_starts[column + 1] - column_starts[column]
    state[LIFTED] = 0
    step = state[STEPS]
    memory[column, MOVED] = step
    memory[column, FALL if change > 0 else RISE] = step + _TENURE + splitmix_below(random, _TENURE_MORE)


@kernel(inline="always")
def _gain(before, after, most, weight):  # type: ignore[no-untyped-def]
    """What a row adds to the score of a move, without branches: most of them would be mispredicted."""
    smaller = weight if after < before else -weight
    held = -2 * weight if after > most else 0.0
    return (2 * weight if after <= most else smaller) if before > most else held


@kernel
def _score(column, change, matrix, table, state):  # type: ignore[no-untyped-def]
    """Weights of rows that a change satisfies minus those it violates; rows with a smaller violation count half."""
    _, _, _, column_starts, column_rows, column_data = matrix
    total = 0.0
    for at in range(column_starts[column], column_starts[column + 1]):
        row = column_rows[at]
        before = table[row, ACTIVITY]
        total += _gain(before, before + column_data[at] * change, table[row, MOST], table[row, WEIGHT])
    state[EFFORT] += column_starts[column + 1] - column_starts[column] + _OTHER
    return total


@kernel
def _tight(excess, coefficient, column, box, values):  # type: ignore[no-untyped-def]
    """The change of a column that satisfies a row with an excess, as far as bounds and integrality allow."""
    lower, upper, integral = box
    change = -excess / coefficient
    if integral[column]:
        change = np.ceil(change - _SMALL) if change > 0 else np.floor(change + _SMALL)
    change = min(max(change, lower[column] - values[column]), upper[column] - values[column])
    return change if abs(change) > _SMALL * max(1.0, abs(values[column])) else 0.0


@kernel
def _score_and_hurt(column, change, matrix, table, state):  # type: ignore[no-untyped-def]
    """`_score`, and the heaviest row but the objective that a change violates, with its excess: -1 and 0 if none."""
    _, _, _, column_starts, column_rows, column_data = matrix
    total = 0.0
    chosen, excess, heaviest = -1, 0.0, 0.0
    objective = len(table) - 1
    for at in range(column_starts[column], column_starts[column + 1]):
        row = column_rows[at]
        before, most, weight = table[row, ACTIVITY], table[row, MOST], table[row, WEIGHT]
        after = before + column_data[at] * change
        total += _gain(before, after, most, weight)
        if before <= most < after and weight > heaviest and row != objective:
            chosen, excess, heaviest = row, after - table[row, HIGH], weight
    state[EFFORT] += column_starts[column + 1] - column_starts[column] + _OTHER
    return total, chosen, excess


@kernel
def _score_after(column, change, first, shift, matrix, table, state):  # type: ignore[no-untyped-def]
    """What a change adds to the score of an earlier one, the shift of the first column."""
    _, _, _, column_starts, column_rows, column_data = matrix
    total = 0.0
    other, end = column_starts[first], column_starts[first + 1]
    for at in range(column_starts[column], column_starts[column + 1]):
        row = column_rows[at]
        before, most, weight = table[row, ACTIVITY], table[row, MOST], table[row, WEIGHT]
        while other < end and column_rows[other] < row:
            other += 1
        moved = before
        if other < end and column_rows[other] == row:
            moved += column_data[other] * shift
            total -= _gain(before, moved, most, weight)
        total += _gain(before, moved + column_data[at] * change, most, weight)
    state[EFFORT] += column_starts[column + 1] - column_starts[column] + _OTHER
    return total


@kernel
def _pair(step, matrix, table, box, values, rows, memory, random, state):  # type: ignore[no-untyped-def]
    """The best of some pairs of moves: columns and changes, or -1.

    The first move is a tight move of a violated row, the second one of a row that the first one violates.
    """
    starts, columns, data, _, _, _ = matrix
    broken, _, _, _ = rows
    many = state[BROKEN]
    best, first, shift, second, change = 0.0, -1, 0.0, -1, 0.0
    tried = 0
    for look in range(min(_ROWS, many)):
        row = broken[look] if many <= _ROWS else broken[splitmix_below(random, many)]
        length = starts[row + 1] - starts[row]
        if length == 0:
            continue
        start = splitmix_below(random, length)
        excess = table[row, ACTIVITY] - table[row, HIGH]
        for k in range(min(length, _PAIR_LOOKS)):
            if tried >= _PAIRS:
                return first, shift, second, change
            at = starts[row] + (start + k) % length
            column = columns[at]
            delta = _tight(excess, data[at], column, box, values)
            state[EFFORT] += 1
            if delta == 0 or step < memory[column, RISE if delta > 0 else FALL]:
                continue
            score, hurt, new = _score_and_hurt(column, delta, matrix, table, state)
            if hurt < 0:
                continue
            tried += 1
            width = starts[hurt + 1] - starts[hurt]
            begun = splitmix_below(random, width)
            for m in range(min(width, _MOVES)):
                place = starts[hurt] + (begun + m) % width
                other = columns[place]
                reply = _tight(new, data[place], other, box, values)
                if reply == 0 or other == column or step < memory[other, RISE if reply > 0 else FALL]:
                    continue
                found = score + _score_after(other, reply, column, delta, matrix, table, state)
                if found > best:
                    best, first, shift, second, change = found, column, delta, other, reply
            state[EFFORT] += min(width, _MOVES)
    return first, shift, second, change


@kernel
def _reach(column, toward, matrix, table, box, values):  # type: ignore[no-untyped-def]
    """Largest change of a column in a direction that keeps all rows satisfied."""
    _, _, _, column_starts, column_rows, column_data = matrix
    lower, upper, integral = box
    room = upper[column] - values[column] if toward > 0 else values[column] - lower[column]
    objective = len(table) - 1
    for at in range(column_starts[column], column_starts[column + 1]):
        if room <= _SMALL:
            return 0.0
        row = column_rows[at]
        slope = column_data[at] * toward
        if slope > 0 and row != objective:
            room = min(room, max(0.0, table[row, HIGH] - table[row, ACTIVITY]) / slope)
    if integral[column]:
        room = np.floor(room + _SMALL)
    return room


@kernel
def _lift(matrix, table, box, values, rows, cost, random, state):  # type: ignore[no-untyped-def]
    """The best of some moves that improve the objective and keep all rows satisfied: column and change, or -1."""
    starts, columns, _, column_starts, _, _ = matrix
    _, _, changed, marked = rows
    objective = len(starts) - 2
    chosen, best, change = -1, 0.0, 0.0
    seen = 0
    count = state[CHANGED]
    all_ = 4 * count > objective  # then the row of the objective has all relevant columns
    looks = 1 if all_ else count
    start = splitmix_below(random, count) if count > 0 else 0
    for k in range(looks):
        row = objective if all_ else changed[(start + k) % count]
        length = starts[row + 1] - starts[row]
        if length == 0 or (row == objective and not all_):
            continue
        first = splitmix_below(random, length)
        for j in range(length):
            column = columns[starts[row] + (first + j) % length]
            if cost[column] == 0:
                continue
            toward = -1.0 if cost[column] > 0 else 1.0
            state[EFFORT] += column_starts[column + 1] - column_starts[column]
            room = _reach(column, toward, matrix, table, box, values)
            if np.isinf(room) or room <= _SMALL * max(1.0, abs(values[column])):
                continue
            seen += 1
            if room * abs(cost[column]) > best:
                chosen, best, change = column, room * abs(cost[column]), toward * room
            if seen >= _LIFTS:
                return chosen, change
        state[EFFORT] += length
    if chosen < 0:
        for k in range(count):
            marked[changed[k]] = False
        state[CHANGED] = 0
    return chosen, change


@kernel
def run(  # type: ignore[no-untyped-def]
    limit, matrix, table, box, values, rows, memory, cost, best, near, random, state, measure
):
    """Search until `state[EFFORT]` reaches `limit`, or a model without costs has a solution."""
    starts, columns, data, _, _, _ = matrix
    lower, upper, _ = box
    broken, place, _, marked = rows
    objective = len(table) - 1
    while state[EFFORT] < limit:
        state[STEPS] += 1
        state[EFFORT] += _STEP
        step = state[STEPS]
        dear = 1 if place[objective] >= 0 else 0
        if state[BROKEN] == dear and state[LIFTED] == 0:
            lifted, change = _lift(matrix, table, box, values, rows, cost, random, state)
            if lifted >= 0:
                _move(lifted, change, matrix, table, box, values, rows, memory, random, state)
                continue
            state[LIFTED] = 1
            if table[objective, ACTIVITY] < measure[BEST]:
                begin(matrix, table, values, rows, state)
                state[CHANGED] = 0
                marked[:] = False
                dear = 1 if place[objective] >= 0 else 0
                if state[BROKEN] == dear and table[objective, ACTIVITY] < measure[BEST]:
                    state[LIFTED] = 1
                    measure[BEST] = table[objective, ACTIVITY]
                    best[:] = values
                    state[FOUND] += 1
                    state[SINCE] = state[EFFORT]
                    if starts[objective + 1] == starts[objective]:
                        return
                    less = measure[STEP] if measure[STEP] > 0 else measure[RELATIVE] * max(1.0, abs(measure[BEST]))
                    high = measure[BEST] - less
                    table[objective, HIGH] = high
                    table[objective, MOST] = high + 1e-9 * max(1.0, abs(high))
                    table[objective, WEIGHT] = 1.0
                    _judge(objective, table, rows, state)
                continue
        if state[BROKEN] == 0:  # not better than the best although the objective row holds: a rounding error
            begin(matrix, table, values, rows, state)
            if state[BROKEN] == 0 and table[objective, ACTIVITY] >= measure[BEST]:
                return
            continue
        chosen, change, score, age = -1, 0.0, 0.0, 0
        many = state[BROKEN]
        looks = min(_ROWS, many)
        for look in range(looks):
            row = broken[look] if many <= _ROWS else broken[splitmix_below(random, many)]
            length = starts[row + 1] - starts[row]
            if length == 0:
                continue
            start = splitmix_below(random, length)
            excess = table[row, ACTIVITY] - table[row, HIGH]
            for k in range(min(length, _MOVES)):
                at = starts[row] + (start + k) % length
                column = columns[at]
                delta = _tight(excess, data[at], column, box, values)
                if (delta == 0) | (step < memory[column, RISE if delta > 0 else FALL]):
                    continue
                found = _score(column, delta, matrix, table, state)
                if found > score or (found == score and found > 0 and memory[column, MOVED] < age):
                    chosen, change, score, age = column, delta, found, memory[column, MOVED]
            state[EFFORT] += min(length, _MOVES)
        if chosen < 0:
            for k in range(2 * _EASY if len(values) > 0 else 0):
                if k % 2 == 0:
                    column = splitmix_below(random, len(values))
                delta = (lower[column] if k % 2 == 0 else upper[column]) - values[column]
                if delta == 0 or np.isinf(delta) or step < memory[column, RISE if delta > 0 else FALL]:
                    continue
                found = _score(column, delta, matrix, table, state)
                if found > score or (found == score and found > 0 and memory[column, MOVED] < age):
                    chosen, change, score, age = column, delta, found, memory[column, MOVED]
        if chosen >= 0:
            _move(chosen, change, matrix, table, box, values, rows, memory, random, state)
            continue
        first, shift, second, change = -1, 0.0, -1, 0.0
        if np.isinf(measure[BEST]) or state[EFFORT] - state[SINCE] > _PATIENCE * len(data):
            first, shift, second, change = _pair(step, matrix, table, box, values, rows, memory, random, state)
        if first >= 0:
            _move(first, shift, matrix, table, box, values, rows, memory, random, state)
            _move(second, change, matrix, table, box, values, rows, memory, random, state)
            continue
        if many - dear < state[FEWEST]:
            state[FEWEST] = many - dear
            near[:] = values
            state[EFFORT] += len(values)
        if many == dear:
            table[objective, WEIGHT] += 1.0
        else:
            for k in range(many):
                if broken[k] != objective:
                    table[broken[k], WEIGHT] += 1.0
            state[EFFORT] += many
        row = broken[splitmix_below(random, many)]
        length = starts[row + 1] - starts[row]
        if length == 0:
            continue
        start = splitmix_below(random, length)
        excess = table[row, ACTIVITY] - table[row, HIGH]
        free = False
        for k in range(min(length, _WALK)):
            at = starts[row] + (start + k) % length
            column = columns[at]
            delta = _tight(excess, data[at], column, box, values)
            if delta == 0:
                continue
            open_ = memory[column, MOVED] != step - 1
            if free and not open_:
                continue
            found = _score(column, delta, matrix, table, state)
            better = found > score or (found == score and memory[column, MOVED] < age)
            if chosen < 0 or (open_ and not free) or better:
                chosen, change, score, age, free = column, delta, found, memory[column, MOVED], open_
        state[EFFORT] += min(length, _WALK)
        if chosen >= 0:
            _move(chosen, change, matrix, table, box, values, rows, memory, random, state)
