"""What a promise in a comment is about: whether a nest has it, and what is said where none does."""

from __future__ import annotations

from warplens.analysis.dependence.conditional.failure_flags import says_kept
from warplens.analysis.dependence.conditional.promised_sizes import said_sizes
from warplens.analysis.dependence.conditional.reporting_scalars import only_reports
from warplens.analysis.dependence.conflicts.array_privatization import may_have_copies
from warplens.analysis.dependence.conflicts.overlaps import are_about, pairs_apart
from warplens.analysis.dependence.conflicts.own_elements import objects_said
from warplens.analysis.dependence.pointers.volatile_accesses import names_of_volatile
from warplens.analysis.dependence.subscripts.iteration_domain import assigned_scalars
from warplens.analysis.facts.calls.calls import leaving_functions, printing_functions, unseen_functions
from warplens.analysis.ir.nest import LoopNest, loops_of
from warplens.analysis.ir.promise import ELEMENT_KINDS, TABLE_KINDS, Promise
from warplens.analysis.ir.source_names import stated_name


def is_about(promise: Promise, nest: LoopNest) -> bool:
    """Whether a nest has anything that a promise could be of."""
    if promise.kind in (*TABLE_KINDS, *ELEMENT_KINDS):
        named = promise.kind in ELEMENT_KINDS and objects_said(nest, (promise,), promise.kind)
        return bool(named) or any(array.name == promise.name for array in nest.arrays)
    if promise.kind == "size":
        return bool(said_sizes(nest, (promise,)))
    if promise.kind == "private":
        names = [*nest.lent, *(array.name for array in nest.arrays if may_have_copies(array))]
        return promise.name in map(stated_name, (*names, *assigned_scalars((nest.root,))))
    if promise.kind == "separate":
        return are_about(nest, pairs_apart((promise,)))
    loops = [loop for loop in loops_of(nest) if promise.loop in {None, loop.id}]
    if promise.kind == "kept":
        return says_kept(nest, loops, promise.name)
    if promise.kind == "ordinary":
        return any(promise.name in names_of_volatile(nest, loop) for loop in loops)
    if promise.kind == "unordered":
        return any(map(printing_functions, loops))
    if promise.kind == "uncalled":
        return any(promise.name in leaving_functions(loop) for loop in loops)
    called = any(promise.name in unseen_functions(loop) for loop in loops)
    return called or only_reports(nest, loops, promise.name)


def said_of_nothing(promise: Promise) -> str:
    """The note at a comment that no loop has anything of."""
    if promise.kind in (*TABLE_KINDS, *ELEMENT_KINDS):
        return f"no loop that this comment speaks of uses an array `{promise.name}`: it has no effect"
    if promise.kind == "private":
        return (
            f"no loop that this comment speaks of uses an array `{promise.name}` of its function, or sets a variable "
            "of that name: it has no effect"
        )
    if promise.kind == "size":
        return f"no loop that this comment speaks of depends on `{promise.name}`, or changes it: it has no effect"
    if promise.kind == "separate":
        return (
            f"no loop that this comment speaks of has memory by two of its names (`{promise.name}`): it has no effect"
        )
    if promise.kind == "kept":
        return (
            f"no loop that this comment speaks of has a flag `{promise.name}` that only says what went wrong: it has "
            "no effect"
        )
    if promise.kind == "ordinary":
        return (
            f"no loop that this comment speaks of has `volatile` or atomic memory called `{promise.name}`: it has no "
            "effect"
        )
    if promise.kind == "unordered":
        return "no loop that this comment speaks of prints: it has no effect"
    if promise.kind == "uncalled":
        return f"no loop that this comment speaks of is left by `{promise.name}`: it has no effect"
    return (
        f"no loop that this comment speaks of calls a function `{promise.name}` whose code is not in this file, or has "
        f"a flag or counter of that name that only reports: it has no effect"
    )
