def try_files(*a, **k): return iter(())
