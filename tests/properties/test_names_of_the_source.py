"""No name that the source lacks reaches a user, and whatever a size is called is taken back, over a corpus of C."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from support.examples import is_nightly
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.engine.report import FunctionReport, NestReport
from warplens.analysis.engine.sizes import resolve_sizes
from warplens.analysis.frontend.comments.warplens_comments import read_directives
from warplens.analysis.frontend.preprocessing.python_preprocessor import preprocess_in_python
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.server.cli.arguments import add_cpu_and_size_options
from warplens.server.render.card import as_markdown
from warplens.server.render.headline import lens_text
from warplens.server.render.loop_card import loop_card
from warplens.server.settings.folder_config import parse_config
from warplens.server.what_if.asked_changes import asked_changes

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("no_offers")]

ROOT = Path(__file__).parents[2]
FILES = sorted(path for folder in ("tests/fixtures", "examples") for path in (ROOT / folder).rglob("*.c"))[
    :: 1 if is_nightly() else 6
]
IN_WORDS = re.compile(r"(iterations|elements) of (.+)")
INVENTED = re.compile(r"\w_trips\b|\w_elements\b|\w'\d|%\w+\(|mem(?:set|cpy|move)\(\)|\(subscript")
SAID = 7


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_sizes_have_names_of_the_source_and_are_taken_by_them(file: Path) -> None:
    source = file.read_text(encoding="utf-8")
    source += re.sub(r"\((\w+)\)", r"\1", preprocess_in_python("/main.c", source, lambda _path: None, (), ()).text)
    for function, nest, evaluation in evaluated(file):
        names = [a.subject for a in evaluation.assumptions if a.kind == "size"]
        assert set(names) >= set(evaluation.facts.parameters)
        for name in evaluation.facts.parameters:
            assert is_of(source, name, is_inlined=bool(evaluation.facts.nest.inlined)), name
            for said in taken(name):
                assert value_of(name, function, nest, said) == SAID, (name, said)
            asked = asked_changes({"sizes": {name: SAID}}, evaluation)
            assert (dict(asked.changes.sizes), asked.problems) == ({name: SAID}, ())


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_texts_have_no_other_names(file: Path) -> None:
    words = set(re.findall(r"\w+(?:\(\))?", re.sub(r"\(", "()", file.read_text(encoding="utf-8"))))
    for _, nest, evaluation in evaluated(file):
        for text in texts(nest, evaluation):
            found = INVENTED.search(text)
            assert found is None or found[0] in words or any(found[0] in word for word in words), text


def taken(name: str) -> Iterator[SizeChoice | str]:
    """All ways in which a size is said: a comment, and what options, a folder's file and the editor give."""
    yield f"// warplens: {name} = {SAID}"
    yield f"/* warplens:  {name}={SAID}, another = 4 */"
    parser = ArgumentParser()
    add_cpu_and_size_options(parser)
    ((option, value),) = parser.parse_args(["--size", f"{name}={SAID}"]).sizes
    yield SizeChoice(option, value, "setting")
    config, problems = parse_config({"sizes": {name: SAID}}, Path("/p"))
    assert problems == ()
    yield config.sizes[0]
    yield SizeChoice(name.replace("->", ".").replace(" ", "  "), SAID, "setting")


def value_of(name: str, function: FunctionReport, nest: NestReport, said: SizeChoice | str) -> int:
    assert nest.facts is not None
    if isinstance(said, str):
        directives, problems = read_directives(said)
        assert problems == ()
        sizes, _ = resolve_sizes(nest.facts, function.name, directives, AnalysisOptions())
    else:
        sizes, _ = resolve_sizes(nest.facts, function.name, (), AnalysisOptions(sizes=(said,)))
    return dict(sizes)[name]


def is_of(source: str, name: str, *, is_inlined: bool) -> bool:
    """Whether it is in words of a name of the source, or an expression of it; of several functions' if one is inlined.

    The names of members and of what leads to them are the source's where the way to them is put together from several
    statements: `q = p->child[0]` and `q->n`, `end - begin`.
    """
    plain = re.sub(r" #\d+\Z", "", name)
    in_words = IN_WORDS.fullmatch(plain)
    if in_words is not None:
        plain = in_words[2]
    identifiers = re.findall(r"[^\W\d]\w*", plain)
    known = set(re.findall(r"[^\W\d]\w*", source))
    if not identifiers or not known.issuperset(identifiers):
        return False
    if in_words is not None or is_inlined or " - " in plain:
        return True
    return squeezed(plain).strip("()") in squeezed(source)


def squeezed(text: str) -> str:
    return "".join(text.split())


def texts(nest: NestReport, evaluation: NestEvaluation) -> Iterator[str]:
    """What views are made of."""
    yield lens_text(evaluation)
    yield from (finding.message for finding in nest.findings)
    yield from (assumption.text for assumption in evaluation.assumptions)
    yield from (condition.text for verdict in evaluation.facts.verdicts for condition in verdict.conditions)
    for loop in loops_of(evaluation.facts.nest):
        yield as_markdown(loop_card(evaluation, loop.id, lambda _node: 1))


@cache
def evaluated(file: Path) -> tuple[tuple[FunctionReport, NestReport, NestEvaluation], ...]:
    source = file.read_text(encoding="utf-8")
    preprocessed = preprocess_in_python("/main.c", source, lambda _path: None, (), ())
    report = analyse(source, preprocessed, load_gpu("a100"), load_cpu("desktop"), AnalysisOptions(), Memo())
    nests = ((function, nest, nest.evaluation) for function in report.functions for nest in function.nests)
    return tuple((function, nest, found) for function, nest, found in nests if found is not None)
