"""Functions that are declared like a routine of BLAS or LAPACK, and C that touches what the routine touches.

Such a function is taken for the routine where the file has no code of it; the assumption is shown with each loop that
calls it. Its loops stand in place of the call, as those of a function of the file do.

Source: Reference BLAS, CBLAS, LAPACK and LAPACKE 3.12 (netlib.org).
Assumes: arguments as the interface demands (a leading dimension is at least the number of rows).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from warplens.analysis.c.linear_algebra_table import BLAS, LAPACK, Routine

TAKEN = "__taken_for_"
"""Before a routine's name: what its stand-in calls first, so that lowering it says what was assumed."""

_PROTOTYPE = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*\(([^()]*)\)\s*(?:__attribute__.*|__asm__.*)?;?\s*$", re.DOTALL)
_BY_VALUE = frozenset("%#=~")
_REAL = {"s": "float", "d": "double", "c": "float", "z": "double"}
_ENUMERATORS = {("N", "trans"): 111, ("U", "uplo"): 121, ("L", "side"): 141}
"""CBLAS_TRANSPOSE, CBLAS_UPLO, CBLAS_SIDE."""
_ROW_MAJOR = 101
_MOST_KEPT = 4096


@dataclass(frozen=True, slots=True)
class _Entry:
    routine: Routine
    letter: str
    interface: str
    """`fortran`, `cblas` or `lapacke`."""
    is_lapack: bool


@dataclass(frozen=True, slots=True)
class _Parameter:
    kind: str
    name: str
    type: str
    is_pointer: bool

    @property
    def declared(self) -> str:
        """As a parameter is written."""
        return f"{self.type} {'*' if self.is_pointer else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class StandIn:
    """A definition in place of a routine's."""

    name: str
    text: str


def assumed_of(name: str) -> str:
    """What is said of a function that is taken for a routine; empty for one that no routine is called like."""
    entry = _ENTRIES.get(name)
    if entry is None:
        return ""
    kind = "LAPACK" if entry.is_lapack else "CBLAS" if entry.interface == "cblas" else "BLAS"
    rest = ", and finds nothing wrong" if entry.is_lapack else ""
    return f"`{name}` is assumed to be the {kind} routine, called as its interface demands{rest}."


@lru_cache(_MOST_KEPT)
def stand_in(declaration: str) -> StandIn | None:
    """The stand-in for a function that is declared as a routine is, None for anything else.

    >>> stand_in("void dscal_(const int *n, const double *a, double *x, const int *incx);").name
    'dscal_'
    >>> stand_in("void dscal_(double *x, int n);") is None
    True
    """
    found = _PROTOTYPE.search(declaration)
    entry = _ENTRIES.get(found[1]) if found is not None else None
    if found is None or entry is None:
        return None
    parameters = _parameters(entry, found[2].strip())
    return None if parameters is None else StandIn(found[1], _definition(found[1], entry, parameters))


def _entries() -> dict[str, _Entry]:
    found: dict[str, _Entry] = {}
    for is_lapack, table in ((False, BLAS), (True, LAPACK)):
        for stem, routine in table.items():
            for letter in routine.letters:
                plain = _full_name(stem, letter)
                for name in (plain, f"{plain}_"):
                    found[name] = _Entry(routine, letter, "fortran", is_lapack)
                other = ("LAPACKE_", "lapacke") if is_lapack else ("cblas_", "cblas")
                if stem not in {"dotu", "dotc"}:
                    found[other[0] + plain] = _Entry(routine, letter, other[1], is_lapack)
    return found


def _full_name(stem: str, letter: str) -> str:
    if stem == "amax":
        return f"i{letter}amax"
    is_real_result = stem in {"nrm2", "asum"}
    return ({"c": "sc", "z": "dz"}.get(letter, letter) if is_real_result else letter) + stem


_ENTRIES = _entries()


def _parameters(entry: _Entry, declared: str) -> list[_Parameter] | None:
    """The interface's parameters with the types that the file declares; None where it declares another function."""
    is_fortran = entry.interface == "fortran"
    routine = entry.routine
    words = routine.arguments.split()
    if entry.is_lapack and is_fortran:
        words += [*routine.scratch.split(), "@info"]
    if not is_fortran and (entry.is_lapack or any(word.startswith("#ld") for word in words)):
        words = ["#order", *words]
    kinds = [(word[0], word[1:]) if word[0] in "%#=~@!" else ("", word) for word in words]
    given: Sequence[str] = [part.strip() for part in declared.split(",")] if declared else ["" for _ in kinds]
    if not declared and not is_fortran:
        return None
    lengths = given[len(kinds) :]
    if (
        len(given) < len(kinds)
        or len(lengths) > sum(kind == "%" for kind, _ in kinds)
        or any("*" in one for one in lengths)
    ):
        return None
    real = _REAL[entry.letter]
    is_complex = entry.letter in "cz"
    element = f"{real} _Complex" if is_complex else real
    found = []
    for (kind, name), text in zip(kinds, given, strict=False):
        is_pointer = kind not in _BY_VALUE or is_fortran or (kind == "=" and is_complex)
        if declared and is_pointer != ("*" in text or "[" in text):
            return None
        integer = _integer(text, is_pointer)
        ctype = {
            "%": "char" if is_fortran or entry.is_lapack else "int",
            "#": integer,
            "@": integer,
            "!": real,
            "~": real,
        }
        found.append(_Parameter(kind, name, ctype.get(kind, element), is_pointer))
    return [*found, *(_Parameter("#", f"length{at}", "long", False) for at in range(len(lengths)))]


def _integer(text: str, is_pointer: bool) -> str:
    """Type of a number as the file declares it."""
    words = re.sub(r"\b(?:const|restrict|__restrict|volatile)\b|\[\s*\]", " ", text.partition("*")[0]).split()
    if not is_pointer or "*" not in text:
        return "long" if "long" in words or "size_t" in words else "int"
    return " ".join(words) or "int"


def _definition(name: str, entry: _Entry, parameters: Sequence[_Parameter]) -> str:
    """C text of the whole function."""
    routine = entry.routine
    body = f"s = 0; {routine.body}"
    if entry.is_lapack and entry.interface == "fortran":
        whole = f"{{ {body} {routine.fills_scratch} }}"
        if routine.scratch:
            whole = f"if (lwork == -1) work[0] = 1; else {whole}"
        body = f"{whole} info[0] = 0;"
    elif entry.is_lapack:
        body = f"{{ {body} }} return 0;"
    if parameters[0].name == "order":
        by_rows, by_columns = (_in_memory(body, is_by_rows) for is_by_rows in (True, False))
        body = f"if (order == {_ROW_MAJOR}) {{ {by_rows} }} else {{ {by_columns} }}"
    else:
        body = _in_memory(body, False)
    body = re.sub(r'\bis\((\w+), "(\w)"\)', lambda m: _asked(m[1], m[2], entry), body)
    for parameter in parameters:
        if parameter.is_pointer and parameter.kind in _BY_VALUE and parameter.kind:
            body = re.sub(rf"\b{parameter.name}\b", f"(*{parameter.name})", body)
    real = _REAL[entry.letter]
    element = f"{real} _Complex" if entry.letter in "cz" else real
    result = {"T": element, "R": real, "int": "int", "": "int" if entry.interface == "lapacke" else "void"}[
        routine.result
    ]
    heads = ", ".join(parameter.declared for parameter in parameters)
    return f"{result} {name}({heads}) {{ int i, j, l; {element} s, t; {real} r; {TAKEN}{name}(); {body} }}"


def _in_memory(body: str, is_by_rows: bool) -> str:
    """Elements of matrices and vectors as elements of what the pointers point to."""

    def element(found: re.Match[str]) -> str:
        matrix, row, column = found[1], found[2], found[3]
        inner, outer = (column, row) if is_by_rows else (row, column)
        return f"{matrix}[{inner} + {outer} * ld{matrix}]"

    body = re.sub(r"\b([abc])\((\w+), (\w+)\)", element, body)
    return re.sub(r"\b([xy])\((\w+): (\w+)\)", r"\1[inc\1 > 0 ? \2 * inc\1 : (\2 - \3 + 1) * inc\1]", body)


def _asked(argument: str, letter: str, entry: _Entry) -> str:
    if entry.interface == "cblas":
        kind = next(kind for kind in ("trans", "uplo", "side") if argument.startswith(kind))
        return f"({argument} == {_ENUMERATORS[letter, kind]})"
    return f"({argument} == {ord(letter)} || {argument} == {ord(letter.lower())})"
