"""Updates of array elements by several threads at once, as the atomic operations that the hardware has.

Source: CUDA C++ Programming Guide, atomic functions: add of int, unsigned, unsigned long long, float and (from compute
capability 6.0) double; min, max, and, or, xor of 32- and 64-bit integers. `long` is taken as `long long`, which has the
same bits; two's complement makes signed and unsigned sums alike.
"""

from __future__ import annotations

from warplens.analysis.c.arithmetic import common_type
from warplens.analysis.ir.expression import Access, Binary, Call, Cast, Conditional, Expression, Load, Unary
from warplens.analysis.ir.nest import Assign
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import CType, Scalar
from warplens.analysis.ports.cuda.expression_text import ExpressionText
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.types_text import is_boolean, scalar_text

_FUNCTIONS = {
    "+": "atomicAdd",
    "&": "atomicAnd",
    "|": "atomicOr",
    "^": "atomicXor",
    "min": "atomicMin",
    "max": "atomicMax",
}


def atomic_update(statement: Assign, expressions: ExpressionText) -> str:
    """`atomicAdd(&h[k], v);` for `h[k] += v`; raises PortRefusedError where the hardware has no such operation."""
    target = statement.target
    assert isinstance(target, Access)
    name = c_name(target.array)
    found = _compound(statement) or _folded(statement.value, target)
    if found is None or not isinstance(target.type, Scalar):
        raise PortRefusedError(
            f"several iterations update an element of `{name}` in a way that no atomic operation does"
        )
    operator, value = found
    function, negated = ("atomicAdd", True) if operator == "-" else (_FUNCTIONS.get(operator), False)
    ctype = target.type
    is_float = ctype.kind == "float"
    if function is None or ctype.size_bytes < 4 or is_boolean(ctype) or (is_float and operator not in {"+", "-"}):
        raise PortRefusedError(f"several iterations update an element of `{name}` by `{operator}`: a GPU has no atomic "
                               f"operation for that on `{ctype.name}`")  # fmt: skip
    if not is_float and not (isinstance(value.type, Scalar) and value.type.kind == "int"):
        raise PortRefusedError(f"each update of an element of `{name}` rounds: in another order it would give others")
    if negated:  # in the element's type: `-u` of an unsigned number is not `-(long)u`
        value = Unary("-", value if _same_type(value.type, ctype) else Cast(value, ctype), ctype)
    text = expressions.text(value)
    address, text = _as_hardware(ctype, expressions.element(target).text, text, value.type, operator)
    return f"{function}({address}, {text});"


def shared_store(statement: Assign, expressions: ExpressionText) -> str:
    """A store of what other threads store there too: `volatile` makes it a relaxed operation, no data race.

    Source: PTX ISA, memory consistency model, volatile operations (relaxed, with the system's scope).
    """
    target = statement.target
    assert isinstance(target, Access)
    if not isinstance(target.type, Scalar) or target.type.lanes != 1:
        raise PortRefusedError(f"several iterations may set `{target.written}`, which is no plain number")
    element, value = expressions.element(target).text, expressions.text(statement.value)
    return f"*(volatile {scalar_text(target.type)} *)&{element} = {value};"


def _as_hardware(ctype: Scalar, element: str, value: str, value_type: CType, operator: str) -> tuple[str, str]:
    """Address and value in the types of an overload."""
    own = scalar_text(ctype)
    if ctype.size_bytes == 8 and ctype.kind == "int":
        is_signed = ctype.signed and operator in {"min", "max"}
        wide = "long long" if is_signed else "unsigned long long"
        return f"({wide} *)&{element}", f"({wide}){value}" if value.isidentifier() else f"({wide})({value})"
    is_same = isinstance(value_type, Scalar) and scalar_text(value_type) == own
    if is_same or (ctype.kind == "int" and value.isdigit()):
        return f"&{element}", value
    return f"&{element}", f"({own}){value}" if value.isidentifier() else f"({own})({value})"


def _compound(statement: Assign) -> tuple[str, Expression] | None:
    if statement.operator in {"+", "-", "&", "|", "^"}:
        return statement.operator, statement.value
    return None


def _folded(value: Expression, target: Access) -> tuple[str, Expression] | None:
    """`a[k] + v`, `v + a[k]`, `a[k] < v ? a[k] : v` and their like: the operator and v."""
    while isinstance(value, Cast):
        value = value.operand
    if isinstance(value, Binary) and value.operator in {"+", "-", "&", "|", "^"}:
        if _is_own(value.left, target):
            return value.operator, value.right
        if value.operator != "-" and _is_own(value.right, target):
            return value.operator, value.left
    if isinstance(value, Call) and value.is_math and value.function.rstrip("fl") in {"fmin", "fmax"}:
        return None
    if isinstance(value, Conditional) and isinstance(value.condition, Binary):
        return _extreme(value, value.condition, target)
    return None


def _extreme(value: Conditional, condition: Binary, target: Access) -> tuple[str, Expression] | None:
    own_is_left = _is_own(condition.left, target)
    if not own_is_left and not _is_own(condition.right, target):
        return None
    chosen_own = _is_own(value.then, target)
    other = value.otherwise if chosen_own else value.then
    if condition.operator not in {"<", "<=", ">", ">="} or (not chosen_own and not _is_own(value.otherwise, target)):
        return None
    own_is_smaller = (condition.operator in {"<", "<="}) == own_is_left
    return "min" if own_is_smaller == chosen_own else "max", other


def _is_own(value: Expression, target: Access) -> bool:
    while isinstance(value, Cast):
        if not _same_type(value.type, value.operand.type):
            return False
        value = value.operand
    return isinstance(value, Load) and value.access.element == target.element


def _same_type(one: CType, other: CType) -> bool:
    return isinstance(one, Scalar) and isinstance(other, Scalar) and common_type(one, other) == one == other
