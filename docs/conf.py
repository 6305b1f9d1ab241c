"""Settings of the documentation site: `sphinx-build -W --keep-going -c docs . build/site` from the root of the tree.

The pages are those that a code host shows: the root is the source folder, so that every link between README, docs/ and
experiments/ leads where it leads there. Links are the navigation (`navigation.py`), docstrings the reference of the
Python packages (`reference.py`). Nothing is fetched from a network.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer

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
    "docs/ISSUE_TEMPLATE",  # forms of the code host, no pages
    "docs/pull_request_template.md",
    "**/__pycache__",
    "**/*.campaign",
    "**/scratch",
]

nitpicky = True  # names that lead nowhere are warnings, and with -W errors
myst_heading_anchors = 4  # as a code host makes them
myst_enable_extensions = ["html_image"]

default_role = "py:obj"  # a name in single backticks is a link where it can be one
autodoc_default_options = {"no-value": True}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
maximum_signature_line_length = 80
toc_object_entries = False  # a thousand names in the navigation of every page; each page lists its own
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "furo"  # light and dark
html_title = "matheur"
html_copy_source = False
html_show_sphinx = False


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.add_lexer("csv", TextLexer)  # a code host colours it
