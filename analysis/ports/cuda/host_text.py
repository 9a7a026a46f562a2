"""What the host runs around the kernels: sequential loops, branches, scalars, and the launches themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from warplens.analysis.advice.naming import node_text
from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.expression import Access, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Exit, If, Loop, LoopNest, Statement, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import Scalar
from warplens.analysis.mapping.mapped_nest import ONCE
from warplens.analysis.ports.cuda.expression_text import ExpressionText
from warplens.analysis.ports.cuda.host_number import number_text
from warplens.analysis.ports.cuda.kernel_text import KernelText, SecondPass
from warplens.analysis.ports.cuda.loop_text import counting_type, counts_to_zero, may_pass_int
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.polynomial_text import PolynomialText
from warplens.analysis.ports.cuda.types_text import scalar_text

INDENT = "    "
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel at the loop `root`. `arguments` are the host's words for its parameters, one each.

    `iterations` are along x, y, z; it is launched where all `conditions` hold, and the program ends unless all
    `requirements` do: C in the host's names.
    `partials` has the buffer of each second pass's partial results, and `cells` where on the device its variable is.
    `prefix` tells the names of several kernels' grids apart.
    """

    root: NodeId
    text: KernelText
    arguments: tuple[str, ...]
    iterations: tuple[str, ...]
    conditions: tuple[str, ...]
    requirements: tuple[str, ...]
    prefix: str
    partials: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[str, str] = field(default_factory=dict)

    @property
    def axes(self) -> int:
        """Axes of the grid that have more than one iteration, or along which a block has more than one thread.

        A block is launched as it was planned: what its threads combine, or copy together, is counted in all of them.
        """
        used = [at for at in range(3) if self.iterations[at] != "1" or self.text.block[at] > 1]
        return max(used, default=0) + 1

    def needs(self, changing: frozenset[str]) -> bool:
        """Whether the size of its grid is made of names that change on the host."""
        return any(not changing.isdisjoint(_IDENTIFIER.findall(one))
                   for one in (*self.iterations, *self.conditions, *self.requirements))  # fmt: skip


def require_lines(launch: Launch) -> list[str]:
    """What ends the program where sizes are too large for the kernel's counters."""
    return [f'require({one}, "{one}");' for one in launch.requirements]


def grid_lines(launch: Launch) -> list[str]:
    """Declarations of the block and of the grid."""
    axes = range(launch.axes)
    extents = [launch.text.block[at] for at in axes]
    while launch.text.is_team and extents[-1] == 1:
        extents.pop()
    block = ", ".join(map(str, extents))
    lines = [f"const dim3 {launch.prefix}block({block});"]
    along = []
    used = [at for at in launch.text.axes_of_blocks if at < launch.axes]
    while len(used) > 1 and launch.iterations[used[-1]] == str(launch.text.block[used[-1]]):
        used.pop()  # one block
    for at in used:
        per_block = launch.text.block[at] * launch.text.outputs[at]
        along.append(f"blocks_along({launch.iterations[at]}, {per_block}, {launch.text.max_blocks[at]})")
    one_line = f"const dim3 {launch.prefix}grid({', '.join(along)});"
    if len(one_line) <= 110:
        return [*lines, one_line]
    start = f"const dim3 {launch.prefix}grid("
    return [*lines, f"{start}{along[0]},", *(f"{' ' * len(start)}{one}," for one in along[1:-1]),
            f"{' ' * len(start)}{along[-1]});"]  # fmt: skip


def partial_lines(launch: Launch) -> list[str]:
    """Buffers for the partial results of the blocks; their number is that of the grid."""
    if not launch.text.second_passes:
        return []
    grid = f"{launch.prefix}grid"
    lines = [f"const long {launch.prefix}blocks = (long){grid}.x * {grid}.y * {grid}.z;"]
    for second in launch.text.second_passes:
        buffer, ctype = launch.partials[second.variable], _type_text(second)
        lines += [
            f"{ctype} *{buffer} = nullptr;",
            f"CHECK(cudaMalloc(&{buffer}, {launch.prefix}blocks * sizeof({ctype})));",
        ]
    return lines


def launch_lines(launch: Launch, name_of: Callable[[str], str]) -> list[str]:
    """The launch, and the second passes of what its blocks reduce."""
    lines: list[str] = []
    for second in launch.text.second_passes:
        cell, variable = launch.cells[second.variable], name_of(second.variable)
        lines.append(f"CHECK(cudaMemcpy({cell}, &{variable}, sizeof({variable}), cudaMemcpyHostToDevice));")
    arguments = ", ".join(launch.arguments)
    lines.append(f"{launch.text.name}<<<{launch.prefix}grid, {launch.prefix}block>>>({arguments});")
    lines.append("CHECK(cudaGetLastError());")
    for second in launch.text.second_passes:
        cell, variable = launch.cells[second.variable], name_of(second.variable)
        buffer = launch.partials[second.variable]
        lines += [
            f"{second.name}<<<1, {second.threads}>>>({buffer}, {launch.prefix}blocks, {cell});",
            "CHECK(cudaGetLastError());",
            f"CHECK(cudaMemcpy(&{variable}, {cell}, sizeof({variable}), cudaMemcpyDeviceToHost));",
        ]
    return lines


def guarded(launch: Launch, lines: list[str]) -> list[str]:
    """The lines under the condition that the grid has an iteration."""
    if not launch.conditions:
        return lines
    return [f"if ({' && '.join(launch.conditions)}) {{", *(INDENT + line for line in lines), "}"]


@dataclass(slots=True)
class HostText:
    """Prints a nest's statements around its kernels.

    `launches` are by the root of the kernel; `changing` are the identifiers that the host changes while it runs.
    """

    nest: LoopNest
    launches: Mapping[NodeId, Launch]
    changing: frozenset[str]
    name_of: Callable[[str], str]
    numbers: PolynomialText
    expressions: ExpressionText
    written: frozenset[str]
    """Arrays that a kernel or the host writes: they are on the device, where the host can't read them."""

    def lines(self, body: tuple[Statement, ...], around: tuple[NodeId, ...] = ()) -> list[str]:
        """Lines of a body; raises PortRefusedError for what the host can't do between kernels."""
        found: list[str] = []
        for statement in body:
            self._check_arrays(statement)
            match statement:
                case Loop() if statement.id in self.launches:
                    found += self._launch(self.launches[statement.id])
                case Loop(iterator=iterator) if iterator == ONCE:
                    found += self.lines(statement.body, around)
                case Loop():
                    found += self._loop(statement, around)
                case If():
                    found += self._branch(statement, around)
                case Assign(target=ScalarRef()):
                    found.append(self._assign(statement))
                case Exit(kind="break", leaves=loop) if around and around[-1] == loop:
                    found.append("break;")
                case Exit():
                    raise PortRefusedError("the loop is left early from inside: what runs after that is not known here")
                case _:
                    where = node_text(self.nest, statement.id)
                    raise PortRefusedError(f"{where} stands between kernels, and the host can't run it there")
        return found

    def _launch(self, launch: Launch) -> list[str]:
        if not launch.needs(self.changing):
            return guarded(launch, launch_lines(launch, self.name_of))
        inner = [
            *require_lines(launch),
            *grid_lines(launch),
            *partial_lines(launch),
            *launch_lines(launch, self.name_of),
        ]
        inner += [f"CHECK(cudaFree({buffer}));" for buffer in launch.partials.values()]
        lines = guarded(launch, inner)
        return lines if lines is not inner else ["{", *(INDENT + line for line in inner), "}"]

    def _loop(self, loop: Loop, around: tuple[NodeId, ...]) -> list[str]:
        name = c_name(loop.iterator)
        if loop.start is None or not loop.limits or loop.bound_reads or loop.bound_reason or loop.step == 0:
            raise PortRefusedError(f"the bounds of the loop over `{name}`, which runs on the host, are not understood")
        if not isinstance(loop.iterator_type, Scalar) or loop.iterator_type.kind != "int":
            raise PortRefusedError(f"`{name}` is no integer")
        ctype = counting_type(loop.iterator_type)
        own = scalar_text(ctype)
        iterator = self.name_of(loop.iterator)
        inner = [INDENT + line for line in self.lines(loop.body, (*around, loop.id))]
        if counts_to_zero(loop):
            start = self._bound(loop.start + 1, ctype)
            return [f"for ({own} {iterator} = {start}; {iterator}-- > 0;) {{", *inner, "}"]
        compared = f"(long){iterator}" if own.endswith("long") and own != "long" else iterator
        operator = "!=" if loop.exact_end else "<" if loop.step > 0 else ">"
        tests = [f"{compared} {operator} {self._bound(limit, ctype)}" for limit in loop.limits]
        step = {1: f"++{iterator}", -1: f"--{iterator}"}.get(
            loop.step, f"{iterator} {'+' if loop.step > 0 else '-'}= {abs(loop.step)}"
        )
        start = self._bound(loop.start, ctype)
        head = f"for ({own} {iterator} = {start}; {' && '.join(tests)}; {step}) {{"
        return [head, *inner, "}"]

    def _bound(self, bound: Polynomial, ctype: Scalar) -> str:
        """In `int` where all of it is one, as the source has it, and in `long` elsewhere."""
        types = (self.numbers.types.get(symbol) for symbol in bound.symbols)
        is_int = all(isinstance(one, Scalar) and one.size_bytes == 4 and one.signed for one in types)
        if is_int and bound.degree <= 1 and ctype.size_bytes == 4 and not may_pass_int(bound):
            return self.numbers.text(bound)
        return number_text(bound, self.numbers) if bound.degree != 1 else self.numbers.text(bound, wide=True)

    def _branch(self, branch: If, around: tuple[NodeId, ...]) -> list[str]:
        lines = [f"if ({self.expressions.text(branch.condition)}) {{"]
        lines += (INDENT + line for line in self.lines(branch.then, around))
        if branch.otherwise:
            lines.append("} else {")
            lines += (INDENT + line for line in self.lines(branch.otherwise, around))
        return [*lines, "}"]

    def _assign(self, statement: Assign) -> str:
        target = statement.target
        name = self.name_of(target.name if isinstance(target, ScalarRef) else "")
        if statement.operator:
            return f"{name} {statement.operator}= {self.expressions.added(statement.value, target.type)};"
        return f"{name} = {self.expressions.assigned(statement.value, target.type)};"

    def _check_arrays(self, statement: Statement) -> None:
        """The host must not touch what kernels write, nor write what they touch, while it lives on the GPU."""
        if isinstance(statement, Loop) and statement.id in self.launches:
            return
        for access in accesses_of(statement):
            is_target = isinstance(statement, Assign) and access is statement.target
            if is_target or access.array in self.written:
                where = node_text(self.nest, statement.id)
                name = c_name(access.array)
                raise PortRefusedError(f"{where} uses `{name}` on the host between kernels that have it on the GPU")


def host_statements(nest: LoopNest, roots: frozenset[NodeId]) -> tuple[Statement, ...]:
    """Every statement that is in no kernel, loops and branches around kernels too."""
    inside = {
        inner.id
        for statement in walk_statements((nest.root,))
        if isinstance(statement, Loop) and statement.id in roots
        for inner in walk_statements((statement,))
    }
    return tuple(statement for statement in walk_statements((nest.root,)) if statement.id not in inside)


def host_accesses(nest: LoopNest, roots: frozenset[NodeId]) -> tuple[Access, ...]:
    """What the host itself touches."""
    return tuple(access for statement in host_statements(nest, roots) for access in accesses_of(statement))


def _type_text(second: SecondPass) -> str:
    if not isinstance(second.type, Scalar):
        raise PortRefusedError(f"`{c_name(second.variable)}` is no number")
    return scalar_text(second.type)
