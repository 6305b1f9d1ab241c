"""Populations of integer genomes: healing genetic algorithm, islands, MAP-Elites, Pareto fronts.

What evolves is a `Species`, which knows how to make and to heal genomes; nothing here knows a problem.
"""

from matheur.evolution.genetic import Generation, GeneticAlgorithm, GeneticParameters
from matheur.evolution.islands import Archipelago, Habitat, IslandParameters
from matheur.evolution.map_elites import Archive, Axis, Illumination, MapElites
from matheur.evolution.migration import Migration, migrate, redeal
from matheur.evolution.nondominated_sorting import NondominatedSorting
from matheur.evolution.pareto import ParetoArchive, crowding_distance, fronts, hypervolume, nondominated
from matheur.evolution.population import Population, coefficient_of_variation, hamming_diversity
from matheur.evolution.selection import rank_selection, survivors, tournament_selection
from matheur.evolution.species import EMPTY, Genomes, ManyObjectives, Species
from matheur.evolution.variation import drop_genes, uniform_crossover

__all__ = [
    "EMPTY",
    "Archipelago",
    "Archive",
    "Axis",
    "Generation",
    "GeneticAlgorithm",
    "GeneticParameters",
    "Genomes",
    "Habitat",
    "Illumination",
    "IslandParameters",
    "ManyObjectives",
    "MapElites",
    "Migration",
    "NondominatedSorting",
    "ParetoArchive",
    "Population",
    "Species",
    "coefficient_of_variation",
    "crowding_distance",
    "drop_genes",
    "fronts",
    "hamming_diversity",
    "hypervolume",
    "migrate",
    "nondominated",
    "rank_selection",
    "redeal",
    "survivors",
    "tournament_selection",
    "uniform_crossover",
]
