"""Sums of truth values that may start as another number: a reduction with `&&` or `||` makes it 0 or 1 in any case."""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.types import Scalar
from warplens.analysis.ports.directives.shared_updates import PlannedReduction
from warplens.analysis.text.file_text import code_of
from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import tokenise

_VALUES = frozenset(("0", "1", "true", "false"))
_ENDS = frozenset((";", ",", ")"))


def why_no_truth_value(
    nest: LoopNest, reductions: Iterable[PlannedReduction], whole: Span, function: Span, source: str
) -> str:
    """Reason in the source's terms, empty where the function sets what is combined to 0 or 1 and nothing else."""
    scalars = {scalar.name: scalar for scalar in nest.scalars}
    for reduction in reductions:
        scalar = scalars.get(reduction.variable)
        if reduction.operator not in {"&&", "||"}:
            continue
        combined = nest.array(reduction.variable).element if scalar is None else scalar.type
        if isinstance(combined, Scalar) and combined.name in {"_Bool", "bool"}:
            continue
        if (
            scalar is None
            or scalar.scope not in {"local", "body"}
            or not _is_set_to_truth(reduction.text, whole, function, source)
        ):
            return (
                f"`{reduction.text}` may be neither 0 nor 1 before the loop, and `{reduction.operator}` makes it one "
                "of them even where there is no iteration"
            )
    return ""


def _is_set_to_truth(name: str, whole: Span, function: Span, source: str) -> bool:
    tokens = tokenise(code_of(source), function.start, function.end)
    texts = tokens.texts
    is_set = False
    for at, word in enumerate(texts):
        if word != name or whole.start <= tokens.starts[at] < whole.end or texts[at - 1] in {".", "->"}:
            continue
        following = texts[at + 1 : at + 4]
        if following[:1] == ("=",) and following[1] in _VALUES and following[2] in _ENDS:
            is_set = True
        elif texts[at - 1] in {"&", "++", "--"} or (following[0] in {"++", "--"}) or _is_assignment(following[0]):
            return False
    return is_set


def _is_assignment(operator: str) -> bool:
    return operator.endswith("=") and operator not in {"==", "!=", "<=", ">="}
