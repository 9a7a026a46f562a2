"""Functions of a file that kernels of the file call: their loops run on the device, where no other kernel starts.

Source: OpenMP 5.0, 2.12.5 (no `target` inside of a target region); OpenACC 3.1, 2.15.1 (no compute construct in a
routine).
"""

from __future__ import annotations

import re

from warplens.analysis.ports.directives.surroundings import directive_statements, is_kernel
from warplens.analysis.text.file_text import code_of
from warplens.analysis.text.loop_places import find_places

_NAME = re.compile(r"([A-Za-z_]\w*)\s*\(")
_MARKED = re.compile(r"#[ \t]*pragma[ \t]+acc[ \t]+routine\b[^\n]*\Z")


def why_on_device(source: str, function: str) -> str:
    """Clause in the source's terms, empty where no kernel of the file leads to the function.

    No part of an offer, which may not depend on what other functions hold.
    """
    code = code_of(source)
    bodies: dict[str, str] = {}
    called: set[str] = set()
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
    todo = list(called & bodies.keys())
    while todo:
        new = (set(_NAME.findall(bodies[todo.pop()])) & bodies.keys()) - called
        called |= new
        todo += new
    is_called = function in called
    return f"a kernel of this file calls `{function}`, and no other kernel starts on the device" if is_called else ""
