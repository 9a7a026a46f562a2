"""What a piece of syntax may write: scalars, memory through which names, whose address it takes."""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast
from warplens.analysis.c.c_library import library_call
from warplens.analysis.frontend.effects.call_effects import EffectsOfCalls
from warplens.analysis.frontend.syntax.syntax_index import is_indexed, nodes_of_kinds

_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_WRITING = (c_ast.Assignment, c_ast.UnaryOp, c_ast.Decl, c_ast.FuncCall)
_TESTING = (c_ast.If, c_ast.TernaryOp, c_ast.Switch, *_LOOPS)
_COMPARING = (c_ast.BinaryOp, c_ast.UnaryOp, c_ast.Assignment, c_ast.Decl, c_ast.FuncCall, *_TESTING)


@dataclass(frozen=True, slots=True)
class Writes:
    """Source names. `scalars` are assigned or declared, `memory` are bases of written elements or members."""

    scalars: frozenset[str]
    memory: frozenset[str]
    addressed: frozenset[str]
    declared: frozenset[str]
    targets: tuple[c_ast.Node, ...] = ()
    """Written memory as syntax."""


def writes_of(node: c_ast.Node | None, calls: EffectsOfCalls | None = None) -> Writes:
    """Scan a tree, without recursion; with `calls`, what functions of the file write counts as well."""
    scalars: set[str] = set()
    memory: set[str] = set()
    addressed: set[str] = set()
    declared: set[str] = set()
    targets: list[c_ast.Node] = []
    leading: set[tuple[str, str]] = set()
    for item in nodes_of_kinds(node, _WRITING):
        target = None
        if isinstance(item, c_ast.Assignment):
            target = item.lvalue
            if isinstance(target, c_ast.ID) and (variable := addressed_variable(item.rvalue)):
                leading.add((target.name, variable))
        elif isinstance(item, c_ast.UnaryOp):
            if item.op in {"++", "--", "p++", "p--"}:
                target = item.expr
            elif item.op == "&" and isinstance(item.expr, c_ast.ID):
                addressed.add(item.expr.name)
        elif isinstance(item, c_ast.Decl) and item.name:
            scalars.add(item.name)
            declared.add(item.name)
            if item.init is not None and (variable := addressed_variable(item.init)):
                leading.add((item.name, variable))
        elif isinstance(item, c_ast.FuncCall) and calls is not None:
            changed = _written_by(item, calls)
            scalars.update(name for name in changed if isinstance(name, str))
            memory.update(name for name in changed if isinstance(name, str))
            targets += [target for target in changed if isinstance(target, c_ast.Node)]
        if target is not None:
            name = base_name(target)
            if name:
                (scalars if isinstance(target, c_ast.ID) else memory).add(name)
            if isinstance(target, c_ast.UnaryOp) and (variable := addressed_variable(target.expr)):
                scalars.add(variable)  # `*(int *)&x = ..`
            if not isinstance(target, c_ast.ID):
                targets.append(target)
    through = memory | {base_name(target) for target in targets} if leading else memory
    scalars.update(variable for pointer, variable in leading if pointer in through)
    return Writes(frozenset(scalars), frozenset(memory), frozenset(addressed), frozenset(declared), tuple(targets))


def has_effect(node: c_ast.Node | None) -> bool:
    """Whether it assigns a variable or writes memory; calls of functions of the file are not looked into."""
    written = writes_of(node)
    return bool(written.scalars or written.memory)


def _written_by(call: c_ast.FuncCall, calls: EffectsOfCalls) -> list[str | c_ast.Node]:
    """Names of the file and of variables that a call changes, and memory that it writes through its arguments."""
    arguments = list(call.args.exprs) if call.args else []
    effects = calls.of(call.name.name) if isinstance(call.name, c_ast.ID) else None
    found: list[str | c_ast.Node] = [] if effects is None else list(effects.globals_written)
    known = library_call(call.name.name) if effects is None and isinstance(call.name, c_ast.ID) else None
    touched = frozenset() if effects is None else effects.written | (effects.written_deeply - effects.by_value)
    for number, given in enumerate(arguments):
        if effects is not None and not effects.unknown and number not in touched:
            continue
        is_set = known is None or number in known.writes or 0 <= known.writes_from <= number
        if known is not None and not known.unknown and not is_set:
            continue
        argument = given
        while isinstance(argument, c_ast.Cast):
            argument = argument.expr
        if isinstance(argument, c_ast.UnaryOp) and argument.op == "&":
            found.append(argument.expr.name if isinstance(argument.expr, c_ast.ID) else argument.expr)
        elif effects is not None or known is not None:
            name = base_name(argument)
            found += [c_ast.ArrayRef(argument, c_ast.Constant("int", "0"))] if name else []
    return found


def compared_names(node: c_ast.Node | None) -> frozenset[str]:
    """Variables of which the value itself is tested, copied, stepped or given to a function: `if (p == 0)`, `done(p)`.

    Ends of a pointer's way in the test of a loop are left out: there addresses are compared by where they point.
    """
    found: set[str] = set()
    ends: set[int] = set()
    for item in nodes_of_kinds(node, _COMPARING):
        tested: tuple[c_ast.Node | None, ...] = ()
        match item:
            case c_ast.BinaryOp(op="==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||"):
                tested = () if id(item) in ends else (item.left, item.right)
            case c_ast.UnaryOp(op="!" | "++" | "--" | "p++" | "p--"):
                tested = (item.expr,)
            case c_ast.Assignment(op="+=" | "-="):
                tested = (item.lvalue,)
            case c_ast.If() | c_ast.TernaryOp() | c_ast.Switch():
                tested = (item.cond,)
            case c_ast.While() | c_ast.DoWhile() | c_ast.For():
                tested = (item.cond,)
                ends |= _ends(item.cond)
            case c_ast.FuncCall(args=c_ast.ExprList()):
                found.update(name for argument in item.args.exprs for name in addresses_in(argument))
            case _:
                pass
        found.update(part.name for part in tested if isinstance(part, c_ast.ID))
        if isinstance(item, c_ast.Assignment) and item.op == "=" and isinstance(item.lvalue, c_ast.ID):
            found |= addresses_in(item.rvalue)
        elif isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.PtrDecl):
            found |= addresses_in(item.init)
    return frozenset(found)


def addresses_in(value: c_ast.Node | None) -> frozenset[str]:
    """Variables of which the value itself may be the address that an expression gives, moved or not."""
    found: set[str] = set()
    stack = [value]
    while stack:
        item = stack.pop()
        match item:
            case c_ast.ID():
                found.add(item.name)
            case c_ast.BinaryOp(op="+" | "-"):
                stack += [item.left, item.right]
            case c_ast.Cast() | c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                stack.append(item.expr)
            case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef()):
                stack.append(item.expr.name)
            case c_ast.UnaryOp(op="&", expr=c_ast.StructRef()):
                stack.append(item.expr.name)
            case c_ast.StructRef():
                stack.append(item.name)
            case c_ast.TernaryOp():
                stack += [item.iftrue, item.iffalse]
            case c_ast.ExprList():
                stack.append(item.exprs[-1])
            case _:
                pass
    return frozenset(found)


def _ends(test: c_ast.Node | None) -> set[int]:
    """Identities of the comparisons with what is no constant that must all hold."""
    found: set[int] = set()
    stack = [test]
    while stack:
        item = stack.pop()
        if isinstance(item, c_ast.BinaryOp) and item.op == "&&":
            stack += [item.left, item.right]
        elif isinstance(item, c_ast.BinaryOp) and not isinstance(item.left, c_ast.Constant | c_ast.Cast):
            found |= {id(item)} if not isinstance(item.right, c_ast.Constant | c_ast.Cast) else set()
    return found


def base_name(node: c_ast.Node) -> str | None:
    """Variable at the bottom of an lvalue or address expression."""
    while True:
        match node:
            case c_ast.ID():
                return str(node.name)
            case c_ast.ArrayRef() | c_ast.StructRef():
                node = node.name
            case c_ast.UnaryOp() | c_ast.Cast():
                node = node.expr
            case c_ast.BinaryOp():
                node = node.left
            case _:
                return None


def addressed_variable(node: c_ast.Node) -> str:
    """`x` in `&x` and `(T *)&x`, empty for anything else."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    is_variable = isinstance(node, c_ast.UnaryOp) and node.op == "&" and isinstance(node.expr, c_ast.ID)
    return str(node.expr.name) if is_variable else ""


def loops_in(node: c_ast.Node | None) -> int:
    """Number of loops of any kind in a tree."""
    return len(nodes_of_kinds(node, _LOOPS))


def contains(node: c_ast.Node | None, kinds: type[c_ast.Node] | tuple[type[c_ast.Node], ...]) -> bool:
    """Whether a node of these kinds stands in the tree, loops inside not searched for their own exits."""
    if is_indexed(node) and not nodes_of_kinds(node, kinds if isinstance(kinds, tuple) else (kinds,)):
        return False
    stack = [node]
    while stack:
        item = stack.pop()
        if item is None:
            continue
        if isinstance(item, kinds):
            return True
        if not isinstance(item, _LOOPS):
            stack.extend(item)
    return False
