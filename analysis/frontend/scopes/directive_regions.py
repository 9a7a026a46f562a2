"""Directives of OpenMP and OpenACC as the front end meets them, and what those around a loop say of its iterations.

Source: OpenMP 5.2, 2.11.8 (loop constructs), 5.1 (data-sharing attributes), 10.3 (simd), 11 (work sharing), 12.6
(taskloop); OpenACC 3.3, 2.5 (compute constructs), 2.9 (loop). Not modelled: threads that differ by `if` and
`num_threads`, beyond a constant that leaves one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pycparser import c_ast
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.loop_directive import LoopDirective, Sharing
from warplens.analysis.text.directive_text import Clause, ExistingDirective, read_directive

_SENTINEL = re.compile(r"#\s*pragma\s+(omp|acc)\b\s*(\w*)")
_ALONE = re.compile(r"\s+(?:target\s+)?(?:enter|exit|update)\b")
"""Directives that stand for themselves, above whatever statement."""
_NUMBER = re.compile(r"\d+\Z")

_OPENMP = frozenset(
    ["target", "teams", "distribute", "parallel", "for", "simd", "loop", "taskloop", "master", "masked", "data"]
)
_OPENACC = frozenset(["parallel", "kernels", "serial", "loop", "data", "host_data"])
_OF_LOOPS = frozenset(("for", "simd", "distribute", "loop", "taskloop"))
_TRANSPARENT = frozenset(("target", "data", "teams", "host_data"))
"""Words of regions that leave it to those around them which threads run a loop and what they share."""

_PRIVATE = frozenset(("private", "firstprivate", "lastprivate", "linear"))
_COMBINING = frozenset(("reduction", "in_reduction", "task_reduction"))

_FOLLOWED = _PRIVATE | _COMBINING | frozenset((
    "shared", "default", "copyin", "collapse", "schedule", "nowait", "num_threads", "proc_bind", "if", "order", "bind",
    "safelen", "simdlen", "aligned", "nontemporal", "allocate", "map", "defaultmap", "device", "depend", "num_teams",
    "thread_limit", "dist_schedule", "is_device_ptr", "has_device_addr", "use_device_ptr", "use_device_addr",
    "uses_allocators", "grainsize", "num_tasks", "priority", "untied", "mergeable", "nogroup", "final",
    "gang", "worker", "vector", "num_gangs", "num_workers", "vector_length", "async", "wait", "copy", "copyout",
    "create", "present", "deviceptr", "attach", "no_create", "self", "independent", "tile", "pcopy", "pcopyin",
    "pcopyout", "pcreate", "present_or_copy", "present_or_copyin", "present_or_copyout", "present_or_create",
))  # fmt: skip
"""Clauses whose meaning for what iterations share is known; another word is a macro, or says what is not followed."""

_FREE = frozenset((
    "target", "teams", "distribute", "parallel", "for", "simd", "loop", "taskloop", "data", "kernels", "serial",
    "host_data", "enter", "exit", "update", "declare", "cache", "wait", "routine", "init", "set", "nothing", "assume",
    "threadprivate",
))  # fmt: skip
"""First words of directives that leave it to others which threads run the statement below, and when."""

Resolve = Callable[[str], Symbol | None]


@dataclass(frozen=True, slots=True)
class Region:
    """A directive (`pragma`) and the statement below it.

    `word` is its first word, `directive` None where it can't be read. `depth` counts the scopes around it; `own` are
    variables of which its threads or iterations have their own, `reduced` those that they combine; `is_clear` says that
    all its clauses about variables are understood.
    """

    pragma: c_ast.Node
    language: str
    word: str
    directive: ExistingDirective | None
    depth: int
    own: frozenset[str] = frozenset()
    reduced: tuple[tuple[str, str], ...] = ()
    is_clear: bool = False

    @property
    def words(self) -> frozenset[str]:
        """The construct's words."""
        return frozenset(() if self.directive is None else self.directive.words)

    @property
    def is_of_loop(self) -> bool:
        """Whether it distributes the iterations of the loop below it."""
        return not self.words.isdisjoint(_OF_LOOPS)

    @property
    def is_exclusive(self) -> bool:
        """Whether it says which threads run the statement below it, and when."""
        return self.word not in _FREE

    @property
    def joined_loops(self) -> int:
        """How many loops in each other it is about."""
        clauses = () if self.directive is None else self.directive.clauses
        counts = (len(c.items) if c.name == "tile" else _number(c) for c in clauses if c.name in {"collapse", "tile"})
        return max(1, *counts, 1)


def pragma_text(node: c_ast.Node) -> str:
    """A pragma in one line as the source has it, whether a line or the operator `_Pragma` says it."""
    said = node.string
    text = said if isinstance(said, str) else literal_text(said.value)
    return f"#pragma {text}".rstrip()


def literal_text(literal: str) -> str:
    """What a literal of one string holds.

    >>> literal_text('L"omp for"')
    'omp for'
    """
    return literal.partition('"')[2].rpartition('"')[0].replace('\\"', '"').replace("\\\\", "\\").strip()


def region_of(pragma: c_ast.Node, depth: int, resolve: Resolve) -> Region | None:
    """The region that a pragma opens; None for one of another language, which says nothing here."""
    text = pragma_text(pragma)
    found = _SENTINEL.match(text)
    if found is None or _ALONE.match(text, found.end(1)):
        return None
    language, word = found[1], found[2]
    directive = read_directive(text, found.start(1), len(text), _OPENMP if language == "omp" else _OPENACC)
    if directive is None:
        return Region(pragma, language, word, None, depth)
    own, reduced, is_clear = set[str](), list[tuple[str, str]](), True
    for clause in directive.clauses:
        is_clear &= clause.name in _FOLLOWED and _leaves_threads(clause)
        if clause.name in _PRIVATE | _COMBINING:
            symbols = [resolve(name) for name in clause.variables]
            is_clear &= None not in symbols
            names = [symbol.name for symbol in symbols if symbol is not None]
            if clause.name in _COMBINING:
                reduced += ((name, _operator(clause)) for name in names)
            else:
                own.update(names)
    return Region(pragma, language, word, directive, depth, frozenset(own), tuple(reduced), is_clear)


def directive_of_loop(
    node: NodeId,
    said: Region,
    outside: Sequence[Region],
    scopes: Sequence[Mapping[str, Symbol]],
    of_threads: frozenset[str],
) -> LoopDirective | None:
    """What a directive says of its loop; None where it doesn't say that the iterations are independent.

    `outside` are the regions that hold it, outermost first, `scopes` the names of the function that the loop sees,
    `of_threads` variables of which each thread has one anyway (`threadprivate`, `_Thread_local`).
    """
    found = (_of_openmp if said.language == "omp" else _of_openacc)(node, said, outside, scopes)
    return None if found is None else replace(found, own=found.own | of_threads)


def _of_openmp(
    node: NodeId, said: Region, outside: Sequence[Region], scopes: Sequence[Mapping[str, Symbol]]
) -> LoopDirective | None:
    words, directive = said.words, said.directive
    if directive is None or directive.named("ordered"):
        return None
    is_lanes = words == {"simd"}
    lanes = max((_number(clause) for clause in directive.named("safelen")), default=0) if is_lanes else 0
    is_clear = said.is_clear and (not directive.named("safelen") or not is_lanes or lanes > 0)
    own, reduced, has_region = said.own, said.reduced, False
    if not is_lanes and words.isdisjoint(("parallel", "teams")):
        threads = _binding(outside, ("parallel",) if "for" in words else ("parallel", "teams"))
        is_clear &= threads is not None and threads.is_clear
        if threads is not None:
            own |= _declared(scopes[threads.depth :]) | threads.own
            reduced, has_region = (*reduced, *threads.reduced), True
    sharing: Sharing = "sums" if is_lanes else "memory" if "taskloop" in words else "variables"
    others = (region.words for region in outside if region.language == "omp" and "data" not in region.words)
    around = words.union(*others)
    is_one_team = {"target", "parallel"} <= around and "teams" not in around and "for" in words
    takes = {"reduction", "private"} | ({"lastprivate"} if "loop" not in words else set())
    takes |= {"linear"} if words.isdisjoint(("distribute", "loop", "taskloop")) else set()
    return LoopDirective(
        node, "omp", directive.construct, "lanes" if is_lanes else "threads", own, reduced,
        sharing if is_clear else "unclear", lanes, frozenset(takes), has_region, is_one_team,
    )  # fmt: skip


def _of_openacc(
    node: NodeId, said: Region, outside: Sequence[Region], scopes: Sequence[Mapping[str, Symbol]]
) -> LoopDirective | None:
    directive = said.directive
    if directive is None or directive.named("seq"):
        return None
    region = said if len(said.words) > 1 else _binding(outside, ("parallel", "kernels", "serial"))
    is_parallel = region is None or "parallel" in region.words
    if not directive.named("independent") and (not is_parallel or directive.named("auto")):
        return None
    own, reduced, is_clear = said.own, said.reduced, said.is_clear and region is not None and region.is_clear
    if region is not None and region is not said and not _shares_out_rows(region.directive, directive):
        own |= _declared(scopes[region.depth :]) | region.own
        reduced = (*reduced, *region.reduced)
    return LoopDirective(
        node, "acc", directive.construct, "threads", own, reduced,
        "sums" if is_clear else "unclear", takes=frozenset(("reduction", "private")), has_region=region is not said,
    )  # fmt: skip


def _shares_out_rows(around: ExistingDirective | None, inside: ExistingDirective) -> bool:
    """Whether the lanes or workers of a gang share the loop: they share what each gang has of its own.

    Source: OpenACC 3.3, 2.9.10 (private: one copy for each gang where the loop's body is not vector-partitioned).
    """
    is_of_gangs = around is not None and "loop" in around.words and not around.named("vector", "worker")
    return is_of_gangs and bool(inside.named("vector", "worker"))


def _binding(outside: Sequence[Region], words: Iterable[str]) -> Region | None:
    """The innermost region of these words; None where one between decides who runs the loop, or there is none."""
    for region in reversed(outside):
        if not region.words.isdisjoint(words):
            return region
        if not region.words or not (region.words <= _TRANSPARENT or region.is_of_loop):
            return None
    return None


def _declared(scopes: Iterable[Mapping[str, Symbol]]) -> frozenset[str]:
    """Variables of blocks, but for static ones: those are one for all threads."""
    return frozenset(symbol.name for scope in scopes for symbol in scope.values() if symbol.scope != "global")


def _leaves_threads(clause: Clause) -> bool:
    """Whether a clause leaves several threads, and variables shared that no clause names."""
    argument = clause.argument.rpartition(":")[2].strip() if clause.name == "if" else ", ".join(clause.items)
    if clause.name == "default":
        return argument in {"shared", "none", "present"}
    return not (clause.name in {"if", "num_threads", "self"} and argument in {"0", "1", "false"})


def _operator(clause: Clause) -> str:
    """What it combines with; OpenMP's `-` adds up too, and `inscan, +` is a sum."""
    return clause.modifier.rpartition(",")[2].strip().replace("-", "+")


def _number(clause: Clause) -> int:
    """A constant that a clause holds, 0 where it holds another expression."""
    return int(clause.items[0]) if len(clause.items) == 1 and _NUMBER.match(clause.items[0]) else 0
