"""Loops whose variable is of a type that directives count with badly: compilers fail on `_Bool` and `enum`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import LoopNest, loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import Scalar
from warplens.analysis.text.file_text import KEPT_TEXTS, code_of
from warplens.analysis.text.tokens import without_comments_and_directives

_ENUMERATION = re.compile(r"\btypedef\s+enum\b[^;]*\b([A-Za-z_]\w*)\s*;")


def why_not_counted(nest: LoopNest, loops: Iterable[NodeId], function: str, source: str) -> str:
    """Reason in the source's terms, empty if there is none; `function` is the text of the one around the loops."""
    types = {scalar.name: scalar.type for scalar in nest.scalars}
    wanted = set(loops)
    for loop in loops_of(nest):
        name = c_name(loop.iterator)
        ctype = types.get(loop.iterator)
        if loop.id not in wanted:
            continue
        if isinstance(ctype, Scalar) and ctype.name in {"_Bool", "bool"}:
            return f"the loop over `{name}` counts with a truth value: make `{name}` an `int`"
        if _is_enumeration(name, function, source):
            return f"the loop over `{name}` counts with an enumeration: make `{name}` an `int`"
    return ""


def _is_enumeration(name: str, function: str, source: str) -> bool:
    if re.search(rf"\benum\b[^;(){{}}]*\b{name}\b", without_comments_and_directives(function)):
        return True
    declared = re.findall(rf"\b([A-Za-z_]\w*)\s+(?:\w+\s*,\s*)*{name}\s*(?:=[^=]|[;,])", function)
    return not _enumerations(source).isdisjoint(declared)


@lru_cache(KEPT_TEXTS)
def _enumerations(source: str) -> frozenset[str]:
    """Types that are enumerations."""
    return frozenset(_ENUMERATION.findall(code_of(source)))
