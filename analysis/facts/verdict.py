"""What dependence analysis says of a loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.facts.directive_race import DirectiveRace
from warplens.analysis.facts.mapping_mistake import MappingMistake
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.promises.comment import directive_text
from warplens.analysis.ir.promises.promise import Promise

Direction = Literal["<", "=", ">", "*"]
ReductionOperator = Literal["+", "*", "min", "max", "&", "|", "^", "&&", "||", "argmin", "argmax", "store"]
"""argmin and argmax: the place of an extreme (and the extreme itself, as a reduction of its own); store: every write
stores one value that the loop doesn't change, and nothing in the loop reads it: any order of the writes will do."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """Two accesses that meet in one element (or scalar) in two iterations of `carrier`.

    `source` runs first; both are ids of the access or, for a scalar, of the statement. `directions` and `distances` are
    per common loop, outer to inner; a distance is None where it is not constant.
    """

    kind: Literal["flow", "anti", "output"]
    variable: str
    source: NodeId
    sink: NodeId
    carrier: NodeId
    loops: tuple[NodeId, ...]
    directions: tuple[Direction, ...]
    distances: tuple[int | None, ...]
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Reduction:
    """`variable` (a scalar, or an array element that the loop does not move) accumulates by `operator`.

    `ties` of an argmin or argmax: which of equal values is kept, in the loop's order. `others` of a store: statements
    besides `statement` that store the same.
    """

    variable: str
    operator: ReductionOperator
    statement: NodeId
    is_array_element: bool = False
    ties: Literal["", "first", "last"] = ""
    others: tuple[NodeId, ...] = ()


@dataclass(frozen=True, slots=True)
class LoopVerdict:
    """One loop: whether its iterations may run at the same time.

    parallel: yes, given `assumptions` and the `private` scalars and arrays; reduction: yes, when `reductions` are done
    as such; carried: no, `dependences` are exact witnesses; unknown: could not be decided, `reason` says why in terms
    of the source and `blockers` are the statements or accesses it names.

    `pattern` names what a carried loop computes, where it has a name (a scan, a wavefront) and so a parallel form.
    `maybe_private` are arrays that iterations share and copies would take out of the way, if each reads only what it
    wrote. `conditions` are what would have to be promised to make an unknown loop `under_conditions`. `contested` are
    arrays in the way of which iterations may write the same elements: data decides which they write. `copied_in` are
    private arrays whose copies have to start with what they hold before the loop. `word` is the directive (a node of
    the nest) on whose word alone the loop is taken for parallel, `left_shared` are nodes at which its iterations share
    something for that, in turn or as data decides. `races` are what the loop's directive forgets, `mismapped` what it
    copies wrongly.
    """

    loop: NodeId
    kind: Literal["parallel", "reduction", "carried", "unknown"]
    private: tuple[str, ...] = ()
    reductions: tuple[Reduction, ...] = ()
    dependences: tuple[Dependence, ...] = ()
    reason: str = ""
    blockers: tuple[NodeId, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    pattern: str = ""
    conditions: tuple[Promise, ...] = ()
    under_conditions: Literal["", "parallel", "reduction"] = ""
    maybe_private: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    copied_in: tuple[str, ...] = ()
    word: NodeId | None = None
    left_shared: tuple[NodeId, ...] = ()
    races: tuple[DirectiveRace, ...] = ()
    mismapped: tuple[MappingMistake, ...] = ()

    @property
    def suggestion(self) -> str:
        """The comment that promises what is missing, empty where no promise would help."""
        return directive_text(self.conditions) if self.conditions else ""

    @property
    def can_run_in_parallel(self) -> bool:
        """Whether the iterations may be mapped to threads (a reduction by atomics or a tree)."""
        return self.kind in {"parallel", "reduction"}
