"""Searches guided by an estimate: A*, anytime and batch weighted A*, IDA*, beam search."""

__all__: list[str] = []
