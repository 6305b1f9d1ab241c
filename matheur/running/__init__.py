"""One run: its configuration, the search that is built from it, jobs, and the result."""

__all__: list[str] = []
