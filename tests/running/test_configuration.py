"""What a run's configuration is made of: who has asked for the neighbourhoods, and what they get."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy
import pytest

import matheur
from matheur.engine.events import plain
from matheur.engine.options import configure
from matheur.errors import ConfigurationError
from matheur.problems.edge_matching import builtin
from matheur.problems.edge_matching.formats import write_piece_list
from matheur.running import configuration
from matheur.running.building import build_search
from matheur.running.configuration import Configuration, preset_cases, preset_names, preset_training, resolve
from matheur.running.loading import load_instance
from matheur.running.solving import instance_options


def test_neighbourhoods_that_the_user_names_get_a_third(tmp_path: Path) -> None:
    """Named by option, file or setting they get at least a third; those of a preset get what is left."""
    named = {"neighbourhoods": ["swap", "region"]}
    file = tmp_path / "run.toml"
    file.write_text('neighbourhoods = ["swap", "region"]\n')
    asked = [
        resolve("party", overrides=named),
        resolve("party", file=file),
        resolve("party", settings=["neighbourhoods=swap,region"]),
        resolve("edge-matching", overrides={"neighbourhoods": ["region"]}),
    ]
    assert all(one.neighbourhood_share >= 1 / 3 for one in asked)
    assert all(len(one.neighbourhoods) > 0 for one in asked)
    for preset in (resolve("party"), resolve("edge-matching"), resolve("party", overrides={"construction": "islands"})):
        assert preset.neighbourhoods
        assert preset.neighbourhood_share == 0


def test_neighbourhoods_may_be_tables(tmp_path: Path) -> None:
    """A table names the neighbourhood and gives its options, in Python as in TOML; settings count more."""
    file = tmp_path / "run.toml"
    file.write_text('neighbourhoods = ["swap", {name = "region", rows = 5}]\n')
    listed = ["swap", {"name": "region", "rows": 5}]
    for one in (resolve("edge-matching", file=file), resolve("edge-matching", overrides={"neighbourhoods": listed})):
        assert one.neighbourhoods == ("swap", "region")
        assert one.neighbourhood["region"]["rows"] == 5
    over = resolve("edge-matching", file=file, settings={"neighbourhood.region.rows": 6, "seconds": 3})
    assert (over.neighbourhood["region"]["rows"], over.seconds) == (6, 3.0)
    with pytest.raises(ConfigurationError, match="a table in 'neighbourhoods' needs a 'name'"):
        resolve("edge-matching", overrides={"neighbourhoods": [{"rows": 5}]})


def test_own_options_of_neighbourhoods_that_do_not_run_are_errors(tmp_path: Path) -> None:
    """Those of the preset are dropped, and those of a file whose list another one replaces."""
    file = tmp_path / "run.toml"
    few = {"neighbourhoods": ["swap-rotate"]}
    wrong = r"options for the neighbourhood 'region', which is not in the list\. Maybe one of: swap-rotate\."
    assert "region" in resolve("edge-matching").neighbourhoods
    for own in ({"neighbourhood.region.rows": 5}, ["neighbourhood.region.rws=5"]):
        with pytest.raises(ConfigurationError, match=wrong):
            resolve("edge-matching", overrides=few, settings=own)
    with pytest.raises(ConfigurationError, match=wrong):
        resolve("edge-matching", overrides={**few, "neighbourhood": {"region": {"rows": 5}}})
    file.write_text("neighbourhood.region.rows = 5\n")
    assert resolve("edge-matching", file=file).neighbourhood["region"]["rows"] == 5
    for later in ({"overrides": few}, {"settings": ["neighbourhoods=swap-rotate"]}):
        with pytest.raises(ConfigurationError, match=wrong):
            resolve("edge-matching", file=file, **later)
    file.write_text(
        'neighbourhoods = [{name = "region", rows = 5}, "border"]\nneighbourhood.border.formulation = "gap"\n'
    )
    for later in ({"overrides": few}, {"settings": ["neighbourhoods=swap-rotate"]}):
        assert resolve("edge-matching", file=file, **later).neighbourhood == {}
    kept = resolve("edge-matching", file=file, overrides={"neighbourhoods": [{"name": "region", "columns": 4}]})
    assert list(kept.neighbourhood) == ["region"]
    assert (kept.neighbourhood["region"]["rows"], kept.neighbourhood["region"]["columns"]) == (5, 4)
    with pytest.raises(ConfigurationError, match=wrong):
        resolve("edge-matching", file=file, overrides=few, settings=["neighbourhood.region.rows=6"])
    file.write_text('neighbourhoods = ["border"]\nneighbourhood.region.rows = 5\n')
    for later in ({}, {"overrides": few}):
        with pytest.raises(ConfigurationError, match="options for the neighbourhood 'region'"):
            resolve("edge-matching", file=file, **later)


def test_options_of_a_file_without_a_name_are_for_what_the_run_uses(tmp_path: Path) -> None:
    """They are not dropped because the name comes from elsewhere; with a name, they go with it."""
    file = tmp_path / "run.toml"
    file.write_text("solver.threads = 4\nconstruction.width = 3\n")
    found = resolve("edge-matching", file=file, overrides={"solver": "scip", "construction": "random"})
    assert found.solver == {"name": "scip", "threads": 4}
    assert found.construction == {"name": "random", "width": 3}
    file.write_text('construction = { name = "beam", width = 3 }\n')
    assert resolve("edge-matching", file=file, overrides={"construction": "random"}).construction == {"name": "random"}


def test_none_is_no_neighbourhoods(tmp_path: Path) -> None:
    """On the command line, in Python and in TOML."""
    file = tmp_path / "run.toml"
    file.write_text('neighbourhoods = "none"\n')
    found = [
        resolve("edge-matching", overrides={"neighbourhoods": "none"}),
        resolve("edge-matching", overrides={"neighbourhoods": ["none"]}),
        resolve("edge-matching", settings="neighbourhoods=none"),
        resolve("edge-matching", file=file),
        resolve("edge-matching", file=file, overrides={"neighbourhoods": []}),
    ]
    assert found == [resolve("edge-matching", overrides={"neighbourhoods": []})] * len(found)
    assert matheur.solve("edge-matching/3x3", construction="random", neighbourhoods="none").feasible


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"neighbourhoods": 5}, "'neighbourhoods' must be a list of names (5)"),
        ({"neighbourhoods": {"name": "region"}}, "'neighbourhoods' must be a list of names ({'name': 'region'})"),
        ({"preset": 5}, "'preset' must be of type str (5)"),
        ({"preset": ["default"]}, "'preset' must be of type str (['default'])"),
        ({"problem": 5}, "'problem' must be a text (5)"),
        ({"name": 5}, "'name' must be a text (5)"),
        ({"settings": 5}, "'settings' must be a list of texts, or a table (5)"),
        ({"settings": [5]}, "5 is not a setting. Maybe 'key=value', as in 'neighbourhood.region.rows=5'?"),
        ({"settings": [("a", "b")]}, "('a', 'b') is not a setting. Maybe 'key=value', as in"),
        ({"settings": {5: 5}}, "the key of a setting must be a text (5)"),
        *(({name: 5}, f"'{name}' must be a path (5)") for name in ("out", "trace", "checkpoint", "config", "pool")),
        ({"out": b"x"}, "'out' must be a path (b'x')"),
        ({"options": 5}, "'options' must be a table, values by name (5)"),
        ({"options": {5: 5}}, "'options' must be a table, values by name ({5: 5})"),
        ({"observers": 5}, "'observers' must be a list of functions (5)"),
        *(
            (
                {"solver": {"name": "highs", "threads": n}},
                f"'neighbourhood.region.solver.threads' must be from 1 to 256 ({n})",
            )
            for n in (0, -1)
        ),
        ({"observers": [5]}, "'observers' must be a list of functions ([5])"),
        ({"interrupt": 5}, "'interrupt' must be a function (5)"),
        ({"seed": "x"}, "'seed' must be of type int ('x')"),
        ({"seconds": "x"}, "'seconds' must be of type float ('x')"),
        ({"target": [1]}, "'target' must be of type float ([1])"),
        ({"solver": 5}, "'solver' must be a table of options (5)"),
    ],
)
def test_arguments_of_a_wrong_type_are_refused(given: dict[str, Any], message: str) -> None:
    """In one line, with the name of the argument and its value."""
    with pytest.raises(ConfigurationError) as caught:
        matheur.solve("edge-matching/3x3", **given)
    assert str(caught.value).startswith(message)


def test_solve_takes_one_name_and_a_table_of_settings() -> None:
    """What may be a list of texts may be one text, and a table says the same as a list of settings."""
    few = {"neighbourhoods": "swap-rotate", "iterations": 2}
    result = matheur.solve("edge-matching/3x3", settings={"construction": "random"}, **few)
    assert list(result.configuration["neighbourhoods"]) == ["swap-rotate"]
    assert result.configuration["construction"]["name"] == "random"
    again = matheur.solve("edge-matching/3x3", settings="construction=random", **few)
    assert again.configuration == result.configuration


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    """As a loop over `numpy.arange` gives them, also inside tables; a checkpoint and the result can be written."""
    result = matheur.solve(
        "edge-matching/3x3", seed=numpy.int64(3), iterations=numpy.int32(1), seconds=numpy.float32(30),
        jobs=numpy.uint8(1), construction="random", neighbourhoods=[{"name": "region", "rows": numpy.int64(2)}],
        settings={"schedule.repetitions": [numpy.int64(1)]}, checkpoint=tmp_path / "state", out=tmp_path / "out.json",
    )  # fmt: skip
    kept = result.configuration
    assert (kept["seed"], kept["seconds"], kept["neighbourhood"]["region"]["rows"]) == (3, 30.0, 2)
    assert {type(kept["seed"]), type(kept["jobs"]), type(kept["neighbourhood"]["region"]["rows"])} == {int}
    with pytest.raises(ConfigurationError, match="'seed' must be of type int"):
        resolve("edge-matching", overrides={"seed": numpy.float64(1.5)})
    with pytest.raises(ConfigurationError, match="'jobs' must be of type int"):
        resolve("edge-matching", overrides={"jobs": numpy.bool_(True)})


@pytest.mark.parametrize("name", ["iterations", "work"])
def test_none_is_no_limit_in_deterministic_units(name: str) -> None:
    """So the time limit of the preset stays; without it the run would not end."""
    usual = resolve("edge-matching").seconds
    assert usual is not None
    assert resolve("edge-matching", settings=[f"{name}=none"]).seconds == usual
    assert resolve("edge-matching", overrides={name: "none"}).seconds == usual
    assert resolve("edge-matching", settings=[f"{name}=5"]).seconds is None


def test_options_of_the_reader_may_be_a_table() -> None:
    """They reach the reader, which comes before the configuration."""
    options = {"sides": "dlur"}
    for settings in (
        {"instance": options},
        {"instance.sides": "dlur"},
        "instance.sides=dlur",
        ["instance={sides='dlur'}"],
        ['instance."sides"=dlur'],
        ["'instance'.sides=dlur"],
    ):
        assert instance_options(None, settings, None) == options


def test_a_setting_that_names_something_else_drops_the_options_of_a_file(tmp_path: Path) -> None:
    """As an option of the command does; options without a name, and those of the settings, are kept."""
    file = tmp_path / "run.toml"
    file.write_text('construction = {name = "beam", width = 9}\nsolver = {name = "highs", threads = 2}\n')
    found = resolve("edge-matching", file=file, settings=["solver.threads=3", "construction=random", "solver=scip"])
    assert (found.construction, found.solver) == ({"name": "random"}, {"name": "scip", "threads": 3})
    tables = ['construction={name="beam", seed_boards=2}', "neighbourhood.region={rows=3}"]
    found = resolve("edge-matching", file=file, settings=tables, overrides={"neighbourhoods": ["region"]})
    assert found.construction == {"name": "beam", "width": 9, "seed_boards": 2}  # tables are merged, as those of files
    file.write_text("construction.width = 9\nsolver.threads = 2\nneighbourhood.region = {columns = 2, rows = 2}\n")
    found = resolve("edge-matching", file=file, settings=tables, overrides={"neighbourhoods": ["region"]})
    region = found.neighbourhood["region"]
    assert (region["rows"], region["columns"]) == (3, 2)
    found = resolve("edge-matching", file=file, settings={"construction.name": "beam", "solver": "scip"})
    assert (found.construction, found.solver) == ({"name": "beam", "width": 9}, {"name": "scip", "threads": 2})


def test_settings_override_the_options_of_the_caller(tmp_path: Path) -> None:
    """Also those of the reader, and the result says with what the instance was read."""
    assert instance_options(None, ["instance.sides=dlur"], {"sides": "urdl"}) == {"sides": "dlur"}
    pieces = tmp_path / "pieces.txt"
    pieces.write_text(write_piece_list(builtin("4x4")))
    few: dict[str, Any] = {"construction": "random", "neighbourhoods": "none"}
    for settings, read in (
        ({"instance.hints": "1,1=2"}, {"hints": "1,1=2"}),
        ({"instance": {"sides": "urdl"}}, {"hints": "1,1=1", "sides": "urdl"}),
    ):
        result = matheur.solve(pieces, options={"hints": "1,1=1"}, settings=settings, **few)
        assert result.configuration["instance"] == read
        again = matheur.solve(pieces, options=read, **few)
        assert again.problem.fingerprint == result.problem.fingerprint


def test_the_share_can_be_told_otherwise() -> None:
    """A share that is given holds, and so do the seconds of a call of the construction; all of the time is refused."""
    named = {"neighbourhoods": ["swap"]}
    assert resolve("party", settings=["neighbourhood_share=0.5"], overrides=named).neighbourhood_share == 0.5
    assert resolve("party", settings=["neighbourhood_share=0"], overrides=named).neighbourhood_share == 0
    assert resolve("party", settings=["neighbourhood_share=0.2"]).neighbourhood_share == 0.2
    assert resolve("party", settings=["construction.call_seconds=50"], overrides=named).neighbourhood_share == 0
    assert resolve("party", overrides={"neighbourhoods": []}).neighbourhood_share == 0
    with pytest.raises(ConfigurationError, match="neighbourhood_share"):
        resolve("party", settings=["neighbourhood_share=1"])


def test_a_resolved_configuration_resolves_to_itself(tmp_path: Path) -> None:
    """Whether somebody had asked for the neighbourhoods is part of what is written."""
    for overrides in ({}, {"neighbourhoods": ["region"]}, {"neighbourhoods": []}):
        first = resolve("edge-matching", overrides=overrides)
        assert configure(Configuration, first.to_dict()) == first
        assert resolve("edge-matching", overrides=first.to_dict()) == first


def test_infinite_options_reach_jobs_of_campaigns_and_the_workbench() -> None:
    """Their configuration is written as JSON, which has no infinite numbers."""
    _, problem = load_instance("edge-matching/4x4")
    asked = resolve("edge-matching", settings=["construction.name=milp-greedy", "construction.noise=inf"])
    read = configure(Configuration, json.loads(json.dumps(plain(asked.to_dict()))))
    search: Any = build_search(problem, read)
    assert search.construction.operator.noise == float("inf")


def test_a_search_is_built_with_the_share() -> None:
    """The construction of the search may take what the neighbourhoods leave, all of it if there are none."""
    _, problem = load_instance("party/demo")

    def share(*neighbourhoods: str) -> float:
        configuration = resolve(
            "party", settings=["neighbourhood_share=0.4"], overrides={"neighbourhoods": list(neighbourhoods)}
        )
        construction = build_search(problem, configuration).construction
        assert construction is not None
        return construction.share

    assert share("swap") == 0.6
    assert share() == 1.0


def test_a_run_without_a_construction_is_told_which_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """So it is for a problem without presets; options of a construction that has no name are not enough."""
    monkeypatch.setattr("matheur.running.configuration._presets", lambda _: {})
    for settings in ([], ["construction.width=3"]):
        with pytest.raises(ConfigurationError, match=r"'knapsack' has no construction\. Maybe matheur\."):
            resolve("knapsack", settings=settings)
        with pytest.raises(ConfigurationError, match=r"'construction' is missing\. Maybe one of: .*random"):
            resolve("edge-matching", settings=settings)


def test_options_alone_belong_to_the_usual_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no preset names a schedule, `schedule.repetitions` is an option of the usual one."""
    monkeypatch.setattr("matheur.running.configuration._presets", lambda _: {})
    found = resolve("edge-matching", settings=["construction=random", "schedule.repetitions=[2]"])
    assert found.schedule == {"name": "cycle", "repetitions": [2]}
    assert found.acceptance == {"name": "non-worsening"}


@pytest.fixture
def other_presets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another package with a preset for parties, one that is no TOML, and an entry point that names no package."""
    folder = tmp_path / "more_presets"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "quick.toml").write_text('construction = "constructive"\n')
    (folder / "broken.toml").write_text("construction = ")
    monkeypatch.syspath_prepend(tmp_path)
    points = [EntryPoint("party", name, "matheur.presets") for name in ("no_such_package", "more_presets")]
    monkeypatch.setattr(configuration, "entry_points", lambda group: points)
    configuration._other_presets.cache_clear()
    yield
    configuration._other_presets.cache_clear()


def test_presets_of_other_packages(other_presets: None, caplog: pytest.LogCaptureFixture) -> None:
    """They are found by the problem; a missing package is noted and hides nothing."""
    assert preset_names("party") == ["broken", "default", "paper", "paper-single", "quick"]
    assert preset_names("cubical") == ["default", "paper", "paper-astar", "paper-q-learning"]
    assert resolve("party", preset="quick").construction["name"] == "constructive"
    assert resolve("party").construction["name"] == "portfolio"
    assert [record.message for record in caplog.records if "no_such_package" in record.message] == [
        "presets for 'party': there is no package 'no_such_package'"
    ]
    with pytest.raises(ConfigurationError, match=r"the preset 'broken' of 'party' is not TOML"):
        resolve("party", preset="broken")


@dataclass
class _Board:
    rows: int
    columns: int


@dataclass
class _Subject:
    instance: _Board
    name: str = "sliding-tile"


def test_a_preset_says_what_differs_by_instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases that fit are merged in their order; a user's own options win, and without an instance there are none."""
    file = tmp_path / "mine.toml"
    file.write_text(
        """construction = { name = "batch-astar", weight = 0.8 }
        [[cases]]
        where = { rows = 7 }
        construction.weight = 0.6
        [[cases]]
        where = { rows = 7, columns = 8 }
        construction.batch = 7
        seconds = 3"""
    )
    monkeypatch.setattr("matheur.running.configuration._presets", lambda _: {"mine": file})

    def found(board: _Board | None, *settings: str) -> Configuration:
        subject = None if board is None else _Subject(board)
        return resolve("sliding-tile", preset="mine", settings=settings, instance=subject)

    assert found(None) == found(_Board(4, 8))
    assert found(_Board(7, 7)).construction == {"name": "batch-astar", "weight": 0.6}
    assert found(_Board(7, 7)).seconds is None
    assert found(_Board(7, 8)).construction == {"name": "batch-astar", "weight": 0.6, "batch": 7}
    assert found(_Board(7, 8)).seconds == 3
    assert found(_Board(7, 8), "construction.weight=0.5").construction["weight"] == 0.5
    assert preset_cases("sliding-tile", "mine", _Subject(_Board(7, 8))) == (0, 1)
    with pytest.raises(ConfigurationError, match="has no training"):
        preset_training("sliding-tile", "mine", _Subject(_Board(7, 8)))
    file.write_text('construction = "batch-astar"\n[[cases]]\nwhere = { rings = 7 }')
    with pytest.raises(ConfigurationError, match="cases by 'rings'"):
        found(_Board(7, 7))
    for text in ("cases = 3", "cases = [3]", "training = 3"):
        file.write_text(f'construction = "batch-astar"\n{text}')
        with pytest.raises(ConfigurationError, match="not tables"):
            found(None)


def test_jobs_may_have_configurations_of_their_own() -> None:
    """Each of the first jobs gets what its table says, further ones the last; what a user asks for is for all jobs."""
    found = resolve("milp", overrides={"jobs": 3})
    first, second, third = map(found.of_job, range(3))
    assert (first.construction, first.neighbourhoods) == ({"name": "solver"}, ())
    assert second.construction == {"name": "portfolio", "patience": 0.0}
    assert second.neighbourhoods == found.neighbourhoods
    assert third == second
    assert resolve("milp").of_job(0) == resolve("milp")
    assert resolve("milp", overrides=found.to_dict()) == found
    asked = resolve("milp", overrides={"jobs": 2, "construction": "jump"})
    assert asked.of_job(0) == asked
    listed = resolve("milp", settings=["jobs=2", 'portfolio.members=[{neighbourhoods = [{name = "rins", size = 7}]}]'])
    assert listed.of_job(0).neighbourhoods == ("rins",)
    assert listed.of_job(0).neighbourhood["rins"]["size"] == 7
    with pytest.raises(ConfigurationError, match=r"'portfolio\.members' has no option 'colour'"):
        resolve("milp", settings=["portfolio.members=[{colour = 1}]"])
    wrong = resolve("milp", settings=["jobs=2", 'portfolio.members=[{neighbourhood_share = "half"}]'])
    with pytest.raises(ConfigurationError, match="'neighbourhood_share' must be of type float"):
        wrong.of_job(0)
