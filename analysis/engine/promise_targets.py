"""What a promise in a comment is about: whether a nest has it."""

from __future__ import annotations

from functools import singledispatch

from warplens.analysis.dependence.conditional.failure_flags import says_kept
from warplens.analysis.dependence.conditional.promised_sizes import said_sizes
from warplens.analysis.dependence.conditional.reporting_scalars import only_reports
from warplens.analysis.dependence.conflicts.array_privatization import may_have_copies
from warplens.analysis.dependence.conflicts.overlaps import are_about
from warplens.analysis.dependence.conflicts.own_elements import objects_said
from warplens.analysis.dependence.pointers.volatile_accesses import names_of_volatile
from warplens.analysis.dependence.subscripts.iteration_domain import assigned_scalars
from warplens.analysis.facts.calls.calls import leaving_functions, printing_functions, unseen_functions
from warplens.analysis.ir.nest import Loop, LoopNest, loops_of
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.kept import Kept
from warplens.analysis.ir.promises.named import ElementPromise, TablePromise
from warplens.analysis.ir.promises.ordinary import Ordinary
from warplens.analysis.ir.promises.private import Private
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.separate import Separate
from warplens.analysis.ir.promises.size_holds import SizeHolds
from warplens.analysis.ir.promises.uncalled import Uncalled
from warplens.analysis.ir.promises.unordered import Unordered
from warplens.analysis.ir.source_names import stated_name


@singledispatch
def is_about(promise: Promise, nest: LoopNest) -> bool:
    """Whether a nest has anything that a promise could be of."""
    raise TypeError(f"nothing says what of {nest.root.id} a promise `{promise.kind}` could be about")


@is_about.register
def _(promise: TablePromise, nest: LoopNest) -> bool:
    return any(array.name == promise.name for array in nest.arrays)


@is_about.register
def _(promise: ElementPromise, nest: LoopNest) -> bool:
    return bool(objects_said(nest, {promise.name}))


@is_about.register
def _(promise: SizeHolds, nest: LoopNest) -> bool:
    return bool(said_sizes(nest, (promise,)))


@is_about.register
def _(promise: Private, nest: LoopNest) -> bool:
    names = [*nest.lent, *(array.name for array in nest.arrays if may_have_copies(array))]
    return promise.name in map(stated_name, (*names, *assigned_scalars((nest.root,))))


@is_about.register
def _(promise: Separate, nest: LoopNest) -> bool:
    return are_about(nest, promise.pairs)


@is_about.register
def _(promise: Kept, nest: LoopNest) -> bool:
    return says_kept(nest, _loops(promise, nest), promise.name)


@is_about.register
def _(promise: Ordinary, nest: LoopNest) -> bool:
    return any(promise.name in names_of_volatile(nest, loop) for loop in _loops(promise, nest))


@is_about.register
def _(promise: Unordered, nest: LoopNest) -> bool:
    return any(map(printing_functions, _loops(promise, nest)))


@is_about.register
def _(promise: Uncalled, nest: LoopNest) -> bool:
    return any(promise.name in leaving_functions(loop) for loop in _loops(promise, nest))


@is_about.register
def _(promise: Independent, nest: LoopNest) -> bool:
    loops = _loops(promise, nest)
    called = any(promise.name in unseen_functions(loop) for loop in loops)
    return called or only_reports(nest, loops, promise.name)


def _loops(promise: Promise, nest: LoopNest) -> list[Loop]:
    """Those of whose iterations the promise speaks."""
    return [loop for loop in loops_of(nest) if promise.loop in {None, loop.id}]
