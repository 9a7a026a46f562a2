"""The glossary: what texts say of GPUs is explained, and the links to it break nothing."""

import re
from functools import partial
from pathlib import Path

import pytest
from warplens.analysis.advice.catalogue import RULES
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ir.nest import loops_of
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.server.cli.explain import linked_page
from warplens.server.cli.main import main
from warplens.server.render.access_card import node_card
from warplens.server.render.card import as_markdown
from warplens.server.render.glossary import find_term, glossary_links, page_uri, terms
from warplens.server.render.headline import lens_text
from warplens.server.render.loop_card import loop_card
from warplens.server.render.loop_hints import loop_hints

ROOT = Path(__file__).parents[3]

# The field's words: whoever uses one of them in a text has to explain it. Words of C are not among them.
FIELD = frozenset(
    [
        "alias",
        "aliasing",
        "atomic",
        "atomics",
        "bandwidth",
        "bank",
        "banks",
        "barrier",
        "barriers",
        "block",
        "blocks",
        "broadcast",
        "cache",
        "caches",
        "coalesced",
        "coalescing",
        "cold",
        "contiguous",
        "cycle",
        "cycles",
        "dependence",
        "dependences",
        "device",
        "directive",
        "directives",
        "divergence",
        "dram",
        "flop",
        "flops",
        "fp32",
        "fp64",
        "gather",
        "gathered",
        "gflop",
        "grid",
        "host",
        "hotspot",
        "hotspots",
        "kernel",
        "kernels",
        "l1",
        "l2",
        "latency",
        "launch",
        "launches",
        "launching",
        "multiprocessor",
        "multiprocessors",
        "nest",
        "nests",
        "occupancy",
        "parallel",
        "parallelism",
        "privatised",
        "promise",
        "promised",
        "reduction",
        "reductions",
        "register",
        "registers",
        "request",
        "requests",
        "resident",
        "roofline",
        "scan",
        "sector",
        "sectors",
        "serialisation",
        "simt",
        "skewing",
        "sm",
        "spill",
        "spilled",
        "spills",
        "stage",
        "staged",
        "staging",
        "stages",
        "strided",
        "stride",
        "tflop",
        "thread",
        "threads",
        "tile",
        "tiles",
        "traffic",
        "transaction",
        "transactions",
        "transfer",
        "transfers",
        "uncoalesced",
        "unroll",
        "unrolled",
        "vectorised",
        "warp",
        "warps",
        "wave",
        "waves",
        "wavefront",
    ]
)
SAMPLES = ("heat2d.c", "matrix.c", "particles.c", "cuda/convolution.c", "cuda/transpose.c", "cuda/nbody.c")


def shown_texts() -> list[str]:
    """What hovers, lenses, hints and messages say of the examples, and the rules' pages."""
    found = [rule.page for rule in RULES]
    for name in SAMPLES:
        source = re.sub(r"^#include.*", "", (ROOT / "examples" / name).read_text(), flags=re.MULTILINE)
        code = re.sub(r"/\*.*?\*/|//[^\n]*", lambda c: re.sub(r"[^\n]", " ", c.group()), source, flags=re.DOTALL)
        preprocessed = Preprocessed(f'# 1 "f.c"\n{code}\n', "f.c")
        report = analyse(source, preprocessed, load_gpu("a100"), load_cpu("server"), AnalysisOptions(), Memo())
        for nest in (nest for function in report.functions for nest in function.nests):
            assert nest.evaluation is not None
            found += [finding.message for finding in nest.findings]
            found += [lens_text(nest.evaluation), *(hint.tooltip for hint in loop_hints(nest.evaluation))]
            cards = [loop_card(nest.evaluation, loop.id, lambda _: 1) for loop in loops_of(nest.evaluation.facts.nest)]
            cards += [card for node, _ in nest.spans.nodes if (card := node_card(nest.evaluation, node))]
            found += map(as_markdown, cards)
    return found


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return shown_texts()


def test_every_word_of_the_field_that_texts_use_is_explained(texts: list[str]) -> None:
    plain = " ".join(re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL) for text in texts)
    used = {word.casefold() for word in re.findall(r"(?<![\w-])[A-Za-z]\w*", plain)} & FIELD
    assert len(used) > 50
    explained = {word for term in terms() for form in (term.name, *term.forms) for word in form.casefold().split()}
    assert used - explained == set()


def test_links_lead_to_the_terms_and_leave_the_text(texts: list[str]) -> None:
    count = 0
    for text in texts:
        linked = glossary_links(text)
        links = re.findall(r"\[([^\[\]]*)\]\((file:[^)]*glossary\.md#L(\d+))\)", linked)
        assert len({line for _, _, line in links}) == len(links)  # each term once
        for word, uri, line in links:
            term = find_term(word)
            assert term is not None, (word, text)
            assert (uri, int(line)) == (page_uri(term), term.line)
        assert re.sub(r"\[([^\[\]]*)\]\(file:[^)]*glossary\.md#L\d+\)", r"\1", linked) == text
        count += len(links)
    assert count > 100


@pytest.mark.parametrize(
    "text",
    [
        "`warp` and ```\nwarp\n```",
        "[warp](https://x/warp)",
        "![warp](data:warp)",
        "# warp",
        "**GPU 3x cold, block 32x8**",
        "warp-wide, awarp, warp_size, sm, a/block",
        "the polyhedral model",
    ],
)
def test_code_links_headings_and_other_words_are_left(text: str) -> None:
    assert glossary_links(text) == text


def test_the_longest_form_is_linked_whatever_its_case_and_once() -> None:
    name = partial(glossary_links, target=lambda term: f"#{term.anchor}")
    assert (
        name("Bank conflicts of warps, bank conflicts")
        == "[Bank conflicts](#bank-conflict) of [warps](#warp), bank conflicts"
    )
    assert name("| block | an SM |") == "| [block](#block) | an [SM](#sm) |"


def test_terms_are_sorted_short_and_explained_without_circles() -> None:
    names = [term.name for term in terms()]
    assert names == sorted(names, key=str.lower)
    by_form = [{form.casefold() for form in (term.name, *term.forms)} for term in terms()]
    assert len(set.union(*by_form)) == sum(map(len, by_form))  # no form means two things
    page = (ROOT / "docs" / "glossary.md").read_text().splitlines()
    for term in terms():
        assert page[term.line - 1] == f"## {term.name}"
        assert 40 < len(term.meaning) < 420


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_links_of_rule_pages_have_their_headings(rule) -> None:
    anchors = re.findall(r"\(\.\./glossary\.md#([\w-]+)\)", linked_page(rule.code))
    assert anchors
    assert set(anchors) <= {term.anchor for term in terms()}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["occupancy"], 0, "How many warps"),
        (["Bank", "conflicts"], 0, "# bank conflict"),
        (["WL201"], 0, "## What"),
        (["WL999"], 2, "there is no rule WL999"),
        (["ocupancy"], 2, "did you mean occupancy?"),
    ],
)
def test_explain_knows_words_and_rules(capsys, words: list[str], code: int, said: str) -> None:
    assert main(["explain", *words]) == code
    captured = capsys.readouterr()
    assert said in captured.out + captured.err
