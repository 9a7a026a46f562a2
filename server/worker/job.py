"""What the event loop asks the analysis process for, and what it gets back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from warplens.analysis.text.span import Span
from warplens.server.program.packed_program import PackedProgram, ProgramChange, ToldPrograms

if TYPE_CHECKING:  # half of the analysis, which the server loads once a document is open (load_ahead.py)
    from warplens.analysis.advice.finding import Finding
    from warplens.analysis.engine.program_sizes import OtherCalls, SizeRoots, SizeSources
    from warplens.analysis.engine.report import Hidden, Recomputed
    from warplens.analysis.frontend.comments.translation_unit import MacroUse, Opaque, Problem, SizeDirective
    from warplens.analysis.frontend.declarations.companions import DefinedElsewhere
    from warplens.analysis.ir.ids import LoopId
    from warplens.analysis.ir.nest import NestSpans
    from warplens.analysis.models.sizes.break_even import BreakEven
    from warplens.analysis.ports.fix import FixEdits, OfferedFix  # noqa: F401 - what a FixJob gives
    from warplens.server.measure.counters.linked_kernel import LinkedKernel
    from warplens.server.measure.kernel_times.measured_nest import MeasuredNest
    from warplens.server.render.loop_hints import LoopHint
    from warplens.server.settings.folder_config import ConfigProblem
    from warplens.server.settings.settings import Settings

_BREAK_EVEN_LIMIT_S = 30.0
T_co = TypeVar("T_co", covariant=True)


class Job(Generic[T_co]):
    """Something to work out, whose result is a T_co; how, stands in answers.py."""

    __slots__ = ()

    @property
    def limit_s(self) -> float:
        """How long it may take, or until it says that it has come further."""
        raise NotImplementedError

    def sent(self, _told: ToldPrograms) -> Job[T_co]:
        """The job as a process gets it that was told so much before."""
        return self


@dataclass(frozen=True, slots=True)
class AnalysisJob(Job["Answer"]):
    """One buffer to analyse. `roots` are the workspace's folders; `trusted` allows the compiler to be run.

    `skipped` are nests that earlier attempts did not get past. `keeps_result`: for the next session, and from the last.
    `shows_parts`: the first nests are wanted, too, where the whole takes long. (What follows from a prediction of the
    preprocessor's output is sent before it is certain, always.) `program` is what is known of the one that the file is
    part of; on its way to the process what is new to that.
    """

    path: str
    text: str
    settings: Settings
    roots: tuple[str, ...]
    trusted: bool = True
    skipped: frozenset[LoopId] = frozenset()
    keeps_result: bool = False
    shows_parts: bool = False
    program: PackedProgram | ProgramChange | None = None

    @property
    def limit_s(self) -> float:
        """How long one nest may take, or what comes before the first."""
        return self.settings.analysis_time_limit_s

    def sent(self, told: ToldPrograms) -> AnalysisJob:
        """The job with only so much of its program as the process has not."""
        return replace(self, program=told.change(self.program)) if isinstance(self.program, PackedProgram) else self


@dataclass(frozen=True, slots=True)
class NestAnswer:
    """One nest: what every request needs at once, and the rest packed until a hover or an edit asks for it.

    `lens` is the nest in one line. `packed` is the evaluation as packing.py wrote it, empty without one. `macros` are
    those it uses whose definitions are known. `fixes` are quick fixes, offered or, with the reason, refused.
    `timings` are what was measured of it as it is now, on real GPUs, `kernels` are measured kernels of its name.
    `hints` are what may stand in its lines. `hidden` says why it has neither lens nor hints nor findings. `elsewhere`
    are functions of other files that it calls and that were looked into.
    `size_sources` are, of sizes that the program gives, the statements that they follow from,
    `size_roots`, of sizes that nothing gives, by what they are said once for the program,
    `other_calls` what other calls set sizes to.
    """

    id: LoopId
    spans: NestSpans
    findings: tuple[Finding, ...]
    failure: str
    lens: str
    packed: bytes = field(repr=False)
    macros: tuple[MacroUse, ...] = ()
    fixes: tuple[OfferedFix, ...] = ()
    timings: tuple[MeasuredNest, ...] = ()
    hints: tuple[LoopHint, ...] = ()
    hidden: Hidden | None = None
    kernels: tuple[LinkedKernel, ...] = ()
    elsewhere: tuple[DefinedElsewhere, ...] = ()
    size_sources: SizeSources = ()
    size_roots: SizeRoots = ()
    other_calls: OtherCalls = ()


@dataclass(frozen=True, slots=True)
class FunctionAnswer:
    """A function of the file; `span` and the nests' bases are offsets in the text that the answer speaks of.

    `has_one_nest`: one, and nothing that may be another.
    """

    name: str
    span: Span
    nests: tuple[NestAnswer, ...]
    has_one_nest: bool


@dataclass(frozen=True, slots=True)
class FixJob(Job["FixEdits"]):
    """One fix to write; `text` is the file's as the function's and the nest's answers speak of it."""

    path: str
    text: str
    function: FunctionAnswer
    nest: NestAnswer
    offer: OfferedFix
    time_limit_s: float

    @property
    def limit_s(self) -> float:
        """How long it may take."""
        return self.time_limit_s


@dataclass(frozen=True, slots=True)
class BreakEvenPortion:
    """What came of a portion: `break_even` once it is finished (None then: the nest has nothing for a GPU)."""

    is_finished: bool
    break_even: BreakEven | None = None


@dataclass(frozen=True, slots=True)
class BreakEvenJob(Job[BreakEvenPortion]):
    """Work for `portion_s` on a nest's break-even; `packed` is its evaluation as packing.py wrote it."""

    packed: bytes
    portion_s: float

    @property
    def limit_s(self) -> float:
        """How long it may take."""
        return self.portion_s + _BREAK_EVEN_LIMIT_S


@dataclass(frozen=True, slots=True)
class Answer:
    """One file's report as the event loop keeps it. `gpu` and `cpu` are the names that the profiles were loaded by.

    `program_root` is the folder of the program that the file was analysed as a part of, empty where it was none.
    `said_sizes` are sizes of settings that others follow from, by function and name.
    `is_cpp`: it is a header of C++, of which nothing is read.

    `edited` are the functions that were dropped since, `is_edited_outside` says that the text beside functions with
    loops was edited: what is shown may stay until the next analysis, but nothing may be written from it.
    """

    functions: tuple[FunctionAnswer, ...]
    opaque: tuple[Opaque, ...]
    problems: tuple[Problem, ...]
    directives: tuple[SizeDirective, ...]
    config_problems: tuple[ConfigProblem, ...]
    gpu: str
    cpu: str
    preprocessor: str
    loops_in_text: int
    loops_found: int
    recomputed: Recomputed
    program_root: str = ""
    said_sizes: frozenset[tuple[str, str]] = frozenset()
    is_cpp: bool = False
    edited: tuple[tuple[str, Span], ...] = ()
    is_edited_outside: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of `start..old_end` by text that ends at `new_end`, in offsets; `is_blank` moves whole lines."""

    start: int
    old_end: int
    new_end: int
    is_blank: bool = False


def after_edit(answer: Answer, edit: Edit) -> Answer:
    """What is still true of the edited text: all below the edit is moved, what it touches is dropped.

    A function is touched as a whole: what stands in it may depend on any of its lines.
    """
    edited = [(f.name, f.span) for f in answer.functions if _moved(f.span, edit) is None]
    known = [*edited, *answer.edited]
    is_inside = any(span.start <= edit.start and edit.old_end <= span.end for _, span in known)
    return replace(
        answer,
        edited=tuple((name, _moved(span, edit) or _around(span, edit)) for name, span in known),
        is_edited_outside=answer.is_edited_outside or not (is_inside or edit.is_blank),
        functions=tuple(moved for function in answer.functions if (moved := _moved_function(function, edit))),
        opaque=tuple(replace(o, span=s) for o in answer.opaque if (s := _moved(o.span, edit))),
        problems=tuple(replace(p, span=s) for p in answer.problems if (s := _moved(p.span, edit))),
        directives=tuple(replace(d, span=s) for d in answer.directives if (s := _moved(d.span, edit))),
    )


def _moved(span: Span, edit: Edit) -> Span | None:
    """An insertion right at a border leaves what stands beside it as it is."""
    if span.start >= edit.old_end:
        return span.shifted(edit.new_end - edit.old_end)
    return span if span.end <= edit.start else None


def _around(span: Span, edit: Edit) -> Span:
    """Where a span lies that an edit touched."""
    end = max(span.end, edit.old_end) + edit.new_end - edit.old_end
    return Span(min(span.start, edit.start), end)


def _moved_function(function: FunctionAnswer, edit: Edit) -> FunctionAnswer | None:
    span = _moved(function.span, edit)
    if span is None or edit.start >= function.span.end:
        return None if span is None else function
    by = span.start - function.span.start
    nests = tuple(
        replace(
            n,
            spans=replace(n.spans, base=n.spans.base + by),
            macros=tuple(moved for use in n.macros if (moved := _moved_definition(use, edit))),
        )
        for n in function.nests
    )
    return replace(function, span=span, nests=nests)


def _moved_definition(use: MacroUse, edit: Edit) -> MacroUse | None:
    """The use has moved with its function; its definition may stand on either side of the edit."""
    if use.definition.span is None:
        return use
    span = _moved(use.definition.span, edit)
    return replace(use, definition=replace(use.definition, span=span)) if span else None
