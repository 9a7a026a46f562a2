"""The host function of a port: takes what the nest uses, runs its kernels on the device and brings back the results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from warplens.analysis.dependence.scalars.privatization import is_read_before_written
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.expression import Access, ScalarRef
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Loop, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import LONG, CType, Scalar
from warplens.analysis.ports.cuda.access_text import AccessText
from warplens.analysis.ports.cuda.device_memory import DeviceMemory
from warplens.analysis.ports.cuda.expression_text import ExpressionText, Text, scalar_or_refusal
from warplens.analysis.ports.cuda.host_number import failed_text, holds_text, number_text
from warplens.analysis.ports.cuda.host_scans import HostScan
from warplens.analysis.ports.cuda.host_text import (
    INDENT,
    HostText,
    Launch,
    grid_lines,
    host_accesses,
    host_statements,
    partial_lines,
    require_lines,
)
from warplens.analysis.ports.cuda.kernel_text import KernelText
from warplens.analysis.ports.cuda.loop_text import LoopText
from warplens.analysis.ports.cuda.names import Names
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.polynomial_text import PolynomialText
from warplens.analysis.ports.cuda.scan_text import scan_lines
from warplens.analysis.ports.cuda.section_text import buffer
from warplens.analysis.ports.cuda.types_text import Types, scalar_text
from warplens.analysis.ports.sections.hull import Hull, is_implied
from warplens.analysis.ports.sections.iterations import loops_around, within_iterations
from warplens.analysis.ports.sections.touched_range import HostValue

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class WrapperInput:
    """What the caller hands over: `stands_for` in the nest, called `name`. A "result" is a variable by its address.

    `cuda_type` is the type of the parameter without its name.
    """

    stands_for: str
    name: str
    kind: Literal["value", "array", "result"]
    type: CType
    cuda_type: str


@dataclass(frozen=True, slots=True)
class Wrapper:
    """`inputs` are what it takes; `start` the lines that leave it where there is nothing to do, `body` all others.

    `definitions` are those of the types that it needs.
    """

    inputs: tuple[WrapperInput, ...]
    start: tuple[str, ...]
    body: tuple[str, ...]
    definitions: tuple[str, ...]


def changed_on_host(facts: NestFacts) -> tuple[str, ...]:
    """Scalars that the host sets around the kernels, those that kernels reduce among them, in source order."""
    roots = frozenset(kernel.root for kernel in facts.kernels)
    assigned = (s.target.name for s in host_statements(facts.nest, roots)
                if isinstance(s, Assign) and isinstance(s.target, ScalarRef))  # fmt: skip
    scalars = {scalar.name for scalar in facts.nest.scalars}
    reduced = (r.variable for kernel in facts.kernels for r in kernel.reductions if r.variable in scalars)
    return tuple(dict.fromkeys((*assigned, *reduced)))


def has_results_of_host(facts: NestFacts) -> bool:
    """Whether the host itself sets a scalar that is read after the nest."""
    roots = frozenset(kernel.root for kernel in facts.kernels)
    after = {scalar.name for scalar in facts.nest.scalars if scalar.used_after}
    return any(
        isinstance(s, Assign) and isinstance(s.target, ScalarRef) and s.target.name in after
        for s in host_statements(facts.nest, roots)
    )


def wrapper(
    facts: NestFacts, memory: DeviceMemory, kernels: Sequence[KernelText], requirements: Sequence[str]
) -> Wrapper:
    """The host function for kernels in the order of `facts.kernels`; raises PortRefusedError.

    `requirements` are C conditions of the parameters without which the kernels would compute something else.
    """
    return _Writer(facts, memory, kernels).written(requirements)


class _Writer:
    def __init__(self, facts: NestFacts, memory: DeviceMemory, kernels: Sequence[KernelText]) -> None:
        self.facts, self.nest, self.memory, self.kernels = facts, facts.nest, memory, kernels
        self.names = _names(kernels)
        self.scalars = {scalar.name: scalar for scalar in self.nest.scalars}
        self.changed = changed_on_host(facts)
        roots = frozenset(kernel.root for kernel in facts.kernels)
        self.host = host_statements(self.nest, roots)
        self.iterators = {s.iterator for s in self.host if isinstance(s, Loop)}
        self.used: dict[str, None] = {}
        self.local: dict[str, str] = {}
        types: dict[str, CType] = {scalar.name: scalar.type for scalar in self.nest.scalars}
        types |= {derived.name: LONG for derived in self.nest.derived} | dict.fromkeys(memory.values.names, LONG)
        derived = {one.name: one for one in self.nest.derived}
        self.types = types
        self.numbers = PolynomialText(self.name, types, derived)
        self.cuda_types = Types()
        arrays = {array.name: array for array in self.nest.arrays}
        self.expressions = ExpressionText(self.name, self.element)
        self.elements = AccessText(arrays, self.array_name, frozenset(), self.numbers, self.expressions.piece)
        self.host_arrays = tuple(dict.fromkeys(access.array for access in host_accesses(self.nest, roots)))

    def name(self, symbol: str) -> str:
        """Identifier of a scalar or symbol, which the function then has to have."""
        if symbol in self.memory.values.names:
            return self.local.setdefault(symbol, self.names.fresh(symbol))
        self.used[symbol] = None
        return self.names.of(symbol)

    def element(self, access: Access) -> Text:
        return self.elements.text(access)

    def array_name(self, array: str) -> str:
        return self.names.of(array)

    def written(self, requirements: Sequence[str]) -> Wrapper:
        conditions = self.memory.conditions
        granted = frozenset(conditions)
        start: list[str] = []
        launches = [self._launch(at, granted) for at in range(len(self.kernels))]
        changing = frozenset(self.names.of(name) for name in (*self.changed, *self.iterators))
        steady = [launch for launch in launches if not launch.needs(changing)]
        if conditions:
            tests = " || ".join(failed_text(condition, self.numbers) for condition in conditions)
            start = [f"if ({tests})", f"{INDENT}return;"]
        for requirement in requirements:
            text = _IDENTIFIER.sub(lambda found: self.name(found[0]), requirement)
            start.append(f'require({text}, "{requirement}");')
        start += dict.fromkeys(line for launch in steady for line in require_lines(launch))
        results, declared = self._locals()
        sections, after, frees = self._buffers(granted)
        values = self._host_values()
        cells = [line for launch in launches for line in _cell_lines(launch)]
        grids = [line for launch in steady for line in (*grid_lines(launch), *partial_lines(launch))]
        control = self._control(launches, changing)
        frees += [f"CHECK(cudaFree({one}));" for launch in steady for one in launch.partials.values()]
        frees += [f"CHECK(cudaFree({one}));" for launch in launches for one in launch.cells.values()]
        back = [f"*{self._result_name(name)} = {self.names.of(name)};" for name in results]
        body = [*values, *declared, *sections, *cells, "", *grids, *control, "", *after, *frees, *back]
        inputs, definitions = self._inputs(results), tuple(self.cuda_types.definitions.values())
        return Wrapper(inputs, (*start, "") if start else (), tuple(_tidy(body)), definitions)

    def _locals(self) -> tuple[list[str], list[str]]:
        """Scalars that are handed back, and the declarations of those that the host changes."""
        results: list[str] = []
        lines: list[str] = []
        for name in self.changed:
            scalar = self.scalars[name]
            own = scalar_text(scalar_or_refusal(scalar.type, name))
            identifier = self.names.of(name)
            if scalar.used_after or scalar.scope == "global":
                results.append(name)
                lines.append(f"{own} {identifier} = *{self._result_name(name)};")
            elif not self._is_taken(name):
                lines.append(f"{own} {identifier} = 0;")
            else:
                self.used[name] = None
        return results, lines

    def _is_taken(self, name: str) -> bool:
        """Whether a scalar that the host changes comes with a value from before the nest."""
        return self.scalars[name].scope != "body" and is_read_before_written((self.nest.root,), name)

    def _result_name(self, name: str) -> str:
        return self.local.setdefault(f"*{name}", self.names.fresh(f"{self.names.of(name)}_ptr"))

    def _launch(self, at: int, granted: frozenset[Polynomial]) -> Launch:
        text, kernel = self.kernels[at], self.facts.kernels[at]
        prefix = "" if len(self.kernels) == 1 else f"{text.name}_"
        renamed = {p.name: self.names.of(p.stands_for) for p in text.parameters if p.kind != "partial"}
        for parameter in text.parameters:
            if parameter.kind == "scalar":
                self.name(parameter.stands_for)
        partials = {s.variable: self.names.fresh(f"{self.names.of(s.variable)}_partials") for s in text.second_passes}
        cells = {s.variable: self._cell(s.variable) for s in text.second_passes}
        arguments = []
        for parameter in text.parameters:
            match parameter.kind:
                case "array":
                    arguments.append(self._device(parameter.stands_for))
                case "partial":
                    arguments.append(partials[parameter.stands_for])
                case _:
                    arguments.append(self.names.of(parameter.stands_for))
        iterations, requirements = (
            tuple(_IDENTIFIER.sub(lambda found: renamed.get(found[0], found[0]), one) for one in texts)
            for texts in (text.iterations, text.requirements)
        )
        needed = self._needs(kernel.root)
        is_certain = needed is not None and all(is_implied(condition, granted) for condition in needed)
        steady = frozenset(self.types) - self.iterators - frozenset(self.changed)
        around = [loop for loop in loops_around(self.nest, kernel.root, ()) if loop.iterator not in self.changed]
        holds = granted | within_iterations(around, steady)
        fixed = steady | {loop.iterator for loop in around}
        asked = () if is_certain else text.conditions
        conditions = tuple(
            holds_text(one, self.numbers) for one in asked if not (one.symbols <= fixed and is_implied(one, holds))
        )
        return Launch(
            kernel.root, text, tuple(arguments), iterations, conditions, requirements, prefix, partials, cells
        )

    def _needs(self, root: NodeId) -> frozenset[Polynomial] | None:
        return dict(self.memory.needed_by_kernel).get(root)

    def _cell(self, variable: str) -> str:
        return self.local.setdefault(f"cell {variable}", self.names.fresh(f"d_{self.names.of(variable)}"))

    def _device(self, array: str) -> str:
        key = f"device {array}"
        if key not in self.local:
            self.local[key] = self.names.fresh(f"d_{self.names.of(array)}")
        return self.local[key]

    def _buffers(self, granted: frozenset[Polynomial]) -> tuple[list[str], list[str], list[str]]:
        before: list[str] = []
        after: list[str] = []
        frees: list[str] = []
        for array in self.memory.arrays:
            element = self.cuda_types.text(array.array.element)
            host = self.names.of(array.array.name)
            one = buffer(array, (host, self._device(array.array.name)), element, self.names, self.numbers, granted)
            before += ["", *one.before]
            after += one.after
            frees.append(one.free)
        return before, after, frees

    def _host_values(self) -> list[str]:
        """Numbers that the sections are made of, those first that others need."""
        known = self.memory.values.names
        needed = _symbols(self.memory)
        for value in reversed(known.values()):
            if value.name in needed:
                needed |= {symbol for operand in value.operands for symbol in operand.symbols}
        scans = [scan for scan in self.memory.scans if {scan.least, scan.most} & needed]
        lines = [line for scan in scans for line in self._scan_lines(scan)]
        plain = [value for value in known.values() if value.name in needed and value.kind != "scan"]
        return [*lines, *(self._host_value(value) for value in plain)]

    def _scan_lines(self, scan: HostScan) -> list[str]:
        """The loops that find the least and the largest value."""
        least, most = self.name(scan.least), self.name(scan.most)
        self.iterators |= {loop.iterator for loop in scan.loops}
        headers = LoopText(self.name, self.numbers, self.expressions.piece)
        return scan_lines(scan, (least, most), headers, self.expressions.text)

    def _host_value(self, value: HostValue) -> str:
        name = self.name(value.name)
        if value.kind == "quotient":
            numerator, divisor = value.operands
            return f"const long {name} = ({self.numbers.text(numerator, wide=True)}) / {divisor};"
        if value.kind != "last":
            operands = ", ".join(self.numbers.text(one, wide=True) for one in value.operands)
            return f"const long {name} = std::{value.kind}<long>({{{operands}}});"
        start, end, step = value.operands
        size = abs(step.constant_term)
        rising = step.constant_term > 0
        distance = self.numbers.text(end - start if rising else start - end, wide=True)
        moved = f"({distance}) / {size} * {size}"
        first = "" if not start.terms else f"{number_text(start, self.numbers)} {'+' if rising else '-'} "
        return f"const long {name} = {first or ('' if rising else '-')}{moved};"

    def _control(self, launches: Sequence[Launch], changing: frozenset[str]) -> list[str]:
        written = frozenset(
            s.target.array
            for s in walk_statements((self.nest.root,))
            if isinstance(s, Assign) and not isinstance(s.target, ScalarRef)
        )
        by_root = {launch.root: launch for launch in launches}
        host = HostText(self.nest, by_root, changing, self.name, self.numbers, self.expressions, written)
        return host.lines((self.nest.root,))

    def _inputs(self, results: Sequence[str]) -> tuple[WrapperInput, ...]:
        inputs: list[WrapperInput] = []
        inside = {*self.iterators, *results}
        inside |= {name for name in self.changed if name not in results and not self._is_taken(name)}
        for name in sorted(self.used, key=self._place):
            if name in inside:
                continue
            ctype = self._value_type(name)
            inputs.append(WrapperInput(name, self.names.of(name), "value", ctype, self.cuda_types.text(ctype)))
        on_device = {array.array.name: array for array in self.memory.arrays}
        for array in self.nest.arrays:
            if array.name not in on_device and array.name not in self.host_arrays:
                continue
            is_own = array.scope == "body" or array.name in self.nest.scratch & self.nest.work
            if array.name in on_device and is_own:
                continue
            is_read = array.name not in on_device or on_device[array.name].written is None
            element = self.cuda_types.text(array.element)
            text = f"{'const ' if is_read else ''}{element} *"
            inputs.append(WrapperInput(array.name, self.names.of(array.name), "array", array.element, text))
        for name in results:
            ctype = self.scalars[name].type
            inputs.append(
                WrapperInput(name, self._result_name(name), "result", ctype, f"{self.cuda_types.text(ctype)} *")
            )
        return tuple(inputs)

    def _place(self, name: str) -> tuple[int, str]:
        known = list(self.scalars)
        return (known.index(name) if name in self.scalars else len(known), name)

    def _value_type(self, name: str) -> CType:
        if name in self.scalars:
            return scalar_or_refusal(self.scalars[name].type, name)
        for derived in self.nest.derived:
            if derived.name == name:
                read = derived.read_from[0].element if derived.read_from else LONG
                return read if isinstance(read, Scalar) and read.kind == "int" else LONG
        if name in self.nest.parameters:
            return LONG
        if any(array.name == name for array in self.nest.arrays):
            raise PortRefusedError(f"`{c_name(name)}` is a structure: copy the members that the loop uses to variables")
        raise PortRefusedError(f"`{c_name(name)}` is computed on the way and has no variable of its own")


def _names(kernels: Sequence[KernelText]) -> Names:
    """The identifiers that the kernels use for what they get, so that host and device call it alike."""
    names = Names()
    for kernel in kernels:
        names.taken |= {kernel.name, *(second.name for second in kernel.second_passes)}
    names.taken |= {"block", "grid", "blocks", "check", "CHECK", "require", "blocks_along"}
    for kernel in kernels:
        for parameter in kernel.parameters:
            if parameter.kind == "partial" or parameter.stands_for in names.given or parameter.name in names.taken:
                continue
            names.given[parameter.stands_for] = parameter.name
            names.taken.add(parameter.name)
    return names


def _cell_lines(launch: Launch) -> list[str]:
    lines = []
    for second in launch.text.second_passes:
        ctype = scalar_text(scalar_or_refusal(second.type, second.variable))
        cell = launch.cells[second.variable]
        lines += [f"{ctype} *{cell} = nullptr;", f"CHECK(cudaMalloc(&{cell}, sizeof({ctype})));"]
    return lines


def _symbols(memory: DeviceMemory) -> set[str]:
    """Symbols of all sections."""
    hulls: list[Hull] = []
    for array in memory.arrays:
        hulls += [array.touched, *([array.written] if array.written is not None else [])]
    ends = (one for hull in hulls for one in (*hull.firsts, *hull.ends))
    return {s for one in ends for p in (one.value, *one.conditions) for s in p.symbols}


def _tidy(lines: Sequence[str]) -> list[str]:
    """No empty line at the start, at the end, or after another."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    while kept and not kept[-1]:
        kept.pop()
    return kept
