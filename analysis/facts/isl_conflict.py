"""The exact dependence test: pairs of iterations of a loop that meet in one element, as an integer set.

Shape: `[n, m] -> { [x0, .., y0, ..] : x in domain, y in domain, equal outside the loop, x before y at the loop, same
element }`; isl decides emptiness exactly. No isl object leaves this file.

Source: Feautrier, Dataflow analysis of array and scalar references, IJPP 20(1), 1991; Verdoolaege, isl, ICMS 2010.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import islpy as isl
from warplens.analysis.facts.isl_text import PairText, ReferenceText, Symbols
from warplens.analysis.facts.iteration_domain import Place, Reference
from warplens.analysis.facts.verdict import Direction
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial

OPERATION_LIMIT = 3_000_000
"""isl operations for all questions about one nest: about half a second; almost every nest needs under a hundredth."""

QUESTION_LIMIT = 1000
"""Pairs asked about in one nest: building a question costs time that isl doesn't count."""


class TooComplexError(Exception):
    """The operation limit of the nest is used up."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """`source` in an earlier iteration of the loop meets `sink` in a later one.

    `is_exact` says that it happens whenever both run for the sizes; `only_for` names the parameters when it depends
    on their values beyond the loops having enough iterations. Distances are in iterations.
    """

    source: Reference
    sink: Reference
    loops: tuple[NodeId, ...]
    directions: tuple[Direction, ...]
    distances: tuple[int | None, ...]
    is_exact: bool
    only_for: tuple[str, ...] = ()


class ConflictSolver:
    """Answers for one nest, within one limit on isl's work."""

    def __init__(self) -> None:
        self._questions = 0
        self._context = isl.Context()
        self._context.set_max_operations(OPERATION_LIMIT)

    def conflict(self, source: Reference, sink: Reference, level: int) -> Conflict | None:
        """Conflict carried by loop number `level` from source to sink, None when there is none.

        Raises TooComplexError.
        """
        text = PairText(source, sink, level)
        self._questions += 1
        if self._questions > QUESTION_LIMIT:
            raise TooComplexError
        try:
            pairs = self._set(text.pairs())
            if pairs.is_empty():
                return None
            deltas = self._set(text.deltas())
            common = text.common
            ranges = [_range(deltas, dim) for dim in range(len(common))]
            is_exact = (
                text.is_exact
                and not source.is_decided_by_data(level)
                and not sink.is_decided_by_data(level)
                and text.lost_depth <= level
                and source.place.is_exact_for(level)
                and sink.place.is_exact_for(level)
            )
            if is_exact and text.is_approximate:
                deltas = self._set(text.deltas(certain=True))
                is_exact = not deltas.is_empty()
            always = not text.has_parameters or self._always_meets(deltas, level, ranges[level][0], text)
        except isl.Error as error:
            raise TooComplexError from error
        return Conflict(
            source,
            sink,
            tuple(loop.id for loop in common),
            tuple("=" if d < level else _direction(r) for d, r in enumerate(ranges)),
            tuple(_iterations(r, loop.step) for r, loop in zip(ranges, common, strict=True)),
            is_exact and always,
            () if always else text.parameter_names,
        )

    def holds(self, place: Place, constraint: Polynomial) -> bool:
        """Whether `constraint >= 0` at each point where the place is executed, for all parameters.

        Raises TooComplexError.
        """
        table = Symbols()
        where = ReferenceText(place, (), "x", table)
        negated = table.text(-constraint - 1, where.names)
        if negated is None:
            return False
        parts = [*where.parts, f"{negated} >= 0"]
        dims = ", ".join(where.dims)
        try:
            return bool(self._set(f"[{table.declared}] -> {{ [{dims}] : {' and '.join(parts)} }}").is_empty())
        except isl.Error as error:
            raise TooComplexError from error

    def is_written_before(self, read: Reference, writes: Iterable[Reference], level: int) -> bool:
        """Whether each element that `read` reads was written earlier in the same iteration of loop number `level`.

        Writes count in the same iteration of all loops they share with the read, if they stand before it. Raises
        TooComplexError.
        """
        symbols = Symbols()
        covering = [PairText(write, read, level, symbols) for write in writes if write.statement < read.statement]
        try:
            missing = None
            for text in covering:
                if not text.is_exact or text.source_lost_depth > level:
                    continue
                reached = self._set(text.sinks_in_same_iteration())
                whole = self._set(text.sinks()) if missing is None else missing
                missing = whole - reached
            return missing is not None and bool(missing.is_empty())
        except isl.Error as error:
            raise TooComplexError from error

    def _set(self, text: str) -> isl.Set:
        return isl.Set.read_from_str(self._context, text)

    def _always_meets(self, deltas: isl.Set, level: int, nearest: int | None, text: PairText) -> bool:
        """Whether the conflict needs no relation between parameters beyond both statements running twice.

        It doesn't when the nearest distance is the same number for a full-dimensional set of parameters, or when each
        parameter for which both run in two iterations has a conflict.
        """
        if nearest is not None:
            near = deltas & self._set(text.delta_equals(level, nearest))
            if bool(near.params().affine_hull().is_universe()):
                return True
        return bool(self._set(text.runs_twice()).params().is_subset(deltas.params()))


def _range(deltas: isl.Set, dim: int) -> tuple[int | None, int | None]:
    low, high = deltas.dim_min_val(dim), deltas.dim_max_val(dim)
    return (int(low.to_python()) if low.is_int() else None, int(high.to_python()) if high.is_int() else None)


def _iterations(bounds: tuple[int | None, int | None], step: int) -> int | None:
    low, high = bounds
    if low is None or low != high or low % step:
        return None
    return low // abs(step)


def _direction(bounds: tuple[int | None, int | None]) -> Direction:
    low, high = bounds
    if low is not None and low > 0:
        return "<"
    if high is not None and high < 0:
        return ">"
    return "=" if low == 0 and high == 0 else "*"
