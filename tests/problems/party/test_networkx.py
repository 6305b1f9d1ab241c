"""Formations as graphs of networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from matheur.problems.party import builtin
from matheur.problems.party.formations import FORMATIONS, ROLES, Formation
from matheur.problems.party.generator import design, generate


def test_edges_go_there_and_back() -> None:
    """Nodes are slots, edges join neighbours; a graph with another edge makes a puzzle that differs in it alone."""
    instance = builtin("demo")
    graph = instance.to_networkx()
    assert tuple(graph.nodes) == instance.slots
    same = instance.with_edges(graph)
    assert {frozenset(edge) for edge in same.edges.tolist()} == {frozenset(edge) for edge in instance.edges.tolist()}
    graph.add_edge("Point", "Rear")
    assert [0, 5] in instance.with_edges(graph).edges.tolist()
    party = np.array([items[0] for items in instance.candidates])
    assert instance.to_networkx(party).nodes["Heart"]["item"] == instance.catalogue.ids[party[3]]
    with pytest.raises(ValueError, match=r"no slot 'Hart'\. Maybe 'Heart'"):
        instance.with_edges(nx.Graph([("Point", "Hart")]))


@pytest.mark.parametrize("formation", FORMATIONS, ids=lambda one: one.name)
def test_formations_go_there_and_back(formation: Formation) -> None:
    """Names, roles and edges are kept."""
    found = Formation.from_networkx(formation.to_networkx())
    assert (found.name, found.slots) == (formation.name, formation.slots)
    assert {frozenset(edge) for edge in found.edges} == {frozenset(edge) for edge in formation.edges}


def test_any_graph_is_a_formation_of_the_generator() -> None:
    """Slots without roles take all; equal names are an error."""
    formation = Formation.from_networkx(nx.cycle_graph(6), "six")
    assert set(formation.slots.values()) == {tuple(ROLES)}
    _, parties = generate([design(1, formation)], 100, seed=1)
    assert set(parties[0]) == {str(node) for node in range(6)}
    with pytest.raises(ValueError, match="same name"):
        Formation.from_networkx(nx.Graph([(1, "1")]))


def test_one_role_and_double_edges() -> None:
    """A role alone is no list of letters; arcs in both directions and multiple edges are one edge."""
    graph = nx.MultiDiGraph([("A", "B"), ("B", "A"), ("A", "B"), ("B", "C")])
    graph.nodes["A"]["roles"] = "Mage"
    found = Formation.from_networkx(graph)
    assert found.slots["A"] == ("Mage",)
    assert found.edges == (("A", "B"), ("B", "C"))
