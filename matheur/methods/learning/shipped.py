"""Networks that come with a problem: the folder `trained` of its package, whose `README.md` says how each was made."""

from __future__ import annotations

from functools import lru_cache

from matheur.engine.registration import built_in, installed
from matheur.errors import ConfigurationError
from matheur.methods.learning.model_file import Model, Output, read_model
from matheur.methods.learning.renaming import sight_of
from matheur.methods.learning.use import view_of
from matheur.methods.statespace.domain import Domain

__all__ = ["shipped_model"]

_ENDS: dict[Output, tuple[str, ...]] = {"distance": ("-distances.npz", "-davi.npz"), "policy": ("-policy.npz",)}


def shipped_model(domain: Domain, output: Output, method: str | None = None) -> Model:
    """The network with this output that was trained for the moves of a domain, and by this method if one is given.

    A network of distances may have another goal if states can be renamed. `NAME-davi.npz` is a second network of
    distances; it is used if its method is given, or if there is no other network.

    Raises
    ------
    ConfigurationError
        If no such network is shipped with matheur.
    """
    known = [one for end in _ENDS.get(output, ()) for one in _shipped(end)]
    if method is not None:
        known = [one for one in known if one.training.get("method") == method]
    for fits in (view_of, sight_of) if output == "distance" else (view_of,):
        for model in known:
            try:
                fits(model, domain)
            except ConfigurationError:
                continue
            return model
    some = ", ".join(dict.fromkeys(f"'{model.domain}'" for model in known)) or "none"
    what = output if method is None else f"{output} by {method}"
    raise ConfigurationError(
        f"no network ({what}) for '{domain.name}' comes with matheur, only for {some}. "
        "Maybe make one by `matheur train INSTANCE --out FILE.npz` (--preset paper: as published), and name the file?"
    )


@lru_cache(maxsize=8)
def _shipped(end: str) -> tuple[Model, ...]:
    """All shipped networks of a kind, read once."""
    folders = [one.trained for one in (*built_in().values(), *installed().values()) if one.domain is not None]
    files = [file for folder in folders for file in folder.glob(f"*{end}")]
    return tuple(read_model(file) for file in sorted(files, key=lambda file: file.name))
