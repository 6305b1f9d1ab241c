"""Campaigns of many runs: declared in TOML, each run once, stored in one folder, resumed by repeating the command."""

from __future__ import annotations

from matheur.campaign.configuration import Campaign, InstanceEntry, Limits, Variant, read_campaign
from matheur.campaign.plan import Order, Plan, make_plan
from matheur.campaign.records import DamagedRun, RunRecord, read_records
from matheur.campaign.store import Store, folder_of

__all__ = [
    "Campaign",
    "DamagedRun",
    "InstanceEntry",
    "Limits",
    "Order",
    "Plan",
    "RunRecord",
    "Store",
    "Variant",
    "folder_of",
    "make_plan",
    "read_campaign",
    "read_records",
]
