"""Functions that a kernel calls: OpenACC compiles for the device what a `routine` directive says, and nothing else.

Source: OpenACC 3.1, 2.15.1 (routine): above the definition, and before any use of the function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from warplens.analysis.ports.directives.offload_plan import OffloadRefusedError
from warplens.analysis.text.file_text import code_of
from warplens.analysis.text.loop_places import find_places

TEXT = "#pragma acc routine seq"
_IS_ROUTINE = re.compile(r"#[ \t]*pragma[ \t]+acc[ \t]+routine\b[^\n]*\Z")


def definitions_to_mark(functions: Sequence[str], source: str, before: int) -> Iterator[int]:
    """Offsets of the definitions that want a `routine` above them, in source order.

    Raises OffloadRefusedError: one is not in the source above the kernel, or is used above its definition.
    """
    if not functions:
        return
    plain = code_of(source)
    places = [place.whole for place in find_places(source).functions]
    found: list[int] = []
    for name in functions:
        mentions = [match.start() for match in re.finditer(rf"\b{re.escape(name)}\b", plain)]
        whole = next(
            (w for w in places if re.search(rf"\b{re.escape(name)}\s*\(", plain[w.start : w.end].partition("{")[0])),
            None,
        )
        if whole is None or whole.start > before:
            raise OffloadRefusedError(f"`{name}` is not defined above the loop: `{TEXT}` has to be put above it there")
        if _IS_ROUTINE.search(source[: whole.start].rstrip()):
            continue
        if mentions[0] < whole.start:
            raise OffloadRefusedError(f"`{name}` is declared above its definition: put `{TEXT}` above the declaration")
        found.append(whole.start)
    yield from sorted(found)
