"""The words: lens, hover cards as markdown and as plain text, inserted comments."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from warplens.analysis.facts.verdict import Dependence, LoopVerdict
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.prediction import Hotspot
from warplens.server.render.access_card import node_card
from warplens.server.render.card import Card, Picture, Section, as_markdown, as_plain_text
from warplens.server.render.formula_text import formula_text
from warplens.server.render.headline import lens_text
from warplens.server.render.loop_card import loop_card
from warplens.server.render.loop_reasons import shared_sentences
from warplens.server.render.trust import CPU_CHECK

WRITE, READ = NodeId(2), NodeId(3)
LINES = {NodeId(0): 10, NodeId(1): 11, NodeId(2): 11, NodeId(3): 12}


def line_of(node: NodeId) -> int:
    return LINES[node]


def said(evaluation: NestEvaluation) -> NestEvaluation:
    """The same with sizes that the source says."""
    return replace(evaluation, assumptions=tuple(replace(a, origin="directive") for a in evaluation.assumptions))


def test_the_lens_has_both_speedups_and_the_block(evaluation: NestEvaluation) -> None:
    assert lens_text(evaluation) == "GPU 6x (copies: 2x) · 32x8 · n?"
    assert lens_text(said(evaluation)) == "GPU 6x (copies: 2x) · 32x8"


def test_a_nest_without_kernel_says_so(evaluation: NestEvaluation) -> None:
    sequential = replace(evaluation, kernels=(), offload=None)
    carried = Dependence("flow", "y", READ, WRITE, NodeId(0), (NodeId(0),), ("<",), (1,))
    verdict = replace(evaluation.facts.verdicts[0], kind="carried", dependences=(carried,))
    sequential = replace(sequential, facts=replace(evaluation.facts, verdicts=(verdict,)))
    assert lens_text(sequential) == "not parallel: needs y of iteration i - 1"
    assert loop_card(sequential, NodeId(0), line_of).headline == (
        "Not parallel: `y[i]` (line 11) reads what `x[i]` (line 12) wrote, 1 iteration earlier."
    )


def test_the_loop_card_has_verdict_numbers_reasons_and_origins(evaluation: NestEvaluation) -> None:
    card = loop_card(evaluation, NodeId(0), line_of)
    assert card.headline == (
        "Worth porting: about 6x faster than all 32 CPU cores if its data stays on the GPU, 2x with copies "
        "(at `n` = 4096, a guess)."
    )
    rows = dict(card.rows)
    assert rows["guessed"] == "all numbers below if `n` = 4096 (guessed)"
    assert rows["trip count"] == "4096 = `n`, assumed"
    assert rows["mapped to"] == "`threadIdx.x`"
    assert rows["GPU time"] == "1 ms, bound by memory bandwidth"
    assert rows["transfers"] == "16 KiB in (1 ms), 16 KiB out (1.39 ms)"
    assert rows["occupancy"] == "100 % (per SM 64 warps, 8 blocks), limited by threads"
    assert rows["vs one core"] == "61x, with copies 18x"
    assert rows["vs all cores"] == "6.1x, with copies 1.8x"
    sections = {section.title: section.items for section in card.sections}
    assert sections["Hotspots"] == ("Reading `x[i]` (line 12): 60 % of the kernel's time is spent waiting for it.",)
    assert sections["Assumed"] == (
        "`n` is not known: 4096 is assumed. To correct it: `// warplens: n = 4096` above the loop.",
    )
    assert "Resios" in card.footer
    assert evaluation.gpu.id in card.footer


def test_a_slower_gpu_is_said_in_words(evaluation: NestEvaluation) -> None:
    assert evaluation.offload is not None
    slow = replace(said(evaluation), cpu_time=replace(evaluation.cpu_time, one_core_s=0.002, all_cores_s=0.002))
    assert lens_text(slow) == "GPU 2x (copies: 1.5x slower) · 32x8"
    assert "0." not in loop_card(slow, NodeId(0), line_of).headline


def test_every_kernel_has_its_row_and_the_details_say_whose_they_are(evaluation: NestEvaluation) -> None:
    (kernel,) = evaluation.kernels
    short = replace(kernel.prediction, time_s=2e-6, launch=LaunchConfig((64, 1, 1)))
    other = replace(kernel, launches=1000, kernel=replace(kernel.kernel, root=NodeId(1)), prediction=short)
    rows = dict(loop_card(replace(evaluation, kernels=(other, kernel)), NodeId(0), line_of).rows)
    assert rows["GPU time"] == "1 ms in 1001 launches of 2 kernels"
    assert rows["kernel, line 11"] == "1000 launches of 2 µs = 2 ms, block 64, bound by memory bandwidth"
    assert rows["kernel, line 10"] == "1 launch of 1 ms, block 32x8, bound by memory bandwidth"
    assert rows["details"] == "of the kernel of line 10"
    assert rows["block"].startswith("32x8")
    assert lens_text(replace(evaluation, kernels=(other, kernel))).endswith(" · 64 and 32x8 · n?")


def test_one_kernel_launched_often_shows_both_times(evaluation: NestEvaluation) -> None:
    (kernel,) = evaluation.kernels
    often = replace(evaluation, kernels=(replace(kernel, launches=1024),))
    assert dict(loop_card(often, NodeId(0), line_of).rows)["GPU time"].startswith("1 ms: 1024 launches of 1 ms, bound")


def test_data_that_does_not_fit_is_said(evaluation: NestEvaluation) -> None:
    assert "memory" not in dict(loop_card(evaluation, NodeId(0), line_of).rows)
    huge = replace(evaluation, sizes=(("n", 2**62),))
    assert dict(loop_card(huge, NodeId(0), line_of).rows)["memory"].startswith("32 EiB, more than the GPU's 37.3 GiB")


def test_a_load_and_a_store_of_one_element_are_told_apart_and_equal_ones_are_one(evaluation: NestEvaluation) -> None:
    (kernel,) = evaluation.kernels
    spots = tuple(Hotspot(node, NodeId(1), 10.0, share) for node, share in ((READ, 0.2), (READ, 0.1), (WRITE, 0.25)))
    hot = replace(kernel, prediction=replace(kernel.prediction, hotspots=spots))
    card = loop_card(replace(evaluation, kernels=(hot,)), NodeId(0), line_of)
    sentences = next(section.items for section in card.sections if section.title == "Hotspots")
    assert [sentence.partition(" of the kernel")[0] for sentence in sentences] == [
        "Reading `x[i]` (line 12): 30 %",
        "Writing `y[i]` (line 11): 25 %",
    ]


def test_an_array_that_is_not_staged_has_its_reason(evaluation: NestEvaluation) -> None:
    (kernel,) = evaluation.kernels
    plain = replace(kernel.prediction, launch=LaunchConfig((32, 8, 1)))
    left = replace(kernel, prediction=plain, shared_left_out=(("x", "predicted to be 25% slower"),))
    assert shared_sentences(left) == ("Not staged: `x` (2 KiB per block), predicted to be 25% slower.",)


def test_pointers_taken_to_be_apart_are_in_the_assumed_list(evaluation: NestEvaluation) -> None:
    pairs = [
        Assumption("alias", f"x, y{k}", f"`x` and `y{k}` are assumed not to overlap.", names=("x", f"y{k}"))
        for k in range(8)
    ]
    verdict = replace(evaluation.facts.verdicts[0], assumptions=tuple(pairs))
    card = loop_card(replace(evaluation, facts=replace(evaluation.facts, verdicts=(verdict,))), NodeId(0), line_of)
    assumed = next(section.items for section in card.sections if section.title == "Assumed")
    assert assumed[0].startswith("`n` is not known")
    assert "`x` and `y0`; `x` and `y1`" in assumed[1]
    assert "2 more pairs" in assumed[1]


def test_the_figures_on_trust_are_those_of_their_source() -> None:
    text = (Path(__file__).parents[3] / CPU_CHECK.source).read_text()
    named = re.search(r"(\d+)\s+of\s+the\s+(\d+)\s+ratios\s+are\s+within\s+a\s+factor\s+of\s+([\d.]*\d)", text)
    assert named is not None
    within, measured, factor = named.groups()
    assert (CPU_CHECK.measured, CPU_CHECK.within) == (int(measured), int(within))
    assert CPU_CHECK.factor == float(factor)


@given(st.dictionaries(st.sampled_from(["n", "m", ""]), st.integers(-5, 5)), st.integers(1, 4), st.integers(100, 200))
def test_the_text_of_a_polynomial_is_its_value(terms: dict[str, int], divisor: int, size: int) -> None:
    total = Formula.constant(0)
    for name, c in terms.items():
        factor = Formula.parameter(name) if name else Formula.constant(1)
        total = total + factor * factor * Fraction(c, divisor)
    sizes = {"n": size, "m": 3 * size}
    assume(total.parameters)
    text = formula_text(total.at_least(0)).strip("`")
    assert Fraction(eval(text.replace("/", "*Fraction(1,") + ")" * text.count("/"), {"Fraction": Fraction}, sizes)) == (
        total.evaluate(sizes)
    )


@pytest.mark.parametrize(
    ("kind", "distance", "sentence"),
    [
        ("flow", 1, "No: `x[i]` (line 12) reads what `y[i]` (line 11) wrote, 1 iteration earlier."),
        ("output", None, "No: `x[i]` (line 12) overwrites what `y[i]` (line 11) wrote in an earlier iteration."),
        ("anti", 2, "No: `x[i]` (line 12) overwrites what `y[i]` (line 11) reads, 2 iterations earlier."),
    ],
)
def test_a_dependence_names_two_lines(evaluation: NestEvaluation, kind, distance: int | None, sentence: str) -> None:
    loop = NodeId(0)
    dependence = Dependence(kind, "y", NodeId(2), NodeId(3), loop, (loop,), ("<",), (distance,))
    verdict = LoopVerdict(loop, "carried", dependences=(dependence,))
    carried = replace(evaluation, facts=replace(evaluation.facts, verdicts=(verdict,)))
    sections = {section.title: section.items for section in loop_card(carried, loop, line_of).sections}
    assert sections["Parallel?"] == (sentence,)


def test_the_access_card_has_delay_transactions_and_share(evaluation: NestEvaluation) -> None:
    card = node_card(evaluation, NodeId(3))
    assert card is not None
    assert card.headline == (
        "The kernel waits for `x[i]` for 60 % of its time: strided: neighbouring threads are 32 B apart, so 32 threads "
        "fetch 32 sectors of memory where 4 would do."
    )
    rows = dict(card.rows)
    assert rows["delay"] == "1234 cycles per request"
    assert rows["transactions"] == "32 sectors of 32 B per warp, ideal 4"


def test_the_access_card_counts_one_sector_and_leaves_out_a_wait_of_nothing(evaluation: NestEvaluation) -> None:
    (kernel,) = evaluation.kernels
    prediction = kernel.prediction
    costs = tuple(replace(cost, sectors=1.0) for cost in prediction.costs)
    hotspots = tuple(replace(spot, idle_share=0.004) for spot in prediction.hotspots)
    calm = replace(kernel, prediction=replace(prediction, costs=costs, hotspots=hotspots))
    card = node_card(replace(evaluation, kernels=(calm,)), NodeId(3))
    assert card is not None
    assert card.headline.startswith("The kernel hardly waits for `x[i]`: ")
    assert dict(card.rows)["transactions"] == "1 sector of 32 B per warp, ideal 4"


def test_the_card_of_a_staged_access_says_where_it_is_and_counts_no_sectors(evaluation: NestEvaluation) -> None:
    (kernel,) = evaluation.kernels
    costs = tuple(replace(cost, sectors=0.0, served_by="shared") for cost in kernel.prediction.costs)
    staged = replace(kernel, prediction=replace(kernel.prediction, costs=costs, hotspots=()))
    card = node_card(replace(evaluation, kernels=(staged,)), NodeId(3))
    assert card is not None
    assert card.headline.startswith("The kernel hardly waits for `x[i]`: ")
    assert dict(card.rows)["served by"] == "shared memory: the block stages `x`, 2 KiB"
    assert "transactions" not in dict(card.rows)


def test_the_statement_card_lists_its_accesses(evaluation: NestEvaluation) -> None:
    card = node_card(evaluation, NodeId(1))
    assert card is not None
    assert card.headline == "The kernel waits for `y[i] = x[i]` for 60 % of its time."
    assert card.sections[0].items == (
        "Reading `x[i]`: 32 sectors per warp, strided, served by device memory.",
        "Writing `y[i]`: 4 sectors per warp, strided, served by device memory.",
    )
    assert node_card(evaluation, NodeId(0)) is None


def test_markdown_escapes_what_the_source_says() -> None:
    card = Card("a*b `c*d` <e>", (("x", "`a|b` | y"),), (Section("Empty", ()), Section("One `", ("odd ` quote",))))
    text = as_markdown(card)
    assert "**a\\*b `c*d` \\<e\\>**" in text
    assert "| x | `a\\|b` \\| y |" in text
    assert "Empty" not in text
    assert "odd \\` quote" in text


def test_plain_text_has_no_markup() -> None:
    card = Card("head", (("a", "1"), ("long", "2")), (Section("Why", ("so",)),), "from there")
    assert as_plain_text(card) == "head\n\na     1\nlong  2\n\nWhy\n- so\n\nfrom there"


def test_links_and_pictures_follow_the_headline() -> None:
    card = Card("head", (("a", "1"),), links=(("Open`MP`", "command:x"), ("pad", "")))
    shown = replace(card, pictures=(Picture("data:x", "50 % of *it*"), Picture("data:y", "two")))
    links = "Quick fixes: [Open`MP`](command:x), pad"
    more = replace(card, more=(("all", ""),))
    assert as_plain_text(more) == "head\n\nQuick fixes: Open`MP`, pad. More: all\n\na  1"
    assert as_markdown(card) == f"**head**\n\n{links}\n\n| | |\n|:--|:--|\n| a | 1 |"
    assert as_markdown(shown).splitlines()[4] == "![50 % of \\*it\\*](data:x) ![two](data:y)"
    assert as_plain_text(shown) == "head\n\nQuick fixes: Open`MP`, pad\n\na  1"
    assert "Quick fixes" not in as_markdown(Card("head", (("a", "1"),)))
