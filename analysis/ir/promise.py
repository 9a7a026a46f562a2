"""What the user says of a name that the file itself doesn't tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.ir.ids import NodeId

PromiseKind = Literal[
    "injective",
    "increasing",
    "independent",
    "unshared",
    "agreeing",
    "private",
    "size",
    "separate",
    "unordered",
    "uncalled",
    "kept",
    "ordinary",
]
"""What is said.

- injective, of an array of subscripts: no value stands twice in it; increasing: none is smaller than the one before.
- independent, of a function: memory that a call touches, or gives a pointer to, in one iteration of a loop is touched
  by no other one, unless all only read it; of a flag or a counter: what one iteration leaves in it matters to no other.
- unshared, of an array: no element that one iteration of a loop writes is touched by another one; agreeing: iterations
  that write one element of it write the same value.
- kept, of a flag that says what went wrong: no iteration of a loop changes what it holds.
- private, of an array or a variable: an iteration of a loop reads in it only what it wrote itself.
- size: the name is a relation between numbers that a nest leaves alone, as `size_relation` writes it.
- separate: the name is a list of names, as `separation` writes it: memory that a loop writes through one of a pair it
  does not reach through the other.
- unordered: the name is `output in any order`; in which order the iterations of a loop print matters to nobody.
- uncalled, of a function by which the program goes on elsewhere (`longjmp`): no iteration of a loop calls it.
- ordinary, of `volatile` or atomic memory: while a loop runs, nothing but that loop reads or changes it.
"""

TABLE_KINDS: tuple[PromiseKind, ...] = ("injective", "increasing")
ELEMENT_KINDS: tuple[PromiseKind, ...] = ("unshared", "agreeing")


@dataclass(frozen=True, slots=True)
class Promise:
    """One statement about one array, function or variable, taken as true.

    `loop` is the only loop whose iterations a promise speaks of, None where it speaks of those of every loop: calls
    that meet in no two iterations of a loop over rows may well meet in those of the time steps around it.
    """

    name: str
    kind: PromiseKind
    loop: NodeId | None = None


OUTPUT = Promise("output in any order", "unordered")
"""In which order the iterations of a loop print matters to nobody."""
