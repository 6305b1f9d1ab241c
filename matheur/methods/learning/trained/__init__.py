"""Trained files that come with matheur; `README.md` says how each was made."""

__all__: list[str] = []
