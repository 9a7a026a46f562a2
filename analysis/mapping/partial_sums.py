"""A reduction whose iterations a team shares: each thread has its part of the value, which are put together behind.

`s += x[j]` becomes `part += x[j]` with `part = 0` before and `s += part` behind; a variable that is set to the neutral
value right before the loop is its own part. Extremes and bits need no neutral value: each thread starts from what the
variable holds. An element of an array that the loop does not move is accumulated in a variable, and added to where the
loop adds to it at all.

Assumes: sums of floating-point numbers may be done in another order (said with the mapping).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from warplens.analysis.algebra.polynomial_expression import expression_of
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.expression import Access, Binary, Cast, Constant, Expression, Load, ScalarRef, loads
from warplens.analysis.ir.nest import Assign, If, Loop, LoopNest, ScalarObject, Statement, walk_statements
from warplens.analysis.ir.rename_scalar import rename_scalar
from warplens.analysis.ir.rewrite_accesses import with_operands
from warplens.analysis.ir.types import INT, CType, Scalar
from warplens.analysis.mapping.moved_values import assigned
from warplens.analysis.mapping.new_names import NewNames

Statements = tuple[Statement, ...]

_FROM_ANY = frozenset(("min", "max", "&", "|", "&&", "||"))
"""Operators to which a value may be given twice."""

NEUTRAL: dict[str, tuple[int, Literal["+", "*", "^"]]] = {"+": (0, "+"), "*": (1, "*"), "^": (0, "^")}
"""Of operators that need a part to start with: the value that changes nothing, and the assignment that adds one."""

COMBINED = _FROM_ANY | NEUTRAL.keys()
"""Operators of values that can be put together."""

_COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")


class NotSpreadError(Exception):
    """A loop whose iterations a team can't share."""


@dataclass(frozen=True, slots=True)
class PartialSum:
    """A loop in which each thread has its part: `before` and `behind` stand around it, `reduction` names the part."""

    loop: Loop
    reduction: Reduction
    before: Statements = ()
    behind: Statements = ()
    scalars: tuple[ScalarObject, ...] = ()
    marked: Reduction | None = None
    """Whether any thread has added to an element, as a value that they combine too."""


def partial_sum(
    nest: LoopNest, loop: Loop, reduction: Reduction, previous: Statement | None, names: NewNames
) -> PartialSum:
    """The loop with its reduction in parts; `previous` stands right before it. Raises NotSpreadError."""
    operator = reduction.operator
    if operator not in COMBINED:
        raise NotSpreadError
    if reduction.is_array_element:
        return _of_element(nest, loop, reduction, names)
    ctype = next((scalar.type for scalar in nest.scalars if scalar.name == reduction.variable), None)
    if ctype is None or not is_number(ctype):
        raise NotSpreadError
    if operator in _FROM_ANY or _sets_neutral(previous, reduction):
        return PartialSum(loop, reduction)
    part = ScalarObject(names.name(f"{reduction.variable}_part"), ctype, "body", used_after=False)
    inside = replace(loop, body=rename_scalar(loop.body, reduction.variable, part.name))
    own = replace(reduction, variable=part.name)
    start = neutral_start(names, part, operator)
    total = Assign(names.id(), ScalarRef(reduction.variable, ctype), NEUTRAL[operator][1], ScalarRef(part.name, ctype))
    return PartialSum(inside, own, (start,), (total,), (part,))


def _of_element(nest: LoopNest, loop: Loop, reduction: Reduction, names: NewNames) -> PartialSum:
    """The sum is added to the element only where the loop does that: else no memory may be there."""
    operator = reduction.operator
    if operator not in NEUTRAL:
        raise NotSpreadError
    element = _element_in(loop, reduction.variable)
    changing = assigned((loop,))
    if any(index is None or index.symbols & changing for index in element.indices):
        raise NotSpreadError
    ctype = element.type
    if not is_number(ctype):
        raise NotSpreadError
    part = ScalarObject(names.name("part"), ctype, "body", used_after=False)
    own = replace(reduction, variable=part.name, is_array_element=False)
    start = neutral_start(names, part, operator)
    total = Assign(names.id(), element, NEUTRAL[operator][1], ScalarRef(part.name, ctype))
    is_direct = any(_adds_to(one, element) for one in _done_in_each(loop.body))
    runs = runs_at_all(nest, loop) if is_direct else None
    if runs is not None:
        behind = total if runs is True else If(names.id(), runs, (total,), ())
        return PartialSum(_with_part(loop, element, part), own, (start,), (behind,), (part,))
    is_added = ScalarObject(names.name(f"{part.name}_added"), INT, "body", used_after=False)
    flag = ScalarRef(is_added.name, INT)
    inside = _with_part(loop, element, part, flag, names)
    unset = Assign(names.id(), flag, "", Constant(0, INT))
    behind = If(names.id(), flag, (total,), ())
    marked = Reduction(is_added.name, "|", unset.id)
    return PartialSum(inside, own, (start, unset), (behind,), (part, is_added), marked)


def runs_at_all(nest: LoopNest, loop: Loop) -> Expression | Literal[True] | None:
    """Whether a loop has an iteration: True, or a condition of C; None where its header has no such form."""
    if loop.start is None or loop.limit_reads or not loop.limits:
        return None
    types = {scalar.name: scalar.type for scalar in nest.scalars}
    found: Expression | None = None
    for limit in loop.limits:
        distance = (limit - loop.start) * loop.step
        if distance.is_constant and distance.constant_term > 0:
            continue
        if any(types.get(name) != INT for name in limit.symbols | loop.start.symbols):
            return None
        test = Binary("<" if loop.step > 0 else ">", expression_of(loop.start, INT), expression_of(limit, INT), INT)
        found = test if found is None else Binary("&&", found, test, INT)
    return True if found is None else found


def _done_in_each(body: Statements) -> Iterator[Statement]:
    """Statements that every iteration may do, as far as anybody knows before: those that only data skips too."""
    for one in body:
        match one:
            case If(condition=Binary(operator) as condition) if operator in _COMPARISONS and any(loads(condition)):
                yield from (*one.then, *one.otherwise)
            case _:
                yield one


def _adds_to(statement: Statement, element: Access) -> bool:
    match statement:
        case Assign(target=Access() as target):
            return is_same_element(target, element)
        case _:
            return False


def _with_part(
    loop: Loop, element: Access, part: ScalarObject, flag: ScalarRef | None = None, names: NewNames | None = None
) -> Loop:
    """The loop with a variable in the place of an element; a `flag` is set with it."""
    inside = replace(loop, body=tuple(in_register(one, element, part) for one in loop.body))
    if any(access.array == element.array for one in walk_statements((inside,)) for access in accesses_of(one)):
        raise NotSpreadError
    if flag is None or names is None:
        return inside
    return replace(inside, body=_marked(inside.body, part.name, flag, names))


def _marked(body: Statements, part: str, flag: ScalarRef, names: NewNames) -> Statements:
    """Statements with the flag set behind each that changes the part."""
    found: list[Statement] = []
    for one in body:
        match one:
            case Loop():
                found.append(replace(one, body=_marked(one.body, part, flag, names)))
            case If():
                then, otherwise = _marked(one.then, part, flag, names), _marked(one.otherwise, part, flag, names)
                found.append(replace(one, then=then, otherwise=otherwise))
            case Assign(target=ScalarRef(name)) if name == part:
                found += [one, Assign(names.id(), flag, "", Constant(1, INT))]
            case _:
                found.append(one)
    return tuple(found)


def _element_in(loop: Loop, array: str) -> Access:
    for one in walk_statements((loop,)):
        if isinstance(one, Assign) and isinstance(one.target, Access) and one.target.array == array:
            return one.target
    raise NotSpreadError


def in_register(statement: Statement, element: Access, part: ScalarObject) -> Statement:
    """The statement with a variable for the element."""
    here = ScalarRef(part.name, part.type)

    def change(node: Expression) -> Expression:
        return here if isinstance(node, Load) and is_same_element(node.access, element) else node

    match statement:
        case Assign(_, target, _, value):
            if isinstance(target, Access) and is_same_element(target, element):
                return replace(statement, target=here, value=with_operands(value, change))
            if any(is_same_element(access, element) for access in loads(value)):
                return replace(statement, value=with_operands(value, change))
            return statement
        case If(_, _, then, otherwise):
            sides = (tuple(in_register(one, element, part) for one in side) for side in (then, otherwise))
            first, second = sides
            return replace(statement, then=first, otherwise=second)
        case Loop():
            return replace(statement, body=tuple(in_register(one, element, part) for one in statement.body))
        case _:
            return statement


def is_same_element(access: Access, element: Access) -> bool:
    """Whether two accesses are to one element in each iteration."""
    return (access.array, access.indices, access.member) == (element.array, element.indices, element.member)


def is_number(ctype: CType) -> bool:
    """Whether lanes can hand a value on as one word or two."""
    return (
        isinstance(ctype, Scalar)
        and ctype.kind in {"int", "float"}
        and ctype.size_bytes in {4, 8}
        and ctype.lanes == 1
        and not ctype.volatile
    )


def _sets_neutral(statement: Statement | None, reduction: Reduction) -> bool:
    match statement:
        case Assign(target=ScalarRef(name), operator="", value=value) if name == reduction.variable:
            return _is_constant(value, NEUTRAL[reduction.operator][0])
        case _:
            return False


def _is_constant(value: Expression, number: int) -> bool:
    while isinstance(value, Cast):  # 0 and 1 are exact in every type
        value = value.operand
    return isinstance(value, Constant) and value.value == number


def neutral_start(names: NewNames, part: ScalarObject, operator: str) -> Assign:
    """A statement that sets a part to the value that changes nothing."""
    ctype: CType = part.type
    is_float = isinstance(ctype, Scalar) and ctype.kind == "float"
    number = NEUTRAL[operator][0]
    return Assign(names.id(), ScalarRef(part.name, ctype), "", Constant(float(number) if is_float else number, ctype))
