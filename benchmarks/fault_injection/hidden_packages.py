def try_packages(*a, **k): return iter(())
