"""What every quick fix is made of: the place, the offer that a menu shows, and the edits once it is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.ir.ids import LoopId, NodeId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.port_effect import PortEffect
from warplens.analysis.text.span import Span

TITLE_LENGTH = 90
"""Characters that a menu has room for: what a title says beyond its first words gives way to that."""


@dataclass(frozen=True, slots=True, eq=False)
class FixContext:
    """One nest in its file, equal to nothing but itself.

    `file_name` is the file's own name without a folder (`heat2d.c`), `source` its text. `id` is the nest's: its
    function's name, and which one of that it is. `function_span` is the whole definition that it stands in;
    `is_only_nest` says that this has no other.
    """

    evaluation: NestEvaluation
    spans: NestSpans
    source: str
    file_name: str
    id: LoopId
    function_span: Span
    is_only_nest: bool

    @property
    def function(self) -> str:
        """Name of the function."""
        return self.id.function

    @property
    def in_source_order(self) -> FixContext:
        """The nest with the kernels that its loops spell out: what directives and rewrites of the source speak of."""
        return _in_source_order(self)


@lru_cache(maxsize=1)
def _in_source_order(context: FixContext) -> FixContext:
    """The same object for all rules, which ask one after the other: what they share is found by it."""
    own = context.evaluation.in_source_order
    return context if own is context.evaluation else replace(context, evaluation=own)


@dataclass(frozen=True, slots=True)
class LaunchWish:
    """What the user wants otherwise than predicted best: None leaves it to the prediction.

    `shared` are the arrays to stage, by name. An unknown name is a refusal of the port.
    """

    block: Extent | None = None
    outputs_per_thread: Extent | None = None
    shared: tuple[str, ...] | None = None


AS_PREDICTED = LaunchWish()


@dataclass(frozen=True, slots=True)
class OfferedFix:
    """What a menu shows. `code` names the rule in the catalogue, `loop` the loop that the fix is about.

    `variant` tells two offers of one rule at one loop apart (an array's name). `refusal` says in the source's terms why
    it can't be applied, empty where it can. `findings` are codes of the findings that it mends. `gain` is the nest's
    predicted GPU time now divided by the time after (None: the fix ports, or gets no prediction). `is_suggestion`: no
    edit could do it, and the `refusal` says what the user would do and gain. Of a port `effect` is what it gains,
    `launch` the launches that it writes, in a few words.
    """

    code: str
    title: str
    loop: NodeId
    variant: str = ""
    refusal: str = ""
    findings: tuple[str, ...] = ()
    gain: float | None = None
    is_suggestion: bool = False
    effect: PortEffect | None = None
    launch: str = ""

    @property
    def is_slower(self) -> bool:
        """Whether the nest is predicted to get slower by it."""
        return self.effect.is_slower if self.effect is not None else self.gain is not None and self.gain < 1


@dataclass(frozen=True, slots=True)
class TextEdit:
    """`source[span]` becomes `text`; an empty span inserts. Spans are absolute and do not overlap in one fix."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file beside the source, by its own name."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class FixEdits:
    """What a fix changes: edits in source order, and new files. `note` says it in a sentence, for annotations.

    `promise` is what the user says by applying it and the analysis can't know (`a` and `b` do not overlap): they are
    asked to confirm it. `rests_on` are sentences about what the result takes for granted, which is shown with it. Empty
    without `refusal`: there is nothing to change, the fix has been applied already.
    """

    edits: tuple[TextEdit, ...] = ()
    new_files: tuple[NewFile, ...] = ()
    note: str = ""
    refusal: str = ""
    promise: str = ""
    rests_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FixRule:
    """A kind of fix. `offer` is asked for every nest when it is analysed, `edit` when the user has chosen.

    An offer may depend on the nest, on the text of its function, on what stands outside of all functions, and of the
    others on the lines of `outside_of_functions`; of a nest that calls one of them also on all that stands above.
    Any other edit does not ask again: where the function stands in the file must not matter.
    """

    code: str
    offer: Callable[[FixContext], tuple[OfferedFix, ...]]
    edit: Callable[[FixContext, OfferedFix, LaunchWish], FixEdits]

    @property
    def of_source_order(self) -> FixRule:
        """The same of the nest's loops as the source has them, whatever mapping is recommended."""
        return FixRule(
            self.code,
            lambda context: self.offer(context.in_source_order),
            lambda context, offer, wish: self.edit(context.in_source_order, offer, wish),
        )


def applied(source: str, edits: FixEdits) -> str:
    """The source with the edits in it."""
    for edit in reversed(edits.edits):
        source = source[: edit.span.start] + edit.text + source[edit.span.end :]
    return source
