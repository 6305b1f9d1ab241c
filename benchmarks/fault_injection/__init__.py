"""Faults that `benchmarks/faults.py` injects into the `matheur` command, and the definition of a loss."""

from fault_injection.counting import LOSSES, Count, Loss
from fault_injection.damaged_bytes import try_bytes
from fault_injection.hidden_packages import try_packages
from fault_injection.hostile_files import try_files
from fault_injection.properties import try_properties
from fault_injection.signals import try_signals

__all__ = ["LOSSES", "SECTIONS", "Count", "Loss"]

SECTIONS = {
    "signals": try_signals,
    "files": try_files,
    "bytes": try_bytes,
    "packages": try_packages,
    "properties": try_properties,
}
