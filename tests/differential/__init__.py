"""Generators and oracles that the differential tests and `benchmarks/differential.py` share."""
