"""The words: lens, hover cards as markdown and as plain text, inserted comments."""

from dataclasses import replace

import pytest
from warplens.analysis.facts.verdict import Dependence, LoopVerdict
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.evaluation import NestEvaluation
from warplens.analysis.text.span import Span
from warplens.server.documents import Document
from warplens.server.features.loop_edits import insert_above, shared_memory_comment, size_directive
from warplens.server.positions import PositionMap
from warplens.server.render.access_card import node_card
from warplens.server.render.card import Card, Section, as_markdown, as_plain_text
from warplens.server.render.headline import lens_text
from warplens.server.render.loop_card import loop_card

LINES = {NodeId(0): 10, NodeId(1): 11, NodeId(2): 11, NodeId(3): 12}


def line_of(node: NodeId) -> int:
    return LINES[node]


def test_the_lens_has_both_speedups_and_the_block(evaluation: NestEvaluation) -> None:
    assert lens_text(evaluation) == "GPU 18x cold, 61x resident, block (32, 8)"


def test_a_nest_without_kernel_says_so(evaluation: NestEvaluation) -> None:
    sequential = replace(evaluation, kernels=(), offload=None)
    assert lens_text(sequential) == "not parallel, CPU 61 ms on one core"
    assert loop_card(sequential, NodeId(0), line_of).headline.startswith("Not for the ")


def test_the_loop_card_has_verdict_numbers_reasons_and_origins(evaluation: NestEvaluation) -> None:
    card = loop_card(evaluation, NodeId(0), line_of)
    assert card.headline == f"GPU 18x cold, 61x resident vs one core on {evaluation.gpu.name}, block (32, 8)"
    rows = dict(card.rows)
    assert rows["trip count"] == "4 096 = `n`"
    assert rows["mapped to"] == "`threadIdx.x`"
    assert rows["GPU time"] == "1 ms, bound by memory bandwidth"
    assert rows["transfers"] == "16 KiB in (1 ms), 16 KiB out (1.39 ms)"
    assert rows["occupancy"] == "100 % (per SM 64 warps, 8 blocks), limited by threads"
    assert rows["vs all cores"] == "1.8x cold, 6.1x resident"
    sections = {section.title: section.items for section in card.sections}
    assert sections["Hotspot"] == ("`x[i]` (line 12): 60 % of the kernel's time is spent waiting for it.",)
    assert sections["Assumed"] == (
        "`n` is not known: 4096 is assumed. To correct it: `// warplens: n = 4096` above the loop.",
    )
    assert "Resios" in card.footer
    assert evaluation.gpu.id in card.footer


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
    assert card.headline == "`x[i]`: 32 sectors per warp, 60 % of the idle time"
    rows = dict(card.rows)
    assert rows["delay"] == "1 234 cycles per request"
    assert rows["transactions"] == "32 sectors per warp, ideal 4"
    assert rows["stride"] == "32 B between threads"


def test_the_statement_card_lists_its_accesses(evaluation: NestEvaluation) -> None:
    card = node_card(evaluation, NodeId(1))
    assert card is not None
    assert card.sections[0].items == (
        "load `x[i]`: 32 sectors per warp, strided, dram",
        "store `y[i]`: 4 sectors per warp, strided, dram",
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


def test_the_shared_memory_comment(evaluation: NestEvaluation) -> None:
    comment = shared_memory_comment(evaluation)
    assert comment[0] == "/*"
    assert comment[-1] == " */"
    assert "stage x: 2 KiB, 512 reads served, saves 1.5 KiB" in comment[2]


def test_the_size_directive_has_the_value_in_force(evaluation: NestEvaluation) -> None:
    assert size_directive(evaluation, "n") == ("// warplens: n = 4096",)
    assert size_directive(evaluation, "m") == ()


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("{\n\tfor (;;) ;\n}", "{\n\t#x\n\tfor (;;) ;\n}"),
        ("{\r\n  for (;;) ;\r\n}", "{\r\n  #x\r\n  for (;;) ;\r\n}"),
        ("{ for (;;) ; }", "{ \n#x\nfor (;;) ; }"),
    ],
)
def test_lines_are_inserted_above_a_loop(text: str, result: str) -> None:
    document = Document("u", "p", 1, PositionMap(text), "utf-16")
    at = text.index("for")
    edit = insert_above(document, Span(at, at + 8), ("#x",))
    offset = document.positions.offset(edit.range.start)
    assert text[:offset] + edit.new_text + text[offset:] == result
