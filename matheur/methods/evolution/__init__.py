"""Populations of integer genomes: healing genetic algorithm, islands, MAP-Elites, Pareto fronts.

A `Species` creates and heals genomes. Nothing here depends on a problem.
"""

from matheur.methods.evolution.around import AroundOptions, evolved_around
from matheur.methods.evolution.genetic import Generation, GeneticAlgorithm, GeneticParameters
from matheur.methods.evolution.islands import Archipelago, Habitat, IslandParameters
from matheur.methods.evolution.map_elites import Archive, Axis, Illumination, MapElites
from matheur.methods.evolution.migration import Migration, migrate, redeal
from matheur.methods.evolution.nondominated_sorting import NondominatedSorting
from matheur.methods.evolution.pareto import ParetoArchive, crowding_distance, fronts, hypervolume, nondominated
from matheur.methods.evolution.population import Population, coefficient_of_variation, hamming_diversity
from matheur.methods.evolution.selection import rank_selection, survivors, tournament_selection
from matheur.methods.evolution.similarity import Similarity, grouped
from matheur.methods.evolution.species import EMPTY, FillingSpecies, Genomes, ManyObjectives, Species
from matheur.methods.evolution.variation import drop_genes, uniform_crossover

__all__ = [
    "EMPTY",
    "Archipelago",
    "Archive",
    "AroundOptions",
    "Axis",
    "FillingSpecies",
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
    "Similarity",
    "Species",
    "coefficient_of_variation",
    "crowding_distance",
    "drop_genes",
    "evolved_around",
    "fronts",
    "grouped",
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
