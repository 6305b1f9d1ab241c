"""The reference of the Python packages, from their docstrings.

`docs/api.md` lists the public packages. There its links lead to the sources; on the site they lead to a page for each,
which is made here: the names of `__all__`, or, of a package that exports nothing, those of its modules.
"""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path
from typing import Any, get_type_hints

from docutils import nodes
from sphinx import addnodes

__all__ = ["setup"]

PAGE = "docs/api"
_SOURCE = re.compile(r"\]\(\.\./((?:matheur|models)[\w/]*)/__init__\.py\)")
_BLOCK = re.compile(r"^(\S.*)\n(\n {4,}\S)", re.MULTILINE)
"""What is indented in the docstring of a module: commands, equations, layouts of memory; shown as it is."""
_GROUPS = (
    "matheur.acceptance",
    "matheur.domains",
    "matheur.operators",
    "matheur.presets",
    "matheur.registrations",
    "matheur.schedules",
)
"""Entry points that are called otherwise than a package."""
_FOREIGN = {*sys.stdlib_module_names, "networkx", "numba", "numpy", "pyomo", "scipy"}
_BUILT_IN = {name for name in dir(builtins) if name[0].islower()} | {"None", "True", "False"}


def _module(folder: str) -> str:
    name = folder.replace("/", ".")
    return name if name.startswith("matheur") else f"matheur.{name}"


def _link(match: re.Match[str]) -> str:
    return f"](api/{_module(match[1])}.rst)"


def _links_to_pages(_app: Any, name: str, source: list[str]) -> None:
    if name == PAGE:
        source[0] = _SOURCE.sub(_link, source[0])


def _public_modules(name: str) -> list[str]:
    """Modules to document on the page of a package: itself if it exports anything."""
    package = importlib.import_module(name)
    if package.__all__:
        return [name]
    found = [f"{name}.{one.name}" for one in pkgutil.iter_modules(package.__path__) if not one.ispkg]
    return [one for one in found if not one.endswith("kernels") and importlib.import_module(one).__all__]


def _page(name: str, elsewhere: set[int]) -> str:
    """The page of a package; what another page has (by identity, in `elsewhere`) is left out."""
    lines = [name, "=" * len(name), ""]
    modules = _public_modules(name)
    if modules != [name]:
        lines += [f".. automodule:: {name}", ""]
    for one in modules:
        if one != name:
            title = one.removeprefix(f"{name}.")
            lines += [title, "-" * len(title), ""]
        lines += [f".. automodule:: {one}", "   :members:"]
        module = importlib.import_module(one)
        objects = {public: getattr(module, public) for public in module.__all__}
        known = [public for public, value in objects.items() if id(value) in elsewhere]
        lines += [f"   :exclude-members: {', '.join(known)}", ""] if known else [""]
        named = [value for value in objects.values() if hasattr(value, "__qualname__")]
        elsewhere.update(map(id, named))
        for value in filter(inspect.isclass, named):
            _resolve_annotations(value)
    return "\n".join(lines)


def _resolve_annotations(value: type) -> None:
    """Sphinx resolves annotations of functions and of attributes, not those of `__init__`."""
    made = value.__dict__.get("__init__")
    if inspect.isfunction(made):
        with contextlib.suppress(NameError):  # what is imported for type checkers only
            known = get_type_hints(value if dataclasses.is_dataclass(value) else made)
            made.__annotations__ = {name: known.get(name, one) for name, one in made.__annotations__.items()}


def _write_pages(app: Any) -> None:
    source = Path(app.srcdir, f"{PAGE}.md")
    if not source.exists():
        return
    folder = Path(app.srcdir, PAGE)
    folder.mkdir(exist_ok=True)
    seen = set[int]()
    names = [_module(one) for one in _SOURCE.findall(source.read_text(encoding="utf-8"))]
    wanted = {f"{name}.rst": _page(name, seen) for name in names}
    for path in folder.glob("*.rst"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _is_port(member: Any) -> bool:
    return getattr(member, "_is_protocol", False) is True


def _skip(_app: Any, what: str, name: str, member: Any, _skip: bool, options: Any) -> bool | None:
    """All that a package exports is shown, and the methods of a port, even where names say all."""
    if what == "module":
        return None if name in (options.exclude_members or ()) else False
    function = member.fget if isinstance(member, property) else member
    if not inspect.isfunction(function) or name.startswith("_"):
        return None
    owner = function.__qualname__.rpartition(".")[0]
    return False if _is_port(getattr(importlib.import_module(function.__module__), owner, None)) else None


_properties: dict[str, list[str]] = {}


def _before_napoleon(_app: Any, what: str, name: str, member: Any, _options: Any, lines: list[str]) -> None:
    if _is_port(member):
        lines[:0] = ["*A protocol: any class with these members will do.*", ""]
    elif what in ("class", "exception"):
        bases = [one for one in member.__bases__ if one.__module__.startswith("matheur.")]
        if bases:
            lines[:0] = ["Bases: " + ", ".join(f"`{one.__module__}.{one.__qualname__}`" for one in bases), ""]
    if what == "property":
        _properties[name] = list(lines)
    elif what == "module":
        lines[:] = _BLOCK.sub(r"\1\n\n::\n\2", "\n".join(lines)).splitlines()
        lines += ["", ", ".join(f"`{name}`" for name in member.__all__)]


def _after_napoleon(_app: Any, what: str, name: str, _member: Any, _options: Any, lines: list[str]) -> None:
    """Napoleon takes what stands before a colon for the type of a property."""
    if what == "property":
        lines[:] = _properties.pop(name)


def _signature(_app: Any, _what: str, _name: str, member: Any, *_more: Any) -> tuple[str, str] | None:
    """Ports are not called."""
    return ("", "") if _is_port(member) else None


def _exists(name: str) -> bool:
    """Whether a dotted name of matheur can be imported."""
    parts = name.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:split]))
        except ImportError:
            continue
        for one in parts[split:]:
            if not hasattr(found, one):
                return False
            found = getattr(found, one)
        return True
    return False


def _plain_if_not_ours(_app: Any, _env: Any, node: Any, content: nodes.Node) -> nodes.Node | None:
    """Names of other libraries and of what is not public are no links; names of matheur have to exist."""
    target = str(node.get("reftarget", ""))
    if node.get("refdomain") != "py" or (
        target.startswith("matheur.") and target not in _GROUPS and not _exists(target)
    ):
        return None
    return content


def _drop_foreign_references(_app: Any, tree: nodes.document) -> None:
    """Most names in signatures are those of Python and other libraries: looking for them takes a fifth of the time."""
    for node in list(tree.findall(addnodes.pending_xref)):
        target = str(node.get("reftarget", ""))
        first, dot, _ = target.partition(".")
        if node.get("refdomain") == "py" and (first in _FOREIGN if dot else target in _BUILT_IN):
            node.replace_self(node.children)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", _write_pages)
    app.connect("source-read", _links_to_pages)
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-docstring", _before_napoleon, priority=100)
    app.connect("autodoc-process-docstring", _after_napoleon, priority=900)
    app.connect("autodoc-process-signature", _signature)
    app.connect("doctree-read", _drop_foreign_references)
    app.connect("missing-reference", _plain_if_not_ours)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
