"""What the program that a file is part of says of its nests' sizes, and where it says it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from warplens.analysis.engine.counted_expressions import counted_expressions
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.same_object import SameObject
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.frontend.declarations.read_file import ReadFile
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.frontend.scopes.file_scopes import FileScopes
from warplens.analysis.ir.nest import Loop, Statement, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import elements_of
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.program.program import Program
from warplens.analysis.program.sizes.file_sizes import FileLines
from warplens.analysis.program.sizes.file_table import DefinedFunction
from warplens.analysis.program.sizes.linked_sizes import LinkedSizes
from warplens.analysis.program.sizes.nest_sizes import NOTHING_SAID, NestSizes, nest_sizes
from warplens.analysis.program.sizes.read_sizes import read_sizes
from warplens.analysis.program.sizes.said_sizes import SaidSize
from warplens.analysis.program.sizes.size_values import SizeValues
from warplens.analysis.program.sizes.value_set import SourceStep

_ALONE = Program(LinkedSizes({}))


@dataclass(frozen=True, slots=True)
class SizeSource:
    """A statement that a size follows from: its text, its file and its line from 1."""

    text: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class OtherCall:
    """What a nest's sizes are by another call or statement, which stands there."""

    sizes: tuple[tuple[str, int], ...]
    source: SizeSource


OtherCalls = tuple[OtherCall, ...]
SizeSources = tuple[tuple[str, tuple[SizeSource, ...]], ...]
SizeRoots = tuple[tuple[str, SaidSize], ...]
"""By the name of a size, the nearest statement first."""


class _Latest:
    """The answers about the last program: what the next one says the same of is not found again."""

    def __init__(self) -> None:
        self._values: SizeValues | None = None

    def of(self, program: LinkedSizes, arguments: tuple[str, ...] | None, said: tuple[SaidSize, ...]) -> SizeValues:
        """Answers about a program; most are those about the last one where only some files differ."""
        last = self._values
        if last is None or (last.arguments, last.said) != (arguments, said):
            last = SizeValues(program, arguments, said)
        self._values = last.of_program(program)
        return self._values


class ProgramSizes:
    """Sizes of the nests of one file, `program` with the file as it is now."""

    def __init__(
        self,
        source: str,
        preprocessed: Preprocessed,
        program: Program | None,
        options: AnalysisOptions,
        memo: Memo,
        file_scopes: FileScopes,
        file: ReadFile,
    ) -> None:
        self._path = preprocessed.main_path
        self._default_size = options.default_size
        arguments, said = options.arguments, _said(options)
        own, lines = read_sizes(source, preprocessed, memo, file_scopes, file)
        known = program or _ALONE
        own_parts = (tuple(map(SameObject, own.functions)), own.initial, own.extents, own.statics, own.structures,
                     own.globals_)  # fmt: skip
        others = None if program is None else SameObject(program.sizes)
        key = (others, self._path, own_parts, arguments, said)
        latest = memo.get("latest size values", "one program", _Latest)
        self.values = memo.get("size values", key, lambda: latest.of(known.sizes.with_file(own), arguments, said))
        """The same object as long as no file says anything else of sizes."""
        self._lines: Mapping[str, FileLines] = {**known.lines, self._path: lines}
        self._memo = memo

    def of(self, facts: NestFacts, function: str) -> NestSizes:
        """What the program says of the sizes of a nest."""
        defined = self.values.program.function(self._path, function)
        if defined is None:
            return NOTHING_SAID
        key = (SameObject(self.values), SameObject(facts), function, self._default_size)
        return self._memo.get("program sizes", key, lambda: self._found(facts, defined))

    def _found(self, facts: NestFacts, function: DefinedFunction) -> NestSizes:
        try:
            return nest_sizes(
                self.values,
                function,
                facts.parameters,
                _extents(facts),
                counted_expressions(facts),
                lambda known: iterations(facts, {**dict.fromkeys(facts.parameters, self._default_size), **known}),
            )
        except RecursionError:  # where Python allows fewer calls in calls than the analysis process sets
            self.values.give_up()
            return NOTHING_SAID

    def places(self, evaluation: NestEvaluation, function: str) -> tuple[SizeSources, SizeRoots, OtherCalls]:
        """Where the statements stand now that sizes of a nest follow from, and by what those are said that are open.

        Third what other calls set together, but for sizes that somebody said or a run counted.
        """
        program = self.of(evaluation.facts, function)
        found = dict(program.sizes)
        origins = {one.subject: one.origin for one in evaluation.assumptions if one.kind == "size"}
        given = (name for name, origin in origins.items() if origin == "program" and name in found)
        sources = tuple((name, tuple(self._placed(found[name].steps))) for name in given)
        open_ = (one for one in program.roots if origins.get(one[0]) in {"default", "inferred"})
        others = (
            OtherCall(tuple((name, size) for name, size in one.sizes if origins.get(name) == "program"), source)
            for one in program.others
            for source in self._placed((one.at,))
        )
        in_force = set(evaluation.sizes)
        calls = {one.sizes: one for one in others if not in_force.issuperset(one.sizes)}
        return sources, tuple(open_), tuple(calls.values())

    def _placed(self, steps: Iterable[SourceStep]) -> Iterator[SizeSource]:
        for step in steps:
            lines = self._lines.get(step.path)
            if lines is None:
                continue
            first = dict(lines.functions).get(step.function)
            if step.function:
                line = None if first is None else first + step.line
            else:
                line = lines.declarations[step.line] if step.line < len(lines.declarations) else None
            if line is not None:
                yield SizeSource(step.text, dict(lines.headers).get(step.function, step.path), line)


def _said(options: AnalysisOptions) -> tuple[SaidSize, ...]:
    """What settings say of sizes, the folder's file first: other sizes of the program follow from them."""
    first = sorted(options.sizes, key=lambda one: one.origin != "file")
    return tuple(SaidSize(one.name, one.function, one.value) for one in first)


def _extents(facts: NestFacts) -> dict[str, tuple[str, int]]:
    """Parameters that are numbers of elements, with their arrays and the bytes of an element."""
    arrays = ((elements_of(array.name), array) for array in facts.nest.arrays)
    return {
        name: (c_name(array.name), array.element_bytes)
        for name, array in arrays
        if name in facts.parameters and array.element_bytes
    }


def iterations(facts: NestFacts, sizes: Mapping[str, int]) -> float:
    """Iterations of all loops of a nest at these sizes: how the weight of one size compares with another's."""
    counts = {count.loop: count.average for count in facts.trip_counts}

    def of(loop: Loop) -> float:
        try:
            trips = max(float(counts[loop.id].evaluate(sizes)), 0.0) if loop.id in counts else 1.0
        except (KeyError, OverflowError, ValueError, ZeroDivisionError):
            trips = 1.0
        return trips * (1.0 + sum(map(of, _loops_in(loop.body))))

    return of(facts.nest.root)


def _loops_in(body: tuple[Statement, ...]) -> list[Loop]:
    """Loops of a body that are in no other loop of it."""
    every = [one for one in walk_statements(body) if isinstance(one, Loop)]
    inside = {inner.id for loop in every for inner in walk_statements(loop.body) if isinstance(inner, Loop)}
    return [loop for loop in every if loop.id not in inside]
