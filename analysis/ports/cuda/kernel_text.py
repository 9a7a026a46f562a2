"""One kernel of the port as CUDA C++: its parameters, its definition, and how many blocks run it.

The text comes from the IR, not from the source: what a thread runs is printed with the conversions that the C has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Loop, Statement, loops_of, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import INT, CType, Scalar
from warplens.analysis.ir.unread_scalars import without_unread
from warplens.analysis.models.launch_work.second_pass import SECOND_PASS_THREADS
from warplens.analysis.ports.cuda.access_text import AccessText
from warplens.analysis.ports.cuda.atomic_text import atomic_update, shared_store
from warplens.analysis.ports.cuda.body_text import BodyText, indented
from warplens.analysis.ports.cuda.counter_room import (
    Room,
    axis_rooms,
    chunk_rooms,
    is_within_room,
    room_texts,
    shared_rooms,
)
from warplens.analysis.ports.cuda.expression_text import ExpressionText, Text
from warplens.analysis.ports.cuda.grid_axes import MOST_BLOCKS, OF_TEAM, Axis, grid_axes
from warplens.analysis.ports.cuda.grid_text import GridText
from warplens.analysis.ports.cuda.kernel_body import KernelBody
from warplens.analysis.ports.cuda.line_breaks import LONGEST, broken
from warplens.analysis.ports.cuda.loop_text import LoopText
from warplens.analysis.ports.cuda.plan import KernelPlan, PortRefusedError, Tile
from warplens.analysis.ports.cuda.polynomial_text import PolynomialText
from warplens.analysis.ports.cuda.reduction_text import (
    ScalarReduction,
    block_function,
    is_extreme_call,
    scalar_reduction,
    second_pass,
)
from warplens.analysis.ports.cuda.symbols import THREAD_INDICES, Symbols
from warplens.analysis.ports.cuda.team_text import TeamText, suits, team_text
from warplens.analysis.ports.cuda.thread_body import grid_and_body, sets
from warplens.analysis.ports.cuda.thread_own import own_of_thread
from warplens.analysis.ports.cuda.tile_loops import TileLoops
from warplens.analysis.ports.cuda.tile_text import KernelSpelling, tile_element
from warplens.analysis.ports.cuda.types_text import Types, is_boolean


@dataclass(frozen=True, slots=True)
class KernelParameter:
    """One parameter: `declaration` is how it stands in the parameter list (`const float *__restrict__ a`).

    `name` is its name in the text, `stands_for` the name in the nest: of an array (then `type` is its element's), a
    scalar (`type` is its own; a structure is one too), or of the variable whose partial results of the blocks it gets,
    one for each block.
    """

    name: str
    declaration: str
    type: CType
    kind: Literal["array", "scalar", "partial"]
    stands_for: str


@dataclass(frozen=True, slots=True)
class SecondPass:
    """The kernel that combines the blocks' partial results of one scalar, in an order that is always the same.

    It is launched as `name<<<1, threads>>>(partials, count, result)` with `const T *partials`, `long count` (the number
    of blocks of the first kernel) and `T *result`, which holds the variable's value before and gets the one after.
    """

    variable: str
    type: CType
    partials: str
    name: str
    definition: tuple[str, ...]
    threads: int


@dataclass(frozen=True, slots=True)
class KernelText:
    """One kernel, above which `definitions` have to stand: struct types, device functions.

    Each definition is a text of its own, so that two kernels of a file can share it; `definition` are the lines of the
    kernel. `iterations` are C expressions of integers, in the names of the parameters, for the iterations along x, y,
    z; unless all `conditions` are >= 0 there are none, and the kernel must not be launched. A block covers
    `block[d] * outputs[d]` of them. Along each axis the grid may be cut to `max_blocks`: the kernel goes on to the
    next ones itself. `requirements` are C conditions in the parameters' names, without which an index would wrap.
    """

    name: str
    parameters: tuple[KernelParameter, ...]
    definitions: tuple[str, ...]
    definition: tuple[str, ...]
    iterations: tuple[str, str, str]
    block: Extent
    outputs: Extent
    max_blocks: tuple[int, int, int]
    conditions: tuple[Polynomial, ...] = ()
    requirements: tuple[str, ...] = ()
    second_passes: tuple[SecondPass, ...] = ()
    axes_of_blocks: tuple[int, int, int] = (0, 1, 2)
    """Which axis of the iterations lies along x, y and z of the grid's blocks."""

    @property
    def is_team(self) -> bool:
        """Whether the threads of a block along x share a row."""
        return self.axes_of_blocks != (0, 1, 2)


def kernel_text(facts: NestFacts, plan: KernelPlan) -> KernelText:
    """Text of one kernel; raises PortRefusedError, in the source's terms."""
    return _Kernel.of(facts, plan).text()


@dataclass(slots=True)
class _Kernel:
    """The parts that print a kernel, tied together."""

    facts: NestFacts
    plan: KernelPlan
    statements: tuple[Statement, ...]
    axes: tuple[Axis, ...]
    symbols: Symbols
    own: frozenset[str]
    reductions: tuple[ScalarReduction, ...]
    atomic: frozenset[str]
    """Arrays whose elements several iterations update."""
    stores: frozenset[NodeId]
    """Statements by which several iterations store one value."""
    team: TeamText | None
    types: Types = field(default_factory=Types)

    @staticmethod
    def of(facts: NestFacts, plan: KernelPlan) -> _Kernel:
        nest, kernel = facts.nest, plan.kernel
        if kernel.team is not None and not suits(plan, kernel.team):
            raise PortRefusedError(f"{kernel.team.threads} threads share a row: a block's first extent is that number")
        grid, statements = grid_and_body(nest, kernel)
        scalars = {scalar.name: scalar for scalar in nest.scalars}
        reductions: list[ScalarReduction] = []
        atomic: list[str] = []
        stores: list[NodeId] = []
        for reduction in kernel.reductions:
            if not reduction.is_array_element and reduction.variable in scalars:
                ctype = scalars[reduction.variable].type
                folds = tuple(s for s in walk_statements(statements) if sets(s, reduction.variable))
                if (
                    reduction.operator in {"&&", "||"}
                    and not is_boolean(ctype)
                    and not any(s in statements for s in folds)
                ):
                    name = c_name(reduction.variable)
                    raise PortRefusedError(f"`{name}` becomes 0 or 1 only where a condition or a loop lets it be set")
                reductions.append(scalar_reduction(reduction, ctype, by_call=all(map(is_extreme_call, folds))))
            elif reduction.operator == "store" and isinstance(nest.array(reduction.variable).element, Scalar):
                stores += (reduction.statement, *reduction.others)
            elif reduction.operator in {"argmin", "argmax", "store"}:
                scalar_reduction(reduction, INT)  # says why not
            else:
                atomic.append(reduction.variable)
        combined = frozenset(reduction.variable for reduction in reductions)
        statements = without_unread(statements, combined)
        own = own_of_thread(facts, plan.kernel, statements, grid, combined)
        lanes = None if kernel.team is None else kernel.team.lanes
        axes = grid_axes(grid, kernel.thread_order, plan.block, plan.outputs, lanes)
        inner = [*grid, *(s for s in walk_statements(statements) if isinstance(s, Loop))]
        iterators = {loop.iterator: loop.iterator_type for loop in inner}
        unique = {reduction.variable: reduction for reduction in reductions}
        symbols = Symbols(nest, own | combined | iterators.keys(), iterators)
        symbols.names.fresh(plan.name)
        plan = replace(plan, tiles=tuple(replace(tile, name=symbols.made(tile.name)) for tile in plan.tiles))
        shared = frozenset(atomic), frozenset(stores)
        team = None if kernel.team is None else team_text(facts, kernel.team, statements, symbols, grid)
        return _Kernel(facts, plan, statements, axes, symbols, own, tuple(unique.values()), *shared, team)

    def text(self) -> KernelText:
        """All of it."""
        plan, symbols = self.plan, self.symbols
        tiled = {access: tile for tile in plan.tiles for access in tile.accesses}
        arrays = {array.name: array for array in self.facts.nest.arrays}
        symbols.derived.update({value.name: value for tile in plan.tiles for value in tile.values})
        polynomials = PolynomialText(symbols.value, symbols.types, symbols.derived)

        def element(access: Access) -> Text:
            if access.id in tiled:
                return Text(tile_element(tiled[access.id], access, kernel.places, spelling))
            return accesses.text(access)

        expressions = ExpressionText(symbols.value, element)
        own_arrays = frozenset(name for name in self.own if name in arrays)
        accesses = AccessText(arrays, symbols.array, own_arrays, polynomials, expressions.piece)
        spelling = KernelSpelling(
            lambda value: _signed(polynomials, value),
            lambda value: _signed(polynomials, value, is_small=True),
            lambda access, indices, wide: accesses.offset(access, indices, wide=wide),
            symbols.array,
            symbols.made,
        )
        loops = LoopText(symbols.plain, polynomials, expressions.piece)
        scalars = {scalar.name: scalar for scalar in self.facts.nest.scalars}
        body = BodyText(
            expressions,
            loops,
            scalars,
            arrays,
            self.types.text,
            lambda one: self._special(one, expressions),
            *([] if self.team is None else [self.team.around]),
        )
        first = {tile.name: self._staged(tile) for tile in plan.tiles}
        tiles = TileLoops(plan.tiles, first, plan.block, loops, symbols, spelling)
        combined = frozenset(reduction.variable for reduction in self.reductions)
        kernel = KernelBody(plan, self.axes, GridText(loops), body, symbols, self.own, combined, self._written, tiles)
        lines = kernel.lines(self.statements)
        iterations = [kernel.grid.iterations(axis) for axis in self.axes]
        conditions = (distance - 1 for axis in self.axes for distance in axis.distances)
        requirements = room_texts(self._rooms(), polynomials)
        declared = tiles.declarations(lambda tile: self.types.text(tile.element))
        functions, before, after, seconds = self._reduced()
        functions += [] if self.team is None else list(self.team.functions.values())
        parameters = self._parameters()
        inner = [one for line in indented([*declared, *before, *lines, *after]) for one in broken(line)]
        definition = (*_head(plan, parameters), "{", *inner, "}")
        return KernelText(
            plan.name,
            parameters,
            (*self.types.definitions.values(), *dict.fromkeys(functions)),
            definition,
            _three(iterations, "1"),
            plan.block,
            plan.outputs,
            self._most_blocks(),
            tuple(one for one in dict.fromkeys(conditions) if not one.is_constant or one.constant_term < 0),
            requirements,
            seconds,
            (0, 1, 2) if self.team is None else (1, 2, 0),
        )

    def _most_blocks(self) -> tuple[int, int, int]:
        """By axis of the iterations."""
        x, y, z = ("x", "y", "z") if self.team is None else (OF_TEAM["x"], OF_TEAM["y"], OF_TEAM["z"])
        return MOST_BLOCKS[x], MOST_BLOCKS[y], MOST_BLOCKS[z]

    def _rooms(self) -> list[Room]:
        tiles, types = self.plan.tiles, self.symbols.types
        grid = [loop for loop in loops_of(self.facts.nest) if any(loop.id == axis.loop.id for axis in self.axes)]
        rooms = [room for axis in self.axes for room in axis_rooms(axis, grid, tiles, types)]
        for loop, around in _loops_with_around(self.statements):
            staged = [tile for tile in tiles if tile.staged_in == loop.id]
            rooms += chunk_rooms(loop, around, staged[0].chunk, staged, types) if staged else []
            rooms += shared_rooms(loop, (*grid, *around), types)
        return rooms

    def _special(self, statement: Statement, expressions: ExpressionText) -> tuple[str, ...] | None:
        if not isinstance(statement, Assign) or not isinstance(statement.target, Access):
            return None
        if statement.id in self.stores:
            return (shared_store(statement, expressions),)
        if statement.target.array not in self.atomic:
            return None
        return (atomic_update(statement, expressions),)

    def _staged(self, tile: Tile) -> Access:
        """One access of a tile; raises PortRefusedError where only values that nobody reads come from it."""
        found = next((access for access in _accesses(self.statements) if access.id in tile.accesses), None)
        if found is None:
            raise PortRefusedError(f"what is read of `{c_name(tile.array)}` is used by nothing: staging it is no use")
        return found

    def _reduced(self) -> tuple[list[str], list[str], list[str], tuple[SecondPass, ...]]:
        """Device functions, lines before and behind the body, and the second passes."""
        threads = self.plan.block[0] * self.plan.block[1] * self.plan.block[2]
        functions: list[str] = []
        before: list[str] = []
        after: list[str] = []
        passes: list[SecondPass] = []
        first = " && ".join(f"threadIdx.{axis.letter} == 0" for axis in self.axes)
        block = "blockIdx.x"
        if len(self.axes) > 1:
            rest = "blockIdx.y" if len(self.axes) == 2 else "(blockIdx.y + (long)gridDim.y * blockIdx.z)"
            block = f"blockIdx.x + (long)gridDim.x * {rest}"
        for reduction in self.reductions:
            name = self.symbols.plain(reduction.variable)
            parts = self._parts_name(reduction)
            function, text = block_function(reduction, threads)
            second, lines, other = second_pass(reduction, self.plan.name, name)
            functions += [text, other[1]]
            before.append(f"{reduction.type_text} {name} = {reduction.neutral};")
            after += [f"{name} = {function}({name});", f"if ({first}) {{", f"    {parts}[{block}] = {name};", "}"]
            ctype = self._scalar_type(reduction.variable)
            passes.append(SecondPass(reduction.variable, ctype, parts, second, lines, SECOND_PASS_THREADS))
        return functions, before, after, tuple(passes)

    @property
    def _written(self) -> frozenset[str]:
        """Arrays that the kernel writes."""
        statements = walk_statements(self.statements)
        return frozenset(s.target.array for s in statements if isinstance(s, Assign) and isinstance(s.target, Access))

    def _parts_name(self, reduction: ScalarReduction) -> str:
        return self.symbols.made(f"{self.symbols.plain(reduction.variable)}_parts")

    def _parameters(self) -> tuple[KernelParameter, ...]:
        """Arrays in the nest's order, then scalars, then the buffers for partial results."""
        found: list[KernelParameter] = []
        symbols, nest = self.symbols, self.facts.nest
        written = self._written
        for array in nest.arrays:
            if array.name not in symbols.used_arrays:
                continue
            name, text = symbols.plain(array.name), self.types.text(array.element)
            if not array.extents and not array.is_pointer:
                if array.name in written:
                    raise PortRefusedError(f"`{c_name(array.name)}` is one variable that several iterations write")
                found.append(KernelParameter(name, f"{text} {name}", array.element, "scalar", array.name))
                continue
            word = "" if array.name in written else "const "
            found.append(
                KernelParameter(name, f"{word}{text} *__restrict__ {name}", array.element, "array", array.name)
            )
        order = [scalar.name for scalar in nest.scalars if scalar.name in symbols.used]
        for variable in (*order, *(name for name in symbols.used if name not in order)):
            ctype, name = symbols.types[variable], symbols.plain(variable)
            found.append(KernelParameter(name, f"{self.types.text(ctype)} {name}", ctype, "scalar", variable))
        for reduction in self.reductions:
            name = self._parts_name(reduction)
            ctype = self._scalar_type(reduction.variable)
            declaration = f"{reduction.type_text} *__restrict__ {name}"
            found.append(KernelParameter(name, declaration, ctype, "partial", reduction.variable))
        return tuple(found)

    def _scalar_type(self, name: str) -> CType:
        return next(scalar.type for scalar in self.facts.nest.scalars if scalar.name == name)


def _accesses(statements: tuple[Statement, ...]) -> Iterator[Access]:
    return (access for one in walk_statements(statements) for access in accesses_of(one))


def _loops_with_around(
    statements: Sequence[Statement], around: tuple[Loop, ...] = ()
) -> Iterator[tuple[Loop, tuple[Loop, ...]]]:
    """Loops with the loops around each, outer first."""
    for statement in statements:
        match statement:
            case Loop():
                yield statement, around
                yield from _loops_with_around(statement.body, (*around, statement))
            case If():
                yield from _loops_with_around((*statement.then, *statement.otherwise), around)


def _head(plan: KernelPlan, parameters: Sequence[KernelParameter]) -> list[str]:
    """`static __global__ void __launch_bounds__(256)` and the name with its parameters."""
    threads = plan.block[0] * plan.block[1] * plan.block[2]
    lines = [f"static __global__ void __launch_bounds__({threads})"]
    start = f"{plan.name}("
    if not parameters:
        return [*lines, f"{start})"]
    line = start
    for number, parameter in enumerate(parameters):
        text = parameter.declaration + (")" if number == len(parameters) - 1 else ",")
        if line != start and len(line) + len(text) > LONGEST:
            lines.append(line.rstrip())
            line = " " * len(start)
        line += f"{text} "
    return [*lines, line.rstrip()]


def _signed(polynomials: PolynomialText, value: Polynomial, *, is_small: bool = False) -> str:
    """A sum in signed arithmetic: in `long` where a symbol has no sign, or an `int` may have no room for it."""
    types = (polynomials.types.get(name) for name in value.symbols if name not in THREAD_INDICES)
    wide = value.degree > 1 or any(isinstance(ctype, Scalar) and not ctype.signed for ctype in types)
    return polynomials.text(value, wide=wide or not (is_small or is_within_room(value)))


def _three(values: Sequence[str], rest: str) -> tuple[str, str, str]:
    x, y, z = [*values, rest, rest][:3]
    return x, y, z
