"""Loops whose variable is of a type that directives count with badly: compilers fail on `_Bool` and `enum`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import LoopNest, loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import Scalar
from warplens.analysis.text.tokens import without_comments_and_directives


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
    text = without_comments_and_directives(source)
    if re.search(rf"\benum\b[^;(){{}}]*\b{name}\b", without_comments_and_directives(function)):
        return True
    declared = re.findall(rf"\b([A-Za-z_]\w*)\s+(?:\w+\s*,\s*)*{name}\s*(?:=[^=]|[;,])", function)
    return any(re.search(rf"\btypedef\s+enum\b[^;]*\b{kind}\s*;", text) for kind in declared)
