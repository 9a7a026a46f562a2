"""Variables whose address leaves a function for longer than a call: others may change them at any time after."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from pycparser import c_ast
from warplens.analysis.c.c_library import library_call
from warplens.analysis.frontend.effects.call_effects import EffectsOfCalls
from warplens.analysis.ir.types import CType, PointerTo, Scalar


def escaping_addresses(
    function: c_ast.FuncDef,
    taken: AbstractSet[str],
    calls: EffectsOfCalls,
    type_of: Callable[[c_ast.Node], CType],
    parameters_of: Callable[[str], Sequence[CType]],
) -> frozenset[str]:
    """Those of the variables in `taken`, whose address is taken, that are not only handed to calls which don't keep it.

    Of numbers alone: where a pointer points that a call sets is another question. What a call itself does to a
    variable is known where the call stands. `type_of` gives the type of a declaration, `parameters_of` those that a
    prototype says of a function's parameters.
    Assumes: what is handed over as `const` is changed neither then nor later.
    """
    if not taken:
        return frozenset()
    escaping: set[str] = set()
    declared: set[str] = set()
    stack: list[c_ast.Node] = [function]
    while stack:
        node = stack.pop()
        match node:
            case c_ast.Decl() if node.name in taken:
                declared.add(node.name)
                if not isinstance(type_of(node.type), Scalar):
                    escaping.add(node.name)
            case c_ast.UnaryOp(op="&", expr=c_ast.ID()):
                escaping.add(node.expr.name)
            case c_ast.FuncCall():
                stack += _not_only_lent(node, calls, parameters_of)
                continue
            case _:
                pass
        stack.extend(node)
    return frozenset(taken & (escaping | (taken - declared)))


def _not_only_lent(
    call: c_ast.FuncCall, calls: EffectsOfCalls, parameters_of: Callable[[str], Sequence[CType]]
) -> Iterator[c_ast.Node]:
    """The parts of a call but `&v` as an argument that the function does not keep, or gets as `const`."""
    yield call.name
    types = parameters_of(call.name.name) if isinstance(call.name, c_ast.ID) else ()
    for number, argument in enumerate(call.args.exprs if call.args else ()):
        is_address = isinstance(argument, c_ast.UnaryOp) and argument.op == "&" and isinstance(argument.expr, c_ast.ID)
        ctype = types[number] if number < len(types) else None
        is_read_only = isinstance(ctype, PointerTo) and ctype.const_target
        if not is_address or not (is_read_only or _is_lent(call.name, number, calls)):
            yield argument


def _is_lent(called: c_ast.Node, number: int, calls: EffectsOfCalls) -> bool:
    if not isinstance(called, c_ast.ID):
        return False
    effects = calls.of(called.name)
    if effects is not None:
        return not effects.unknown and number not in effects.kept
    known = library_call(called.name)
    return known is not None and not known.unknown
