"""Declarative Pyomo models. Installed and imported as `matheur.models`; nothing here calls a solver."""

__all__: list[str] = []

if __name__ == "models":
    raise ImportError("this folder is installed as matheur.models. Maybe you meant `import matheur.models`?")
