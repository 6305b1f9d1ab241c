"""Settings of the documentation site: `sphinx-build -W --keep-going -c docs . build/site` from the root of the tree.

The site has the same pages as the code host. The root is the source folder, so that every link between README, docs/
and experiments/ has the same target on both. The navigation is built from the links (`navigation.py`), the reference of
the Python packages from docstrings (`reference.py`). The build fetches nothing from a network.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer

gc.disable()  # garbage collection would take a quarter of the time; without it, a build needs 1 GB of memory

sys.path.insert(0, str(Path(__file__).resolve().parent / "_sphinx"))

project = "matheur"
author = "The matheur authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "navigation", "reference"]
root_doc = "docs/index"
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "docs/**",
    "examples/*/README.md",
    "experiments/*/README.md",
    "experiments/*/results/**/README.md",
    "experiments/eternity2/hunt/*.md",
]
exclude_patterns = [
    ".*",
    "build",
    "dist",
    "venv",
    "benchmarks",
    "tests",
    "docs/ISSUE_TEMPLATE",  # forms of the code host, not pages
    "docs/pull_request_template.md",
    "**/__pycache__",
    "**/*.campaign",
    "**/scratch",
]

nitpicky = True  # unresolved names are warnings, and errors with -W
myst_heading_anchors = 4  # the same anchors as on a code host
myst_enable_extensions = ["html_image"]

default_role = "py:obj"  # a name in single backticks becomes a link if possible
autodoc_default_options = {"no-value": True}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
maximum_signature_line_length = 80
toc_object_entries = False  # otherwise the navigation of every page has a thousand names; each page lists its own
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "furo"  # light and dark
html_title = "matheur"
html_copy_source = False
html_show_sphinx = False


def setup(app: Any) -> None:
    """Add the lexer of CSV; Sphinx calls this function."""
    app.add_lexer("csv", TextLexer)  # `csv` blocks, which a code host colours
