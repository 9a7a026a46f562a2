"""What a function stores, calls and declares, from its tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pycparser import c_ast
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.ir.types import ArrayOf, CType, PointerTo, Scalar, StructOf
from warplens.analysis.program.sizes.file_sizes import Allocation, Call, FunctionSizes, Statement, Store, TypeShape
from warplens.analysis.program.sizes.listed_values import listed_values
from warplens.analysis.program.sizes.one_process import of_one_process
from warplens.analysis.program.sizes.options_asked import labelled, long_options, options_asked
from warplens.analysis.program.sizes.place_reader import is_of_numbers, shape_of
from warplens.analysis.program.sizes.places import WHOLE, Place
from warplens.analysis.program.sizes.scanned_text import scanned_text
from warplens.analysis.program.sizes.size_expression import (
    Counted,
    Number,
    Operation,
    Read,
    SizeExpression,
    Unknown,
    Updated,
    reads,
)
from warplens.analysis.program.sizes.size_reader import SizeReader

_ALLOCATORS = {
    "malloc": (0,), "calloc": (0, 1), "realloc": (1,), "aligned_alloc": (1,), "memalign": (1,), "valloc": (0,),
    "alloca": (0,), "_mm_malloc": (0,), "fftw_malloc": (0,), "reallocarray": (1, 2),
}  # fmt: skip
"""Functions that allocate, each with the arguments whose product is the number of bytes."""

_READERS = frozenset(("fread", "read", "pread", "recv", "MPI_Bcast", "MPI_Recv"))
"""Functions that fill a structure from elsewhere."""

_TEXTS = TypeShape("", 2, is_integer=True)
"""`char **`."""

Placed = Callable[[c_ast.Node], Statement]


def function_sizes(node: c_ast.FuncDef, scope: FileScope, is_static: bool, placed: Placed) -> FunctionSizes:
    """What a function definition says; `placed` gives the statement of the source that a node is in."""
    walk = _Walk(node, scope, placed)
    walk.run()
    return FunctionSizes(
        node.decl.name,
        is_static,
        walk.parameters,
        tuple((name, shape_of(ctype)) for name, ctype in walk.reader.variables.items()),
        tuple(walk.stores),
        tuple(walk.calls),
        tuple(walk.allocations),
    )


def initial_stores(
    node: c_ast.Decl, scope: FileScope, placed: Placed
) -> tuple[tuple[Store, ...], tuple[Allocation, ...]]:
    """What the declaration of a variable of the file stores."""
    walk = _Walk(None, scope, placed)
    if node.name and node.name in scope.symbols:
        walk.declared(node, scope.symbols[node.name].type, Place("global", "", node.name))
    return tuple(walk.stores), tuple(walk.allocations)


class _Walk:
    def __init__(self, node: c_ast.FuncDef | None, scope: FileScope, placed: Placed) -> None:
        self._node = node
        self._name = "" if node is None else node.decl.name
        self._scope = scope
        self._placed = placed
        self.reader = SizeReader(self._name, scope)
        self.parameters: tuple[str, ...] = ()
        self.stores: list[Store] = []
        self.calls: list[Call] = []
        self.allocations: list[Allocation] = []
        self._conditions = 0
        self._loops = 0
        self._options: tuple[tuple[str, ...], ...] = ()
        self._long_options: dict[str, str] = {}

    def run(self) -> None:
        """Walk through the function."""
        node = self._node
        if node is None:
            return
        arguments = getattr(node.decl.type, "args", None)
        named = [one for one in (arguments.params if arguments else []) if getattr(one, "name", None)]
        self.parameters = tuple(one.name for one in named)
        for one in (*(node.param_decls or []), *named):
            if isinstance(one, c_ast.Decl):
                ctype = self.reader.types.resolve(one.type)
                self.reader.variables[one.name] = PointerTo(ctype.element) if isinstance(ctype, ArrayOf) else ctype
            else:
                self.reader.variables.setdefault(one.name, Scalar("int", "int", 4))
        texts = (name for name in self.parameters if shape_of(self.reader.variables[name]) == _TEXTS)
        self.reader.arguments = frozenset(name for name in texts if self._name == "main" or name.startswith("arg"))
        self._visit(node.body)

    # ---- statements

    def _visit(self, node: c_ast.Node | None) -> None:
        match node:
            case None:
                return
            case c_ast.Decl():
                self._declaration(node)
                return
            case c_ast.If() | c_ast.TernaryOp():
                self._visit(node.cond)
                asked = options_asked(node.cond)
                with self._under_condition(asked.options if asked.is_met else ()):
                    self._visit(node.iftrue)
                with self._under_condition(() if asked.is_met else asked.options):
                    self._visit(node.iffalse)
                return
            case c_ast.Switch():
                self._visit(node.cond)
                for letters, statements in labelled(node.stmt):
                    spellings = (each for one in letters for each in (f"-{one}", self._long_options.get(one, "")))
                    with self._under_condition(tuple(filter(None, spellings))):
                        for child in statements:
                            self._visit(child)
                return
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                if isinstance(node, c_ast.For):
                    self._visit(node.init)
                self._loops += 1
                for part in (node.cond, getattr(node, "next", None), node.stmt):
                    self._visit(part)
                self._loops -= 1
                return
            case c_ast.UnaryOp(op="sizeof"):
                return
            case _:
                self._expression(node)
        for child in node:
            self._visit(child)

    def _expression(self, node: c_ast.Node) -> None:
        """What a node itself stores or calls."""
        match node:
            case c_ast.Assignment():
                self._assignment(node)
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                self._changed(node.expr, node)
            case c_ast.FuncCall():
                self._call(node)
            case c_ast.Return() if node.expr is not None:
                self._store(Place("result", self._name), self.reader.number(node.expr), node)
            case c_ast.CompoundLiteral():
                self._list(node.init, self.reader.types.resolve(node.type), None, node)
            case _:
                pass

    @contextmanager
    def _under_condition(self, options: tuple[str, ...] = ()) -> Iterator[None]:
        around = self._options, self.reader.options
        self._conditions += 1
        if options:
            self._options, self.reader.options = (*self._options, options), options
        yield
        self._conditions -= 1
        self._options, self.reader.options = around

    def _declaration(self, node: c_ast.Decl) -> None:
        if not node.name or isinstance(node.type, c_ast.FuncDecl):
            if isinstance(node.type, c_ast.Struct | c_ast.Union | c_ast.Enum):
                self.reader.types.resolve(node.type)
            return
        ctype = self.reader.types.resolve(node.type)
        self.reader.variables[node.name] = ctype
        self.declared(node, ctype, Place("variable", self._name, node.name))
        self._visit(node.init)

    def declared(self, node: c_ast.Decl, ctype: CType, place: Place) -> None:
        """Take in what a declaration gives a variable at its start."""
        if isinstance(node.type, c_ast.ArrayDecl) and node.type.dim is not None:
            element_bytes = self.reader.element_bytes(ctype) if isinstance(ctype, ArrayOf) else 1
            bytes_ = Operation("*", (self.reader.number(node.type.dim), Number(element_bytes)))
            self.allocations.append(Allocation(place, bytes_, self._placed(node)))
        if node.init is None:
            return
        if isinstance(node.init, c_ast.InitList):
            self._list(node.init, ctype, place, node)
        elif isinstance(ctype, Scalar):
            self._store(place, self.reader.converted(self.reader.number(node.init), ctype), node)
        elif isinstance(ctype, PointerTo):
            self._points(place, node.init, node)

    def _list(self, listed: c_ast.InitList, ctype: CType, place: Place | None, node: c_ast.Node) -> None:
        """What a list in braces stores in members and elements."""
        self._long_options.update(long_options(listed))
        for where, value in listed_values(listed, ctype, place, self.reader):
            self._store(where, value, node)

    def _assignment(self, node: c_ast.Assignment) -> None:
        if node.op != "=":
            self._changed(node.lvalue, node)
            return
        place = self.reader.place(node.lvalue)
        if place is None:
            return
        ctype = self.reader.type_of(node.lvalue)
        if isinstance(ctype, PointerTo):
            self._points(place, node.rvalue, node)
        elif isinstance(ctype, Scalar):
            if _is_data(place, ctype):
                return
            value = self.reader.converted(self.reader.number(node.rvalue), ctype)
            if reads(value, place):
                value = Unknown("changes as the program runs") if self._loops else Updated(value)
            self._store(place, value, node)
        elif place.kind == "target" and place.name.endswith("[0]"):
            self._store(place, self.reader.number(node.rvalue), node)

    def _points(self, place: Place, value: c_ast.Node, node: c_ast.Node) -> None:
        """A pointer that is set to an allocation, or to what another one points to."""
        while isinstance(value, c_ast.Cast):
            value = value.expr
        if isinstance(value, c_ast.FuncCall) and isinstance(value.name, c_ast.ID):
            given = value.args.exprs if value.args else []
            factors = [given[at] for at in _ALLOCATORS.get(value.name.name, ()) if at < len(given)]
            if factors:
                bytes_: SizeExpression = self.reader.number(factors[0])
                for factor in factors[1:]:
                    bytes_ = Operation("*", (bytes_, self.reader.number(factor)))
                self.allocations.append(Allocation(place, bytes_, self._placed(node)))
                return
        moved = self.reader.moved(value)
        if moved is not None:
            self._store(place, moved, node)
            return
        other = self.reader.place(value)
        if other is not None or isinstance(value, c_ast.FuncCall):
            self._store(place, self.reader.number(value), node)

    def _changed(self, target: c_ast.Node, node: c_ast.Assignment | c_ast.UnaryOp) -> None:
        """`n++`, `n += 2`: in a loop, or by one, it is counted."""
        place = self.reader.place(target)
        ctype = self.reader.type_of(target)
        if place is None or not isinstance(ctype, Scalar) or _is_data(place, ctype):
            return
        if place.name.endswith("[]"):
            self._store(place, Counted(), node)
            return
        if isinstance(node, c_ast.UnaryOp) or (self._loops and node.op in {"+=", "-="}):
            self._store(place, Counted(), node)
            return
        amount = self.reader.number(node.rvalue)
        # `s->length += length` goes on with every call, `nx += 2 * HALO` happens once
        goes_on = place.kind == "member" and node.op in {"+=", "-="} and not isinstance(amount, Number)
        if self._loops or goes_on:
            self._store(place, Unknown("changes as the program runs"), node)
        else:
            value = Operation(node.op.removesuffix("="), (Read(place), amount))
            self._store(place, Updated(self.reader.converted(value, ctype)), node)

    def _call(self, node: c_ast.FuncCall) -> None:
        if not isinstance(node.name, c_ast.ID):
            return
        name = node.name.name
        given: Sequence[c_ast.Node] = node.args.exprs if node.args else ()
        scanned = scanned_text(name, given, self.reader)
        if scanned is not None:
            for where, value in scanned:
                self._store(where, value, node)
            return
        alone = of_one_process(name, given, self.reader)
        if alone is not None:
            self._store(*alone, node)
            return
        targets = tuple(
            (at, place) for at, one in enumerate(given) if (place := self.reader.addressed(one)) is not None
        )
        self.calls.append(
            Call(
                name,
                tuple(map(self.reader.number, given)),
                targets,
                self._placed(node),
                self._loops,
                self._conditions > 0,
                self._options,
            )
        )
        for pointed in map(self.reader.type_of, given) if name in _READERS else ():
            if isinstance(pointed, PointerTo) and isinstance(pointed.target, StructOf):
                self._store(Place("member", pointed.target.name, WHOLE), Unknown(f"`{name}` reads it"), node)

    def _store(self, place: Place, value: SizeExpression, node: c_ast.Node) -> None:
        self.stores.append(Store(place, value, self._placed(node), self._conditions > 0, self._options))


def _is_data(place: Place, ctype: Scalar) -> bool:
    """Whether an element is none of those that may be sizes."""
    is_element = place.name.endswith("]") and not (place.kind == "target" and place.name.endswith("[0]"))
    return is_element and (ctype.kind != "int" or (place.kind == "target" and not is_of_numbers(ctype)))
