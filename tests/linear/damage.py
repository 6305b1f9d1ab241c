"""Damaged MPS, LP and `.sol` files: bytes that a reader has to refuse with one line, or to read."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from linear.random_models import random_model

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.linear.lp_writer import write_lp
from matheur.linear.mps_writer import write_mps
from matheur.problems.milp.problem import Milp
from matheur.problems.milp.problem_type import TYPE

Changed = Callable[[bytes, np.random.Generator], bytes]

NUMBERS = (
    b"1e999", b"-1e999", b"1e-999", b"1e308", b"nan", b"-nan", b"inf", b"1e20", b"-1e30", b"1e99999999999", b"0x10",
    b"1_000", b"+-3", b"--3", b"1e", b".", b"-", b"1,5", b"1d3", b"1/3", b"True", b"9" * 5000, b"0." + b"3" * 3000,
    "\u0663".encode(), "\u2212\u0031".encode(),
)  # fmt: skip
WORDS = (
    b"", b":", b"::", b"<=", b">=", b"=>", b"=", b"->", b"[", b"]", b"^2", b"*", b"/", b"\\", b"'MARKER'", b"ENDATA",
    b"ROWS", b"COLUMNS", b"RHS", b"RANGES", b"BOUNDS", b"OBJSENSE", b"QSECTION", b"SOS1", b"INDICATORS", b"end",
    b"free", b"st", b"bounds", b"general", b"sos2", b"SC", b"BV", b"MI", b"FR", b"x_0", b"r0", b"=obj=", b"<variable",
    b"#", b"$", b"\t", b"\n", b"\r", b"\n\n", b"\x00", b"\x1a", b"\xff\xfe", b"\xc3", b"e5", b"{", b"}", b'"', b"&#0;",
)  # fmt: skip
LONG = 200_000


def cut(data: bytes, rng: np.random.Generator) -> bytes:
    """The file ends early."""
    return data[: int(rng.integers(len(data) + 1))]


def pieces(data: bytes, rng: np.random.Generator) -> bytes:
    """Bytes are left out, doubled, or put in."""
    for _ in range(int(rng.integers(1, 4))):
        start = int(rng.integers(len(data) + 1))
        stop = min(len(data), start + int(rng.integers(1, 12)))
        piece = (data[start:stop] * 2, WORDS[rng.integers(len(WORDS))], b"")[rng.integers(3)]
        data = data[:start] + piece + data[stop:]
    return data


def _words(data: bytes, rng: np.random.Generator, put: Callable[[list[bytes]], None]) -> bytes:
    lines = data.split(b"\n")
    at = int(rng.integers(len(lines)))
    words = lines[at].split(b" ")
    put(words)
    lines[at] = b" ".join(words)
    return b"\n".join(lines)


def fields(data: bytes, rng: np.random.Generator) -> bytes:
    """Two words of a line change places, or a word is another one."""

    def put(words: list[bytes]) -> None:
        one, other = (int(rng.integers(len(words))) for _ in range(2))
        if rng.random() < 0.5:
            words[one], words[other] = words[other], words[one]
        else:
            words[one] = WORDS[rng.integers(len(WORDS))]

    for _ in range(int(rng.integers(1, 4))):
        data = _words(data, rng, put)
    return data


def numbers(data: bytes, rng: np.random.Generator) -> bytes:
    """A number is too large, too small, too long, or none."""

    def put(words: list[bytes]) -> None:
        found = [k for k, word in enumerate(words) if word[-1:].isdigit()] or list(range(len(words)))
        words[found[rng.integers(len(found))]] = NUMBERS[rng.integers(len(NUMBERS))]

    for _ in range(int(rng.integers(1, 6))):
        data = _words(data, rng, put)
    return data


def lines(data: bytes, rng: np.random.Generator) -> bytes:
    """Lines change places, or stand there twice."""
    found = data.split(b"\n")
    for _ in range(int(rng.integers(1, 4))):
        one, other = (int(rng.integers(len(found))) for _ in range(2))
        if rng.random() < 0.5:
            found[one], found[other] = found[other], found[one]
        else:
            found.insert(one, found[other])
    return b"\n".join(found)


def binary(data: bytes, rng: np.random.Generator) -> bytes:
    """Random bytes, among the text or instead of it."""
    noise = rng.bytes(int(rng.integers(1, 2000)))
    at = int(rng.integers(len(data) + 1))
    return (noise, data[:at] + noise, data[:at] + noise[:8] + data[at:])[rng.integers(3)]


def long(data: bytes, rng: np.random.Generator) -> bytes:
    """A name, a number, a line or a nest that is very long."""
    piece = (
        b"x" * LONG,
        b"1" * LONG,
        b" x_0" * (LONG // 4),
        b" + 3 x_0" * (LONG // 8),
        b"[" * LONG,
        b"-" * LONG,
        b"(" * LONG,
        b" " * LONG,
        b"\n" * LONG,
        b"<a>" * (LONG // 3),
        b'{"a":' * (LONG // 5),
        b"x[" * (LONG // 2),
        b"\xc3\xa9" * (LONG // 2),
        b"\\" * LONG,
        b"1e" * (LONG // 2),
        b" 1" * (LONG // 2),
        b" x_0:" * (LONG // 5),
        b"\t\n " * (LONG // 3),
    )[rng.integers(18)]
    at = int(rng.integers(len(data) + 1))
    return data[:at] + piece + data[at:]


def packed(data: bytes, rng: np.random.Generator) -> bytes:
    """A gzip file that is cut off, broken, packed twice, or much larger inside; or another archive's first bytes."""
    whole = gzip.compress(data, mtime=0)
    at = int(rng.integers(1, len(whole)))
    match int(rng.integers(6)):
        case 0:
            return whole[:at]
        case 1:
            return whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :] if at < len(whole) else whole
        case 2:
            return gzip.compress(whole, mtime=0)
        case 3:
            return gzip.compress(data[:40] + b" " * 5_000_000 + data[40:], 1, mtime=0)
        case 4:
            return whole + rng.bytes(20)
        case _:
            return (b"PK\x03\x04", b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf\x27\x1c")[
                rng.integers(5)
            ] + data


def encoded(data: bytes, rng: np.random.Generator) -> bytes:
    """Another encoding, with or without its mark, or other ends of lines."""
    text = data.decode().replace("x_0", ("x_0", "größe", "变量", "\U0001f600", "a\u0301", "\u202ex")[rng.integers(6)])
    form = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "latin-1", "cp037", "utf-7", "ends")[
        rng.integers(9)
    ]
    if form == "ends":
        return text.replace("\n", ("\r\n", "\r", "\n\r", "\x0b", "\u2028", "\x85")[rng.integers(6)]).encode()
    return text.encode(form, "replace")


KINDS: tuple[Changed, ...] = (cut, pieces, fields, numbers, lines, binary, long, packed, encoded)


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of a damaged file.

    Attributes
    ----------
    form, kind, turn
        `mps`, `lp` or `sol`; the damage; the number of the file.
    read
        Whether the reader found something to read.
    said
        The error, else empty.
    wrong
        What is wrong with the reader's answer; empty if nothing is.
    seconds
        CPU seconds.
    """

    form: str
    kind: str
    turn: int
    read: bool
    said: str
    wrong: str
    seconds: float


def damaged(seed: int, count: int) -> Iterator[tuple[str, str, int, Milp, bytes]]:
    """Form, kind of the damage, number, the problem that a solution belongs to, and the bytes."""
    for turn in range(count):
        rng = np.random.default_rng((seed, turn))
        model = random_model(int(rng.integers(1000)))
        form = ("mps", "lp", "sol")[turn % 3]
        change = KINDS[turn // 3 % len(KINDS)]
        if form == "sol":
            values = {name: float(rng.integers(-3, 9)) for name in model.column_names}
            text = _solution(values, int(rng.integers(6)))
        else:
            text = "\n".join(write_mps(model) if form == "mps" else write_lp(model)) + "\n"
        yield form, change.__name__, turn, Milp(model), change(text.encode(), rng)


def _solution(values: dict[str, float], form: int) -> str:
    pairs = list(values.items())
    if form == 0:
        return "=obj= 3\n" + "".join(f"{name} {value:g}\n" for name, value in pairs)
    if form == 1:
        inside = "".join(f'  <variable name="{name}" index="0" value="{value:g}"/>\n' for name, value in pairs)
        head = '<?xml version="1.0"?>\n<CPLEXSolution>\n <header objectiveValue="3"/>\n <variables>\n'
        return f"{head}{inside} </variables>\n</CPLEXSolution>\n"
    if form == 2:
        head = "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 3\n"
        return (
            head + f"# Columns {len(pairs)}\n" + "".join(f"{name} {value:g}\n" for name, value in pairs) + "# Rows 0\n"
        )
    if form == 3:
        head = "solution status: optimal solution found\nobjective value:    3\n"
        return head + "".join(f"{name}   {value:g} \t(obj:1)\n" for name, value in pairs)
    if form == 4:
        head = "Optimal - objective value 3.00000000\n"
        return head + "".join(f"{k} {name} {value:g} 0\n" for k, (name, value) in enumerate(pairs))
    return '{"solution": {' + ", ".join(f'"{name}": {value:g}' for name, value in pairs) + "}}"


def tried(form: str, kind: str, turn: int, problem: Milp, data: bytes) -> Tried:
    """Read a damaged file as the command line does."""
    began = time.process_time()
    said = wrong = ""
    read = False
    try:
        source = Source(f"file.{form}", data).unpacked
        if form == "sol":
            TYPE.read_solution(problem, source)
        else:
            TYPE.recognises(source)
            TYPE.read(source)
        read = True
    except InputError as error:
        said = str(error)
        if "\n" in said or "\r" in said or len(said) > 600:
            wrong = f"an error of {said.count(chr(10)) + 1} lines and {len(said)} characters"
    except RecursionError:
        wrong = "RecursionError"
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"[:200]
    return Tried(form, kind, turn, read, said, wrong, time.process_time() - began)
