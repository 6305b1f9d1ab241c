"""Cell by cell with few and late mismatches: tables, walks and the choice of quotas."""

__all__: list[str] = []
