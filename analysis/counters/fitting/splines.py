"""Multivariate adaptive regression splines (Friedman 1991): which products of hinges a quantity is a sum of.

What comes out is mars-earth's, which solves a least-squares problem for every knot that it might add. Here all knots
are tried at once, by what each takes of what is left of the response. Only those that may be the best are solved for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from warplens.analysis.counters.counter_model import Hinge
from warplens.analysis.counters.predictors import Floats

_PENALTY = 3.0
"""Parameters that a hinge counts for in generalised cross-validation (Friedman 1991, eq. 32)."""
_LEAST_DENOMINATOR = 1e-9
_EPSILON = float(np.finfo(np.float64).eps)
_ADDS_NOTHING, _ADDS_SURELY = 1e-13, 1e-7
"""Of a column's length: what is left beside the other columns. Between the two, rounding decides what it adds."""
_NEAR, _ROUNDING, _NEAR_SCORE = 1e-7, 1e-13, 1e-14
"""By how much less trying is off: of the error so far, of the response's square, of a score."""
_AT_ONCE = 256
"""Knots, so that what is worked out of them stays in the cache."""

_Error = TypeVar("_Error", float, Floats)


@dataclass(frozen=True, slots=True, eq=False)
class _Term:
    """A product of hinges, the newest first; `parent` is the term without that one, None of the constant."""

    hinges: tuple[Hinge, ...]
    parent: _Term | None
    column: Floats

    @property
    def is_bent(self) -> bool:
        """Whether the newest hinge has a knot."""
        return bool(self.hinges) and self.hinges[0].knot is not None


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    """Least squares on some terms: `error` is the sum of squares, `score` that of generalised cross-validation."""

    terms: tuple[_Term, ...]
    coefficients: Floats
    error: float
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """What one term can be multiplied by: a column, shape (runs,), by itself, or bent both ways at a knot."""

    parent: _Term
    variable: int
    column: Floats
    knots: Floats | None

    @property
    def added(self) -> int:
        """Terms of each candidate."""
        return 1 if self.knots is None else 2

    @property
    def count(self) -> int:
        """Of the candidates."""
        return 1 if self.knots is None else len(self.knots)

    def columns(self, places: slice) -> tuple[Floats, ...]:
        """Of the candidates there, those to the left of the knots first; each of shape (runs, candidates)."""
        parent, x = self.parent.column[:, None], self.column[:, None]
        if self.knots is None:
            return (parent * x,)
        knots = self.knots[places]
        return parent * np.maximum(0, knots - x), parent * np.maximum(0, x - knots)

    def terms(self, place: int) -> tuple[_Term, ...]:
        """Of one candidate."""
        knot = None if self.knots is None else float(self.knots[place])
        columns = self.columns(slice(place, place + 1))
        return tuple(
            _Term((Hinge(self.variable, knot, is_right), *self.parent.hinges), self.parent, column[:, 0])
            for is_right, column in zip((True,) if knot is None else (False, True), columns, strict=True)
        )


def fit_splines(
    given: Floats, response: Floats, most_terms: int, degree: int
) -> tuple[tuple[float, tuple[Hinge, ...]], ...]:
    """Coefficients and products of at most `degree` hinges: grown by pairs, then pruned.

    Shape: given (runs, columns), response (runs,).
    """
    found = _solve((_Term((), None, np.ones(len(given))),), response)
    while (larger := _with_another(found, given, response, most_terms, degree)) is not None:
        found = larger
    pruned = _pruned(found, response)
    return tuple((float(c), term.hinges) for c, term in zip(pruned.coefficients, pruned.terms, strict=True))


def _solve(terms: tuple[_Term, ...], response: Floats) -> _Solved:
    columns = np.column_stack([term.column for term in terms])
    coefficients, squares, rank, _ = np.linalg.lstsq(columns, response, rcond=None)
    is_whole = bool(squares.size) and rank == len(terms)
    error = float(squares[0] if is_whole else ((response - columns @ coefficients) ** 2).sum())
    bent = sum(term.is_bent for term in terms)
    return _Solved(
        terms, np.asarray(coefficients, dtype=np.float64), error, _score(error, len(terms), bent, len(response))
    )


def _score(error: _Error, terms: int, bent: int, runs: int) -> _Error:
    """Of generalised cross-validation; infinite with too few runs for so many terms."""
    parameters = terms + _PENALTY * bent
    left = (1 - parameters / runs) ** 2
    if parameters >= runs or left < _LEAST_DENOMINATOR:
        return error + float("inf")
    return error / (runs * left)


def _with_another(found: _Solved, given: Floats, response: Floats, most_terms: int, degree: int) -> _Solved | None:
    """With the candidate of the best score, the first of equals; None where none makes the error less."""
    room = min(most_terms, len(response) - 1) - len(found.terms)
    candidates = [one for one in _candidates(found.terms, given, degree) if one.added <= room]
    best: _Solved | None = None
    for one, place in _promising(candidates, found, response):
        tried = _solve((*found.terms, *one.terms(place)), response)
        if _is_better(tried, best):
            best = tried
    return best if best is not None and best.error < found.error - _EPSILON else None


def _is_better(tried: _Solved, best: _Solved | None) -> bool:
    if best is None:
        return tried.score < float("inf")
    if tried.score < best.score - _EPSILON:
        return True
    return abs(tried.score - best.score) <= _EPSILON and tried.error < best.error - _EPSILON


def _candidates(terms: tuple[_Term, ...], given: Floats, degree: int) -> Iterator[_Candidates]:
    for parent in terms:
        if len(parent.hinges) == degree:
            continue
        for variable in sorted(set(range(given.shape[1])) - {hinge.column for hinge in parent.hinges}):
            column = np.ascontiguousarray(given[:, variable])
            if not any(
                term.parent is parent and not term.is_bent and term.hinges[0].column == variable for term in terms
            ):
                yield _Candidates(parent, variable, column, None)
            yield _Candidates(parent, variable, column, _knots(parent, column))


def _knots(parent: _Term, column: Floats) -> Floats:
    """Values where the parent is not zero, but the lowest and highest; of the constant the second highest neither."""
    inner = np.unique(column[parent.column != 0])[1:-1]
    return inner[:-1] if parent.parent is None and len(inner) > 1 else inner


def _promising(candidates: list[_Candidates], found: _Solved, response: Floats) -> Iterator[tuple[_Candidates, int]]:
    """Candidates that may have the best score, in their order."""
    basis = _orthonormal(found.terms)
    if basis is None:
        yield from ((one, place) for one in candidates for place in range(one.count))
        return
    rest = _beside(basis, response[:, None])[:, 0]
    so_far = float(rest @ rest)
    bent = sum(term.is_bent for term in found.terms)
    off = _NEAR * so_far + _ROUNDING * float(response @ response)
    least, most = [], []
    for one in candidates:
        error = so_far - _taken(one, basis, rest)
        size = (len(found.terms) + one.added, bent + (one.added if one.knots is not None else 0), len(response))
        least.append(_score(error - off, *size))
        most.append(_score(error + off, *size))
    lowest = float(np.nanmin(np.concatenate([[np.inf], *most])))
    for one, scores in zip(candidates, least, strict=True):
        yield from ((one, int(place)) for place in np.flatnonzero(~(scores > lowest + _NEAR_SCORE)))


def _orthonormal(terms: tuple[_Term, ...]) -> Floats | None:
    """Of the terms' columns; None where rounding decides how many they are."""
    columns = np.column_stack([term.column for term in terms])
    lengths = np.linalg.norm(columns, axis=0)
    basis, sizes, _ = np.linalg.svd(columns / np.where(lengths > 0, lengths, 1), full_matrices=False)
    is_apart = sizes > _ADDS_SURELY * sizes[0]
    if (sizes[~is_apart] > _ADDS_NOTHING * sizes[0]).any():
        return None
    found: Floats = np.ascontiguousarray(basis[:, is_apart])
    return found


def _beside(basis: Floats, columns: Floats) -> Floats:
    """What is left of the columns beside an orthonormal basis; twice, as the first time rounding leaves some of it."""
    once = columns - basis @ (basis.T @ columns)
    left: Floats = once - basis @ (basis.T @ once)
    return left


def _taken(candidates: _Candidates, basis: Floats, rest: Floats) -> Floats:
    """By how much each candidate makes the error less, NaN where rounding decides it; shape (candidates,)."""
    found = np.empty(candidates.count)
    for begin in range(0, candidates.count, _AT_ONCE):
        places = slice(begin, begin + _AT_ONCE)
        first, *others = candidates.columns(places)
        taken, unit = _taken_by(first, _beside(basis, first), rest)
        for second in others:
            left = _beside(basis, second)
            for _ in range(2):
                left = left - unit * (unit * left).sum(axis=0)
            taken = taken + _taken_by(second, left, rest)[0]
        found[places] = taken
    return found


def _taken_by(columns: Floats, left: Floats, rest: Floats) -> tuple[Floats, Floats]:
    """Of columns of which so much is left, and that as unit vectors: zero where a column adds nothing."""
    lengths, part = np.linalg.norm(columns, axis=0), np.linalg.norm(left, axis=0)
    adds = part > _ADDS_NOTHING * lengths
    unit = np.where(adds, left, 0.0) / np.where(adds, part, 1.0)
    taken = (rest @ unit) ** 2
    return np.where(adds & (part < _ADDS_SURELY * lengths), np.nan, taken), unit


def _pruned(found: _Solved, response: Floats) -> _Solved:
    """The best score on the way down to one term, each time without the term that is missed least."""
    best = smaller = found
    while len(smaller.terms) > 1:
        fewer = [smaller.terms[:i] + smaller.terms[i + 1 :] for i in range(len(smaller.terms))]
        smaller = min((_solve(terms, response) for terms in fewer), key=lambda one: one.score)
        if smaller.score < best.score:
            best = smaller
    return best
