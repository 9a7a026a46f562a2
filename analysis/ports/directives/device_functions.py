"""Functions that kernels or teams of threads of a file call: none of their loops is one thread's to start as a kernel.

Source: OpenMP 5.0, 2.12.5 (no `target` inside of a target region); OpenACC 3.1, 2.15.1 (no compute construct in a
routine).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from warplens.analysis.ports.directives.surroundings import directive_statements, is_kernel
from warplens.analysis.text.file_text import code_of
from warplens.analysis.text.loop_places import find_places

_NAME = re.compile(r"([A-Za-z_]\w*)\s*\(")
_TEAM = re.compile(r"omp (?:parallel|for|task|taskloop|sections?|distribute|teams)\b")
_MARKED = re.compile(r"#[ \t]*pragma[ \t]+acc[ \t]+routine\b[^\n]*\Z")


def why_not_one_thread(source: str, function: str) -> str:
    """Clause in the source's terms, empty where no kernel and no parallel region of the file leads to the function.

    No part of an offer, which may not depend on what other functions hold.
    """
    code = code_of(source)
    bodies: dict[str, str] = {}
    called: set[str] = set()
    by_threads: set[str] = set()
    for place in find_places(source).functions:
        text = code[place.whole.start : place.whole.end]
        names = _NAME.findall(text.partition("{")[0])
        if not names:
            continue
        bodies[names[0]] = text.partition("{")[2]
        if _MARKED.search(source[: place.whole.start].rstrip()):
            called.add(names[0])
        for directive, below in directive_statements(source, place.whole):
            if is_kernel(directive):
                called |= set(_NAME.findall(code[below.start : below.end]))
            elif _TEAM.match(directive):
                by_threads |= set(_NAME.findall(code[below.start : below.end]))
    if function in _reached(called, bodies):
        return f"a kernel of this file calls `{function}`, and no other kernel starts on the device"
    if function in _reached(by_threads, bodies):
        return f"threads of a parallel region of this file call `{function}`: each would start kernels and map its data"
    return ""


def _reached(called: set[str], bodies: Mapping[str, str]) -> set[str]:
    """Functions of the file that these calls lead to."""
    found = called & bodies.keys()
    todo = list(found)
    while todo:
        new = (set(_NAME.findall(bodies[todo.pop()])) & bodies.keys()) - found
        found |= new
        todo += new
    return found
