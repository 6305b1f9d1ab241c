"""Digest of everything on which the machine code of a kernel depends.

A kernel's machine code includes the code of the kernels and intrinsics that it calls, and the values of the constants
that it reads, wherever they are defined. `uses` follows the names of a function through its globals and collects

- the code of every function reached: kernels, C callbacks, intrinsics, overloads, functions that numba may compile
  (`register_jitable`), and plain functions that an intrinsic calls;
- the content of the files in which they are defined (not their times and sizes), which covers dependencies that the
  functions alone do not show;
- the values of constants: numbers, strings, tuples, arrays, enumerations.

Code is digested in addition to files, since a process may still run the former content of a file that was replaced;
the machine code that it compiles must not be used for the new file. Python's own library, numpy, numba and llvmlite
are not followed; the versions of the last two are part of the digest.
"""

from __future__ import annotations

import builtins
import dis
import enum
import sys
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from types import CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import types
from numba.core.typing import Signature
from numba.core.typing.templates import builtin_registry

from matheur.kernels.sources import file_digest, package_digest

__all__ = ["code_digest", "uses", "values_digest"]

_FOREIGN = frozenset(sys.stdlib_module_names) | {"builtins", "llvmlite", "numba", "numpy"}
_IMPORTS = dis.opmap["IMPORT_NAME"]
_SIMPLE = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))


def uses(function: FunctionType) -> str:
    """Hexadecimal digest of all dependencies of a function's machine code, except its closure and defaults."""
    walk = _Walk()
    walk.add("versions", numba.__version__, llvmlite.__version__)
    walk.function(function, own=False)
    return walk.digest()


def values_digest(*values: Any) -> str:
    """Hexadecimal digest of values that machine code may contain: constants, functions, containers of them."""
    walk = _Walk()
    for value in values:
        walk.value(value, ())
    return walk.digest()


@cache
def code_digest(code: CodeType) -> bytes:
    """Digest of a function's code, independent of its position in the file."""
    walk = _Walk()
    walk.add(code.co_name, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    walk.add(code.co_code, code.co_exceptiontable, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    for constant in code.co_consts:
        walk.value(constant, ())
    return bytes.fromhex(walk.digest())


@cache
def _names(code: CodeType) -> tuple[str, ...]:
    """All names that a function and its inner functions look up."""
    inner = [name for constant in code.co_consts if isinstance(constant, CodeType) for name in _names(constant)]
    return tuple(dict.fromkeys([*code.co_names, *inner]))


@cache
def _imported(code: CodeType) -> tuple[str, ...]:
    """Modules that a function imports when it runs; '' stands for relative imports."""
    found = []
    if _IMPORTS in code.co_code[::2]:
        steps = list(dis.get_instructions(code))
        for place, step in enumerate(steps):
            if step.opcode == _IMPORTS:
                level = steps[place - 2].argval
                found.append("" if level else str(step.argval))
    inner = [name for constant in code.co_consts if isinstance(constant, CodeType) for name in _imported(constant)]
    return (*found, *inner)


def _foreign(module: object) -> bool:
    """Whether a module with this name belongs to Python, numpy, numba or llvmlite."""
    return isinstance(module, str) and module.partition(".")[0] in _FOREIGN


class _Overloads:
    """Implementations registered by packages other than numba (`numba.extending.overload` and similar functions)."""

    def __init__(self) -> None:
        self._seen = [0, 0]
        self._functions: dict[int, list[Callable[..., Any]]] = {}
        self._attributes: dict[str, list[Callable[..., Any]]] = {}

    def _update(self) -> None:
        """Add the implementations registered since the last update."""
        for kind, templates in enumerate((builtin_registry.functions, builtin_registry.attributes)):
            for template in templates[self._seen[kind] :]:
                implementation = getattr(template, "_overload_func", None)
                if implementation is None or _foreign(implementation.__module__):
                    continue
                if kind == 0:
                    self._functions.setdefault(id(template.key), []).append(implementation)
                else:
                    self._attributes.setdefault(template._attr, []).append(implementation)
            self._seen[kind] = len(templates)

    def of_function(self, function: object) -> list[Callable[..., Any]]:
        """Implementations of a function, found by its identity: registered functions are never deleted."""
        self._update()
        return self._functions.get(id(function), [])

    def of_names(self, names: tuple[str, ...]) -> Iterator[Callable[..., Any]]:
        """Implementations of methods and attributes, of any type, with one of the names."""
        self._update()
        for name in names:
            yield from self._attributes.get(name, ())


_overloads = _Overloads()


class _Walk:
    """Digest of functions and values, visited recursively, each once, in the order of the code."""

    def __init__(self) -> None:
        self._found = sha256()
        self._met: dict[object, int] = {}
        self._alive: list[object] = []
        self._files: set[str] = set()

    def digest(self) -> str:
        """Hexadecimal digest of everything visited and of the content of the files, independent of their paths."""
        contents = sorted(file_digest(path) for path in self._files)
        return sha256(b"".join([self._found.digest(), *contents])).hexdigest()

    def add(self, *parts: object) -> None:
        """Digest plain values, with their types and lengths."""
        for part in parts:
            content = part if isinstance(part, bytes) else repr(part).encode()
            self._found.update(f"{type(part).__name__} {len(content)} ".encode() + content)

    def _again(self, key: object, *alive: object) -> bool:
        """Whether an object has been visited before; it is then digested by its number."""
        if key in self._met:
            self.add("again", self._met[key])
            return True
        self._met[key] = len(self._met)
        self._alive.append(alive)  # keys contain identities, which must not be reused by other objects
        return False

    def function(self, function: FunctionType, own: bool = True) -> None:
        """Digest a function and what it uses; with `own`, also its closure and the defaults of its parameters."""
        code = function.__code__
        self.add("function", code_digest(code))
        self._files.add(code.co_filename)
        names = _names(code)
        for name in names:
            value = function.__globals__.get(name, getattr(builtins, name, None))
            self.add(name)
            self.value(value, names)
        for implementation in _overloads.of_names(names):
            self.value(implementation, ())
        for module in _imported(code):  # cannot be followed name by name
            module = module or function.__module__
            if not _foreign(module):
                self.add("package", package_digest(module))
        if own:
            self.value(function.__defaults__, ())
            self.value(function.__kwdefaults__, ())
            for cell in function.__closure__ or ():
                try:
                    self.value(cell.cell_contents, names)
                except ValueError:  # an empty cell
                    self.add("empty")

    def _module(self, module: ModuleType, names: tuple[str, ...]) -> None:
        """Digest the attributes of a module with names that a function looks up."""
        if self._again((id(module), names), module):
            return
        known = vars(module)
        for name in names:
            if name not in known:
                continue
            if not _foreign(module.__name__):
                self.add(name)
                self.value(known[name], names)
            else:
                self._implementations(known[name])

    def _implementations(self, value: object) -> None:
        for implementation in _overloads.of_function(value):
            self.value(implementation, ())

    def value(self, value: Any, names: tuple[str, ...]) -> None:
        """Digest a value; `names` are the names that the function that uses it looks up."""
        if type(value) in _SIMPLE:
            self.add(value)
        elif isinstance(value, CodeType):
            self.add(code_digest(value))
        elif isinstance(value, enum.Enum):
            self.add(type(value).__qualname__, value.name)
            self.value(value.value, ())
        elif isinstance(value, np.ndarray | np.generic):
            order = value.flags.f_contiguous, value.flags.c_contiguous
            self.add("array", str(value.dtype.descr), value.shape, order, value.tobytes())
        elif isinstance(value, tuple | list):
            self.add(type(value).__qualname__, len(value))
            for part in value:
                self.value(part, names)
        elif isinstance(value, dict):
            self.value(list(value.items()), names)
        elif isinstance(value, frozenset | set):
            self.add("set", *sorted(values_digest(part) for part in value))
        elif isinstance(value, ModuleType):
            self._module(value, names)
        elif not self._again(id(value), value):
            self._object(value, names)

    def _object(self, value: Any, names: tuple[str, ...]) -> None:
        """Digest a function, a class, or an object that numba created from a function."""
        kind = type(value)
        self.add(
            kind.__module__, kind.__qualname__, getattr(value, "__module__", None), getattr(value, "__name__", None)
        )
        self._implementations(value)
        if isinstance(value, types.Type | Signature):
            self.add(str(value))
        elif isinstance(value, type):
            self._class(value)
        elif not isinstance(value, FunctionType):
            self._class(kind)
        elif not _foreign(value.__module__):
            self.function(value)
        if "__wrapped__" in getattr(value, "__dict__", ()):
            self.value(getattr(value, "targetoptions", None), ())
            self.value(value.__wrapped__, names)

    def _class(self, value: type) -> None:
        """Digest a class: its fields if it is a named tuple, its members if it is an enumeration, its file."""
        self.add(value.__module__, value.__qualname__, getattr(value, "_fields", None))
        if _foreign(value.__module__):
            return
        self._files.add(str(getattr(sys.modules.get(value.__module__), "__file__", None)))
        if issubclass(value, enum.Enum):
            for member in value:
                self.value(member, ())
