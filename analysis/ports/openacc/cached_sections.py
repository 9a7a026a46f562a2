"""What `acc cache` names: the elements that one iteration reads of the arrays that a block should stage.

Source: OpenACC 3.1, 2.10 (cache): a lower bound is the loop's variable plus or minus what doesn't change, a length is
constant; the directive stands at the top of the loop's body.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, LoopNest, NestSpans
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.offload_plan import PlannedKernel
from warplens.analysis.ports.sections.touched_elements import TouchedElement, touched_elements
from warplens.analysis.text.tokens import without_comments_and_directives
from warplens.analysis.workload.accesses.sites import access_sites

_MOST_SECTIONS = 8
"""Sections in one directive that anyone would read."""


@dataclass(frozen=True, slots=True)
class CachedSections:
    """A directive inside a loop: `at` is the offset in the source of what it stands above."""

    loop: NodeId
    at: int
    sections: tuple[str, ...]


def cached_sections(
    nest: LoopNest, kernel: PlannedKernel, arrays: Sequence[str], spans: NestSpans, source: str
) -> Iterator[CachedSections]:
    """Directives for the arrays, by the innermost loop around their reads.

    Left out: subscripts that are no sum of iterators and constants, reads that a condition guards, loops without
    braces, code from macros.
    """
    by_loop: dict[NodeId, list[str]] = {}
    sites = (s for s in access_sites(nest) if any(loop.id == kernel.root for loop in s.loops))
    written = {site.access.array for site in sites if site.is_write}
    touched = [e for e in touched_elements(nest) if any(loop.id == kernel.root for loop in e.loops)]
    for name in arrays:
        elements = [element for element in touched if element.access.array == name]
        loops = {element.loops[-1].id for element in elements}
        if len(loops) != 1 or name in written or any(e.guards or e.is_uncertain for e in elements):
            continue
        sections = _sections(nest.array(name), elements)
        if sections:
            by_loop.setdefault(loops.pop(), []).extend(sections)
    for loop, sections in by_loop.items():
        at = _top_of_body(loop, spans, source)
        if at is not None and len(sections) <= _MOST_SECTIONS:
            yield CachedSections(loop, at, tuple(sections))


def _sections(array: ArrayObject, elements: Sequence[TouchedElement]) -> list[str]:
    """Sections that hold all the elements, empty where they can't be said."""
    names = {loop.iterator for loop in elements[0].loops}
    found: list[tuple[Polynomial, ...]] = []
    for element in elements:
        access = element.access
        if access.member or access.element_bytes != array.element_bytes:
            return []
        indices = access.indices if len(array.extents) == len(access.indices) else (access.linear_index,)
        if any(index is None or not _is_plain(index, names) for index in indices):
            return []
        found.append(tuple(index for index in indices if index is not None))
    if len({len(indices) for indices in found}) != 1 or len(found[0]) != len(array.extents):
        return []
    name = c_name(array.name)
    return [
        name + "".join(_range_text(low, length) for low, length in row) for box in _boxes(found) for row in _rows(box)
    ]


def _rows(box: Sequence[tuple[Polynomial, int]]) -> Iterator[list[tuple[Polynomial, int]]]:
    """The rows of a box, of which each is contiguous in memory, as a section has to be (OpenACC 3.1, 2.7.1)."""
    *outer, last = box
    for starts in islice(product(*([low + at for at in range(length)] for low, length in outer)), _MOST_SECTIONS + 1):
        yield [*((start, 1) for start in starts), last]


def _boxes(found: Sequence[tuple[Polynomial, ...]]) -> list[list[tuple[Polynomial, int]]]:
    """Least and number of indices in each dimension, for elements whose distances are constant.

    Rows of an array in one dimension (`a[i*n + j]`, `a[(i - 1)*n + j]`) are boxes of their own.
    """
    groups: list[list[tuple[Polynomial, ...]]] = []
    for indices in dict.fromkeys(found):
        group = next((g for g in groups if all((a - b).is_constant for a, b in zip(g[0], indices, strict=True))), None)
        if group is None:
            groups.append([indices])
        else:
            group.append(indices)
    boxes: list[list[tuple[Polynomial, int]]] = []
    for group in groups:
        box = []
        for dimension in zip(*group, strict=True):
            distances = [(index - dimension[0]).constant_term for index in dimension]
            box.append((dimension[0] + min(distances), max(distances) - min(distances) + 1))
        boxes.append(box)
    return boxes


def _is_plain(index: Polynomial, iterators: set[str]) -> bool:
    """Whether C text of the index can stand in the loop: names that are what they are in the source."""
    return all(name.isidentifier() for name in index.symbols) and bool(index.symbols & iterators)


def _range_text(low: Polynomial, length: int) -> str:
    text = "".join(str(low).split())
    return f"[{text}]" if length == 1 else f"[{text}:{length}]"


def _top_of_body(loop: NodeId, spans: NestSpans, source: str) -> int | None:
    """Offset of what comes first in the braces of a loop's body; None where nothing can be put above it."""
    header = dict(spans.header).get(loop)
    whole = dict(spans.whole).get(loop)
    if header is None or whole is None or loop in spans.in_macro:
        return None
    end = header.shifted(spans.base).end
    rest = without_comments_and_directives(source[end : whole.shifted(spans.base).end])
    after = rest.lstrip()
    if not after.startswith("{"):
        return None
    first = end + rest.index("{") + 1
    body = source[first : whole.shifted(spans.base).end]
    at = first + len(body) - len(body.lstrip())
    return None if source[at] in "#}" else at
