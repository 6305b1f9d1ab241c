"""Kernel of the branch and bound: dual ascent of Hahn and Grant (1998) at every node, in exact integers.

A quadratic assignment of m facilities has leader costs L[i, k] (facility i on location k) and pair costs
C[i, k, j, l] (i on k and, at the same time, j on l). The *dual ascent* moves costs between them. The total cost of
every permutation stays the same, no cost becomes negative, and a constant R grows, which is a lower bound:

1. every leader is distributed over the rows of its submatrix C[i, k, ., .], since each row receives one facility;
2. one submatrix after the other takes over its complementary costs C[j, l, i, k] - half of them if (j, l) is processed
   later in this round - and a linear assignment on it moves its optimum into the leader;
3. a linear assignment on the leaders moves its optimum into R.

Rounds alternate between forward and backward order. The first round gives the bound of Gilmore and Lawler (on symmetric
instances); the limit is near the bound of the linear relaxation of Adams and Johnson.

Costs are multiplied by a scale, so that integer division loses little. Fixing i on k gives a quadratic assignment of
size m - 1 with leaders L[j, l] + C[i, k, j, l] + C[j, l, i, k]: it starts from the final costs of its parent. An
assignment with R + L[i, k] at or above the limit is *closed* for the node and its subtree.

The levels are stored consecutively in flat arrays: level d has m = size - d, leaders at `leader_at[d]` (m * m), pair
costs at `pair_at[d]` (m**4, the last index varies fastest). One round of the ascent costs m * m linear assignments of
size m - 1.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["advance", "begin", "multiply"]

FAR = np.int64(1) << np.int64(56)  # cost of a closed assignment; true costs stay below 2**50
DEPTH, ROUND, LIMIT, WORK, NODES = range(5)  # entries of `control`
GAIN_HORIZON = 6  # number of rounds for which the gain of the last one is extrapolated


@kernel
def _reduce(w, m, row_of, column_of, u, v, least, way, used):  # type: ignore[no-untyped-def]
    """Linear assignment: subtract potentials from w until the optimal assignment costs 0; returns its cost.

    Afterwards w has no negative entries. If every assignment needs a closed entry, FAR is returned and w is undefined.
    """
    total = np.int64(0)
    for i in range(m):
        low = w[i, 0]
        for k in range(1, m):
            if w[i, k] < low:
                low = w[i, k]
        if low >= FAR // 2:
            return FAR
        if low != 0:
            total += low
            for k in range(m):
                w[i, k] -= low
    for k in range(m):
        low = w[0, k]
        for i in range(1, m):
            if w[i, k] < low:
                low = w[i, k]
        if low >= FAR // 2:
            return FAR
        if low != 0:
            total += low
            for i in range(m):
                w[i, k] -= low
        row_of[k] = -1
    free = 0
    for i in range(m):
        column_of[i] = -1
        for k in range(m):
            if w[i, k] == 0 and row_of[k] < 0:
                row_of[k] = i
                column_of[i] = k
                break
        if column_of[i] < 0:
            free += 1
    if free == 0:
        return total
    for i in range(m):
        u[i] = 0
        v[i] = 0
    for start in range(m):
        if column_of[start] >= 0:
            continue
        for k in range(m):
            least[k] = FAR
            used[k] = 0
            way[k] = -1
        row = start
        last = -1
        while True:
            near = -1
            reach = FAR * 2
            base = np.int64(0) if last < 0 else least[last]
            for k in range(m):
                if used[k] == 0:
                    length = base + w[row, k] - u[row] - v[k]
                    if length < least[k]:
                        least[k] = length
                        way[k] = last
                    if least[k] < reach:
                        reach = least[k]
                        near = k
            if reach >= FAR // 2:
                return FAR
            used[near] = 1
            last = near
            if row_of[near] < 0:
                break
            row = row_of[near]
        reach = least[last]
        u[start] += reach
        for k in range(m):
            if used[k] == 1 and k != last:
                u[row_of[k]] += reach - least[k]
                v[k] -= reach - least[k]
        while last >= 0:
            before = way[last]
            row = start if before < 0 else row_of[before]
            row_of[last] = row
            column_of[row] = last
            last = before
    for i in range(m):
        total += u[i] + v[i]
        for k in range(m):
            w[i, k] -= u[i] + v[k]
    return total


@kernel
def _ascend(m, backward, leader, pair, closed, w, row_of, column_of, u, v, least, way, used):  # type: ignore[no-untyped-def]
    """One round of the dual ascent; returns the gain of the bound, or FAR if no assignment is left."""
    small, square = m - 1, m * m
    for one in range(square):
        if closed[one] == 1 or leader[one] == 0:
            continue
        i, k = one // m, one % m
        share = leader[one] // small
        rest = leader[one] - share * small
        for j in range(m):
            if j == i:
                continue
            more = share + 1 if (j if j < i else j - 1) < rest else share
            for other in range(j * m, j * m + m):
                if other != j * m + k:
                    pair[one * square + other] += more
    for turn in range(square):
        one = square - 1 - turn if backward else turn
        if closed[one] == 1:
            continue
        i, k = one // m, one % m
        for j in range(m):
            if j == i:
                continue
            y = j if j < i else j - 1
            for c in range(m):
                if c == k:
                    continue
                x = c if c < k else c - 1
                other = j * m + c
                if closed[other] == 1:
                    w[y, x] = FAR
                    continue
                whole = pair[one * square + other] + pair[other * square + one]
                # Submatrices processed later keep half of the cost, if there is any.
                kept = whole // 2 if (other < one) == backward and whole > 0 else 0
                w[y, x] = whole - kept
                pair[other * square + one] = kept
        cost = _reduce(w, small, row_of, column_of, u, v, least, way, used)
        if cost >= FAR:
            closed[one] = 1
            leader[one] = FAR
            continue
        leader[one] = cost
        for j in range(m):
            if j == i:
                continue
            y = j if j < i else j - 1
            for c in range(m):
                if c != k:
                    pair[one * square + j * m + c] = w[y, c if c < k else c - 1]
    return _lead(m, leader, closed, w, row_of, column_of, u, v, least, way, used)


@kernel
def _lead(m, leader, closed, w, row_of, column_of, u, v, least, way, used):  # type: ignore[no-untyped-def]
    """Step 3: the linear assignment of the leaders; returns its cost, FAR if there is none."""
    for i in range(m):
        for k in range(m):
            w[i, k] = FAR if closed[i * m + k] == 1 else leader[i * m + k]
    cost = _reduce(w, m, row_of, column_of, u, v, least, way, used)
    if cost >= FAR:
        return FAR
    for i in range(m):
        for k in range(m):
            if closed[i * m + k] == 0:
                leader[i * m + k] = w[i, k]
    return cost


@kernel
def multiply(size, flows, distances, scale, pair):  # type: ignore[no-untyped-def]
    """Fill the pair costs of level 0 with the products of flows and distances."""
    for i in range(size):
        for k in range(size):
            for j in range(size):
                row = ((i * size + k) * size + j) * size
                for c in range(size):
                    pair[row + c] = flows[i, j] * distances[k, c] * scale


@kernel
def begin(size, linear, scale, leader, pair, closed, lower):  # type: ignore[no-untyped-def]
    """Fill the leaders of level 0, whose pair costs are already filled, and make all its costs non-negative."""
    m = size
    for i in range(m):
        for k in range(m):
            leader[i * m + k] = linear[i, k] * scale
            closed[i * m + k] = 0
            for j in range(m):
                row = ((i * m + k) * m + j) * m
                low = np.int64(0)
                for c in range(m):
                    if c != k and pair[row + c] < low:
                        low = pair[row + c]
                if j != i and low < 0:
                    leader[i * m + k] += low
                    for c in range(m):
                        pair[row + c] -= low
    w = np.empty((m, m), dtype=np.int64)
    ints = np.empty((4, m), dtype=np.int64)
    longs = np.empty((3, m), dtype=np.int64)
    lower[0] = _lead(m, leader, closed, w, ints[0], ints[1], longs[0], longs[1], longs[2], ints[2], ints[3])


@kernel
def advance(  # type: ignore[no-untyped-def]
    effort, size, rounds, root_rounds, thorough, step, control, leader_at, pair_at, leader, pair, closed, lower,
    facilities, locations, group, alive, alive_count, child_row, child_column, child_bound, child_count, child_next,
    chosen, best,
):  # fmt: skip
    """Continue until the tree is finished (returns 1), a better permutation is found (2), or the effort is spent (0).

    Parameters
    ----------
    effort
        Number of linear assignments that may be solved; at least one round is done.
    thorough
        Whether the root gets all its rounds even if they will not close the gap.
    step
        Smallest improvement that a better permutation must make (scaled).
    control
        int64: depth (-1 when finished), rounds done at this node or -1 while its children are tried, the limit (nodes
        whose scaled bound reaches it are pruned), assignments solved, nodes.
    facilities, locations
        int32, shape (size, size): the free facilities and locations of each level.
    group
        int32, shape (elements, size): symmetries of the locations, the identity first; `alive[d]` lists those that keep
        the locations of the levels above fixed.
    """
    w = np.empty((size, size), dtype=np.int64)
    ints = np.empty((4, size), dtype=np.int64)
    longs = np.empty((3, size), dtype=np.int64)
    row_of, column_of, way, used = ints[0], ints[1], ints[2], ints[3]
    u, v, least = longs[0], longs[1], longs[2]
    stop = control[WORK] + effort
    while control[DEPTH] >= 0:
        d = control[DEPTH]
        m = size - d
        lead = leader[leader_at[d] : leader_at[d] + m * m]
        costs = pair[pair_at[d] : pair_at[d] + m * m * m * m]
        shut = closed[leader_at[d] : leader_at[d] + m * m]
        if control[ROUND] >= 0:
            if lower[d] >= control[LIMIT]:
                control[DEPTH] = d - 1
                control[ROUND] = -1
                continue
            if m <= 2:
                cost = _finish(m, lead, costs, shut, lower[d], d, facilities, locations, chosen, best, control)
                control[DEPTH] = d - 1
                control[ROUND] = -1
                if cost < control[LIMIT]:
                    control[LIMIT] = cost - step + 1
                    return 2
                continue
            if control[WORK] >= stop:
                return 0
            gap = control[LIMIT] - lower[d]
            for one in range(m * m):
                if shut[one] == 0 and lead[one] >= gap:
                    shut[one] = 1
            gain = _ascend(m, control[ROUND] % 2 == 1, lead, costs, shut, w, row_of, column_of, u, v, least, way, used)
            control[WORK] += m * m + 1
            lower[d] = FAR if gain >= FAR else lower[d] + gain
            control[ROUND] += 1
            gap = control[LIMIT] - lower[d]
            if gap <= 0:
                continue
            if d == 0:
                if control[ROUND] < root_rounds and gain * root_rounds > (step if thorough else gap):
                    continue
            elif control[ROUND] < rounds and gain * GAIN_HORIZON > gap:
                continue
            child_count[d] = _branch(
                m, d, lead, shut, gap, lower[d], locations, group, alive, alive_count,
                child_row, child_column, child_bound,
            )  # fmt: skip
            child_next[d] = 0
            control[ROUND] = -1
            continue
        if child_next[d] >= child_count[d]:
            control[DEPTH] = d - 1
            continue
        one = child_next[d]
        child_next[d] = one + 1
        if child_bound[d, one] >= control[LIMIT]:
            continue
        control[NODES] += 1
        _descend(
            m, d, child_row[d, one], child_column[d, one], leader_at, pair_at, leader, pair, closed, lower,
            facilities, locations, group, alive, alive_count, chosen,
        )  # fmt: skip
        e = d + 1
        gain = _lead(
            m - 1, leader[leader_at[e] : leader_at[e] + (m - 1) * (m - 1)],
            closed[leader_at[e] : leader_at[e] + (m - 1) * (m - 1)],
            w, row_of, column_of, u, v, least, way, used,
        )  # fmt: skip
        control[WORK] += 1
        if gain >= FAR:
            continue
        lower[e] += gain
        control[DEPTH] = e
        control[ROUND] = 0
    return 1


@kernel
def _branch(  # type: ignore[no-untyped-def]
    m, d, lead, shut, gap, base, locations, group, alive, alive_count, child_row, child_column, child_bound
):  # fmt: skip
    """List the children of a node, the most promising first: one facility on all locations, or vice versa."""
    best_line = -1
    best_value = -1.0
    for line in range(2 * m):
        score = 0.0
        for other in range(m):
            at = line * m + other if line < m else other * m + line - m
            spared = shut[at] == 1 or lead[at] >= gap
            if spared or (line < m and _repeated(locations[d, other], group, alive[d], alive_count[d])):
                score += 1.0
            else:
                score += lead[at] / gap
        if score > best_value:
            best_value = score
            best_line = line
    count = 0
    for other in range(m):
        i = best_line if best_line < m else other
        k = other if best_line < m else best_line - m
        at = i * m + k
        if shut[at] == 1 or lead[at] >= gap:
            continue
        if best_line < m and _repeated(locations[d, k], group, alive[d], alive_count[d]):
            continue
        place = count
        while place > 0 and child_bound[d, place - 1] > base + lead[at]:
            child_bound[d, place] = child_bound[d, place - 1]
            child_row[d, place] = child_row[d, place - 1]
            child_column[d, place] = child_column[d, place - 1]
            place -= 1
        child_bound[d, place] = base + lead[at]
        child_row[d, place] = i
        child_column[d, place] = k
        count += 1
    return count


@kernel
def _repeated(location, group, alive, count):  # type: ignore[no-untyped-def]
    """Whether a symmetry maps the location to one with a smaller number, which represents it."""
    for one in range(1, count):  # noqa: SIM110 (numba compiles no generators inside any)
        if group[alive[one], location] < location:
            return True
    return False


@kernel
def _descend(  # type: ignore[no-untyped-def]
    m, d, i, k, leader_at, pair_at, leader, pair, closed, lower,
    facilities, locations, group, alive, alive_count, chosen,
):  # fmt: skip
    """Make level d + 1 from level d with its facility number i on its location number k."""
    n = m - 1
    lead, base = leader_at[d], pair_at[d]
    lead_below, base_below = leader_at[d + 1], pair_at[d + 1]
    chosen[d, 0] = facilities[d, i]
    chosen[d, 1] = locations[d, k]
    lower[d + 1] = lower[d] + leader[lead + i * m + k]
    for j in range(n):
        facilities[d + 1, j] = facilities[d, j if j < i else j + 1]
        locations[d + 1, j] = locations[d, j if j < k else j + 1]
    for j in range(n):
        y = j if j < i else j + 1
        for c in range(n):
            x = c if c < k else c + 1
            at, to = lead + y * m + x, lead_below + j * n + c
            closed[to] = closed[at]
            if closed[at] == 1:
                leader[to] = FAR
                continue
            leader[to] = (
                leader[at] + pair[base + ((i * m + k) * m + y) * m + x] + pair[base + ((y * m + x) * m + i) * m + k]
            )
            from_row = base + (y * m + x) * m * m
            to_row = base_below + (j * n + c) * n * n
            for g in range(n):
                z = g if g < i else g + 1
                for h in range(n):
                    pair[to_row + g * n + h] = pair[from_row + z * m + (h if h < k else h + 1)]
    count = 0
    for one in range(alive_count[d]):
        if group[alive[d, one], chosen[d, 1]] == chosen[d, 1]:
            alive[d + 1, count] = alive[d, one]
            count += 1
    alive_count[d + 1] = count


@kernel
def _finish(m, lead, costs, shut, base, d, facilities, locations, chosen, best, control):  # type: ignore[no-untyped-def]
    """Try the one or two permutations of a leaf; write the complete permutation to `best` if it is below the limit."""
    if m == 1:
        first, cost = 0, FAR if shut[0] == 1 else base + lead[0]
    else:
        # Pair costs of closed assignments were not copied.
        straight = FAR if shut[0] == 1 or shut[3] == 1 else base + lead[0] + lead[3] + costs[3] + costs[12]
        crossed = FAR if shut[1] == 1 or shut[2] == 1 else base + lead[1] + lead[2] + costs[6] + costs[9]
        first = 0 if straight <= crossed else 1
        cost = min(straight, crossed)
    if cost < control[LIMIT]:
        for level in range(d):
            best[chosen[level, 0]] = chosen[level, 1]
        best[facilities[d, 0]] = locations[d, first]
        if m == 2:
            best[facilities[d, 1]] = locations[d, 1 - first]
    return cost
