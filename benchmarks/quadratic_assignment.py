"""Iterations per second of robust tabu search: the kernel that is used, and the designs that were rejected.

    python benchmarks/quadratic_assignment.py [--sizes 12 20 30 42 64 100] [--kinds uniform asymmetric] [--seconds 1]

Designs, all with the same rules:

`classical`
    One entry per pair, locations looked up through the permutation; changes of pairs without the exchanged facilities
    are updated in O(1), those of pairs with one are computed in O(n) (Taillard 1991); scalar code.
`potentials, 64 bits` and `potentials, 32 bits`
    The kernel of `matheur.operators.quadratic_assignment.tabu_kernels` with the two widths of its numbers.

Figures are medians over the seeds, in processor seconds, after compilation.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import time
from collections.abc import Callable
from statistics import median

import numba
import numpy as np
from numba import njit

from matheur.operators.quadratic_assignment.exchange_state import ExchangeState, Matrices, objective
from matheur.operators.quadratic_assignment.tabu_search import TabuSearch
from matheur.problems.quadratic_assignment import generate
from matheur.problems.quadratic_assignment.instance import Instance


@njit(cache=True, nogil=True)
def _random(state):  # type: ignore[no-untyped-def]
    """Next 64 bits of xorshift64* (Vigna 2016)."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return x * np.uint64(2685821657736338717)


@njit(cache=True, nogil=True)
def _tenure(state, scale):  # type: ignore[no-untyped-def]
    uniform = np.float64(_random(state) >> np.uint64(11)) / 9007199254740992.0
    return np.int64(uniform * uniform * uniform * scale)


@njit(cache=True, nogil=True)
def _change(a, b, p, r, s):  # type: ignore[no-untyped-def]
    """What exchanging r and s changes, in O(n)."""
    pr, ps = p[r], p[s]
    change = (a[r, r] - a[s, s]) * (b[ps, ps] - b[pr, pr]) + (a[r, s] - a[s, r]) * (b[ps, pr] - b[pr, ps])
    for k in range(p.size):
        if k not in (r, s):
            pk = p[k]
            change += (a[k, r] - a[k, s]) * (b[pk, ps] - b[pk, pr]) + (a[r, k] - a[s, k]) * (b[ps, pk] - b[pr, pk])
    return change


@njit(cache=True, nogil=True)
def _classical(a, b, p, changes, tabu, state, limit, tenure, aspiration):  # type: ignore[no-untyped-def]
    """The rejected design; returns the change of the objective at the best permutation."""
    n = p.size
    for i in range(n):
        for j in range(i + 1, n):
            changes[i, j] = _change(a, b, p, i, j)
    current = record = np.int64(0)
    for iteration in range(1, limit + 1):
        r = s = -1
        best = np.int64(1) << 62
        aspired = False
        for i in range(n - 1):
            for j in range(i + 1, n):
                until = min(tabu[i, p[j]], tabu[j, p[i]])
                forced = until < iteration - aspiration or current + changes[i, j] < record
                if (forced and not aspired) or (
                    changes[i, j] < best and (forced or (not aspired and until < iteration))
                ):
                    r, s, best, aspired = i, j, changes[i, j], forced
        if r < 0:
            continue
        tabu[r, p[r]] = iteration + _tenure(state, tenure)
        tabu[s, p[s]] = iteration + _tenure(state, tenure)
        p[r], p[s] = p[s], p[r]
        current += best
        record = min(record, current)
        pr, ps = p[r], p[s]
        for i in range(n - 1):
            for j in range(i + 1, n):
                if i in (r, s) or j in (r, s):
                    changes[i, j] = _change(a, b, p, i, j)
                else:
                    pi, pj = p[i], p[j]
                    changes[i, j] += (a[r, i] - a[r, j] + a[s, j] - a[s, i]) * (
                        b[ps, pi] - b[ps, pj] + b[pr, pj] - b[pr, pi]
                    ) + (a[i, r] - a[j, r] + a[j, s] - a[i, s]) * (b[pi, ps] - b[pj, ps] + b[pj, pr] - b[pi, pr])
    return record


def classical(instance: Instance, seed: int) -> Callable[[int], int]:
    """A run of the rejected design: iterations to the best objective."""
    n = instance.n
    p = np.random.default_rng(seed).permutation(n).astype(np.int32)
    start = objective(instance, p)
    state = np.array([2 * seed + 1], dtype=np.uint64)
    tabu = -(n * np.arange(n)[:, None] + np.arange(n))

    def run(iterations: int) -> int:
        changes = np.zeros((n, n), dtype=np.int64)
        gain = _classical(instance.flows, instance.distances, p, changes, tabu, state, iterations, 8.0 * n, 5 * n * n)
        return start + int(gain)

    return run


def potentials(instance: Instance, seed: int, *, wide: bool) -> Callable[[int], int]:
    """A run of the kernel."""
    search = TabuSearch(instance, np.random.default_rng(seed))
    p = np.random.default_rng(seed).permutation(instance.n).astype(np.int32)
    search._state = ExchangeState(Matrices.of(instance, wide=wide), p)
    search._tabu = np.empty_like(search._state.change)
    search.start(p)

    def run(iterations: int) -> int:
        search.advance(iterations)
        return search.objective

    return run


DESIGNS: dict[str, Callable[[Instance, int], Callable[[int], int]]] = {
    "classical": classical,
    "potentials, 64 bits": lambda instance, seed: potentials(instance, seed, wide=True),
    "potentials, 32 bits": lambda instance, seed: potentials(instance, seed, wide=False),
}


def rate(design: str, instance: Instance, seeds: int, seconds: float) -> tuple[float, int]:
    """Median iterations per processor second, and the best objective."""
    make = DESIGNS[design]
    began = time.process_time()
    make(instance, 0)(2000)
    iterations = max(2000, int(2000 * seconds / max(time.process_time() - began, 1e-6)))
    rates, found = [], []
    for seed in range(seeds):
        run = make(instance, seed)
        began = time.process_time()
        found.append(run(iterations))
        rates.append(iterations / (time.process_time() - began))
    return median(rates), min(found)


def main() -> None:
    """Print one line per kind, size and design."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[12, 20, 30, 42, 64, 100])
    parser.add_argument("--kinds", nargs="+", default=["uniform", "asymmetric"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    print(
        f"{datetime.date.today()} {platform.machine()} Python {platform.python_version()} numba {numba.__version__} "
        f"numpy {np.__version__}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    for kind in options.kinds:
        for wide in (False, True):
            warm = generate(kind, 5)[0]
            classical(warm, 0)(10)
            potentials(warm, 0, wide=wide)(10)
        for size in options.sizes:
            instance = generate(kind, size, seed=1)[0]
            for design in DESIGNS:
                speed, best = rate(design, instance, options.seeds, options.seconds)
                print(f"{kind:12} n = {size:4} {design:20} {speed:12,.0f} iterations/s  best {best}", flush=True)


if __name__ == "__main__":
    main()
