"""What is shown of a loop with a directive: on whose word it is parallel, and in which line that stands."""

from __future__ import annotations

from functools import partial

import pytest
from warplens.analysis.engine.report import NestReport
from warplens.server.json.loop import loop_as_json
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import line_in
from warplens.server.render.loop_card import loop_card
from warplens.server.render.loop_reasons import verdict_sentences

BY_TABLE = """
void by_table(int n, const int *slot, double *acc, const double *in)
{
    double t = 0;

    #pragma acc parallel loop independent
    // the slots are all different
    for (int i = 0; i < n; i++)
        acc[slot[i]] = 2.0 * in[i];
}
"""
IN_TURN = """
void listed(int n, double *out, const double *in)
{
    int count = 0;
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (in[i] > 0) {
            #pragma omp critical
            out[count++] = in[i];
        }
    out[n] = count;
}
"""


def nest_of(analyse_c, source: str) -> NestReport:
    (nest,) = analyse_c(source).functions[0].nests
    assert nest.evaluation is not None
    return nest


def sentences(analyse_c, source: str) -> tuple[str, ...]:
    nest = nest_of(analyse_c, source)
    facts = nest.evaluation.facts
    line_of = partial(line_in, Lines(source), nest.spans)
    card = loop_card(nest.evaluation, facts.nest.root.id, line_of)
    assert card.sections[0].items == verdict_sentences(facts.nest, facts.verdicts[0], line_of)
    return tuple(item for section in card.sections for item in section.items)


def test_word_of_the_directive_is_shown_with_its_line(analyse_c) -> None:
    said = sentences(analyse_c, BY_TABLE)
    assert said[0] == "Yes, on the word of the directive in line 6: `acc parallel loop`."
    assert any(item.startswith("The iterations of the loop over `i` are assumed") for item in said[1:])
    moved = sentences(analyse_c, f"\n\n{BY_TABLE}")
    assert moved[0] == "Yes, on the word of the directive in line 8: `acc parallel loop`."


def test_word_of_the_directive_is_in_json(analyse_c) -> None:
    nest = nest_of(analyse_c, BY_TABLE)
    loop = loop_as_json(Lines(BY_TABLE), nest.spans, nest.evaluation, nest.evaluation.facts.nest.root)
    assert loop["word"] == {"line": 6, "column": 5}
    assert [a["origin"] for a in loop["assumptions"] if a["kind"] == "promise"] == ["directive"]


def test_what_iterations_share_is_named(analyse_c) -> None:
    said = sentences(analyse_c, IN_TURN)
    assert said[0].startswith("Yes, on the word of the directive in line 5: `omp parallel for`. The iterations share")
    assert "(line 9)" in said[0]


@pytest.mark.parametrize("kind", ["openmp", "openacc", "cuda"])
def test_no_port_is_written_of_what_iterations_share(analyse_c, kind: str) -> None:
    refusals = {fix.code: fix.refusal for fix in nest_of(analyse_c, IN_TURN).fixes}
    assert refusals[kind]
