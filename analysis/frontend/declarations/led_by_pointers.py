"""What a file does by pointers, told from its text: calls of functions, and values of its variables."""

from __future__ import annotations

import re
from collections.abc import Collection

from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.frontend.declarations.declarators import KEYWORDS
from warplens.analysis.frontend.declarations.declared_names import IDENTIFIER
from warplens.analysis.frontend.declarations.function_text import FunctionText
from warplens.analysis.frontend.declarations.read_file import ReadFile

_POINTER = re.compile(r"\*\s*(?:(?:const|restrict|volatile)\s+)*([^\W\d]\w*)\s*[,;=\[)]")
_CALL_OF_A_VALUE = re.compile(r"(?:[\])]|->\s*\w+|\.\s*\w+)\s*\(")
_LONGEST_TABLE = 100_000
"""Characters of an initialiser in which functions are looked for."""


def handed_out(file: ReadFile, functions: Collection[str]) -> frozenset[str]:
    """Those of a file's functions that it names elsewhere than where it calls them."""
    found: set[str] = set()
    for one in file.functions.values():
        found |= one.plain
    for chunk in file.chunks:
        if chunk.kind == "declaration" and chunk.initialiser >= 0:
            end = min(chunk.end, chunk.initialiser + _LONGEST_TABLE)
            found.update(IDENTIFIER.findall(file.text, chunk.initialiser, end))
    return frozenset(found.intersection(functions))


def calling_pointers(file: ReadFile, functions: Collection[str]) -> frozenset[str]:
    """Functions that may call what a pointer leads to."""
    return frozenset(one.name for one in file.functions.values() if _calls_a_value(one, functions))


def _calls_a_value(function: FunctionText, functions: Collection[str]) -> bool:
    if function.body >= 0 and _CALL_OF_A_VALUE.search(function.text, function.body):
        return True
    others = function.called - KEYWORDS - frozenset(functions)
    return any(library_call(name) is None and math_function(name) is None for name in others)


def setting_pointers(file: ReadFile) -> frozenset[str]:
    """Functions that may set pointer variables of the file."""
    pointers = {
        name
        for chunk in file.chunks
        if chunk.kind == "declaration"
        for name in _POINTER.findall(file.text, chunk.start, chunk.initialiser + 1 or chunk.end)
    }
    return frozenset(one.name for one in file.functions.values() if not pointers.isdisjoint(one.assigned))
