"""What hands tasks to a search: quotas that adapt themselves, that samples choose, or that go by the size of trees."""

__all__: list[str] = []
