"""Kernels of the exchange neighbourhood: robust tabu search and steepest descent.

All arrays are kept in the order (facility, location), so that an exchange moves no columns. An iteration costs n^2
vectorised steps and O(n) others, while the classical update takes O(n) for each pair that contains an exchanged
facility. With p the permutation, q its inverse, and zero diagonals except in the term that names them:

- `potential[i, l]`, C: the sum over k of a[k, i] b[p[k], l] + a[i, k] b[l, p[k]], and of the diagonals a[i, i] b[l, l]:
  the cost of facility i in location l while the others (and i itself) stay where they are;
- `change[i, l]`, D: the change of the objective if i is exchanged with j, the facility in location l:
  C[i, l] + C[j, p[i]] - C[i, p[i]] - C[j, l] + (a[i, j] + a[j, i]) (b[p[i], l] + b[l, p[i]]). Each pair is stored
  twice, so that the tabu test "one of the two may go there" is a plain minimum over the entries that are not tabu;
- `tabu[i, l]`: the iteration until which i may not go to l; the largest number at the current location of i.

After r and s have been exchanged, with x[i] = a[r, i] - a[s, i], w[l] = b[p[r], l] - b[p[s], l] (p after the exchange;
the second term with the transposed matrices):

- C[i, l] += x[i] w[l] + ..., a matrix of rank one, or two if neither matrix is symmetric;
- D[i, l] += (x[i] - x[q[l]]) (w[l] - w[p[i]]) + ... for pairs without r and s (Taillard 1991, factorised); the rows and
  columns of r and s are recomputed from C.

If one of the two matrices is symmetric, the other one may be replaced by its sum with its transpose, and one term is
enough. Rows are padded to 64 bytes with zeros; `floor` excludes the padding of D from every choice. Numbers are int32
or int64, as chosen in `exchange_state`; sums may wrap around, but the numbers compared are small enough.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import xorshift_uniform

__all__ = ["BEST", "CURRENT", "GAINED", "ITERATION", "OLDEST", "TARGET", "descend", "prepare", "renew", "search"]

CURRENT, BEST, ITERATION, GAINED, OLDEST, TARGET = range(6)
"""Entries of `numbers`, int64: objective now, best objective, iterations made, iteration of the last gain, a lower
bound of the tabu table, the objective at which to stop."""


@kernel
def _tenure(state, scale):  # type: ignore[no-untyped-def]
    """A random number of iterations below `scale`, short ones more often (cube of a uniform number)."""
    uniform = xorshift_uniform(state)
    return np.int64(uniform * uniform * uniform * scale)


@kernel
def _renew(r, flows, distances, p, q, potential, change):  # type: ignore[no-untyped-def]
    """Compute the entries of D for all pairs with facility r."""
    here = p[r]
    own = potential[r, here]
    single = flows.shape[0] == 1
    for location in range(p.size):
        j = q[location]
        if single:
            joint = 2 * flows[0, r, j] * distances[0, here, location]
        else:
            joint = (flows[0, r, j] + flows[1, r, j]) * (distances[0, here, location] + distances[1, here, location])
        value = potential[r, location] + potential[j, here] - own - potential[j, location] + joint
        change[r, location] = value
        change[j, here] = value
    change[r, here] = 0


@kernel
def prepare(begin, end, flows, distances, linear, p, potential):  # type: ignore[no-untyped-def]
    """Compute the rows `begin` to `end - 1` of C of a permutation from scratch: O(n^2) each."""
    for i in range(begin, end):
        row = potential[i]
        row[:] = linear[i]
        for term in range(flows.shape[0]):
            for k in range(p.size):
                flow = flows[term, k, i]
                if flow != 0:
                    far = distances[term, p[k]]
                    for location in range(row.size):
                        row[location] += flow * far[location]


@kernel
def renew(begin, end, flows, distances, p, q, potential, change):  # type: ignore[no-untyped-def]
    """Compute the rows `begin` to `end - 1` of D from C: O(n) each."""
    for i in range(begin, end):
        _renew(i, flows, distances, p, q, potential, change)


@kernel
def _exchange(r, s, flows, distances, p, q, potential, change, work):  # type: ignore[no-untyped-def]
    """Exchange the locations of r and s; update C and D."""
    source, target = p[r], p[s]
    p[r], p[s] = target, source
    q[source], q[target] = s, r
    terms, width = flows.shape[0], potential.shape[1]
    for term in range(terms):
        x, w, placed = work[3 * term], work[3 * term + 1], work[3 * term + 2]
        of_r, of_s = flows[term, r], flows[term, s]
        there, left = distances[term, target], distances[term, source]
        for k in range(width):
            x[k] = of_r[k] - of_s[k]
            w[k] = there[k] - left[k]
        for k in range(q.size):
            placed[k] = x[q[k]]
    x, w, placed = work[0], work[1], work[2]
    if terms == 1:
        for i in range(p.size):
            x_i, w_i = x[i], w[p[i]]
            c, d = potential[i], change[i]
            for k in range(width):
                c[k] += x_i * w[k]
                d[k] += (x_i - placed[k]) * (w[k] - w_i)
    else:
        x2, w2, placed2 = work[3], work[4], work[5]
        for i in range(p.size):
            x_i, w_i = x[i], w[p[i]]
            x2_i, w2_i = x2[i], w2[p[i]]
            c, d = potential[i], change[i]
            for k in range(width):
                c[k] += x_i * w[k] + x2_i * w2[k]
                d[k] += (x_i - placed[k]) * (w[k] - w_i) + (x2_i - placed2[k]) * (w2[k] - w2_i)
    _renew(r, flows, distances, p, q, potential, change)
    _renew(s, flows, distances, p, q, potential, change)


@kernel
def _least(change, tabu, floor, typed, size):  # type: ignore[no-untyped-def]
    """The entry of smallest D that is not tabu (below typed[1]) or is below typed[2]; (-1, -1) if there is none."""
    barred, now, below = typed[0], typed[1], typed[2]
    least, row = barred, -1
    for i in range(size):
        d, t = change[i], tabu[i]
        lowest = barred
        for k in range(d.size):
            value = max(d[k], floor[k])
            lowest = min(lowest, value if (t[k] < now) | (value < below) else barred)
        if lowest < least:
            least, row = lowest, i
    if row >= 0:
        d, t = change[row], tabu[row]
        for k in range(size):
            if d[k] == least and (t[k] < now or d[k] < below):
                return row, k
    return -1, -1


@kernel
def search(  # type: ignore[no-untyped-def]
    limit, patience, tenure, aspiration, flows, distances, p, q, potential, change, tabu, floor, typed, work, numbers,
    state, best,
):  # fmt: skip
    """Robust tabu search (Taillard 1991) for up to `limit` iterations.

    Each iteration makes the best admissible exchange: one of its facilities has not been in its new location for a
    random number of iterations. An exchange that gives a new best objective, or takes a facility to a location where it
    has not been for `aspiration` iterations, has priority.

    Parameters
    ----------
    patience
        Stop after this many iterations without a new best objective.
    tenure
        Largest number of iterations that an assignment stays tabu, float.
    typed
        Shape (3,), with the dtype of the tables: the largest number, and workspace for two.
    numbers
        See `CURRENT` and the others.
    best
        Receives the best permutation.

    Returns
    -------
    int
        Iterations made in this call.
    """
    barred, size = np.int64(typed[0]), p.size
    current, record, iteration = numbers[CURRENT], numbers[BEST], numbers[ITERATION]
    gained, oldest, target = numbers[GAINED], numbers[OLDEST], numbers[TARGET]
    first = iteration
    last = iteration + limit
    while iteration < last and iteration - gained < patience and record > target:
        iteration += 1
        typed[2] = max(record - current, -barred)
        row = column = -1
        if oldest < iteration - aspiration:
            typed[1] = iteration - aspiration
            row, column = _least(change, tabu, floor, typed, size)
            if row < 0:
                oldest = barred
                for i in range(size):
                    for k in range(size):
                        oldest = min(oldest, np.int64(tabu[i, k]))
        if row < 0:
            typed[1] = iteration
            row, column = _least(change, tabu, floor, typed, size)
        if row < 0:
            continue
        current += change[row, column]
        s = q[column]
        tabu[row, p[row]] = iteration + _tenure(state, tenure)
        tabu[s, column] = iteration + _tenure(state, tenure)
        tabu[row, column] = barred
        tabu[s, p[row]] = barred
        _exchange(row, s, flows, distances, p, q, potential, change, work)
        if current < record:
            record, gained = current, iteration
            best[:] = p
    numbers[CURRENT], numbers[BEST], numbers[ITERATION] = current, record, iteration
    numbers[GAINED], numbers[OLDEST] = gained, oldest
    return iteration - first


@kernel
def descend(limit, flows, distances, p, q, potential, change, work, numbers):  # type: ignore[no-untyped-def]
    """Make the best exchange while it improves, at most `limit` times.

    Returns
    -------
    moves, proved
        Exchanges made; whether a full scan without improvement came last.
    """
    for moves in range(limit):
        least, row, column = np.int64(0), -1, -1
        for i in range(p.size):
            for k in range(p.size):
                if change[i, k] < least:
                    least, row, column = np.int64(change[i, k]), i, k
        if row < 0:
            return moves, True
        numbers[CURRENT] += least
        _exchange(row, q[column], flows, distances, p, q, potential, change, work)
    return limit, False
