"""Something the tool took for granted: a value the user sees and can correct."""

from dataclasses import dataclass, field
from typing import Literal

from warplens.analysis.ir.promises.promise import Promise

AssumptionKind = Literal[
    "size", "alias", "bounds", "average", "call", "layout", "machine", "profile", "context", "promise", "order"
]
"""size: a parameter's value; alias: two pointers don't overlap; bounds: delinearised subscripts stay in their rows;
average: a trip count or branch taken as an average; call: cost or purity of a function; layout: padding, alignment;
machine: a mechanism the model leaves out; profile: a hardware value that is not measured on this device;
context: the data's place, the process's state; promise: what a comment in the source says of a name; order: sums
of floating-point numbers in another order than the loop's."""


Origin = Literal["default", "setting", "file", "directive", "inferred", "program", "measured", "what-if"]


@dataclass(frozen=True, slots=True, order=True)
class Assumption:
    """`subject` is what it is about (`n`, `a, b`, `dram_latency_cycles`), `text` a full sentence for the user.

    `origin` says who decided: the tool's default, a setting, the folder's file, a comment in the source, an inference
    from the source that is shown because it could be wrong, what statements of the program give, the counts of a real
    run, or a question (what if?).
    `promise` is the promise that an assumption of that kind takes as true, `names` are those that it is about: more
    than the subject's one for pointers that don't overlap.
    """

    kind: AssumptionKind
    subject: str
    text: str
    value: float | None = None
    origin: Origin = "default"
    promise: Promise | None = field(default=None, compare=False)
    names: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if not self.names:
            object.__setattr__(self, "names", (self.subject,))
