"""What is no proof for a restructuring fix: a promise of a comment, or dependences that are too many to look for."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from support.fix_fixtures.contexts import contexts
from warplens.analysis.dependence.transforms.legality import Legality
from warplens.analysis.engine.report import Report
from warplens.analysis.facts.promises import promise_assumption
from warplens.analysis.ir.promises.private import Private
from warplens.analysis.ports.fix import AS_PREDICTED, OfferedFix
from warplens.analysis.ports.restructure import interchange_fix, split_fix
from warplens.analysis.ports.restructure.proof import MOST_PAIRS, TOO_LARGE, unproved

NEST = """double y[999], A[999][999], x[999];
double work(int n, int m)
{{
    double u = 0;
    for (int k = 0; k < n; k++) {{
        for (int i = 0; i < m; i++) {{
            {body}
        }}
    }}
    return 0;
}}
"""


def _interchange(source: str, analyse_c: Callable[..., Report]) -> OfferedFix:
    (context,) = contexts(source, analyse_c(source))
    context = context.in_source_order
    (offer,) = interchange_fix.offer(context)
    assert interchange_fix.edit(context, offer, AS_PREDICTED).refusal == offer.refusal
    return offer


@pytest.mark.parametrize(("statements", "is_too_large"), [(2, False), (40, True)])
def test_many_accesses_are_not_compared_while_an_editor_waits(statements: int, is_too_large: bool, analyse_c) -> None:
    assert (statements * (statements + 1) // 2 > MOST_PAIRS) == is_too_large
    source = NEST.format(body="y[i] += A[k][i] * x[k]; " * statements)
    assert _interchange(source, analyse_c).refusal == (TOO_LARGE if is_too_large else "")


def test_what_a_comment_promises_is_no_proof(analyse_c) -> None:
    source = NEST.format(body="u = x[i]; y[i] += u * A[k][i];")
    (context,) = contexts(source, analyse_c(source))
    facts = context.evaluation.facts
    copied = Legality(is_legal=True, private=("u",))
    assert not unproved(facts, copied)
    said = promise_assumption(Private("u"))
    promised = replace(facts, verdicts=tuple(replace(verdict, assumptions=(said,)) for verdict in facts.verdicts))
    assert unproved(promised, copied) == "that each iteration has a `u` of its own is promised by a comment, not proved"


def test_a_large_carried_loop_is_not_split(analyse_c) -> None:
    for statements in (1, 40):
        body = "x[i] = A[k][i]; " + "y[i] += y[i - 1] * A[k][i]; " * statements
        source = NEST.format(body=body).replace("int i = 0", "int i = 1")
        source = source.replace("    for (int k = 0; k < n; k++) {\n", "    {\n        int k = n;\n")
        (context,) = contexts(source, analyse_c(source))
        assert bool(tuple(split_fix._candidates(context))) == (statements == 1)
