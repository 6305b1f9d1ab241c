"""Plans, keys and reference values."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaign.conftest import Write

from matheur.campaign import keys, make_plan, read_campaign
from matheur.campaign.keys import code_version, file_digests, located, run_key
from matheur.campaign.plan import Order, Plan
from matheur.campaign.references import read_references
from matheur.errors import ConfigurationError, InputError
from matheur.problems.edge_matching import generate
from matheur.problems.edge_matching.formats import write_piece_list


def test_all_runs_are_planned(write: Write) -> None:
    """Every variant on every instance of its groups with every seed, each with a key of its own."""
    plan = make_plan(read_campaign(write()))
    assert len(plan) == 3 * 2 + 2 * 2
    assert len(set(plan.keys)) == 10
    assert [one.group for one in plan.instances] == ["boards", "boards", "grids"]
    assert all(key.endswith(f"-{code_version()}") for key in plan.keys)


def test_the_version_of_the_code_counts_the_models() -> None:
    """Also in a clone, where the models lie outside the package."""
    read = {path.name for path in keys._sources()}
    assert {"loop.py", "planning.py", "quadratic_assignment.py"} <= read


def test_reference_values_in_both_units(write: Write) -> None:
    """A score of the CSV file is an objective, too, and instances without a value have none."""
    three, four, grid = make_plan(read_campaign(write())).instances
    assert (four.reference, four.reference_score, four.score_sense) == (0, 24, "max")
    assert three.reference is None
    assert grid.score_sense == "min"
    path = write(references="instance,objective\nedge-matching/4x4,2\n")
    _, four, _ = make_plan(read_campaign(path)).instances
    assert (four.reference, four.reference_score) == (2, 22)


def test_the_reference_can_be_the_target(write: Write) -> None:
    """`target = "reference"` stops each run at the best known value of its instance."""
    plan = make_plan(read_campaign(write(), ["base.target=reference"]))
    targets = {plan.instances[row[1]].name: plan.configurations[row[3]]["target"] for row in plan.runs}
    assert targets["edge-matching/4x4"] == 24
    assert targets["edge-matching/3x3"] is None


def test_a_plan_and_its_orders_are_plain(write: Write) -> None:
    """What is written is read again as it was."""
    plan = make_plan(read_campaign(write()))
    again = Plan.from_json(plan.to_json(), "plan.json")
    assert again == plan
    orders = list(again.orders())
    assert [order.key for order in orders] == plan.keys
    assert Order.from_dict(orders[0].to_dict()) == orders[0]
    for damaged in (b"", b"{}", b'{"format": 7}', plan.to_json()[:-20], b"[]"):
        with pytest.raises(InputError, match=r"plan\.json"):
            Plan.from_json(damaged, "plan.json")


def test_keys_depend_on_what_matters(write: Write) -> None:
    """Time limit, seed, instance and code change the key; the names of variants do not."""
    plan = make_plan(read_campaign(write()))
    assert not set(make_plan(read_campaign(write(), ["base.iterations=2"])).keys) & set(plan.keys)
    renamed = make_plan(read_campaign(write(write().read_text().replace("variants.plain", "variants.simple"))))
    assert renamed.keys == plan.keys
    labelled = make_plan(read_campaign(write(), ["code=first"]))
    assert [key.partition("-")[0] for key in labelled.keys] == [key.partition("-")[0] for key in plan.keys]
    assert not set(labelled.keys) & set(plan.keys)
    assert run_key("one", {"a": 1, "seed": 3}, 0, "c") == run_key("one", {"a": 1}, 0, "c") != run_key("one", {}, 0, "c")
    assert run_key("one", {}, 0, "c") != run_key("one", {}, 1, "c") != run_key("two", {}, 1, "c")


def test_a_variant_may_differ_on_some_instances(tmp_path: Path) -> None:
    """Settings under `on` go over those of the instance, those of a name over those of its group."""
    path = tmp_path / "c.toml"
    path.write_text(
        'instances = [{ pattern = "edge-matching/4x4", group = "g", settings.seconds = 2.0 }, "edge-matching/3x3"]\n'
        '[base]\nconstruction = "random"\nneighbourhoods = []\nseconds = 1.0\n[variants.a]\n[variants.b]\n'
        'on.g = { seconds = 3.0, iterations = 7 }\non."edge-matching/4x4".seconds = 4.0\n'
    )
    plan = make_plan(read_campaign(path))
    found = {(order.variant, order.instance.name): order.configuration for order in plan.orders()}
    seconds = {key: one["seconds"] for key, one in found.items()}
    assert (seconds["a", "edge-matching/4x4"], seconds["b", "edge-matching/4x4"]) == (2.0, 4.0)
    assert found["b", "edge-matching/4x4"]["iterations"] == 7
    assert {plan.configurations[row[3]]["seconds"] for row in plan.runs if row[1] == 1} == {1.0}
    with pytest.raises(ConfigurationError, match=r"no instance or group is called '5x5'"):
        make_plan(read_campaign(path, ["variants.b.on.5x5.seconds=1"]))


def test_options_of_neighbourhoods_follow_the_list(tmp_path: Path) -> None:
    """Where an instance has another list, the options of the variant are gone; other own ones are errors."""
    path = tmp_path / "c.toml"
    text = (
        'instances = ["edge-matching/4x4", "edge-matching/3x3"]\n[base]\niterations = 1\nneighbourhoods = ["region"]\n'
        'neighbourhood.region.rows = 2\n[variants.a]\non."edge-matching/3x3".neighbourhoods = ["swap-rotate"]\n'
    )
    path.write_text(text)
    found = {order.instance.name: order.configuration for order in make_plan(read_campaign(path)).orders()}
    assert found["edge-matching/4x4"]["neighbourhood"]["region"]["rows"] == 2
    assert found["edge-matching/3x3"]["neighbourhood"] == {}
    path.write_text(f"{text}neighbourhood.border.formulation = 'gap'\n")
    with pytest.raises(
        ConfigurationError, match="variant 'a': options for the neighbourhood 'border', which is not in"
    ):
        make_plan(read_campaign(path))


def test_reader_options_of_a_variant(write: Write) -> None:
    """A variant may read the instances in its own way: a hint makes another instance, with or without a rotation."""
    text = (
        'instances = ["edge-matching/4x4"]\n[base]\niterations = 1\n[variants.free]\n'
        "[variants.pinned]\ninstance.hints = [[0, 0, 1]]\n[variants.turned]\ninstance.hints = [[0, 0, 1, 0]]\n"
    )
    plan = make_plan(read_campaign(write(text)))
    assert len({one.fingerprint for one in plan.instances}) == len(set(plan.keys)) == 3
    assert [plan.instances[row[1]].options for row in plan.runs] == [
        {},
        {"hints": [[0, 0, 1]]},
        {"hints": [[0, 0, 1, 0]]},
    ]


def test_reader_options_on_some_instances(tmp_path: Path) -> None:
    """They may be set for an instance, by the variant or by the entry, like everything else."""
    path = tmp_path / "c.toml"
    path.write_text(
        'instances = ["edge-matching/3x3", { pattern = "edge-matching/4x4", settings.instance.hints = [[0, 0, 1]] }]\n'
        "[base]\niterations = 1\n[variants.entry]\n[variants.own]\n"
        'on."edge-matching/4x4".instance.hints = [[0, 0, 1, 0]]\n'
    )
    plan = make_plan(read_campaign(path))
    options = {(row[2], plan.instances[row[1]].name): plan.instances[row[1]].options for row in plan.runs}
    assert options == {
        ("entry", "edge-matching/3x3"): {}, ("own", "edge-matching/3x3"): {},
        ("entry", "edge-matching/4x4"): {"hints": [[0, 0, 1]]}, ("own", "edge-matching/4x4"): {"hints": [[0, 0, 1, 0]]},
    }  # fmt: skip
    read = {(row[2], plan.instances[row[1]].name): plan.configurations[row[3]]["instance"] for row in plan.runs}
    assert read == options
    with pytest.raises(ConfigurationError, match="variant 'own': unknown option 'hnts'"):
        make_plan(read_campaign(path, ['variants.own.on."edge-matching/3x3".instance.hnts=[]']))


def test_variants_that_mean_the_same_share_their_runs(write: Write) -> None:
    """Two names for one configuration: planned twice, made once."""
    text = 'instances = ["edge-matching/3x3"]\n[base]\niterations = 1\n[variants.a]\n[variants.b]\n'
    plan = make_plan(read_campaign(write(text)))
    assert len(plan) == 2
    assert len(plan.keys) == len(list(plan.orders())) == 1


def test_files_that_a_configuration_names_count_by_content(tmp_path: Path) -> None:
    """Another trained network under the same name is another run."""
    path = tmp_path / "network.npz"
    path.write_bytes(b"one")
    configuration = {"construction": {"heuristic": str(path), "width": 5}, "list": ["a.b", "x/y"]}
    before = file_digests(configuration)
    path.write_bytes(b"two")
    assert list(before) == [str(path)]
    assert file_digests(configuration) != before


def test_files_are_found_beside_the_campaign(tmp_path: Path) -> None:
    """A relative name starts from the folder of the campaign; the key has its content, not its place."""
    keys = []
    for folder in (tmp_path / "here", tmp_path / "there"):
        folder.mkdir()
        (folder / "network.npz").write_bytes(b"weights")
        (folder / "c.toml").write_text(
            'instances = ["sliding-tile/3x3"]\n[base]\nconstruction.name = "astar"\n'
            'construction.heuristic = "network.npz(cache=0)"\nneighbourhoods = []\n'
        )
        plan = make_plan(read_campaign(folder / "c.toml"))
        (configuration,) = plan.configurations
        assert configuration["construction"]["heuristic"] == f"{folder.resolve() / 'network.npz'}(cache=0)"
        keys += plan.keys
    assert keys[0] == keys[1]
    (folder / "network.npz").write_bytes(b"others")
    assert make_plan(read_campaign(folder / "c.toml")).keys[0] != keys[0]


def test_files_of_the_current_folder_are_found_from_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs of a list, and workers of Dask, run anywhere; the campaign's own folder comes first."""
    for name in ("here/a.npz", "here/b.npz", "campaign/b.npz"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"weights")
    monkeypatch.chdir(tmp_path / "here")
    found = located({"one": "a.npz", "other": "b.npz"}, tmp_path / "campaign")
    root = tmp_path.resolve()
    assert found == {"one": f"{root}/here/a.npz", "other": f"{root}/campaign/b.npz"}


def test_files_within_combinations_and_with_a_table(tmp_path: Path) -> None:
    """Networks in `max(...)` and adapters `FILE.toml#NAME` are found next to the campaign; their content counts."""
    for name in ("a.npz", "b c.npz", "programs.toml"):
        (tmp_path / name).write_bytes(b"one")
    folder = tmp_path.resolve()
    texts = {
        "max(manhattan,a.npz)": f"max(manhattan,{folder}/a.npz)",
        "sum(a.npz, min( b c.npz (cache=0),d.npz) )": f"sum({folder}/a.npz, min( {folder}/b c.npz (cache=0),d.npz) )",
        "programs.toml#mine": f"{folder}/programs.toml#mine",
    }
    for text, wanted in texts.items():
        assert located({"option": text}, folder) == {"option": wanted}
        (tmp_path / "a.npz").write_bytes(b"one")
        before = file_digests({"option": text}, folder)
        assert list(before) == [text]
        (tmp_path / "a.npz").write_bytes(b"two")
        (changed,) = file_digests({"option": text}, folder).values()
        assert (changed != before[text]) == ("a.npz" in text)
    odd = tmp_path / "odd (1)#2"
    odd.mkdir()
    for name in ("a.npz", "programs.toml"):
        (odd / name).write_bytes(b"one")
    kept = {"option": ["max(zero,a.npz)", "programs.toml#mine"]}  # longer names could not be read there
    assert located(kept, odd) == kept
    assert len(file_digests(kept, odd)) == 2


@pytest.mark.parametrize("name", ["my network.npz", "network (2).npz", "nets (1)/a,b=c.npz"])
@pytest.mark.parametrize("options", ["", "(cache=0)"])
def test_files_may_have_any_name(name: str, options: str, tmp_path: Path) -> None:
    """Blanks, brackets, commas and equals signs belong to the name of a file that exists."""
    path = tmp_path / "my campaign (1)" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(b"weights")
    folder = tmp_path / "my campaign (1)"
    configuration = {"heuristic": name + options, "list": [name]}
    found = located(configuration, folder)
    assert found == {"heuristic": f"{path.resolve()}{options}", "list": [str(path.resolve())]}
    assert len(file_digests(found)) == 1 + bool(options)


def test_limits_of_the_parent(write: Write) -> None:
    """Twice the run's own time and ten minutes, none for other runs, and what the campaign says."""
    (order, *_) = make_plan(read_campaign(write())).orders()
    assert (order.seconds, order.memory) == (None, None)
    (order, *_) = make_plan(read_campaign(write(), ["base.seconds=30"])).orders()
    assert order.seconds == 660.0
    (order, *_) = make_plan(read_campaign(write(), ["limits.seconds=5", "limits.memory=1000"])).orders()
    assert (order.seconds, order.memory) == (5.0, 1000)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("base.construction=rndom", "variant 'plain': .*no construction 'rndom'.*Maybe 'random'"),
        ("base.secnds=3", "variant 'plain': unknown option 'secnds'. Maybe 'seconds'"),
        ("base.preset=papr", "variant 'plain'.*Maybe 'paper'"),
        ("base.construction.width=3", "variant 'plain'.*unknown option 'construction.width'"),
        ("variants.again.schedule=cycl", "variant 'again': unknown schedule 'cycl'. Maybe 'cycle'"),
        ("base.schedule.repetition=[2]", "variant 'plain': unknown option 'schedule.repetition'. Maybe 'repetitions'"),
        ('base.acceptance={name="annealing", strt=2}', "variant 'plain': unknown option 'acceptance.strt'"),
        ("base.acceptance=always", "variant 'plain': unknown acceptance"),
        ('variants.again.guides=["block-2"]', "variant 'again': .*no guide 'block-2'. Maybe 'blocks-2'"),
        ("base.guide_calls=0", "variant 'plain': guide_calls must be at least 1"),
        ("base.solver=higs", "variant 'plain': unknown solver 'higs'. Maybe 'highs'"),
        ("base.solver.thrads=2", "variant 'plain': unknown option 'solver.thrads'. Maybe 'threads'"),
        ('base.portfolio.members=[{construction="rndom"}]', r"variant 'plain': portfolio.members\[0\]: .*'rndom'"),
        ('base.portfolio.members=[{}, {schedule="cycl"}]', r"variant 'plain': portfolio.members\[1\]: .*'cycl'"),
        ("base.restart_after=0", "variant 'plain': restart_after must be at least 1, or 'none'"),
        ("base.construction.call_seconds=-1", "variant 'plain': .*call_seconds' must be a positive number"),
        ("base.instance.hnts=[]", "variant 'plain': unknown option 'hnts'"),
        ("base.instance=4x4", "variant 'plain': 'instance' must be a table of reader options .'4x4'."),
        ('variants.again.groups=["bords"]', "no instance is in the group 'bords'. Maybe 'boards'"),
    ],
)
def test_wrong_variants_are_said_before_the_first_run(write: Write, setting: str, said: str) -> None:
    """The message names the variant."""
    with pytest.raises(ConfigurationError, match=said):
        make_plan(read_campaign(write(), [setting]))


@pytest.mark.parametrize(
    ("setting", "who"),
    [
        ("solver.options.presolv = 'off'", ""),
        ("portfolio.members = [{construction = {name = 'milp-full', solver = {options = {presolv = 'off'}}}}]",
         r"portfolio.members\[0\]: "),
    ],
)  # fmt: skip
def test_options_of_the_solver_are_tried_before_the_first_run(tmp_path: Path, setting: str, who: str) -> None:
    """Also those of a job of its own, and where the solver is needed late."""
    path = tmp_path / "c.toml"
    path.write_text(
        'instances = ["edge-matching/4x4"]\n[base]\nconstruction = "random"\nneighbourhoods = "border"\nseconds = 9\n'
        f"[variants.a]\n{setting}\n"
    )
    with pytest.raises(ConfigurationError, match=rf"variant 'a': {who}.*no option 'presolv'. Maybe one of: presolve"):
        make_plan(read_campaign(path))


def test_operators_look_at_the_instances_before_the_first_run(tmp_path: Path) -> None:
    """Options that do not suit an instance are said, and files lie where a run finds them."""
    path = tmp_path / "c.toml"
    path.write_text(
        'instances = ["sliding-tile/3x3"]\n[base]\nneighbourhoods = "window"\niterations = 1\n'
        '[variants.a]\nneighbourhood.window.heuristic = "missing.npz"\n'
    )
    with pytest.raises(ConfigurationError, match=r"variant 'a': .*missing\.npz"):
        make_plan(read_campaign(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,value\na,1\n", "1: needs a column 'instance'"),
        ("instance,score,objective\na,1,2\n", "1: needs a column 'instance' and one of"),
        ("instance,score\na,1\na,2\n", "3: 'a' has two values"),
        ("instance,score\na,much\n", "2: not a number"),
        ("instance,score\na,inf\n", "2: not a number"),
    ],
)
def test_mistakes_in_reference_values(tmp_path: Path, text: str, said: str) -> None:
    """File and line are named."""
    path = tmp_path / "best.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_references(path)


def test_reference_values_may_be_missing(tmp_path: Path) -> None:
    """Empty cells are no values; other columns are left alone."""
    path = tmp_path / "best.csv"
    path.write_text("instance, objective ,by\na,3,me\nb,,\nc,1.5,you\n")
    assert {name: one.value for name, one in read_references(path).items()} == {"a": 3, "c": 1.5}


def test_a_preset_with_cases_is_resolved_for_each_instance(tmp_path: Path) -> None:
    """The 48-puzzle has another weight than the 15-puzzle; what the variant says itself wins."""
    path = tmp_path / "c.toml"
    path.write_text(
        'instances = ["sliding-tile/4x4", "sliding-tile/7x7"]\n[base]\npreset = "paper"\n'
        "[variants.published]\n[variants.own]\nconstruction.weight = 0.1\n"
    )
    plan = make_plan(read_campaign(path))
    weights = {
        (plan.instances[row[1]].name, row[2]): plan.configurations[row[3]]["construction"]["weight"]
        for row in plan.runs
    }
    assert weights == {
        ("sliding-tile/4x4", "published"): 0.8, ("sliding-tile/7x7", "published"): 0.6,
        ("sliding-tile/4x4", "own"): 0.1, ("sliding-tile/7x7", "own"): 0.1,
    }  # fmt: skip


def test_references_of_other_instances_are_noted(write: Write, caplog: pytest.LogCaptureFixture) -> None:
    """Where no name of the table fits; one that fits is enough."""
    make_plan(read_campaign(write(references="instance,objective\nedge-matching/4x4.txt,2\n")))
    (said,) = caplog.messages
    assert "it contains no instance of the campaign; its first is 'edge-matching/4x4.txt'. Maybe 'edge" in said
    caplog.clear()
    make_plan(read_campaign(write(references="instance,objective\nedge-matching/4x4,2\nother,3\n")))
    assert not caplog.messages


def test_files_with_equal_names_do_not_share_a_reference(
    write: Write, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A value counts for the instance that the table names with its folder; else nobody knows which one is meant."""
    for folder, size in (("a", 4), ("b", 5), ("c", 6)):
        (tmp_path / folder).mkdir()
        instance, _ = generate(size, size, seed=size)
        (tmp_path / folder / ("other.txt" if folder == "c" else "one.txt")).write_text(write_piece_list(instance))
    text = 'instances = ["*/*.txt"]\nreferences = "best.csv"\n[base]\nconstruction = "random"\niterations = 1\n'
    lines = "instance,objective\none.txt,1\nb/one.txt,2\nother,3\n"
    plan = make_plan(read_campaign(write(text, references=lines)))
    values = {one.name: one.reference for one in plan.instances}
    assert values == {"a/one.txt": None, "b/one.txt": 2, "other": 3}
    (said,) = caplog.messages
    assert "best.csv: 'one.txt' may be 'a/one.txt' or 'b/one.txt', so its value is not used" in said


def test_preset_and_proof_may_depend_on_the_instance(tmp_path: Path) -> None:
    """`preset` and `certify` are set by `on`, by group or name, and by an entry's settings, as any other option."""
    path = tmp_path / "c.toml"
    path.write_text(
        "instances = ['sliding-tile/3x3', 'sliding-tile/4x4', {pattern='sliding-tile/demo', settings.certify=true}]\n"
        "base.iterations = 1\n[variants.a]\npreset = 'paper'\n[variants.a.on]\n'sliding-tile/3x3' = {certify = true}\n"
        "'sliding-tile/4x4'.preset = 'default'\n[variants.b]\n"
    )
    plan = make_plan(read_campaign(path))
    names = {
        (plan.instances[row[1]].name.removeprefix("sliding-tile/"), row[2]): (
            plan.configurations[row[3]]["construction"]["name"], row[5]
        )
        for row in plan.runs
    }  # fmt: skip
    usual, paper = names["3x3", "b"][0], names["3x3", "a"][0]
    assert usual != paper
    assert names == {
        ("3x3", "a"): (paper, True), ("4x4", "a"): (usual, False), ("demo", "a"): (paper, True),
        ("3x3", "b"): (usual, False), ("4x4", "b"): (usual, False), ("demo", "b"): (usual, True),
    }  # fmt: skip
    assert len(plan.keys) == 5  # both variants are the same on 4x4


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("seed = 3", "'seed' cannot be set for single instances (edge-matching/3x3). Maybe 'seeds' of the campaign?"),
        ("groups = ['x']", "'groups' cannot be set for single instances"),
        ("certify = 1", "'certify' of 'a' must be true or false (1)"),
        ("preset = 1", "'preset' of 'a' must be a name (1)"),
        ("preset = 'defalt'", "has no preset 'defalt'. Maybe 'default'?"),
    ],
)
def test_what_no_instance_can_have_of_its_own(line: str, said: str, tmp_path: Path) -> None:
    """A seed under `on` had no effect."""
    path = tmp_path / "c.toml"
    for where in ("on.'edge-matching/3x3'", "settings"):
        table = f"[variants.a.{where}]\n{line}\n" if where != "settings" else "[variants.a]\n"
        entry = f"{{pattern = 'edge-matching/3x3', settings = {{{line}}}}}"
        path.write_text(f"instances = [{entry if where == 'settings' else repr('edge-matching/3x3')}]\n{table}")
        with pytest.raises(ConfigurationError) as error:
            make_plan(read_campaign(path))
        assert said in str(error.value)
