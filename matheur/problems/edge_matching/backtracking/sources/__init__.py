"""Sources of tasks for a search, with adaptive quotas, quotas chosen by samples, or quotas by the size of trees."""

__all__: list[str] = []
