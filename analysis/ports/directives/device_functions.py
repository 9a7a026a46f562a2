"""Functions that kernels or teams of threads of a file call: none of their loops is one thread's to start as a kernel.

Source: OpenMP 5.0, 2.12.5 (no `target` inside of a target region); OpenACC 3.1, 2.15.1 (no compute construct in a
routine).
"""

from __future__ import annotations

import re
from itertools import islice

from warplens.analysis.ports.directives.called_functions import called_in, reached
from warplens.analysis.ports.directives.surroundings import directive_statements, is_kernel
from warplens.analysis.text.loop_places import find_places

_TEAM = re.compile(r"omp (?:parallel|for|task|taskloop|sections?|distribute|teams)\b")
_MARKED = re.compile(r"#[ \t]*pragma[ \t]+acc[ \t]+routine\b[^\n]*\Z")


def why_not_one_thread(source: str, function: str) -> str:
    """Clause in the source's terms, empty where no kernel and no parallel region of the file leads to the function.

    No part of an offer, which may not depend on what other functions hold.
    """
    if "pragma" not in source and "_Pragma" not in source:
        return ""
    called: set[str] = set()
    by_threads: set[str] = set()
    for place in find_places(source).functions:
        if _MARKED.search(source[: place.whole.start].rstrip()):
            called.update(islice(called_in(source, place.whole), 1))
        for directive, below in directive_statements(source, place.whole):
            if is_kernel(directive):
                called.update(called_in(source, below))
            elif _TEAM.match(directive):
                by_threads.update(called_in(source, below))
    if function in reached(source, called):
        return f"a kernel of this file calls `{function}`, and no other kernel starts on the device"
    if function in reached(source, by_threads):
        return f"threads of a parallel region of this file call `{function}`: each would start kernels and map its data"
    return ""
