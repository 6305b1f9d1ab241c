"""Mixed-integer linear programs as arrays: files, exact evaluation. Knows no solver."""

__all__: list[str] = []
