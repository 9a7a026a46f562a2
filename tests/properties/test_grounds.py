"""No view has a speedup without a ground, and all views say the same: the nests of all fixtures and examples."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from support.examples import examples, is_nightly
from warplens.analysis.advice.stakes import stake_of
from warplens.analysis.advice.worth import WORTH, Factor, Worth, worth_of
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import NestReport
from warplens.analysis.frontend.preprocessing.python_preprocessor import preprocess_in_python
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.models.nest.what_if import Changes, what_if
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.models.sizes.break_even import BreakEven, break_even
from warplens.analysis.text.rounded import round_ratio, speed_text, times_text
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.validation import model_errors
from warplens.server.compared_gpus.answer import row
from warplens.server.json.grounds import grounds_as_json
from warplens.server.json.models import offload_as_json
from warplens.server.json.verdict import verdict_as_json
from warplens.server.render.brief_card import brief_card
from warplens.server.render.card import as_plain_text
from warplens.server.render.compared_table import compared_table
from warplens.server.render.fix_menu import fix_menu
from warplens.server.render.fix_title import fix_name, reason_text
from warplens.server.render.headline import lens_end, lens_text
from warplens.server.render.loop_card import loop_card
from warplens.server.render.loop_hints import loop_hints
from warplens.server.render.worth_sentence import worth_sentence
from warplens.server.report_page.compared_gpus import compared_gpus
from warplens.server.what_if.asked_changes import DataPlace
from warplens.server.what_if.differences import differences
from warplens.server.what_if.total import total_of

ROOT = Path(__file__).parents[2]
FOLDERS = ("examples", "tests/fixtures/rules", "tests/fixtures/dependence", "tests/fixtures/asked")
FILES = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.c"))]
SPEEDUP = re.compile(r"\d[\d ]*x(?: (?:faster|slower|with copies)|, with copies| to \d)|GPU \d[\d ]*x")
PERCENT = re.compile(r"\d %")
MOST_LINES = 16
_EVERY = max(1, len(FILES) // examples(len(FILES)))


def line_of(_node: NodeId) -> int:
    return 1


def nests_of(file: Path) -> list[NestReport]:
    source = file.read_text()
    preprocessed = preprocess_in_python(f"/{file.name}", source, lambda _path: None, (), ())
    options = AnalysisOptions(noise="all", model_errors=model_errors())
    report = analyse(source, preprocessed, load_gpu("a100"), load_cpu("server"), options, Memo())
    return [nest for function in report.functions for nest in function.nests if nest.evaluation]


@pytest.mark.parametrize("file", FILES[::_EVERY], ids=lambda file: file.name)
def test_views_have_no_speedup_without_a_ground_and_agree(file: Path) -> None:
    """One guess's break-even decides the word; that of other nests takes as long, and is looked at once a file."""
    looked_at = False
    for nest in nests_of(file):
        evaluation = nest.evaluation
        assert evaluation is not None
        grounds = grounds_of(evaluation)
        said = grounds_as_json(evaluation)
        assert said["has_ground"] == grounds.carry_numbers
        assert [guess["name"] for guess in said["guesses"]] == [guess.name for guess in grounds.guesses]
        assert_views_agree(evaluation, nest, None)
        if len(grounds.guesses) == 1 or is_nightly() or not looked_at:
            assert_views_agree(evaluation, nest, break_even(evaluation))
            looked_at = looked_at or len(grounds.guesses) != 1
        if not grounds.carry_numbers:
            assert_has_no_speedup(evaluation, nest)


def assert_views_agree(evaluation: NestEvaluation, nest: NestReport, found: BreakEven | None) -> None:
    """One word, one sentence, and numbers that are the same in each of them."""
    root, worth = evaluation.facts.nest.root.id, worth_of(evaluation, found)
    sentence = worth_sentence(evaluation, line_of, found)
    lens = f"{lens_text(evaluation)}{lens_end(found)}"
    for loop in loops_of(evaluation.facts.nest):
        assert brief_card(evaluation, loop.id, line_of, nest.fixes, break_even=found).headline == sentence
        assert loop_card(evaluation, loop.id, line_of, break_even=found).headline == sentence
    verdict = verdict_as_json(evaluation, line_of, found)
    assert (verdict["word"], verdict["sentence"]) == (worth.word, sentence.replace("`", ""))
    assert stake_of("f", evaluation, found).worth == worth
    if worth.word in WORTH:
        assert sentence.lower().removeprefix("probably ").startswith("worth porting")
    if worth.word == "not worth it":
        assert "not worth" in sentence.lower()
    for guess in worth.grounds.guesses:
        if worth.resident is not None:
            assert f"{guess.name}?" in lens
            assert f"`{guess.name}` = " in sentence
            assert "a guess" in sentence
    if worth.resident is None or worth.copied is None:
        assert not SPEEDUP.search(lens)
        assert not SPEEDUP.search(sentence)
        return
    assert lens.startswith(("GPU ", "all ", "not worth it: "))
    cases: tuple[tuple[Factor, DataPlace], ...] = ((worth.resident, "resident"), (worth.copied, "cold"))
    for factor, data in cases:
        total = total_of(evaluation, data)
        assert total is not None
        against = total.speedup_vs_all_cores if worth.against == "all cores" else total.speedup_vs_one_core
        assert against == pytest.approx(factor.value)
        if lens.startswith("GPU ") and round_ratio(factor.value) != 1:
            assert times_text(max(factor.value, 1 / factor.value)) in lens
        if worth.word in WORTH and round_ratio(factor.value) != 1:
            assert times_text(max(factor.value, 1 / factor.value)) in sentence
    assert_held_against_the_same(evaluation, worth, nest)
    assert_lines(evaluation, root, nest, found)
    assert_menu_agrees(nest, found)


def assert_held_against_the_same(evaluation: NestEvaluation, worth: Worth, nest: NestReport) -> None:
    """The table of GPUs and the message about copies have the speedups of the sentence."""
    if worth.resident is None or worth.copied is None:
        return
    compared = row(evaluation, "a100", is_current=True)
    assert compared.against == worth.against
    assert compared.cpu_s / compared.resident_s == pytest.approx(worth.resident.value)
    assert compared.cpu_s / compared.cold_s == pytest.approx(worth.copied.value)
    for finding in nest.findings:
        if finding.code == "WL301" and not worth.grounds.guesses:
            assert all(speed_text(factor.value) in finding.message for factor in (worth.resident, worth.copied))


def assert_menu_agrees(nest: NestReport, found: BreakEven | None) -> None:
    """What is slower is last, and says so; of a guessed size a port begins to be faster where the lens has it."""
    menu = [entry for entry in fix_menu(nest.fixes, found) if not entry.offer.refusal]
    assert [entry.is_slower for entry in menu] == sorted(entry.is_slower for entry in menu)
    begins = lens_end(found).strip()
    for entry in menu:
        title, effect = entry.title, entry.offer.effect
        if effect is None:
            continue
        if effect.guess and effect.copied is not None and found is not None and found.wins:
            assert {"any": "faster at any", "never": "slower at any", "some": "only at some"}.get(
                begins, begins.replace("from", "=")
            ) in title
        if title.endswith(("slower than now", "slower, copies included")):
            assert entry.is_slower


def assert_lines(evaluation: NestEvaluation, root: NodeId, nest: NestReport, found: BreakEven | None) -> None:
    """A hover fits sixteen lines of 80 columns, with its links, a lens 80 letters."""
    card = brief_card(evaluation, root, line_of, nest.fixes, break_even=found)
    links = tuple((fix_name(offer), "") for offer in nest.fixes if not offer.refusal)
    shown = as_plain_text(replace(card, links=links, more=(("`warplens check file.c:1234`", ""),)))
    assert len(shown.splitlines()) <= MOST_LINES, shown
    assert max(map(len, shown.splitlines())) <= 80
    assert len(lens_text(evaluation) + lens_end(found)) <= 80


def assert_has_no_speedup(evaluation: NestEvaluation, nest: NestReport) -> None:
    root = evaluation.facts.nest.root.id
    card = loop_card(evaluation, root, line_of)
    brief = brief_card(evaluation, root, line_of, nest.fixes)
    shown = [
        *(f"{name} {value}" for each in (card, brief) for name, value in each.rows if name != "faster"),
        *(entry.title for entry in fix_menu(nest.fixes, None)),
        *(reason_text(offer) for offer in nest.fixes),
    ]
    findings = [finding.message for finding in nest.findings]
    hints = [hint.label for hint in loop_hints(evaluation)]
    for text in (*shown, *findings, *hints):
        assert not SPEEDUP.search(text), text
    for text in (*findings, *hints):
        assert not PERCENT.search(text), text
    offload = offload_as_json(evaluation)
    if offload is not None:
        assert all(value is None for name, value in offload.items() if name.startswith("speedup"))
        table = [row(evaluation, "a100", is_current=True)]
        assert not any(head.startswith("vs ") for head in compared_table(table)[0])
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
        assert lens_text(found).startswith(("GPU ", "all ", "not worth it: "))
