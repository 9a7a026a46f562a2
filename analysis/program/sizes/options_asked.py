"""Which options of the program a condition asks for: `strcmp(argv[i], "-n") == 0`, `case 'n':` behind `getopt`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pycparser import c_ast

_COMPARISONS = frozenset(("strcmp", "strncmp", "strcasecmp", "strncasecmp", "strstr", "streq", "STREQ"))
_TRUE_WHERE_EQUAL = frozenset(("strstr", "streq", "STREQ"))
_ENDING = frozenset(("exit", "_exit", "abort"))
_LONG_OPTION_PARTS = 4


@dataclass(frozen=True, slots=True)
class OptionsAsked:
    """Texts that an argument of the program is compared with; `is_met`: the condition is true where one is equal."""

    options: tuple[str, ...] = ()
    is_met: bool = True


def options_asked(condition: c_ast.Node | None) -> OptionsAsked:
    """The options that a condition asks for; none where it asks for something else too."""
    found = list(_asked(condition, is_met=True))
    if not found or None in found:
        return OptionsAsked()
    met = {one[1] for one in found if one is not None}
    return (
        OptionsAsked(tuple(one[0] for one in found if one is not None), met.pop()) if len(met) == 1 else OptionsAsked()
    )


def _asked(node: c_ast.Node | None, *, is_met: bool) -> Iterator[tuple[str, bool] | None]:
    match node:
        case c_ast.UnaryOp(op="!"):
            yield from _asked(node.expr, is_met=not is_met)
        case c_ast.BinaryOp(op="||" | "&&"):
            yield from _asked(node.left, is_met=is_met)
            yield from _asked(node.right, is_met=is_met)
        case c_ast.BinaryOp(op="==" | "!=") if _is_zero(node.right):
            yield from _asked(node.left, is_met=is_met == (node.op == "!="))
        case c_ast.BinaryOp(op="==") if (letter := letter_of(node.right)) and isinstance(node.left, c_ast.ArrayRef):
            yield f"-{letter}", is_met
        case c_ast.FuncCall(name=c_ast.ID(name=name)) if name in _COMPARISONS:
            texts = [_text(one) for one in (node.args.exprs if node.args else [])]
            text = next((one for one in texts if one), "")
            yield (text, is_met == (name in _TRUE_WHERE_EQUAL)) if text else None
        case _:
            yield None


def labelled(body: c_ast.Node) -> Iterator[tuple[tuple[str, ...], Sequence[c_ast.Node]]]:
    """The statements behind each label of a `switch` with the letters that lead there; none where another label does.

    Statements that do not end with a jump go on behind the next label.
    """
    items = (body.block_items or []) if isinstance(body, c_ast.Compound) else [body]
    letters: tuple[str, ...] = ()
    are_all = True
    for item in items:
        if not isinstance(item, c_ast.Case | c_ast.Default):
            yield (), (item,)
            continue
        letter = letter_of(item.expr) if isinstance(item, c_ast.Case) else ""
        letters, are_all = (*letters, letter), are_all and bool(letter)
        statements = item.stmts or []
        yield letters if are_all else (), statements
        if _leaves(statements):
            letters, are_all = (), True


def _leaves(statements: Sequence[c_ast.Node]) -> bool:
    last = statements[-1] if statements else None
    if isinstance(last, c_ast.Compound):
        return _leaves(last.block_items or [])
    ends = isinstance(last, c_ast.FuncCall) and isinstance(last.name, c_ast.ID) and last.name.name in _ENDING
    return ends or isinstance(last, c_ast.Break | c_ast.Return | c_ast.Continue | c_ast.Goto)


def letter_of(node: c_ast.Node | None) -> str:
    """The letter of a constant like `'n'`, empty for anything else."""
    is_letter = isinstance(node, c_ast.Constant) and node.type == "char" and len(node.value) == len("'n'")
    return str(node.value[1]) if is_letter and isinstance(node, c_ast.Constant) else ""


def long_options(listed: c_ast.InitList) -> dict[str, str]:
    """Letters and long spellings from a table for `getopt_long`: `{{"size", required_argument, 0, 's'}}`."""
    lines = [line for line in (listed, *(listed.exprs or ())) if isinstance(line, c_ast.InitList)]
    return {letter: spelling for line in lines for letter, spelling in _long_option(line).items()}


def _long_option(line: c_ast.InitList) -> dict[str, str]:
    parts = line.exprs or []
    if len(parts) != _LONG_OPTION_PARTS:
        return {}
    name, letter = _text(parts[0]), letter_of(parts[-1])
    return {letter: f"--{name}"} if name and letter else {}


def _text(node: c_ast.Node | None) -> str:
    is_text = isinstance(node, c_ast.Constant) and node.type == "string"
    return str(node.value[1:-1]) if is_text and isinstance(node, c_ast.Constant) else ""


def _is_zero(node: c_ast.Node | None) -> bool:
    return isinstance(node, c_ast.Constant) and node.value == "0"
