"""Package discovery: `models/` at the top level is installed and imported as `matheur.models`.

In a clone `matheur/models/` leads there; an installation has the models themselves in its place.

Everything else about the project stands in pyproject.toml.
"""

from setuptools import find_packages, setup

models = ["matheur." + name for name in find_packages(include=["models", "models.*"])]
setup(
    packages=sorted({*find_packages(include=["matheur", "matheur.*"]), *models}),
    package_dir={"matheur.models": "models"},
)
