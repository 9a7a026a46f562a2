"""One file through our analysis, beside the oracle, as a record. The functions are those that the command line runs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from accuracy.real_c.match_marks import directive_of, owner_at, pairs
from accuracy.real_c.openmp import Mark, marks
from accuracy.real_c.oracle import Counted, CountedFunction, count
from accuracy.real_c.package import Package
from accuracy.real_c.places import Places
from accuracy.real_c.record import FileRecord, LoopRecord, MarkedLoop, OpaqueRecord
from accuracy.real_c.unmarked import without_pragmas
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.frontend.comments.translation_unit import LoweredFunction, LoweredNest, TranslationUnit
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, OpaqueStatement, loops_of, walk_statements
from warplens.analysis.text.line_markers import main_regions
from warplens.server.files.source_file import decode
from warplens.server.preprocess.preprocess import preprocess

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
    return _Survey(task, source, preprocessed, unit, counted, timed).record()


class _Survey:
    def __init__(
        self, task: Task, source: str, preprocessed: Preprocessed, unit: TranslationUnit, counted: Counted,
        timed: _Timed,
    ) -> None:  # fmt: skip
        self._task = task
        self._text = preprocessed.text
        self._places = Places(task.path, task.package.folder, source, preprocessed)
        self._unit = unit
        self._counted = counted
        self._timed = timed
        self._exceptions: list[str] = []
        self._verdicts: list[LoopRecord] = []

    def record(self) -> FileRecord:
        ours = {function.span.start: tuple(self._function(function)) for function in self._unit.functions}
        found_names = [function.name for function in self._unit.functions]
        return FileRecord(
            package=self._task.package.name,
            path=self._task.path,
            lines=self._places.lines,
            oracle_errors=self._counted.errors,
            functions=len(self._counted.functions),
            functions_found=len(found_names),
            functions_unparsed=len(self._unit.opaque),
            loops=self._counted.loops,
            loops_counted=self._unit.loops_in_text,
            loops_found=self._unit.loops_found,
            verdicts=tuple(self._verdicts),
            marked=tuple(self._marked(ours)),
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
            base = lowered.spans.base
            headers = {node: base + span.start for node, span in lowered.spans.header}
            for loop in loops_of(lowered.nest):
                verdict = verdicts.get(loop.id)
                if verdict is None:
                    continue
                kinds = tuple(sorted({assumption.kind for assumption in verdict.assumptions}))
                place = self._places.at(headers.get(loop.id, base))
                promises = tuple(f"{promise.subject} {promise.kind}" for promise in verdict.conditions)
                record = LoopRecord(place, verdict.kind, verdict.reason or _witnesses(verdict), kinds, promises)
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
        except Exception as defect:  # noqa: BLE001 - any defect of the analysis of one nest is what is measured
            place = self._places.at(lowered.spans.base)
            self._exceptions.append(f"{place} {lowered.id.function}: {type(defect).__name__}: {defect}")
            return {}
        self._timed.nest_ms += (round(1e3 * (middle - begin), 3),)
        self._timed.dependence_ms += (round(1e3 * (time.perf_counter() - middle), 3),)
        return {verdict.loop: verdict for verdict in facts.verdicts}

    # ---- directives of the text

    def _marked(self, ours: Mapping[int, tuple[_Ours, ...]]) -> Iterator[MarkedLoop]:
        functions = sorted(self._counted.functions, key=lambda function: function.start)
        starts, ends = [f.start for f in functions], [f.end for f in functions]
        in_text: dict[int, list[Mark]] = {}
        for mark in marks(self._text):
            owner = owner_at(mark.offset, starts, ends, range(len(functions)))
            if owner is not None:
                in_text.setdefault(owner, []).append(mark)
        for index, found in in_text.items():
            function = self._same_function(functions, index)
            mine = ours.get(function.span.start, ()) if function is not None else ()
            pair = pairs([mark.directive.text for mark in found], [each.directive for each in mine])
            for number, mark in enumerate(found):
                place, written = self._places.origin(mark.loop_offset), self._places.written(mark.loop_offset)
                if number in pair:
                    own = mine[pair[number]]
                    verdict = own.record
                    yield MarkedLoop(
                        place, mark.directive.text, verdict.verdict, verdict.reason, verdict.assumptions, own.inner,
                        verdict.promises, written,
                    )  # fmt: skip
                else:
                    why = self._why_not(functions[index].name, function, place)
                    yield MarkedLoop(place, mark.directive.text, *why, written=written)

    def _same_function(self, functions: Sequence[CountedFunction], index: int) -> LoweredFunction | None:
        """Our function that is the oracle's: by order when both found equally many, else by name."""
        if len(functions) == len(self._unit.functions):
            return self._unit.functions[index]
        return next((each for each in self._unit.functions if each.name == functions[index].name), None)

    def _why_not(self, name: str, function: LoweredFunction | None, place: str) -> tuple[str, str]:
        """Why the loop with a directive at `place` is none of ours."""
        names = {name, function.name if function is not None else name}
        whole = next((opaque for opaque in self._unit.opaque if opaque.function in names), None)
        if whole is not None:
            return "opaque", whole.reason
        if function is None:
            return "lost", "its function was not found"
        for opaque in function.opaque:
            if self._places.at(opaque.span.start) == place:
                return "opaque", opaque.reason
        line = int(place.rsplit(":", 1)[1])
        for lowered in function.nests:
            spans = dict(lowered.spans.whole)
            root = spans.get(lowered.nest.root.id)
            if root is None:
                continue
            first, last = (self._places.line(at + lowered.spans.base) for at in (root.start, max(root.end - 1, 0)))
            if first <= line <= last:
                below = [s for s in walk_statements((lowered.nest.root,)) if isinstance(s, OpaqueStatement)]
                reasons = "; ".join(dict.fromkeys(statement.reason for statement in below))
                return "opaque", f"in a statement of a nest that is opaque: {reasons}"
        return "lost", "no loop of ours stands there"

    def _opaque(self) -> Iterator[OpaqueRecord]:
        for opaque in self._unit.opaque:
            yield OpaqueRecord(self._places.at(opaque.span.start), "function", opaque.function, opaque.reason)
        for function in self._unit.functions:
            for opaque in function.opaque:
                yield OpaqueRecord(self._places.at(opaque.span.start), "loop", function.name, opaque.reason)


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


def _witnesses(verdict: LoopVerdict) -> str:
    """What a loop without a reason in words is called carried for."""
    return "; ".join(dict.fromkeys(f"a {found.kind} dependence on `{found.variable}`" for found in verdict.dependences))
