"""Small plan puzzles drawn at random, written as people write them, and solved by exhaustive search.

Writers, rules and searches are of this file alone. A `Puzzle` is the text of a file with what is right of it.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from heapq import heappop, heappush
from itertools import combinations
from typing import Any

__all__ = ["DRAWN", "Puzzle"]

Edges = Callable[[Any], Iterable[tuple[int, Hashable]]]


@dataclass(frozen=True)
class Puzzle:
    """A file, and what is right of it.

    Attributes
    ----------
    kind
        Name of the problem.
    data, part, name
        Bytes, number in the file, and name of the file.
    options
        Of the reader.
    right
        Cost of the cheapest plan, None if there is no plan.
    searches
        Constructions that find it, with their settings.
    plan
        Writes a plan, as the package encodes it, in another way that means the same.
    """

    kind: str
    data: bytes
    right: int | None
    searches: tuple[tuple[str, str], ...]
    part: int | None = None
    name: str = "drawn.txt"
    options: dict[str, Any] = field(default_factory=dict)
    plan: Callable[[random.Random, Any], str] | None = None


def _cheapest(start: Hashable, goal: Callable[[Any], bool], edges: Edges) -> int | None:
    """Dijkstra over everything that can be reached."""
    best = {start: 0}
    waiting: list[tuple[int, int, Any]] = [(0, 0, start)]
    count = 0
    while waiting:
        spent, _, state = heappop(waiting)
        if spent > best[state]:
            continue
        if goal(state):
            return spent
        for cost, other in edges(state):
            if spent + cost < best.get(other, 1 << 60):
                best[other] = spent + cost
                count += 1
                heappush(waiting, (spent + cost, count, other))
    return None


def _bytes(roll: random.Random, lines: list[str], *, latin: bool = True) -> bytes:
    """A file in some encoding, with some end of lines; byte order marks and comments where they may stand."""
    end = roll.choice(("\n", "\n", "\r\n", "\r"))
    text = end.join(lines) + roll.choice((end, "", end * 2))
    coding = roll.choice(("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252" if latin else "utf-8"))
    return text.encode(coding)


def _comments(roll: random.Random, lines: list[str], sign: str = "#") -> list[str]:
    """Some lines more that say nothing."""
    found = []
    for line in lines:
        if roll.random() < 0.15:
            found.append(f"{sign} {roll.choice(('grün', 'a b c', '1 2 3', 'note: nothing'))}")
        found.append(line)
    return found


def _header(roll: random.Random, key: str, value: str) -> str:
    spelt, between = roll.choice((key, key.upper(), key.title())), roll.choice((":", " : ", ": ", " = "))
    return f"#{roll.choice(('', ' ', '  '))}{spelt}{between}{value}"


# Sliding tiles


@cache
def _tile_table(rows: int, columns: int, goal: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    found, waiting = {goal: 0}, deque([goal])
    while waiting:
        tiles = waiting.popleft()
        blank = tiles.index(0)
        row, column = divmod(blank, columns)
        for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= r < rows and 0 <= c < columns:
                other = list(tiles)
                other[blank], other[r * columns + c] = other[r * columns + c], 0
                if tuple(other) not in found:
                    found[tuple(other)] = found[tiles] + 1
                    waiting.append(tuple(other))
    return found


def tiles(roll: random.Random) -> Puzzle:
    """2 x 2 to 3 x 3 and 2 x 4, half of them out of reach of a goal."""
    rows, columns = roll.choice(((2, 2), (2, 3), (3, 2), (2, 3), (2, 4), (3, 3)))
    cells = rows * columns
    last, first = (*range(1, cells), 0), tuple(range(cells))
    board = tuple(roll.sample(range(cells), cells))
    wanted = roll.choice((None, None, "last", "first"))
    tables = {"last": _tile_table(rows, columns, last), "first": _tile_table(rows, columns, first)}
    taken = wanted or ("first" if board not in tables["last"] and board in tables["first"] else "last")
    blank = roll.choice(("0", "0", "0", "_", ".", "x"))
    between = roll.choice((" ", "  ", "\t", ", ", ","))
    lines = [
        between.join(blank if t == 0 else str(t) for t in board[i : i + columns]) for i in range(0, cells, columns)
    ]
    if roll.random() < 0.2:
        lines[0] += roll.choice((" # above", "  // above", "#"))
    if roll.random() < 0.2:
        lines.insert(0, str(rows) if rows == columns else f"{rows} {columns}")
    if wanted is not None:
        tiles_of = " ".join(map(str, last if wanted == "last" else first))
        spelt = roll.choice((f"blank-{wanted}", f"Blank {wanted}", f"blank_{wanted}", tiles_of))
        lines.insert(0, _header(roll, "goal", spelt))
    searches = (
        ("bfs", ""),
        ("bidirectional", ""),
        ("astar", "manhattan"),
        ("ida-star", "manhattan"),
        ("astar", "linear-conflict"),
    )
    return Puzzle(
        "sliding-tile", _bytes(roll, _comments(roll, lines)), tables[taken].get(board), searches, plan=_letters
    )


def _letters(roll: random.Random, plan: Any) -> str:
    text = "".join(roll.choice((one, one.lower())) + roll.choice(("", "", " ", "\n")) for one in plan)
    return roll.choice((text, f'"{"".join(plan)}"', f"# a plan\n{text}\n"))


# Lights Out


def lights(roll: random.Random) -> Puzzle:
    """Up to 3 x 4 in both patterns, all presses tried."""
    rows, columns = roll.randint(1, 3), roll.randint(1, 4)
    cells = rows * columns
    king = roll.random() < 0.4
    on = sum(1 << cell for cell in range(cells) if roll.random() < 0.5)
    masks = []
    for cell in range(cells):
        row, column = divmod(cell, columns)
        masks.append(
            sum(
                1 << r * columns + c
                for r in range(rows)
                for c in range(columns)
                if (max(abs(r - row), abs(c - column)) <= 1 if king else abs(r - row) + abs(c - column) <= 1)
            )
        )
    right = next(
        (many for many in range(cells + 1) for some in combinations(masks, many) if _together(some) == on), None
    )
    signs = roll.choice(("01", "01", "01", ".x", "-X", "_*"))
    between = roll.choice(("", "", " ", ",", "  "))
    lines = [between.join(signs[on >> i * columns + j & 1] for j in range(columns)) for i in range(rows)]
    if signs != "01" and on in (0, (1 << cells) - 1):
        lines = [line.replace(signs[0], "0").replace(signs[1], "1") for line in lines]
    lines = _comments(roll, lines)
    if king or roll.random() < 0.3:
        lines.insert(0, _header(roll, "pattern", roll.choice(("king", "King") if king else ("plus", "PLUS"))))
    searches = (("linear-algebra", ""), ("bfs", ""), ("astar", ""), ("ida-star", ""), ("bidirectional", ""))
    return Puzzle("lights-out", _bytes(roll, lines), right, searches, plan=_presses)


def _together(masks: Iterable[int]) -> int:
    found = 0
    for mask in masks:
        found ^= mask
    return found


def _presses(roll: random.Random, plan: Any) -> str:
    return roll.choice(
        (
            roll.choice((" ", ",", "\n", " ; ")).join(map(str, plan)),
            str(list(plan)),
            f"# {len(plan)}\n{' '.join(map(str, plan))} # all",
        )
    )


# Sokoban


def sokoban(roll: random.Random) -> Puzzle:
    """A small room, alone or among others, in the ways of collections."""
    height, width = roll.randint(3, 5), roll.randint(3, 6)
    inside = [(r, c) for r in range(1, height - 1) for c in range(1, width - 1)]
    walls = {(r, c) for r in range(height) for c in range(width)} - set(inside)
    walls |= {cell for cell in inside if len(inside) > 4 and roll.random() < 0.15}
    free = [cell for cell in inside if cell not in walls]
    if len(free) < 3:
        return sokoban(roll)
    many = 1 if len(free) < 6 else roll.choice((1, 1, 2))
    player, *boxes = roll.sample(free, many + 1)
    goals = roll.sample(free, many)
    cost = roll.choice(("moves", "pushes"))

    def edges(state: Any) -> Iterator[tuple[int, Hashable]]:
        (r, c), placed = state
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            there, beyond = (r + down, c + right), (r + 2 * down, c + 2 * right)
            if there in walls:
                continue
            if there in placed:
                if beyond not in walls and beyond not in placed:
                    yield 1, (there, placed - {there} | {beyond})
            else:
                yield (cost == "moves"), (there, placed)

    right = _cheapest((player, frozenset(boxes)), lambda state: state[1] == frozenset(goals), edges)
    rows = []
    for r in range(height):
        line = ""
        for c in range(width):
            cell = (r, c)
            line += (
                "#"
                if cell in walls
                else "+"
                if cell == player and cell in goals
                else "@"
                if cell == player
                else "*"
                if cell in boxes and cell in goals
                else "$"
                if cell in boxes
                else "."
                if cell in goals
                else " "
            )
        rows.append(line)
    data, part, name = _collection(roll, rows)
    searches = [("push-astar", "")] + [("astar", ""), ("bfs", "")] * (cost == "moves")
    return Puzzle("sokoban", data, right, tuple(searches), part, name, {"cost": cost}, _lurd)


def _collection(roll: random.Random, rows: list[str]) -> tuple[bytes, int | None, str]:
    way = roll.choice(("plain", "plain", "dashes", "margin", "encoded", "xml"))
    if way == "xml":
        level = [f"<L>{row}</L>" for row in rows]
        other = ["<Level Id='x'>", "<L>#####</L>", "<L>#@$.#</L>", "<L>#####</L>", "</Level>"]
        before = roll.random() < 0.5
        lines = [
            "<?xml version='1.0'?>",
            "<SokobanLevels>",
            "<!-- <Level><L>#@$.#</L></Level> -->",
            *(other if before else []),
            "<Level Id='mine'>",
            *level,
            "</Level>",
            *other,
            "</SokobanLevels>",
        ]
        return "\n".join(lines).encode(), 2 if before else 1, "drawn.slc"
    if way == "dashes":
        floor = roll.choice("-_")
        rows = [roll.choice(("", floor)) * 0 + floor + row.replace(" ", floor) for row in rows]
    if way == "margin":
        rows = (
            ["\t" + row for row in rows]
            if roll.random() < 0.3
            else ["   " + row + roll.choice(("", "  ")) for row in rows]
        )
    if way == "encoded":
        rows = [_encoded(row.replace(" ", "-")) for row in rows]
        if roll.random() < 0.5:
            rows = ["|".join(rows)]
    title = roll.choice(("; Räume", "Level", "Title: eins", "' zwei", ""))
    other = ["#####", "#@$.#", "#####"]
    lines, part = [title] if title else [], None
    before = roll.randint(0, 2)
    for _ in range(before):
        lines += [
            *other,
            roll.choice(("", "; next", "==========", "----------", ";;;;;;", "Author: Müller", "\n########\n")),
        ]
    lines += rows
    if before or roll.random() < 0.3:
        lines += ["", roll.choice(("", "; more")), *other]
        part = before + 1
    return _bytes(roll, "\n".join(lines).split("\n")), part, "drawn.txt"


def _encoded(text: str) -> str:
    found, i = "", 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i]:
            j += 1
        found += (str(j - i) if j - i > 1 else "") + text[i]
        i = j
    return found


def _lurd(roll: random.Random, plan: Any) -> str:
    return roll.choice(
        (str(plan), str(plan).upper(), _encoded(plan), _encoded(plan.lower()), f"; plan\n{plan} ; end", f'"{plan}"')
    )


# Cubical


def cubical(roll: random.Random) -> Puzzle:
    """Up to four rings on a square or a cube."""
    d = roll.choice((2, 3, 3))
    k = roll.randint(1, d - 1)
    many = roll.randint(1, 4 if d == 3 else 3)
    start, target = (tuple(roll.sample(range(1 << d), many)) for _ in range(2))
    faces = [
        {v for v in range(1 << d) if all((v ^ corner) >> i & 1 == 0 for i in range(d) if i not in free)}
        for free in combinations(range(d), k)
        for corner in range(1 << d)
    ]

    def edges(state: Any) -> Iterator[tuple[int, Hashable]]:
        for ring, here in enumerate(state):
            others = set(state) - {here}
            for there in {v for face in faces if here in face and not face & others for v in face} - {here}:
                yield 1, (*state[:ring], there, *state[ring + 1 :])

    right = _cheapest(start, lambda state: state == target, edges)
    names = [f"r{i}" for i in range(many)]
    tables = {}
    for table, places in (("start", start), ("target", target)):
        pairs = [(name, roll.choice((str(v), f'"{v:0{d}b}"'))) for name, v in zip(names, places, strict=True)]
        if table == "target":
            roll.shuffle(pairs)
        tables[table] = pairs
    if roll.random() < 0.5:
        lines = [f"dimension = {d}", f"k = {k}  # of the faces"]
        for table, pairs in tables.items():
            lines += ["", f"[{table}]", *(f"{name} = {v}" for name, v in pairs)]
    else:
        lines = [f"{t} = {{{', '.join(f'{n} = {v}' for n, v in pairs)}}}" for t, pairs in tables.items()]
        lines += [f"k={k}", f"dimension={d}", "title = 'grün'"]
    searches = (("bfs", ""), ("bidirectional", ""), ("astar", ""), *((("ida-star", ""),) if right is not None else ()))
    return Puzzle("cubical", _bytes(roll, lines), right, searches, plan=_words)


def _words(roll: random.Random, plan: Any) -> str:
    words = roll.choice((" ", ", ", "\n", ";")).join(plan)
    return roll.choice((words, f"# moves\n{words}", "[" + ", ".join(f'"{one}"' for one in plan) + "]"))


# Rubik's cube, by stickers in space

_AXES = {"U": (1, 1), "D": (1, -1), "R": (0, 1), "L": (0, -1), "F": (2, 1), "B": (2, -1)}
_ORDER = "URFDLB"
_MIDDLES = {"M": "L", "E": "D", "S": "F"}
Cube = tuple[tuple[tuple[int, int, int], tuple[int, int, int], str], ...]


def _sticker_places() -> list[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    """Place and direction of the stickers of U, R, F, D, L, B, row by row as seen from outside."""
    found = []
    sight = {"U": ((1, 0, 0), (0, 0, 1)), "R": ((0, 0, -1), (0, -1, 0)), "F": ((1, 0, 0), (0, -1, 0)),
             "D": ((1, 0, 0), (0, 0, -1)), "L": ((0, 0, 1), (0, -1, 0)), "B": ((-1, 0, 0), (0, -1, 0))}  # fmt: skip
    for face in _ORDER:
        axis, sign = _AXES[face]
        normal = tuple(sign if i == axis else 0 for i in range(3))
        across, down = sight[face]
        for row in (-1, 0, 1):
            for column in (-1, 0, 1):
                place = tuple(normal[i] + column * across[i] + row * down[i] for i in range(3))
                found.append((place, normal))
    return found  # type: ignore[return-value]


_PLACES = _sticker_places()
_NUMBER = {pair: number for number, pair in enumerate(_PLACES)}


def _quarter(vector: tuple[int, ...], axis: int, sign: int) -> tuple[int, ...]:
    """Clockwise as seen from the end of the axis: about z, (x, y) goes to (y, -x)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turned = list(vector)
    turned[i], turned[j] = sign * vector[j], -sign * vector[i]
    return tuple(turned)


@cache
def _permutation(face: str, layers: frozenset[int], quarters: int) -> tuple[int, ...]:
    """Where the sticker of each number comes from, when layers (1, 0, -1 from the face) turn as the face does."""
    axis, sign = _AXES[face]
    origin = list(range(54))
    for number, (place, normal) in enumerate(_PLACES):
        if place[axis] * sign in layers:
            there: tuple[Any, Any] = (place, normal)
            for _ in range(quarters):
                there = (_quarter(there[0], axis, sign), _quarter(there[1], axis, sign))
            origin[_NUMBER[there]] = number
    return tuple(origin)


def _turned(cube: str, face: str, layers: Iterable[int], quarters: int) -> str:
    return "".join(cube[i] for i in _permutation(face, frozenset(layers), quarters))


def _near(cube: str, half: bool, depth: int) -> dict[str, int]:
    """All cubes within some cost: quarter turns, or half turns as one."""
    found, layer = {cube: 0}, [cube]
    for cost in range(1, depth + 1):
        following = []
        for one in layer:
            for face in _ORDER:
                for quarters in (1, 2, 3) if half else (1, 3):
                    other = _turned(one, face, (1,), quarters)
                    if other not in found:
                        found[other] = cost
                        following.append(other)
        layer = following
    return found


@cache
def _near_solved(half: bool) -> dict[str, int]:
    return _near("".join(face * 9 for face in _ORDER), half, 2)


def _upright(cube: str) -> str:
    """The cube with colours called after the faces of their centres: the same to whoever holds it otherwise."""
    names = {cube[9 * i + 4]: face for i, face in enumerate(_ORDER)}
    return "".join(names[one] for one in cube)


def rubik(roll: random.Random) -> Puzzle:
    """A few turns from the solved cube: as turns, stickers, a net, in colours, held otherwise."""
    half = roll.random() < 0.5
    solved = "".join(face * 9 for face in _ORDER)
    cube, words = solved, []
    budget = roll.randint(1, 4)
    fancy = roll.random() < 0.3
    while budget > 0:
        name = roll.choice("URFDLB" * 2 + ("MES" + "xyz" + "wwww" if fancy else ""))
        quarters = roll.choice((1, 2, 3))
        spent = 1 if half or quarters != 2 else 2
        if name in "MES":
            spent *= 2
            face, layers = _MIDDLES[name], (0,)
        elif name in "xyz":
            spent, face, layers = 0, {"x": "R", "y": "U", "z": "F"}[name], (1, 0, -1)
        elif name == "w":
            face, layers = roll.choice(_ORDER), (1, 0)
            name = face + "w"
        else:
            face, layers = name, (1,)
        if spent > budget:
            continue
        budget -= spent or (roll.random() < 0.5)
        cube = _turned(cube, face, layers, quarters)
        words.append(
            name
            + {
                1: roll.choice(("", "", "1")),
                2: roll.choice(("2", "2", "2'")),
                3: roll.choice(("'", "’", "′", "3", "i")),
            }[quarters]
        )
    if not any(word[0] in _ORDER + "MES" for word in words):
        return rubik(roll)
    here = _upright(cube)
    near, home = _near(here, half, 2), _near_solved(half)
    right = min(near[one] + home[one] for one in near.keys() & home.keys())
    way = roll.choice(("turns", "turns", "turns", "stickers", "net", "colours"))
    if way == "turns":
        lines = [roll.choice((" ", "  ", ", ")).join(words) + roll.choice(("", " // x", f" ({len(words)}f)"))]
        if len(words) > 1 and all(word[-1] in "'’′2" for word in words) and roll.random() < 0.5:
            lines = ["".join(words)]
    else:
        if way == "colours" or roll.random() < 0.4:
            colours = dict(zip(_ORDER, roll.sample("WRGYOB", 6), strict=True))
            cube = "".join(colours[one] for one in here)
        faces = [cube[i : i + 9] for i in range(0, 54, 9)]
        if way == "net":
            up, right_face, front, down, left, back = faces
            rows = [up[i : i + 3] for i in (0, 3, 6)]
            rows += ["".join(side[i : i + 3] for side in (left, front, right_face, back)) for i in (0, 3, 6)]
            rows += [down[i : i + 3] for i in (0, 3, 6)]
            gap = roll.choice(("", " "))
            lines = [("      " if len(row) == 3 else "") + gap.join(row) for row in rows]
        else:
            lines = roll.choice(
                ([cube], faces, [" ".join(faces)], [one[i : i + 3] for one in faces for i in (0, 3, 6)])
            )
    alone = len("".join(lines).split()[0]) == 1  # a single turn may be a plan of another puzzle
    if half or alone or roll.random() < 0.2:
        spelt = ("half", "half turns", "HTM", "Half-Turn") if half else ("quarter", "quarter turns", "qtm")
        lines.insert(0, _header(roll, "metric", roll.choice(spelt)))
    return Puzzle("rubik", _bytes(roll, lines, latin=False), right, (("bfs", ""), ("bidirectional", "")), plan=_turns)


def _turns(roll: random.Random, plan: Any) -> str:
    text = " ".join(one.replace("'", roll.choice(("'", "3", "i", "’"))) for one in plan)
    return roll.choice(
        (
            text,
            f"# {len(plan)} turns\n{text}",
            "[" + ", ".join(f'"{one}"' for one in plan) + "]",
            f"{text} ({len(plan)}q)",
        )
    )


DRAWN: tuple[Callable[[random.Random], Puzzle], ...] = (tiles, lights, sokoban, cubical, rubik)
"""A puzzle of each kind."""
