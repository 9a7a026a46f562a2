"""Functions without a body in sight that are assumed to do nothing but give a value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from warplens.analysis.ir.types import ArrayOf, CType, PointerTo, Scalar, StructOf, is_qualified_volatile

_ACTS = re.compile(
    r"alloc|free|new|create|destroy|init|open|close|print|log_|_log$|write|read|put|push|pop|emit|send|recv|rand|lock|"
    r"next|iter|get_?time|clock|seed|set_|update|register|wait|signal|fork|exec|load_file|input|output|error|warn|"
    r"parse|scan|thread|sync|barrier|atomic",
    re.IGNORECASE,
)


def is_taken_for_pure(name: str, result: CType, parameters: Sequence[CType]) -> bool:
    """Whether a prototype leaves nothing to write through: a value comes back, pointers are to const.

    A constant struct that holds a pointer does leave something (`double gsl_rng_uniform(const gsl_rng *)` moves the
    state that the struct leads to). A function without arguments can only give something from outside, and names that
    speak of doing are believed. To read what is `volatile` is an effect (ISO C17 5.1.2.3 paragraph 2).
    """
    if not _holds_no_address(result) or not parameters or _ACTS.search(name):
        return False
    return all(
        _holds_no_address(parameter)
        or (
            isinstance(parameter, PointerTo)
            and parameter.const_target
            and not isinstance(parameter.target, PointerTo | ArrayOf)
            and not is_qualified_volatile(parameter.target)
            and not _leads_further(parameter.target)
        )
        for parameter in parameters
    )


def _leads_further(ctype: CType) -> bool:
    """Whether an object that may not be written holds a pointer through which others may be, or a function."""
    match ctype:
        case PointerTo(const_target=is_const, target=target):
            return not is_const or _leads_further(target)
        case ArrayOf(element):
            return _leads_further(element)
        case StructOf(fields=fields):
            return any(_leads_further(field.type) for field in fields)
        case _:
            return False


def _holds_no_address(ctype: CType) -> bool:
    """Whether a value is numbers only."""
    stack: list[CType] = [ctype]
    while stack:
        match stack.pop():
            case Scalar():
                pass
            case ArrayOf(element):
                stack.append(element)
            case StructOf(fields=fields) if fields:
                stack += [field.type for field in fields]
            case _:
                return False
    return True
