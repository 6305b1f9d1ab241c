"""Sentences about cards, edges and demands, shared by all kinds of pictures."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from matheur.problems.party.picture.demands import Demand
from matheur.problems.party.picture.scene import Card, Link, Scene
from matheur.problems.party.picture.words import amount, counted

__all__ = ["card_words", "common_of", "demand_words", "link_words", "share_words"]


def common_of(scene: Scene) -> int:
    """Return a common denominator of the synergies of all edges, at most 12; else 0."""
    shares = [match.share for link in scene.links for match in link.matches]
    common = lcm(*(share.denominator for share in shares)) if shares else 0
    common = lcm(common, *(link.synergy.denominator for link in scene.links if link.synergy is not None))
    return common if common <= 12 else 0


def share_words(share: Fraction, common: int) -> str:
    """Return a synergy as a fraction with the common denominator, or in per cent if that is 0."""
    if common:
        return f"{int(share * common)}/{common}"
    return (
        f"{float(100 * share):.0f}%" if share in (0, 1) or 0.005 <= share < 0.995 else "<1%" if share < 0.5 else ">99%"
    )


def link_words(scene: Scene, link: Link) -> str:
    """Describe an edge, line by line: its synergy, then each term with its two values."""
    ends = f"{scene.cards[link.one].slot} – {scene.cards[link.two].slot}"
    if link.synergy is None:
        return ends
    lines = [f"{ends}: synergy {amount(link.synergy)}"]
    for match in link.matches:
        one, two = ("(empty)" if value is None else value for value in (match.one, match.two))
        values = one if match.one == match.two else f"{one} and {two}"
        lines.append(f"{match.column}: {amount(match.match)} ({values})")
    return "\n".join(lines)


def demand_words(demand: Demand) -> str:
    """Describe value, slack and remark of a demand; empty without a party."""
    parts = []
    if demand.value is not None and demand.slack is not None:
        how = "slack" if demand.ok else {">=": "lacks", "<=": "exceeds by", "==": "is off by"}[demand.op]
        parts.append(f"is {amount(demand.value)}, {how} {amount(abs(demand.slack))}")
    if demand.remark:
        parts.append(demand.remark)
    return "; ".join(parts)


def card_words(card: Card) -> str:
    """Describe a card, line by line."""
    lines = [card.slot]
    if card.item is not None:
        lines.append(f"item {card.item}{' (fixed)' if card.fixed else ''}")
        lines.append("no price" if card.price is None else f"price {card.price:,}")
    lines += [f"{column}: {number}" for column, number in card.measures]
    lines += [f"{cell.column}: {cell.value or '—'}" for cell in card.traits]
    lines += [f"wrong: {words}" for words in card.wrong]
    lines.append(counted(card.candidates, "candidate"))
    return "\n".join(lines)
