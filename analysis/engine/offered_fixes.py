"""What the catalogue of fixes offers for a nest, asked again only when something changed that an offer may look at."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.same_object import SameObject
from warplens.analysis.ir.too_complex import TooLargeError
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.ports.catalogue import FIXES
from warplens.analysis.ports.fix import FixContext, FixRule, OfferedFix
from warplens.analysis.text.span import Span

# Fixes look for them in all of the file.
_DIRECTIVE = r"[ \t]*#(?:\\\r?\n|[^\n])*"
_DIRECTIVES = re.compile(rf"^{_DIRECTIVE}$", re.MULTILINE)
_FOR_ALL = re.compile(rf"^(?:{_DIRECTIVE}|[^\n]*\b(?:_Pragma|omp_|acc_)[^\n]*)$", re.MULTILINE)
_CALLS = ("_Pragma", "omp_", "acc_")
"""Without any of them only directives are meant for all of a file, which are found ten times as fast."""


def offered_fixes(context: FixContext, outside: str, memo: Memo) -> tuple[OfferedFix, ...]:
    """Every offer for a nest, refused ones too, in the order of the catalogue.

    `outside` is what stands outside of all functions. An offer depends on that and on its own function, so that an
    edit in another one is no reason to ask again.
    """
    function, base = context.function_span, context.spans.base
    calls_others = bool(context.evaluation.facts.nest.inlined)
    key = (
        SameObject(context.evaluation),
        replace(context.spans, base=0),
        function.start - base,
        context.source[function.start : function.end],
        context.source[context.source.rfind("\n", 0, function.start) + 1 : function.start],
        outside,
        context.file_name,
        context.id,
        context.is_only_nest,
        context.source[: function.start] if calls_others else "",
    )
    return memo.get("fixes", key, lambda: tuple(offer for rule in FIXES for offer in _offers_of(rule, context)))


def outside_of_functions(source: str, functions: Sequence[Span]) -> str:
    """The source without its function definitions, which are given in source order.

    Of those there are the lines that may be meant for all of the file: the preprocessor's, and calls of OpenMP and
    OpenACC.
    """
    ends = (0, *(span.end for span in functions))
    starts = (*(span.start for span in functions), len(source))
    outside = [source[end:start] for end, start in zip(ends, starts, strict=True)]
    for_all = _FOR_ALL if any(call in source for call in _CALLS) else _DIRECTIVES
    return "\n".join((*outside, *for_all.findall(source)))


def mended_findings(fixes: Sequence[OfferedFix]) -> frozenset[str]:
    """Codes of the findings that a fix can mend here."""
    return frozenset(code for fix in fixes if not fix.refusal for code in fix.findings)


def _offers_of(rule: FixRule, context: FixContext) -> tuple[OfferedFix, ...]:
    """A defect of one rule costs its own offers, and says so. A gain is none where the numbers have no ground."""
    try:
        offers = rule.offer(context)
        if grounds_of(context.evaluation).carry_numbers:
            return offers
        return tuple(replace(offer, gain=None) for offer in offers)
    except TooLargeError as error:
        said = f"an expression of this loop grows to {error}"
    except Exception as defect:  # noqa: BLE001 - the border where any defect becomes a shown refusal of one fix
        said = f"internal error ({type(defect).__name__}: {defect}); please report it"
    root = context.evaluation.facts.nest.root.id
    return (OfferedFix(rule.code, f"Quick fix `{rule.code}`", root, refusal=said),)
