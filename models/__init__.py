"""Declarative Pyomo models. Installed and imported as `matheur.models`; nothing here calls a solver."""

from matheur.pyomo_start import start_pyomo

__all__: list[str] = []

if __name__ == "models":
    raise ImportError("this folder is installed as matheur.models. Maybe you meant `import matheur.models`?")

start_pyomo()
