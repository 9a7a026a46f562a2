"""What the pipeline asks of the other files of the program: their functions that a file calls, and where they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.same_object import SameObject
from warplens.analysis.facts.calls.calls import calls_in
from warplens.analysis.frontend.declarations.companions import Companions, DefinedElsewhere
from warplens.analysis.frontend.declarations.read_file import ReadFile
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.program.companions import companions
from warplens.analysis.program.program import Program


def companions_in(program: Program | None, path: str, memo: Memo) -> Callable[[ReadFile], Companions]:
    """What the front end is told of the program when it has read a file; nothing without a program."""

    def found(file: ReadFile) -> Companions:
        return Companions() if program is None else companions(program.definitions, file, path, memo)

    return found


def called_elsewhere(
    nest: LoopNest, elsewhere: Mapping[str, DefinedElsewhere], memo: Memo
) -> tuple[DefinedElsewhere, ...]:
    """Those functions of other files that a nest calls or whose bodies stand in it, by name.

    Looked up for the text of now: they move with each edit of their files.
    """
    if not elsewhere:
        return ()
    names = memo.get("functions of nest", SameObject(nest), lambda: _functions(nest))
    return tuple(elsewhere[name] for name in names if name in elsewhere)


def _functions(nest: LoopNest) -> tuple[str, ...]:
    return tuple(sorted({*nest.inlined, *(call.function for call in calls_in((nest.root,)))}))
