"""No view has a speedup where two sizes are guessed, and all views agree: the nests of all fixtures and examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.examples import examples
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import NestReport
from warplens.analysis.frontend.preprocessing.python_preprocessor import preprocess_in_python
from warplens.analysis.models.nest.what_if import Changes, what_if
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.models.sizes.break_even import break_even
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.validation import model_errors
from warplens.server.compared_gpus.answer import row
from warplens.server.json.grounds import grounds_as_json
from warplens.server.json.models import offload_as_json
from warplens.server.render.break_even_text import break_even_end
from warplens.server.render.compared_table import brief_table, compared_table
from warplens.server.render.fix_title import fix_title, reason_text
from warplens.server.render.headline import lens_text
from warplens.server.render.loop_card import loop_card
from warplens.server.render.loop_hints import loop_hints
from warplens.server.report_page.compared_gpus import compared_gpus
from warplens.server.report_page.nest_data import nest_detail, nest_summary
from warplens.server.what_if.differences import differences
from warplens.server.what_if.total import total_of

ROOT = Path(__file__).parents[2]
FOLDERS = ("examples", "tests/fixtures/rules", "tests/fixtures/dependence", "tests/fixtures/asked")
FILES = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.c"))]
SPEEDUP = re.compile(r"\d[\d ]*x(?: (?:cold|resident|faster|slower)| to \d)")
PERCENT = re.compile(r"\d %")
_EVERY = max(1, len(FILES) // examples(len(FILES)))


def nests_of(file: Path) -> list[NestReport]:
    source = file.read_text()
    preprocessed = preprocess_in_python(f"/{file.name}", source, lambda _path: None, (), ())
    options = AnalysisOptions(noise="all", model_errors=model_errors())
    report = analyse(source, preprocessed, load_gpu("a100"), load_cpu("server"), options, Memo())
    return [nest for function in report.functions for nest in function.nests if nest.evaluation]


@pytest.mark.parametrize("file", FILES[::_EVERY], ids=lambda file: file.name)
def test_views_have_no_speedup_without_a_ground_and_agree(file: Path) -> None:
    for nest in nests_of(file):
        evaluation = nest.evaluation
        assert evaluation is not None
        grounds = grounds_of(evaluation)
        lens = lens_text(evaluation)
        card = loop_card(evaluation, evaluation.facts.nest.root.id, lambda _: 1)
        said = grounds_as_json(evaluation)
        assert said["has_ground"] == grounds.carry_numbers
        assert [guess["name"] for guess in said["guesses"]] == [guess.name for guess in grounds.guesses]
        if grounds.carry_numbers:
            assert_is_marked(evaluation, lens, card.headline)
        else:
            assert_has_no_speedup(evaluation, nest)
            if evaluation.kernels:
                assert lens.lower() in card.headline.replace("`", "").lower()


def assert_is_marked(evaluation: NestEvaluation, lens: str, headline: str) -> None:
    guesses = grounds_of(evaluation).guesses
    assert len(guesses) < 2
    if guesses:
        mark = f"{guesses[0].name}? = "
        assert mark in lens
        if evaluation.kernels:
            assert mark in headline.replace("`", "")
    else:
        assert "? = " not in lens


def assert_has_no_speedup(evaluation: NestEvaluation, nest: NestReport) -> None:
    root = evaluation.facts.nest.root.id
    card = loop_card(evaluation, root, lambda _: 1)
    found = break_even(evaluation)
    shown = [
        lens_text(evaluation),
        card.headline,
        *(f"{name} {value}" for name, value in card.rows if name != "break-even"),
        nest_summary(evaluation, lambda _: 1)["headline"],
        nest_detail(evaluation, lambda _: 1)["card"]["headline"],
        *(fix_title(offer) for offer in nest.fixes),
        *(reason_text(offer) for offer in nest.fixes),
    ]
    findings = [finding.message for finding in nest.findings]
    hints = [hint.label for hint in loop_hints(evaluation)]
    if len(grounds_of(evaluation).guesses) > 1:
        shown.append(break_even_end(found))
    for text in (*shown, *findings, *hints):
        assert not SPEEDUP.search(text), text
    for text in (*findings, *hints):
        assert not PERCENT.search(text), text
    offload = offload_as_json(evaluation)
    if offload is not None:
        assert all(value is None for name, value in offload.items() if name.startswith("speedup"))
        table = [row(evaluation, "a100", is_current=True)]
        assert "vs one core" not in (*compared_table(table)[0], *brief_table(table)[0])
        assert compared_gpus(evaluation, ()) == []
        total = total_of(evaluation, "cold")
        assert total is None or (total.speedup_vs_one_core, total.speedup_vs_all_cores) == (None, None)
    assert_saying_helps(evaluation)


def assert_saying_helps(evaluation: NestEvaluation) -> None:
    """The sizes as they are, said: the same numbers with a ground, unless something else is missing."""
    grounds = grounds_of(evaluation)
    asked = tuple(evaluation.sizes)
    found = what_if(evaluation, Changes(asked), model_errors()).evaluation
    assert not grounds_of(found).guesses
    assert (found.cpu_time, found.offload) == (evaluation.cpu_time, evaluation.offload)
    assert not any(SPEEDUP.search(text) and "before" in text for text in differences(evaluation, found, "cold"))
    if not grounds.undeclared and found.offload is not None and found.offload.has_work:
        assert SPEEDUP.search(lens_text(found)) or "as fast" in lens_text(found)
