"""A function's body made ready to stand in place of its calls, or why it can't."""

from __future__ import annotations

from dataclasses import dataclass

from pycparser import c_ast
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.frontend.effects.constant_variables import constant_variables
from warplens.analysis.frontend.effects.writes import compared_names, writes_of
from warplens.analysis.frontend.forms.forward_jumps import without_forward_jumps
from warplens.analysis.frontend.forms.single_exit import as_expression, with_returns_at_end
from warplens.analysis.frontend.syntax.extents import Coordinate, Extents
from warplens.analysis.frontend.syntax.syntax_trees import holds, size_of
from warplens.analysis.frontend.syntax.tree_memo import TreeMemo
from warplens.analysis.text.span import Span


@dataclass(frozen=True, slots=True)
class CalledBody:
    """`items` are the statements with every `return` at the end; `value` is set when they only give a value.

    `written` are names that the body assigns or declares, `addressed` those whose address it takes, `compared` those
    that it tests, `constant` those that stay as they are whoever has their address. `size` counts syntax nodes.
    `refusal` says why calls stay calls, empty if they need not.
    """

    parameters: tuple[c_ast.Decl, ...]
    result: c_ast.Node
    items: tuple[c_ast.Node, ...]
    value: c_ast.Node | None
    written: frozenset[str]
    addressed: frozenset[str]
    compared: frozenset[str]
    size: int
    refusal: str = ""
    constant: frozenset[str] = frozenset()

    @property
    def changeable(self) -> frozenset[str]:
        """Variables that others may change through their address."""
        return self.addressed - self.constant


def called_body_of(definition: c_ast.FuncDef, trees: TreeMemo) -> CalledBody:
    """Prepare a definition, whose statements are asked about again at each call."""

    def ready() -> CalledBody:
        body = _called_body(definition)
        for one in body.items:
            trees.indexed.add(one)
        return body

    return trees.get("called body", definition, ready)


def _called_body(definition: c_ast.FuncDef) -> CalledBody:
    node = without_forward_jumps(definition, in_loops_only=False).body
    arguments = getattr(definition.decl.type, "args", None)
    listed = list(arguments.params) if arguments else []
    parameters = tuple(p for p in listed if isinstance(p, c_ast.Decl))
    written = writes_of(node)
    items: list[c_ast.Node] = []
    refusal = ""
    try:
        if definition.param_decls:
            raise UnsupportedError("is defined in the old style")
        if any(isinstance(p, c_ast.EllipsisParam) for p in listed):
            raise UnsupportedError("takes any number of arguments")
        if holds(node, (c_ast.Goto, c_ast.Label)):
            raise UnsupportedError("jumps by `goto`")
        items = with_returns_at_end(node.block_items or [])
    except UnsupportedError as error:
        refusal = str(error)
    return CalledBody(
        parameters,
        definition.decl.type.type,
        tuple(items),
        as_expression(items),
        written.scalars,
        written.addressed,
        compared_names(node),
        size_of([node]),
        refusal,
        constant_variables(definition),
    )


class CallExtents(Extents):
    """All of a called function's nodes stand where the call does."""

    def __init__(self, call: Span) -> None:
        super().__init__("", -1)
        self._call = call

    def offset(self, coordinate: Coordinate) -> int:
        """Any node's first token is the call's."""
        del coordinate
        return self._call.start

    def header(self, keyword: int) -> Span:
        """The call."""
        return self.call(keyword)

    def whole(self, keyword: int) -> Span:
        """The call."""
        return self.call(keyword)

    def statement(self, offset: int) -> Span:
        """The call."""
        return self.call(offset)

    def postfix(self, offset: int, operations: int) -> Span:
        """The call."""
        del operations
        return self.call(offset)

    def dereference(self, offset: int) -> Span:
        """The call."""
        return self.call(offset)

    def call(self, offset: int) -> Span:
        """The outermost call."""
        del offset
        return self._call
