"""The base class of kinds of problems, by a kind that has little more than its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from matheur.engine import ArrayProblem
from matheur.engine.problem_type import Generated, ProblemType
from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems import problem_types
from matheur.problems.builtin_instances import Builtins
from matheur.problems.simple_type import Format, SimpleType
from matheur.problems.type_options import FileOptions


@dataclass(frozen=True)
class Numbers:
    """An instance: numbers, of which some may be chosen."""

    values: tuple[int, ...]
    most: int = 2


@dataclass(frozen=True)
class Choice(ArrayProblem):
    """A problem with the two fields that a kind fills."""

    instance: Numbers
    assumptions: tuple[str, ...] = ()
    name = "choice"

    def objective(self, solution: Any) -> int:
        """The sum of the chosen numbers."""
        return sum(self.instance.values[i] for i in solution)


@dataclass(frozen=True, slots=True)
class Options(FileOptions):
    """One option has the name of a field of the instance."""

    files: ClassVar[str] = "choice files"
    most: int | None = None
    comment: str | None = None


def _lines(source: Source, options: Options) -> Numbers:
    source.assume("numbers from lines")
    return options.applied(Numbers(tuple(map(int, source.text.split()))))


class ChoiceType(SimpleType[Choice]):
    """Numbers in lines, or between commas; two built-in instances."""

    name = "choice"
    summary = "choose numbers"
    problem = Choice
    formats = (
        Format(lambda source: source.data[:1].isdigit(), _lines),
        Format(
            lambda source: Recognition.PROVED if b"," in source.data else Recognition.NO,
            lambda source, options: Numbers(tuple(map(int, source.text.split(",")))),
        ),
    )
    options = Options
    instances = Builtins("choice", {"demo": "one number", "two": "two numbers"}, lambda name: Numbers((len(name),)))
    generator_options = ("size",)

    def make(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A text of seeds."""
        return Generated(f"{seed} " * options.get("size", 1), [0], seed)


KIND = ChoiceType()


def test_it_follows_the_port() -> None:
    """A type checker and this assignment agree that the port is implemented."""
    port: ProblemType = KIND
    assert port.builtins() == {"demo": "one number", "two": "two numbers"}


@pytest.mark.parametrize("name", problem_types.names())
def test_all_kinds_use_it(name: str) -> None:
    """What is the same for all kinds stands once."""
    assert isinstance(problem_types.get(name), SimpleType)


@pytest.mark.parametrize(
    ("content", "claim", "values"),
    [(b"1 2\n3", Recognition.FITS, (1, 2, 3)), (b"1,2", Recognition.PROVED, (1, 2)), (b"x", Recognition.NO, None)],
)
def test_the_format_with_the_surest_claim_reads(
    content: bytes, claim: Recognition, values: tuple[int, ...] | None
) -> None:
    """All formats are asked how sure they are."""
    source = Source("file", content)
    assert KIND.recognises(source) is claim
    if values is not None:
        assert KIND.read(source).instance.values == values


def test_assumptions_of_the_reader_are_kept(tmp_path: Path) -> None:
    """From a path, from bytes, and by `read` the same problem comes, with what was taken for granted."""
    file = tmp_path / "one.txt"
    file.write_text("4 5")
    found = KIND.load(file, most=1)
    assert found == KIND.load(Source("one", b"4 5"), most=1) == KIND.read(Source("one", b"4 5"), {"most": 1})
    assert found.assumptions == ("numbers from lines",)
    assert found.instance.most == 1
    with pytest.raises(InputError, match="cannot read"):
        KIND.load(tmp_path / "nowhere.txt")


def test_builtin_instances_take_options_that_are_theirs() -> None:
    """An option that is a field of the instance replaces it; others are for files only."""
    assert KIND.builtin("two") == Choice(Numbers((3,)))
    assert KIND.builtin("two", {"most": 7, "comment": "none"}).instance.most == 7
    with pytest.raises(InputError, match=r"choice has no built-in instance 'dem'\. Maybe 'demo'\?"):
        KIND.builtin("dem")
    with pytest.raises(ConfigurationError, match=r"unknown option 'moist' of choice files\. Maybe 'most'\?"):
        KIND.builtin("two", {"moist": 7})


@pytest.mark.parametrize(
    ("options", "seed", "words"),
    [({"sice": 3}, 1, "'sice' of the choice generator. Maybe 'size'"), ({}, -1, "the seed must be")],
)
def test_options_and_seed_of_the_generator_are_checked(options: dict[str, Any], seed: int, words: str) -> None:
    """`make` gets known options and a seed that is one."""
    assert KIND.generate({"size": 2}, 5).instance == "5 5 "
    with pytest.raises(ConfigurationError, match=words):
        KIND.generate(options, seed)


def test_parts_that_are_missing_have_a_default() -> None:
    """Solutions are JSON, pictures are text; without formats, instances and generator there is nothing to read."""

    class Bare(SimpleType[Choice]):
        name = "bare"
        summary = "nothing of its own"
        problem = Choice

    bare, problem = Bare(), Choice(Numbers((1, 2)))
    assert bare.recognises(Source("x", b"1")) is Recognition.NO
    assert bare.builtins() == {}
    assert bare.read_solution(problem, Source("x", b"[0, 1]")).tolist() == [0, 1]
    assert bare.picture(problem, problem.decode([1]), "text") == b"choice\n[1]\n"
    assert bare.picture(problem, None, "text") == b"choice\n"
    with pytest.raises(ConfigurationError, match="bare files cannot be read"):
        bare.read(Source("x", b"1"))
    with pytest.raises(InputError, match=r"bare has no built-in instances \('demo'\)"):
        bare.builtin("demo")
    with pytest.raises(ConfigurationError, match="bare has no generator"):
        bare.generate({}, 1)
    with pytest.raises(ConfigurationError, match="unknown option 'k': files of this kind have none"):
        bare.builtin("demo", {"k": 1})
    with pytest.raises(ConfigurationError, match="unknown kind of picture 'svg'"):
        bare.picture(problem, None, "svg")
