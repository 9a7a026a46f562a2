"""One file through our analysis, beside the oracle, as a record. The functions are those that the command line runs."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from accuracy.real_c.match_marks import directive_of, owner_at, pairs
from accuracy.real_c.openmp import Mark, marks
from accuracy.real_c.oracle import Counted, count
from accuracy.real_c.package import Package
from accuracy.real_c.record import FileRecord, LoopRecord, MarkedLoop, OpaqueRecord
from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.analyse_nest import analyse_nest
from warplens.analysis.facts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.unit import LoweredFunction, LoweredNest, TranslationUnit
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import If, Loop, OpaqueStatement, Statement, loops_of, walk_statements
from warplens.analysis.text.line_markers import main_regions, regions
from warplens.server.preprocess.preprocess import preprocess
from warplens.server.source_file import decode

_PREPROCESS_LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Task:
    """A file of a package, and the include folders that were found for it."""

    package: Package
    path: str
    include_dirs: tuple[str, ...]


@dataclass(slots=True)
class _Timed:
    """Where the time of one file went."""

    preprocess_s: float = 0.0
    front_end_s: float = 0.0
    nest_ms: tuple[float, ...] = ()
    dependence_ms: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class _Ours:
    """A loop of ours with a directive, in source order within its function."""

    directive: str
    record: LoopRecord
    inner: tuple[str, ...]


def survey_file(task: Task) -> FileRecord:
    """Analyse the file; the analysis never sees a directive, whatever raises is written down."""
    file = task.package.folder / task.path
    source = decode(file.read_bytes()).text
    timed = _Timed()
    begin = time.perf_counter()
    flags = task.package.flags(task.include_dirs)
    preprocessed = preprocess(file, source, flags, (task.package.folder,), _PREPROCESS_LIMIT_S, trusted=True)
    timed.preprocess_s = time.perf_counter() - begin
    if preprocessed.preprocessor == "warplens" or any("own preprocessor" in note for _, note in preprocessed.notes):
        return FileRecord(task.package.name, task.path, failure="the compiler did not preprocess it")
    counted = count(preprocessed.text, main_regions(preprocessed.text, preprocessed.main_path))
    begin = time.perf_counter()
    try:
        unit = parse_unit(source, preprocessed, Memo())
    except Exception as defect:  # noqa: BLE001 - any defect of the front end is what is measured
        return FileRecord(task.package.name, task.path, failure=f"front end: {type(defect).__name__}: {defect}")
    timed.front_end_s = time.perf_counter() - begin
    return _Survey(task, source, preprocessed.text, preprocessed.main_path, unit, counted, timed).record()


class _Survey:
    def __init__(
        self, task: Task, source: str, text: str, main_path: str, unit: TranslationUnit, counted: Counted,
        timed: _Timed,
    ) -> None:  # fmt: skip
        self._task = task
        self._text = text
        self._main_path = main_path
        self._regions = regions(text)
        self._region_starts = [region.start for region in self._regions]
        self._line_starts = [0, *(at + 1 for at, character in enumerate(source) if character == "\n")]
        self._lines = source.count("\n") + 1
        self._unit = unit
        self._counted = counted
        self._timed = timed
        self._exceptions: list[str] = []
        self._verdicts: list[LoopRecord] = []

    def record(self) -> FileRecord:
        by_function: dict[str, list[_Ours]] = {}
        for function in self._unit.functions:
            by_function.setdefault(function.name, []).extend(self._function(function))
        found_names = [function.name for function in self._unit.functions]
        return FileRecord(
            package=self._task.package.name,
            path=self._task.path,
            lines=self._lines,
            oracle_errors=self._counted.errors,
            functions=len(self._counted.functions),
            functions_found=len(found_names),
            functions_unparsed=len(self._unit.opaque),
            loops=self._counted.loops,
            loops_counted=self._unit.loops_in_text,
            loops_found=self._unit.loops_found,
            verdicts=tuple(self._verdicts),
            marked=tuple(self._marked(by_function)),
            opaque=tuple(self._opaque()),
            exceptions=tuple(self._exceptions),
            preprocess_s=round(self._timed.preprocess_s, 4),
            front_end_s=round(self._timed.front_end_s, 4),
            nest_ms=self._timed.nest_ms,
            dependence_ms=self._timed.dependence_ms,
            lost=tuple(sorted({f.name for f in self._counted.functions} - set(found_names))),
        )

    # ---- our loops

    def _function(self, function: LoweredFunction) -> Iterator[_Ours]:
        for lowered in function.nests:
            verdicts = self._analysed(lowered)
            lines = {node: self._line(span.start + lowered.spans.base) for node, span in lowered.spans.header}
            for loop in loops_of(lowered.nest):
                verdict = verdicts.get(loop.id)
                if verdict is None:
                    continue
                kinds = tuple(sorted({assumption.kind for assumption in verdict.assumptions}))
                place = self._place(lines.get(loop.id, self._line(lowered.spans.base)))
                record = LoopRecord(place, verdict.kind, verdict.reason, kinds)
                self._verdicts.append(record)
                directive = directive_of(loop.pragmas)
                if directive is not None:
                    inner = _collapsed(loop, directive.collapse, verdicts)
                    yield _Ours(directive.text, record, inner)

    def _analysed(self, lowered: LoweredNest) -> dict[NodeId, LoopVerdict]:
        nest = replace(lowered.nest, root=without_pragmas(lowered.nest.root))
        try:
            begin = time.perf_counter()
            facts = analyse_nest(nest)
            middle = time.perf_counter()
            loop_verdicts(facts.nest)
        except Exception as defect:  # noqa: BLE001 - as above
            place = self._place(self._line(lowered.spans.base))
            self._exceptions.append(f"{place} {lowered.id.function}: {type(defect).__name__}: {defect}")
            return {}
        self._timed.nest_ms += (round(1e3 * (middle - begin), 3),)
        self._timed.dependence_ms += (round(1e3 * (time.perf_counter() - middle), 3),)
        return {verdict.loop: verdict for verdict in facts.verdicts}

    # ---- directives of the text

    def _marked(self, ours: dict[str, list[_Ours]]) -> Iterator[MarkedLoop]:
        functions = sorted(self._counted.functions, key=lambda function: function.start)
        starts, ends = [f.start for f in functions], [f.end for f in functions]
        in_text: dict[str, list[Mark]] = {}
        for mark in marks(self._text):
            owner = owner_at(mark.offset, starts, ends, functions)
            if owner is not None:
                in_text.setdefault(owner.name, []).append(mark)
        for name, found in in_text.items():
            mine = ours.get(name, [])
            pair = pairs([mark.directive.text for mark in found], [each.directive for each in mine])
            for index, mark in enumerate(found):
                place = self._origin(mark.loop_offset)
                if index in pair:
                    own = mine[pair[index]]
                    yield MarkedLoop(
                        place, mark.directive.text, own.record.verdict, own.record.reason, own.record.assumptions,
                        own.inner,
                    )  # fmt: skip
                else:
                    verdict, reason = self._why_not(name, place)
                    yield MarkedLoop(place, mark.directive.text, verdict, reason)

    def _why_not(self, name: str, place: str) -> tuple[str, str]:
        """Why the loop with a directive at `place` is none of ours."""
        whole = next((opaque for opaque in self._unit.opaque if opaque.function == name), None)
        if whole is not None:
            return "opaque", whole.reason
        function = next((each for each in self._unit.functions if each.name == name), None)
        if function is None:
            return "lost", "its function was not found"
        for opaque in function.opaque:
            if self._place(self._line(opaque.span.start)) == place:
                return "opaque", opaque.reason
        line = int(place.rsplit(":", 1)[1])
        for lowered in function.nests:
            for node, span in lowered.spans.whole:
                first, last = (self._line(at + lowered.spans.base) for at in (span.start, max(span.end - 1, 0)))
                if node == lowered.nest.root.id and first <= line <= last:
                    below = [s for s in walk_statements((lowered.nest.root,)) if isinstance(s, OpaqueStatement)]
                    reasons = "; ".join(dict.fromkeys(statement.reason for statement in below))
                    return "opaque", f"in a statement of a nest that is opaque: {reasons}"
        return "lost", "no loop of ours stands there"

    def _opaque(self) -> Iterator[OpaqueRecord]:
        for opaque in self._unit.opaque:
            yield OpaqueRecord(self._place(self._line(opaque.span.start)), "function", opaque.function, opaque.reason)
        for function in self._unit.functions:
            for opaque in function.opaque:
                yield OpaqueRecord(self._place(self._line(opaque.span.start)), "loop", function.name, opaque.reason)

    # ---- places

    def _place(self, line: int) -> str:
        return f"{self._task.path}:{line}"

    def _line(self, offset: int) -> int:
        return bisect_right(self._line_starts, offset)

    def _origin(self, offset: int) -> str:
        """File and line of a preprocessed offset; text of another file than the user's keeps its own name."""
        region = self._regions[max(bisect_right(self._region_starts, offset) - 1, 0)]
        line = region.line + self._text.count("\n", region.start, offset)
        if region.file == self._main_path:
            return self._place(line)
        return f"{region.file.removeprefix(str(self._task.package.folder) + '/')}:{line}"


def without_pragmas(loop: Loop) -> Loop:
    """The loop as if nobody had marked it or a loop in it."""
    return replace(loop, pragmas=(), body=tuple(_bare(statement) for statement in loop.body))


def _bare(statement: Statement) -> Statement:
    if isinstance(statement, Loop):
        return without_pragmas(statement)
    if isinstance(statement, If):
        then = tuple(_bare(each) for each in statement.then)
        return replace(statement, then=then, otherwise=tuple(_bare(each) for each in statement.otherwise))
    return statement


def _collapsed(loop: Loop, collapse: int, verdicts: dict[NodeId, LoopVerdict]) -> tuple[str, ...]:
    """Verdicts of the loops that a collapse clause names after the outer one."""
    found: list[str] = []
    for _ in range(collapse - 1):
        inner = next((statement for statement in loop.body if isinstance(statement, Loop)), None)
        if inner is None:
            break
        loop = inner
        found.append(verdicts[loop.id].kind if loop.id in verdicts else "unknown")
    return tuple(found)
