"""What hovers and reports say of benefits, ranked launches and the models side by side."""

import re
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from rich.console import Console
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.results.comparison import MwpCwp
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.launch_ranking import LaunchRanking
from warplens.hwprofiles.loader import load_gpu
from warplens.server.cli.layout import print_section, print_table
from warplens.server.json.models import comparison_as_json, map_as_json, ranking_as_json
from warplens.server.render.card import Card, Section, as_markdown, as_plain_text
from warplens.server.render.headline import lens_text
from warplens.server.render.launch_sentences import benefits_section, launches_section
from warplens.server.render.loop_card import loop_card
from warplens.server.render.model_words import bound_text, models_section, mwp_cwp_sentence

GPU = load_gpu("a100")


def kernel_of(evaluation: NestEvaluation, **changes: Any) -> KernelEvaluation:
    (kernel,) = evaluation.kernels
    return replace(kernel, **changes)


def with_kernel(evaluation: NestEvaluation, **changes: Any) -> NestEvaluation:
    return replace(evaluation, kernels=(kernel_of(evaluation, **changes),))


def card_of(evaluation: NestEvaluation) -> Card:
    return loop_card(evaluation, NodeId(0), lambda _node: 11)


def test_what_is_not_there_is_left_out(evaluation: NestEvaluation) -> None:
    text = as_plain_text(card_of(evaluation))
    assert not any(title in text for title in ("What would help", "Launches", "Models"))
    assert "9 of 10" not in text


def test_the_sections_come_after_the_hotspots_and_before_what_is_assumed(compared: NestEvaluation) -> None:
    text = as_plain_text(card_of(compared))
    places = [text.index(f"\n{title}") for title in ("Hotspots", "What would help", "Launches", "Models", "Assumed")]
    assert places == sorted(places)


def test_benefits_are_sorted_and_small_ones_left_out(compared: NestEvaluation) -> None:
    section = benefits_section(compared.kernels[0])
    assert section.title == "What would help (of GPUPerf's 1 ms, bound by computation)"
    assert section.items == (
        "Memory parallelism: 420 µs (38 %, 42 000 SM cycles): read `x[i]` along `i`, see WL201, quick fix.",
        "Instruction parallelism: 120 µs (12 %, 12 000 SM cycles): unroll the loop over `k`.",
    )


def test_benefits_of_the_time_that_is_shown_name_no_other(compared: NestEvaluation) -> None:
    chosen = replace(compared.kernels[0].prediction, model="gpuperf")
    assert benefits_section(kernel_of(compared, prediction=chosen)).title == "What would help"


def test_benefits_that_are_all_small_are_no_section(compared: NestEvaluation) -> None:
    small = tuple(replace(benefit, share=0.0099) for benefit in compared.kernels[0].benefits)
    assert "What would help" not in as_plain_text(card_of(with_kernel(compared, benefits=small)))


def test_what_bounds_a_kernel_has_its_share(compared: NestEvaluation) -> None:
    prediction = compared.kernels[0].prediction
    assert bound_text(prediction) == "memory bandwidth, 81 % of the time"
    assert bound_text(replace(prediction, memory_level="l2")) == "memory bandwidth (L2), 81 % of the time"
    by_computation = replace(prediction, memory_level="l2", bound_by="computation")
    assert bound_text(by_computation) == "computation, 19 % of the time"
    assert bound_text(replace(prediction, bound_by="launch overhead")) == "launch overhead"
    assert bound_text(replace(prediction, time_s=0.0)) == "memory bandwidth"


def test_the_time_has_the_band_of_the_model_that_predicted_it(compared: NestEvaluation) -> None:
    band = "1 ms (9 of 10 between 800 µs and 1.25 ms), bound by memory bandwidth, 81 % of the time"
    assert dict(card_of(compared).rows)["GPU time"] == band
    other = replace(compared.kernels[0].prediction, model="haigh")
    assert "9 of 10" not in dict(card_of(with_kernel(compared, prediction=other)).rows)["GPU time"]


def test_times_of_many_launches_have_a_band_of_all_of_them(compared: NestEvaluation) -> None:
    assert compared.offload is not None
    often = with_kernel(compared, launches=1000)
    often = replace(often, offload=replace(compared.offload, kernels_s=1.0))
    time = dict(card_of(often).rows)["GPU time"]
    assert time.startswith("1 s (9 of 10 between 800 ms and 1.25 s): 1000 launches of 1 ms, bound by")


def test_the_band_of_several_kernels_needs_all_of_them_checked(compared: NestEvaluation) -> None:
    (kernel,) = compared.kernels
    both = replace(compared, kernels=(kernel, replace(kernel, launches=3)))
    assert compared.offload is not None
    both = replace(both, offload=replace(compared.offload, kernels_s=4e-3))
    assert "4 ms (9 of 10 between 3.2 ms and 5 ms) in 4 launches" in dict(card_of(both).rows)["GPU time"]
    half = replace(compared, kernels=(kernel, replace(kernel, comparison=None)))
    assert "9 of 10" not in dict(card_of(half).rows)["GPU time"]


def short_of(compared: NestEvaluation, launches: int = 1) -> NestEvaluation:
    """The same nest with a kernel of 80 ns, which takes less than its launch."""
    assert compared.offload is not None
    overhead_s = compared.gpu.host.launch_overhead_s
    prediction = replace(compared.kernels[0].prediction, time_s=8e-8, bound_by="launch overhead")
    offload = replace(compared.offload, kernels_s=launches * 8e-8, launch_overhead_s=launches * overhead_s)
    return replace(with_kernel(compared, prediction=prediction, launches=launches), offload=offload)


def test_kernels_shorter_than_their_launch_are_no_more_than_it(compared: NestEvaluation) -> None:
    card = card_of(short_of(compared))
    assert dict(card.rows)["GPU time"] == "< 1 µs, less than launching takes (2.63 µs)"
    assert "rates" not in dict(card.rows)
    shown = {section.title for section in card.sections if section.items or section.table}
    assert shown.isdisjoint({"Hotspots", "What would help", "Models"})
    assert dict(card.rows)["vs one core"] == "12 000x to 23 000x, with copies 26x"
    often = dict(card_of(short_of(compared, 1000)).rows)["GPU time"]
    assert often == "80 µs in 1000 launches, less than launching takes (2.63 ms)"


def test_a_short_kernel_beside_another_counts_as_at_most_its_launch(compared: NestEvaluation) -> None:
    (kernel,), (short,) = compared.kernels, short_of(compared).kernels
    both = replace(compared, kernels=(kernel, replace(short, launches=100)))
    assert "(9 of 10 between 808 µs and 1.51 ms)" in dict(card_of(both).rows)["GPU time"]


def test_the_launch_of_a_short_kernel_matters_where_the_users_own_is_slow(
    compared: NestEvaluation, ranking: LaunchRanking
) -> None:
    quick = tuple(replace(each, time_s=each.time_s / 1e4) for each in ranking.ranked)
    (kernel,) = short_of(compared).kernels
    any_launch = launches_section(replace(kernel, ranking=replace(ranking, ranked=quick, current=quick[1])), GPU)
    assert any_launch.items[0].startswith("The block hardly matters: ")
    assert not any_launch.table
    slow = launches_section(replace(kernel, ranking=replace(ranking, ranked=quick, current=quick[5])), GPU)
    assert len(slow.table) > 1


def test_a_faster_launch_below_the_first_is_explained(compared: NestEvaluation, ranking: LaunchRanking) -> None:
    slow, fast, *rest = ranking.ranked
    rule = "twice the outputs per thread must gain 8 % to come first"
    swapped = replace(ranking, ranked=(replace(slow, time_s=1.05e-3), fast, *rest))
    assert any(
        item == f"Launches further down are predicted to be up to 1.05x faster: {rule}."
        for item in launches_section(kernel_of(compared, ranking=swapped), GPU).items
    )
    assert not any(
        item.startswith("Launches further down") for item in launches_section(compared.kernels[0], GPU).items
    )


def test_rates_name_the_caches_and_the_intensity_of_the_roofline(compared: NestEvaluation) -> None:
    prediction = replace(compared.kernels[0].prediction, useful_bytes=8e9, bytes_moved=1e9, flops=2e9)
    rates = dict(card_of(with_kernel(compared, prediction=prediction)).rows)["rates"]
    assert rates == "8 TB/s effective (most from caches), 2 TFLOP/s, 2 FLOP per byte from L2 or beyond"
    assert "FLOP" not in dict(card_of(compared).rows)["rates"]


def test_launches_are_five_with_times_against_the_best(compared: NestEvaluation) -> None:
    section = launches_section(compared.kernels[0], GPU)
    assert section.title == "Launches (2304 searched with Haigh)"
    head, *rows = section.table
    assert head == ("block", "outputs per thread", "time", "vs first", "occupancy", "shared arrays")
    assert rows[0] == ("32x8", "4 (1x4)", "1 ms", "1.00x", "50 %", "`x`")
    assert [row[3] for row in rows] == ["1.00x", "1.01x", "1.10x", "1.32x", "2.00x"]
    assert section.items == (
        "The first is recommended: `x` is read 4 times less from memory; no tail wave.",
        "Best with one output per thread, as a directive has it: 1.32x slower than the first (1.32 ms with block 128).",
    )


def test_columns_that_say_nothing_are_left_out(compared: NestEvaluation, ranking: LaunchRanking) -> None:
    plain = replace(ranking, ranked=ranking.ranked[3:5])
    section = launches_section(kernel_of(compared, ranking=plain), GPU)
    assert section.table[0] == ("block", "time", "vs first", "occupancy")


@pytest.mark.parametrize(
    ("at", "origin", "says"),
    [
        (0, "thread_limit(256)", None),
        (1, "vector_length(256)", ("`vector_length(256)` here: as fast as the first (1.01 ms with block 32x8, "
                                   "2 (1x2) outputs per thread, `x` in shared memory).")),
        (4, "default", ("A block of 32 threads, what compilers take where none is named: 2.00x slower than the first "
                         "(2 ms with block 32).")),
    ],
)  # fmt: skip
def test_what_the_current_launch_costs(
    ranking: LaunchRanking, compared: NestEvaluation, at: int, origin: str, says: str | None
) -> None:
    now = replace(ranking, current=ranking.ranked[at], current_origin=origin, one_output=None)
    sentences = launches_section(kernel_of(compared, ranking=now), GPU).items
    assert [s for s in sentences if "slower" in s or "as fast" in s] == ([says] if says else [])


def test_the_current_launch_is_held_against_what_a_directive_can_have_first(
    ranking: LaunchRanking, compared: NestEvaluation
) -> None:
    now = replace(ranking, current=ranking.ranked[4])
    sentences = launches_section(kernel_of(compared, ranking=now), GPU).items
    cost = "`thread_limit(128)` here: 1.52x slower than that, 2.00x slower than the first (2 ms with block 32)."
    assert sentences[1:3] == (
        "Best with one output per thread, as a directive has it: 1.32x slower than the first (1.32 ms with block 128).",
        cost,
    )


def test_a_search_without_a_launch_is_no_section(compared: NestEvaluation, ranking: LaunchRanking) -> None:
    nothing = replace(ranking, ranked=(), current=None)
    assert launches_section(kernel_of(compared, ranking=nothing), GPU) == Section("Launches")
    assert ranking_as_json(nothing, 5) is not None


def test_outputs_per_thread_are_in_headline_and_row(compared: NestEvaluation) -> None:
    prediction = compared.kernels[0].prediction
    several = replace(prediction, launch=LaunchConfig((64, 1, 1), (), (4, 1, 1)))
    evaluation = with_kernel(compared, prediction=several)
    assert lens_text(evaluation).endswith(" · 256 · n?")
    assert dict(card_of(evaluation).rows)["block"] == "64, 4 outputs per thread (ports 256), 4096 threads in all"


def test_models_stand_side_by_side_the_chosen_one_first(compared: NestEvaluation) -> None:
    section = models_section(compared.kernels[0])
    assert section.table == (
        ("model", "time", "vs chosen", "bound by", "typically off", "predicted / measured (9 of 10)"),
        ("Resios (chosen)", "1 ms", "", "memory bandwidth (81 %)", "1.10x", "0.80 to 1.25"),
        ("MWP-CWP", "1.3 ms", "1.30x", "computation (15 %)", "not checked", ""),
        ("GPUPerf", "1 ms", "1.00x", "computation (19 %)", "1.20x", "0.70 to 1.40"),
        ("Haigh", "1.1 ms", "1.10x", "computation (17 %)", "not checked", ""),
    )
    assert "Spread: 1.30x between the shortest and the longest." in section.items


def test_a_family_that_was_measured_too_little_is_judged_by_all(compared: NestEvaluation) -> None:
    comparison = compared.kernels[0].comparison
    assert comparison is not None
    errors = tuple(replace(error, family="") for error in comparison.errors)
    text = " ".join(
        as_plain_text(card_of(with_kernel(compared, comparison=replace(comparison, errors=errors)))).split()
    )
    said = "it is typically off by a factor of 1.10 in 412 measurements of all kernels"
    assert f"{said} (too few are like this one) (GTX 980, K20, none on the A100 SXM4 40 GB; docs" in text


def test_a_model_that_another_is_hardly_better_than_is_told_from_it(compared: NestEvaluation) -> None:
    comparison = compared.kernels[0].comparison
    assert comparison is not None
    errors = tuple(replace(e, typical=1.094) if e.model == "gpuperf" else e for e in comparison.errors)
    kernel = kernel_of(compared, comparison=replace(comparison, errors=errors))
    said = (
        "GPUPerf did as well on measurements of streaming kernels: typically off by a factor of 1.09, Resios by 1.10."
    )
    assert models_section(kernel).items[-1] == said
    assert not any("did as well" in item for item in models_section(compared.kernels[0]).items)


def test_models_that_were_never_checked_say_so(compared: NestEvaluation) -> None:
    comparison = compared.kernels[0].comparison
    assert comparison is not None
    unchecked = replace(comparison, errors=())
    section = models_section(kernel_of(compared, comparison=unchecked))
    assert section.table[0] == ("model", "time", "vs chosen", "bound by")
    assert "None of them has been held against measurements of streaming kernels." in section.items


def test_models_that_predict_the_same_agree(compared: NestEvaluation) -> None:
    comparison = compared.kernels[0].comparison
    assert comparison is not None
    same = tuple(replace(p, time_s=1e-3) for p in comparison.predictions)
    section = models_section(kernel_of(compared, comparison=replace(comparison, predictions=same)))
    assert "Spread: the models agree." in section.items


def test_a_nest_without_an_iteration_has_nothing_to_run(compared: NestEvaluation) -> None:
    assert compared.offload is not None
    idle = replace(compared, offload=replace(compared.offload, kernels_s=0.0, one_core_s=0.0))
    assert lens_text(idle) == "nothing to run on the GPU · n?"
    card = card_of(idle)
    assert card.headline == "Nothing to run on the GPU (at `n` = 4096, a guess)."
    assert "GPU time" not in dict(card.rows)
    assert not any(section.items for section in card.sections if section.title in {"Hotspots", "Launches", "Models"})


@pytest.mark.parametrize(
    ("numbers", "limit"),
    [
        (MwpCwp(2.28, 20.0, "case", 1.0), "so memory is the limit"),
        (MwpCwp(20.0, 2.28, "case", 1.0), "so computation hides the memory"),
        (MwpCwp(8.0, 8.0, "case", 1.0), "all there are: more warps would help"),
    ],
)
def test_the_case_of_mwp_cwp_is_said_in_words(numbers: MwpCwp, limit: str) -> None:
    assert limit in mwp_cwp_sentence(numbers)


def test_trust_says_what_was_measured_of_this_model_on_such_kernels(compared: NestEvaluation) -> None:
    trust = next(section.items for section in card_of(compared).sections if section.title == "How far to trust this")
    assert trust[1] == (
        "GPU: Resios predicts 0.80 to 1.25 times the measured time of 9 of 10 launches that do what this one does; it "
        "is typically off by a factor of 1.10 in 412 measurements of streaming kernels (GTX 980, K20, none on the A100 "
        "SXM4 40 GB; docs/accuracy.md)."
    )


def test_a_section_with_a_table_in_markdown_and_in_plain_text() -> None:
    card = Card("head", sections=(Section("T", ("i*",), (("a|b", "c"), ("", "`d|e`"))), Section("Empty", (), ())))
    assert as_markdown(card) == "**head**\n\n**T**\n\n| a\\|b | c |\n|:--|:--|\n|  | `d\\|e` |\n\n- i\\*"
    assert as_plain_text(card) == "head\n\nT\na|b  c\n     `d|e`\n- i*"


@pytest.mark.parametrize("width", [50, 200])
def test_tables_keep_to_the_width_of_a_terminal(compared: NestEvaluation, width: int) -> None:
    console = Console(file=StringIO(), force_terminal=True, width=width, no_color=True)
    (kernel,) = compared.kernels
    for section in (benefits_section(kernel), launches_section(kernel, GPU), models_section(kernel)):
        print_section(console, section, 2)
    lines = re.sub(r"\x1b\[\d*m", "", console.file.getvalue()).splitlines()
    assert max(map(len, lines)) <= width
    (head,) = [line for line in lines if "block" in line and "time" in line]
    (first,) = [line for line in lines if line.strip().startswith("32x8") and "1.01x" in line]
    assert head.index("time") == first.index("1.01 ms")


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_row_that_is_too_long_goes_on_below_its_last_column(width: int) -> None:
    console = Console(file=StringIO(), force_terminal=True, width=width, no_color=True)
    table = (
        ("block", "time" + " " * 8, "why"),
        ("32x8", "1 ms", " ".join(["words"] * 12)),
        ("64", "12 ms", "z" * 90),
    )
    print_table(console, table, 4)
    lines = re.sub(r"\x1b\[\d*m", "", console.file.getvalue()).splitlines()
    assert max(map(len, lines)) <= width
    assert lines[1].startswith("    32x8   1 ms")
    assert "words" in lines[1] + lines[2]
    assert "".join(lines).count("words") == 12
    assert "".join(lines).count("z") == 90
    continued = [line for line in lines if line.strip().startswith("words")]
    assert len({len(line) - len(line.lstrip()) for line in continued}) == 1


def test_json_has_five_launches_and_null_for_what_is_not_there(ranking: LaunchRanking) -> None:
    assert ranking_as_json(None, 5) is None
    assert comparison_as_json(None) is None
    json = ranking_as_json(ranking, 5)
    assert json is not None
    assert len(json["launches"]) == 5
    assert json["launches"][0]["shared_arrays"] == ["x"]
    assert json["current"]["origin"] == "thread_limit(128)"
    assert json["current"]["vs_best"] == pytest.approx(1.316)
    assert map_as_json(ranking.map)["times_s"][0][-1] is None
