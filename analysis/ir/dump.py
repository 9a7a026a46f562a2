"""A nest as readable text, for tests and bug reports: every fact of it, one line per node."""

from __future__ import annotations

from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
    Unknown,
    number_text,
)
from warplens.analysis.ir.nest import (
    ArrayObject,
    Assign,
    Evaluate,
    Exit,
    If,
    Loop,
    LoopNest,
    OpaqueStatement,
    Progress,
    ScalarObject,
    Statement,
)
from warplens.analysis.ir.types import ArrayOf, CType, PointerTo, Scalar, StructOf


def dump(nest: LoopNest) -> str:
    """Text of a nest: its objects, then its statements, each with its id."""
    lines = [_array(array) for array in nest.arrays] + [_scalar(scalar) for scalar in nest.scalars]
    if nest.parameters:
        lines.append(f"parameters {', '.join(nest.parameters)}")
    lines += [f"derived {symbol.name} = {symbol.formula}" for symbol in nest.derived]
    lines += [f"inexact {reason}" for reason in nest.inexact]
    lines += [f"too large {reason}" for reason in nest.too_large]
    _statements((nest.root,), 0, lines)
    return "\n".join(lines)


def type_text(ctype: CType) -> str:
    """C-like spelling of a type."""
    match ctype:
        case Scalar(name) | StructOf(name):
            return name
        case PointerTo(target, restrict):
            return f"{type_text(target)}*{' restrict' if restrict else ''}"
        case ArrayOf(element, extent):
            return f"{type_text(element)}[{'' if extent is None else extent}]"
        case _:
            return f"<{ctype.reason}>"


def _array(array: ArrayObject) -> str:
    extents = "".join(f"[{'?' if e is None else e}]" for e in array.extents)
    flags = [array.scope] + [
        word
        for word, on in (("pointer", array.is_pointer), ("restrict", array.restrict), ("const", array.is_const))
        if on
    ]
    inside = f" of loop {array.declared_in}" if array.declared_in is not None else ""
    return f"array {array.name}{extents}: {type_text(array.element)} ({', '.join(flags)}{inside})"


def _scalar(scalar: ScalarObject) -> str:
    flags: list[str] = [scalar.scope]
    flags += ["used after"] if scalar.used_after else []
    flags += ["address taken"] if scalar.address_taken else []
    inside = f" of loop {scalar.declared_in}" if scalar.declared_in is not None else ""
    return f"scalar {scalar.name}: {type_text(scalar.type)} ({', '.join(flags)}{inside})"


def _progress(progress: Progress) -> str:
    name, amount = progress.variable, expression_text(progress.amount)
    first = f"{name} from {expression_text(progress.first)}, {progress.operator}= {amount}"
    compared = f"{name} * {name}" if progress.is_square else name
    test = f"while {compared} {progress.relation} {expression_text(progress.limit)}"
    return f"{first}, {test}" + ("" if progress.is_tested_first else " after each")


def _statements(body: tuple[Statement, ...], depth: int, lines: list[str]) -> None:
    indent = "  " * depth
    for statement in body:
        match statement:
            case Loop():
                lines += [f"{indent}   {pragma}" for pragma in statement.pragmas]
                lines.append(f"{indent}{statement.id}: {_header(statement)}")
                lines += [f"{indent}   reads {expression_text(read)}" for read in statement.bound_reads]
                lines += [f"{indent}   {_progress(statement.progress)}"] if statement.progress is not None else []
                _statements(statement.body, depth + 1, lines)
            case Assign(identity, target, operator, value, declares):
                left = access_text(target) if isinstance(target, Access) else target.name
                word = f"{type_text(target.type)} " if declares else ""
                lines.append(f"{indent}{identity}: {word}{left} {operator}= {expression_text(value)}")
            case If(identity, condition, then, otherwise):
                lines.append(f"{indent}{identity}: if {expression_text(condition)}")
                _statements(then, depth + 1, lines)
                if otherwise:
                    lines.append(f"{indent}{identity}: else")
                    _statements(otherwise, depth + 1, lines)
            case Evaluate(identity, expression):
                lines.append(f"{indent}{identity}: {expression_text(expression)}")
            case Exit(identity, kind, leaves):
                lines.append(f"{indent}{identity}: {kind} out of {leaves}")
            case OpaqueStatement(identity, reason):
                lines.append(f"{indent}{identity}: opaque: {reason}")


def _header(loop: Loop) -> str:
    start = "?" if loop.start is None else str(loop.start)
    relation = "!=" if loop.exact_end else "<" if loop.step > 0 else ">"
    limits = ", ".join(map(str, loop.limits)) or "?"
    declares = f"{type_text(loop.iterator_type)} " if loop.declares_iterator else ""
    reason = f"  [{loop.bound_reason}]" if loop.bound_reason else ""
    return f"for {declares}{loop.iterator} = {start}; {relation} {limits}; {loop.step:+d}{reason}"


def access_text(access: Access) -> str:
    """Access with its id, its subscripts as polynomials (as written where they are none) and the extents known."""
    text = f"{access.array}"
    for subscript, index, extent in zip(access.subscripts, access.indices, access.extents, strict=True):
        inner = f"?{expression_text(subscript)}" if index is None else str(index)
        text += f"[{inner}]" if extent is None else f"[{inner}:{extent}]"
    member = f".{access.member}" if access.member else ""
    return f"{text}{member}@{access.id}"


def expression_text(expression: Expression) -> str:
    """Whole expression, fully bracketed, with accesses' ids."""
    match expression:
        case Constant():
            return number_text(expression)
        case ScalarRef(name):
            return name
        case Load(access):
            return access_text(access)
        case Unary(operator, operand):
            return f"{operator}{expression_text(operand)}"
        case Binary(operator, left, right):
            return f"({expression_text(left)} {operator} {expression_text(right)})"
        case Conditional(condition, then, otherwise):
            return f"({expression_text(condition)} ? {expression_text(then)} : {expression_text(otherwise)})"
        case Cast(operand, ctype):
            return f"({type_text(ctype)}){expression_text(operand)}"
        case Call(function, arguments, _, is_math):
            return f"{function}{'' if is_math else '!'}({', '.join(map(expression_text, arguments))})"
        case Unknown(reason, reads):
            return f"<{reason}: {', '.join(map(expression_text, reads))}>" if reads else f"<{reason}>"
