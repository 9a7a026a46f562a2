"""The report's data: every number is the evaluation's, and what is not shown is said."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.c_nests import parsed
from warplens.analysis.advice.stakes import stake_of
from warplens.analysis.advice.worth import Word, worth_of
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.models.choice.time_range import range_of
from warplens.analysis.models.launch_work.roofline import roofline_point, roofs
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.nest.kernel_case import case_of
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.sizes.break_even import break_even
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.validation import model_errors
from warplens.server.json.short_numbers import short_numbers
from warplens.server.json.verdict import verdict_as_json
from warplens.server.render.break_even_text import break_even_rows
from warplens.server.render.glossary import terms
from warplens.server.render.loop_card import loop_card
from warplens.server.render.next_step import STEP_MEANINGS, StepKind
from warplens.server.render.word_meanings import MEANINGS
from warplens.server.report_page.compared_gpus import compared_gpus
from warplens.server.report_page.glossary_data import glossary_data
from warplens.server.report_page.machine_data import machine_data
from warplens.server.report_page.nest_data import nest_detail, nest_summary
from warplens.server.report_page.overview_data import overview_data
from warplens.server.report_page.page import json_in_html, page_html

WORDS = get_args(Word)

STENCIL = "void f(int n, const double *restrict a, double *restrict b) {\
 for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)\
 b[i*n+j] = 0.25 * (a[(i-1)*n+j] + a[(i+1)*n+j] + a[i*n+j-1] + a[i*n+j+1]); }"
PREFIX = "void f(int n, float *a) { for (int i = 1; i < n; i++) a[i] = a[i-1] * 0.5f + a[i]; }"
GPU = load_gpu("a100")


def evaluated(source: str, n: int = 2048) -> NestEvaluation:
    return evaluate_nest(parsed.facts_of(source), {"n": n}, GPU, load_cpu("server"), model_errors())


@pytest.fixture(scope="module")
def stencil() -> NestEvaluation:
    return evaluated(STENCIL)


@pytest.fixture(scope="module")
def detail(stencil: NestEvaluation) -> dict[str, Any]:
    return nest_detail(stencil, lambda node: 40 + node)


def test_times_are_those_of_the_evaluation(stencil: NestEvaluation, detail: dict[str, Any]) -> None:
    assert stencil.offload is not None
    assert detail["offload"]["cold_s"] == stencil.offload.cold_s
    assert detail["offload"]["transfer_in_s"] == stencil.offload.transfer_in_s
    assert detail["cpu"]["all_cores_s"] == stencil.cpu_time.all_cores_s
    (kernel,) = stencil.kernels
    (shown,) = detail["kernels"]
    assert (shown["time_s"], shown["launches"]) == (kernel.prediction.time_s, kernel.launches)
    assert kernel.comparison is not None
    for model, prediction in zip(shown["models"], kernel.comparison.predictions, strict=True):
        assert model["time_s"] == prediction.time_s
        assert sum(part["time_s"] for part in model["breakdown"]) == pytest.approx(prediction.time_s)
        error = kernel.comparison.error_of(prediction.model)
        assert error is not None
        times = range_of(prediction.time_s, error)
        assert model["range_s"] == [times.least_s, times.most_s]
    assert [model["is_chosen"] for model in shown["models"]] == [True, False, False, False]


def test_the_words_are_those_of_the_hover(stencil: NestEvaluation, detail: dict[str, Any]) -> None:
    card = loop_card(stencil, stencil.facts.nest.root.id, lambda node: 40 + node)
    assert detail["card"]["headline"] == card.headline
    assert detail["card"]["rows"] == [list(row) for row in card.rows]
    shown = [section for section in card.sections if section.items or section.table]
    assert [section["title"] for section in detail["card"]["sections"]] == [section.title for section in shown]
    assert [section["items"] for section in detail["card"]["sections"]] == [list(section.items) for section in shown]
    assert any("times the measured time" in item for section in shown for item in section.items)


def test_the_map_has_every_launch_that_is_possible(stencil: NestEvaluation, detail: dict[str, Any]) -> None:
    ranking = stencil.kernels[0].ranking
    assert ranking is not None
    launches = detail["kernels"][0]["launches_map"]
    rows, columns = ranking.map.outputs_per_thread, ranking.map.threads_per_block
    times = {
        (columns[at], rows[line]): time_s
        for line, row in enumerate(ranking.map.times_s)
        for at, time_s in enumerate(row)
        if time_s != float("inf")
    }
    assert {(threads, outputs): time_s for threads, outputs, time_s, _, _ in launches["cells"]} == times
    best = next(cell for cell in launches["cells"] if cell[:2] == launches["best"])
    assert best[3] == pytest.approx(min(times.values()) / ranking.best.time_s, rel=0.05)


def test_a_kernel_is_below_every_roof(stencil: NestEvaluation) -> None:
    (kernel,) = stencil.kernels
    (shown,) = nest_summary(stencil, lambda _node: 1)["kernels"]
    point = roofline_point(case_of(stencil, kernel), kernel.prediction.flops)
    limits = {roof.name: roof.per_s for roof in roofs(GPU)}
    assert limits["FP32"] == 2 * 64 * GPU.sm_count * GPU.clock_hz
    assert limits["FP64"] == limits["FP32"] / 2
    assert point.peak == shown["peak"] == "FP64"
    # Two grids of 8 bytes, each moved once; the neighbours come from caches.
    assert point.dram_bytes == pytest.approx(2 * 8 * 2048**2, rel=0.02)
    assert point.l2_bytes == kernel.prediction.bytes_moved > point.dram_bytes
    assert shown["flops_per_s"] <= shown["dram_flops_per_byte"] * limits["DRAM"] * 1.001
    assert shown["flops_per_s"] <= shown["l2_flops_per_byte"] * limits["L2"] * 1.001
    assert shown["flops_per_s"] <= limits["FP64"]


def test_the_timeline_says_what_it_leaves_out(detail: dict[str, Any]) -> None:
    timeline = detail["kernels"][0]["timeline"]
    assert f"{len(timeline['places'])} of the {timeline['resident_warps']} warps" in timeline["cut"]
    assert timeline["shown_cycles"] < timeline["simulated_cycles"]
    assert all(0 <= access < len(timeline["accesses"]) for *_, access in timeline["intervals"] if access >= 0)
    assert any("a[(i-1)*n+j]" in name.replace(" ", "") and "(line " in name for name in timeline["accesses"])
    assert sum(state["share"] for state in timeline["states"]) <= 1 + 1e-9


def test_a_nest_without_kernel_has_words_and_no_charts() -> None:
    evaluation = evaluated(PREFIX)
    detail = nest_detail(evaluation, lambda _node: 3)
    assert (detail["kernels"], detail["offload"]) == ([], None)
    assert detail["card"]["headline"].startswith("Not parallel: ")
    assert compared_gpus(evaluation, ("h100",)) == []
    summary = nest_summary(evaluation, lambda _node: 3)
    assert summary["verdict"]["word"] == "not parallel"
    assert summary["verdict"]["sentence"].startswith("Not parallel: ")
    assert (summary["gpu_s"], summary["bound"], summary["kernels"]) == (None, None, [])


def test_the_verdict_is_that_of_every_view_and_knows_the_break_even(stencil: NestEvaluation) -> None:
    guess = Assumption("size", "n", "`n` is taken as 2048.", 2048.0)
    guessed = replace(stencil, assumptions=(*stencil.assumptions, guess))
    found = break_even(guessed)
    assert found is not None
    assert found.is_guessed
    alone, known = nest_summary(guessed, lambda _node: 1), nest_summary(guessed, lambda _node: 1, found)
    assert alone["break_even"] is None
    for summary, at_hand in ((alone, None), (known, found)):
        worth = worth_of(guessed, at_hand)
        assert summary["verdict"] == verdict_as_json(guessed, lambda _node: 1, at_hand)
        assert summary["verdict"]["word"] == worth.word
        assert (summary["gpu_s"], summary["copied_s"], summary["is_guessed"]) == (worth.gpu_s, worth.copied_s, True)
        assert summary["all_cores_s"] == guessed.cpu_time.all_cores_s
    assert known["verdict"]["faster_from"]["resident"] == found.beats_cpu_from("resident")
    assert known["break_even"]["says"] == [text for _, text in break_even_rows(found, guessed.cpu.core_count)]
    at = known["break_even"]["sizes"].index(2048)
    assert known["break_even"]["gpu_resident_s"][at] == pytest.approx(alone["gpu_s"])
    assert known["break_even"]["gpu_cold_s"][at] == pytest.approx(alone["copied_s"])


def nest_with(function: str, evaluation: NestEvaluation, *inlined: str) -> dict[str, Any]:
    return {
        "function": function,
        "stake": replace(stake_of(function, evaluation, None), inlined=frozenset(("", name) for name in inlined)),
    }


def test_the_total_counts_each_nest_once_and_the_rows_add_up_to_it(stencil: NestEvaluation) -> None:
    prefix = evaluated(PREFIX)
    nests = [
        nest_with("part", stencil),
        nest_with("all", stencil, "part"),
        nest_with("other", prefix),
        nest_with("steps", prefix, "inside"),
        nest_with("inside", stencil),
        {"function": "failed"},
    ]
    data = overview_data([{"path": "a.c", "nests": nests[:2]}, {"path": "b.c", "nests": nests[2:]}])
    overview = data["overview"]
    stakes = [nest["stake"] for file in data["files"] for nest in file["nests"]]
    part, whole, other, steps, inside, failed = stakes
    assert failed is None
    assert [each["part_of"] for each in (part, whole, other, steps, inside)] == ["all", None, None, None, "steps"]
    assert sum(each["now_s"] for each in stakes if each and each["part_of"] is None) == pytest.approx(overview["now_s"])
    # The part of a nest that is ported is ported with it; that of one that is not saves what it saves.
    assert [each["is_ported_with"] for each in (part, inside)] == [True, False]
    assert overview["gain_s"] == pytest.approx(whole["gain_s"] + inside["gain_s"])
    assert other["gain_s"] == 0
    assert overview["sentence"].startswith("3 of 6 loop nests are worth porting. Together that saves about ")
    assert "2 loop nests in functions that other loops call" in overview["counting"]
    assert "1 loop nest has no predicted time." in overview["counting"]
    assert set(WORDS) == set(data["words"])
    ranks = [nest["rank"] for file in data["files"] for nest in file["nests"]]
    assert sorted(ranks) == list(range(6))
    assert [at for at in (0, 1, 4) if ranks[at] > 2] == []  # what saves comes first
    assert ranks[5] == 5


def test_nothing_to_run_is_no_chart() -> None:
    detail = nest_detail(evaluated(STENCIL, n=0), lambda _node: 3)
    assert detail["kernels"] == []
    assert json.loads(json_in_html(detail))["card"] == detail["card"]


def test_compared_gpus_are_what_each_would_be_shown_alone(stencil: NestEvaluation) -> None:
    own, other = compared_gpus(stencil, ("a100", "v100"))
    assert (own["gpu"], other["gpu"]) == ("a100", "v100")
    assert own["offload"]["cold_s"] == stencil.offload.cold_s if stencil.offload else False
    alone = evaluate_nest(stencil.facts, {"n": 2048}, load_gpu("v100"), stencil.cpu, model_errors())
    assert alone.offload is not None
    assert other["offload"]["resident_s"] == alone.offload.resident_s
    assert other["values_assumed"] == len(load_gpu("v100").assumptions)


def test_every_value_of_a_profile_has_its_source() -> None:
    machine = machine_data("a100", "server")
    keys = {value["key"] for value in machine["gpu"]["profile"]}
    assert all(value["source"] and value["kind"] for value in machine["gpu"]["profile"])
    assert {roof["profile_key"] for roof in machine["gpu"]["roofs"]} <= keys


def test_the_verdicts_mean_on_the_page_what_they_mean_in_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "verdict.md").read_text()
    rows = re.findall(r"^\| ([A-Za-z ]+) \| (.*?)(?: \(\[.*)? \|$", page, re.MULTILINE)
    assert {word: meaning for word, meaning in rows if word in WORDS} == dict(MEANINGS)
    assert set(WORDS) == set(MEANINGS)
    assert {word: meaning for word, meaning in rows if word in get_args(StepKind)} == dict(STEP_MEANINGS)
    assert set(get_args(StepKind)) == set(STEP_MEANINGS)


def test_the_page_has_every_word_of_the_glossary() -> None:
    glossary = glossary_data()
    assert [each["name"] for each in glossary] == [term.name for term in terms()]
    assert all(each["meaning"] for each in glossary)


@given(st.recursive(st.floats(allow_nan=False) | st.integers() | st.text() | st.none() | st.booleans(), st.lists))
def test_numbers_of_a_page_are_short_and_as_near_as_they_are_shown(value: Any) -> None:
    def near(short: Any, full: Any) -> bool:
        if isinstance(full, list):
            return len(short) == len(full) and all(map(near, short, full))
        if isinstance(full, float):
            return short == full or abs(short - full) <= 1e-5 * abs(full)
        return type(short) is type(full) and short == full

    assert near(short_numbers(value), value)


@pytest.mark.parametrize(
    "text", ["</script><script>alert(1)</script>", "<!--<script>", "a & b", "line\u2028end\u2029", "\udc80", "naïve Ψ"]
)
def test_texts_cannot_leave_the_data(text: str) -> None:
    html = page_html({"path": text}, title=text)
    assert html.count("<script") == html.count("</script>") == 2
    block = html.partition('id="report-data">')[2].partition("</script>")[0]
    assert block.isascii()
    assert not set("<>&") & set(block)
    assert json.loads(block) == {"path": text}


def test_the_policy_allows_just_the_script_and_the_style_of_the_page() -> None:
    html = page_html(None)
    policy = html.partition('http-equiv="Content-Security-Policy" content="')[2].partition('"')[0]
    directives = dict(directive.split(" ", 1) for directive in policy.split("; "))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"].startswith("'sha256-")
    assert directives["style-src"].startswith("'sha256-")
    assert "unsafe" not in policy
    assert "http" not in policy
