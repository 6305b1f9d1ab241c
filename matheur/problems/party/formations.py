"""Formations of six, ten and eleven heroes: slots, the roles that they accept, and the pairs of neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["FORMATIONS", "ROLES", "Formation"]

ROLES = {
    "Warrior": 0.13, "Ranger": 0.12, "Shieldbearer": 0.09, "Rogue": 0.09, "Mage": 0.09, "Berserker": 0.07,
    "Lancer": 0.07, "Scout": 0.07, "Paladin": 0.06, "Healer": 0.06, "Druid": 0.04, "Warlock": 0.04, "Summoner": 0.03,
    "Bard": 0.03, "Alchemist": 0.01,
}  # fmt: skip
"""Roles of heroes, with their shares."""


@dataclass(frozen=True, slots=True)
class Formation:
    """A graph of slots.

    Attributes
    ----------
    name
        Display name.
    slots
        Name of each slot and the roles that it accepts.
    edges
        Pairs of names of neighbouring slots.
    """

    name: str
    slots: dict[str, tuple[str, ...]]
    edges: tuple[tuple[str, str], ...]

    def to_networkx(self) -> Any:
        """Return the formation as a `networkx.Graph`; the nodes are slot names with the attribute `roles`."""
        import networkx

        found = networkx.Graph(name=self.name)
        found.add_nodes_from((slot, {"roles": roles}) for slot, roles in self.slots.items())
        found.add_edges_from(self.edges)
        return found

    @classmethod
    def from_networkx(cls, graph: Any, name: str = "") -> Formation:
        """Create a formation from a `networkx.Graph`; nodes without the attribute `roles` accept every role.

        Arcs and multiple edges count as one edge of their slots. `roles` is a list, or the name of one role.
        """
        slots = {
            str(slot): (roles,) if isinstance(roles, str) else tuple(roles)
            for slot, roles in graph.nodes(data="roles", default=tuple(ROLES))
        }
        if len(slots) < graph.number_of_nodes():
            raise ValueError("two slots have the same name")
        pairs: dict[frozenset[str], tuple[str, str]] = {}
        for one, two in graph.edges():
            if one != two:
                pairs.setdefault(frozenset((str(one), str(two))), (str(one), str(two)))
        return cls(name or str(graph.graph.get("name", "")), slots, tuple(pairs.values()))


def _formation(name: str, slots: str, edges: str) -> Formation:
    """Parse a formation from `NAME Role Role; ...` and `A-B C-D ...`."""
    described = [entry.split() for entry in slots.split(";")]
    pairs = [tuple(entry.split("-")) for entry in edges.split()]
    return Formation(name, {words[0]: tuple(words[1:]) for words in described}, tuple((a, b) for a, b in pairs))


FORMATIONS = (
    _formation(
        "patrol",
        "Point Scout Ranger; Left Warrior Berserker; Right Lancer Warrior; Heart Healer Druid; Staff Mage Warlock;"
        "Rear Rogue Ranger",
        "Point-Left Point-Right Left-Heart Right-Heart Left-Right Heart-Staff Heart-Rear Staff-Rear",
    ),
    _formation(
        "lozenge",
        "Point Warrior Berserker; LeftBlade Warrior Lancer; RightBlade Rogue Lancer; LeftShield Shieldbearer;"
        "RightShield Shieldbearer Paladin; Heart Healer Paladin; LeftBow Ranger; RightBow Ranger Scout;"
        "Staff Mage Warlock Summoner; Rear Bard Druid Alchemist",
        "Point-LeftBlade Point-RightBlade LeftBlade-LeftShield RightBlade-RightShield LeftBlade-Heart RightBlade-Heart "
        "LeftShield-LeftBow RightShield-RightBow LeftShield-Heart RightShield-Heart LeftBow-Staff RightBow-Staff "
        "Heart-Staff LeftBow-Rear RightBow-Rear Staff-Rear",
    ),
    _formation(
        "wings",
        "LeftTip Scout Rogue; LeftWing Ranger; LeftFront Warrior; Centre Shieldbearer; RightFront Berserker Warrior;"
        "RightWing Ranger Lancer; RightTip Rogue Scout; LeftStaff Mage; RightStaff Mage Warlock Summoner;"
        "Heart Healer Druid",
        "LeftTip-LeftWing LeftWing-LeftFront LeftFront-Centre Centre-RightFront RightFront-RightWing "
        "RightWing-RightTip LeftTip-LeftFront RightTip-RightFront LeftWing-LeftStaff RightWing-RightStaff "
        "LeftFront-LeftStaff RightFront-RightStaff Centre-LeftStaff Centre-RightStaff LeftStaff-Heart RightStaff-Heart "
        "Centre-Heart",
    ),
    _formation(
        "arrowhead",
        "Point Warrior Berserker; LeftBlade Lancer Warrior; RightBlade Berserker Rogue; LeftShield Shieldbearer;"
        "RightShield Shieldbearer Paladin; Heart Healer Paladin; LeftBow Ranger; RightBow Ranger Scout;"
        "LeftStaff Mage Warlock; RightStaff Mage Summoner; Rear Bard Druid Alchemist",
        "Point-LeftBlade Point-RightBlade LeftBlade-RightBlade LeftBlade-LeftShield RightBlade-RightShield "
        "LeftBlade-Heart RightBlade-Heart LeftShield-Heart RightShield-Heart LeftShield-LeftBow RightShield-RightBow "
        "LeftBow-LeftStaff RightBow-RightStaff Heart-LeftStaff Heart-RightStaff LeftStaff-Rear RightStaff-Rear",
    ),
    _formation(
        "ring",
        "North Warrior; NorthEast Lancer Paladin; East Shieldbearer; SouthEast Rogue; South Warrior Berserker;"
        "SouthWest Scout Rogue; West Shieldbearer; NorthWest Paladin Berserker; Bow Ranger; Staff Mage Warlock;"
        "Heart Healer Druid",
        "North-NorthEast NorthEast-East East-SouthEast SouthEast-South South-SouthWest SouthWest-West West-NorthWest "
        "NorthWest-North Bow-Staff Staff-Heart Heart-Bow Bow-North Bow-East Staff-South Staff-West Heart-NorthWest "
        "Heart-SouthEast Bow-SouthWest",
    ),
    _formation(
        "lines",
        "FrontOne Shieldbearer; FrontTwo Warrior; FrontThree Warrior Berserker; FrontFour Shieldbearer Lancer;"
        "MiddleOne Rogue; MiddleTwo Ranger; MiddleThree Ranger Scout; MiddleFour Rogue Druid; BackOne Mage;"
        "BackTwo Healer; BackThree Mage Summoner Bard",
        "FrontOne-FrontTwo FrontTwo-FrontThree FrontThree-FrontFour MiddleOne-MiddleTwo MiddleTwo-MiddleThree "
        "MiddleThree-MiddleFour BackOne-BackTwo BackTwo-BackThree FrontOne-MiddleOne FrontTwo-MiddleTwo "
        "FrontThree-MiddleThree FrontFour-MiddleFour MiddleOne-BackOne MiddleTwo-BackTwo MiddleThree-BackTwo "
        "MiddleFour-BackThree",
    ),
)
"""Formations with 6, 10, 10, 11, 11 and 11 slots, and with 8, 16, 17, 17, 18 and 16 edges."""
