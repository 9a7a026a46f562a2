"""Whether the calibration kernels are what they shall measure: their SASS against the headers of their source files.

A source file says `// SASS: KERNEL OPCODE >= COUNT`, if need be followed by `on sm_75 sm_80`: every kernel of that name
(each instance of a template) has at least so many instructions whose whole opcode, modifiers included, matches the
regular expression. Of a kernel that reads the SM's clock twice, only what stands between the first and the last read is
counted, so that it is also wrong where a compiler moved the measured instructions out of the measured part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from warplens.server.measure.kernel_times.toolchain import BuildError, find_tool, last_lines, run_tool
from warplens.server.programs.programs import Programs

Opcodes = Counter[str]
Kernels = dict[str, Opcodes]
"""Opcodes with their modifiers, and how often each is in a kernel, by the kernel's mangled name."""

_DISASSEMBLY_LIMIT_S = 300.0
_CLOCK = re.compile(r"\bSR_CLOCK(?:LO|HI)?\b")
_LINE = re.compile(
    r"^\s*(?:arch = (?P<arch>sm_\w+)"
    r"|Function : (?P<kernel>\S+)"
    r"|/\*[0-9a-f]{4,}\*/\s+\{?\s*(?:@!?U?P\w+\s+)?(?P<opcode>[A-Z][\w.]*)(?P<operands>[^;]*);)",
    re.MULTILINE,
)
_DEMAND = re.compile(
    r"(?P<kernel>\w+) (?P<opcode>\S+) >= (?P<least>[1-9]\d*)(?: on (?P<architectures>sm_\w+(?: sm_\w+)*))?"
)


class SassHeaderError(Exception):
    """A source file has a SASS line that can't be read; the message says which."""


@dataclass(frozen=True, slots=True)
class SassDemand:
    """What a source file says of a kernel; without `architectures` it holds for all."""

    quantity: str
    kernel: str
    opcode: str
    least: int
    architectures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SassMismatch:
    """A kernel with fewer of the instructions than wanted; `found` is None where there is no such kernel."""

    quantity: str
    kernel: str
    arch: str
    wanted: str
    found: int | None


def disassembled(program: Path, folder: Path, programs: Programs) -> str:
    """What `cuobjdump -sass` says of a program. Raises BuildError: it or nvdisasm is not on PATH, or failed."""
    cuobjdump = find_tool(programs, "cuobjdump")
    find_tool(programs, "nvdisasm")  # cuobjdump runs it, and says little when it can't
    command = [cuobjdump, "-sass", str(program)]
    finished = run_tool(command, folder, _DISASSEMBLY_LIMIT_S, cuobjdump, programs.environment())
    if finished.code:
        raise BuildError(f"{cuobjdump} failed (exit code {finished.code}):\n{last_lines(finished.messages)}")
    return finished.output


def parse_sass(text: str) -> dict[str, Kernels]:
    """Kernels by architecture (`sm_80`); architectures without kernels are left out."""
    architectures: dict[str, dict[str, list[tuple[str, str]]]] = {}
    arch, instructions = "", list[tuple[str, str]]()
    for line in _LINE.finditer(text):
        if line["arch"]:
            arch = line["arch"]
        elif line["kernel"]:
            instructions = architectures.setdefault(arch, {}).setdefault(line["kernel"], [])
        else:
            instructions.append((line["opcode"], line["operands"]))
    return {
        arch: {name: _measured_part(instructions) for name, instructions in kernels.items()}
        for arch, kernels in architectures.items()
    }


def _measured_part(instructions: list[tuple[str, str]]) -> Opcodes:
    clocks = [at for at, (_, operands) in enumerate(instructions) if _CLOCK.search(operands)]
    if len(clocks) > 1:
        instructions = instructions[clocks[0] + 1 : clocks[-1]]
    return Counter(opcode for opcode, _ in instructions)


def sass_demands(source: str) -> tuple[SassDemand, ...]:
    r"""What the header of a source file demands. Raises SassHeaderError.

    >>> sass_demands("// Quantity: a.b\n// SASS: chain FADD >= 64 on sm_75\n")
    (SassDemand(quantity='a.b', kernel='chain', opcode='FADD', least=64, architectures=('sm_75',)),)
    """
    quantity, demands = "", []
    for line in source.splitlines():
        name, _, value = line.removeprefix("// ").partition(": ")
        if not line.startswith("// "):
            break
        if name == "Quantity":
            quantity = value
        elif name == "SASS":
            demands.append(_demand(quantity, value))
    return tuple(demands)


def _demand(quantity: str, text: str) -> SassDemand:
    found = _DEMAND.fullmatch(text)
    if found is None or not quantity:
        raise SassHeaderError(f"{quantity or 'before the quantity'}: `SASS: {text}`")
    try:
        re.compile(found["opcode"])
    except re.error as error:
        raise SassHeaderError(f"{quantity}: `SASS: {text}`: {error}") from None
    architectures = tuple((found["architectures"] or "").split())
    return SassDemand(quantity, found["kernel"], found["opcode"], int(found["least"]), architectures)


def sass_mismatches(sass: dict[str, Kernels], demands: Iterable[SassDemand]) -> list[SassMismatch]:
    """Each demand that an architecture's kernels don't meet, with the smallest count among a template's instances."""
    demands = tuple(demands)
    return [
        mismatch
        for arch, kernels in sass.items()
        for demand in demands
        if not demand.architectures or arch in demand.architectures
        if (mismatch := _mismatch(arch, kernels, demand)) is not None
    ]


def _mismatch(arch: str, kernels: Kernels, demand: SassDemand) -> SassMismatch | None:
    named = re.compile(rf"(?<!\d){len(demand.kernel)}{re.escape(demand.kernel)}")  # as C++ mangles a whole identifier
    opcode = re.compile(demand.opcode)
    counts = [
        sum(count for name, count in opcodes.items() if opcode.fullmatch(name))
        for kernel, opcodes in kernels.items()
        if named.search(kernel)
    ]
    found = min(counts, default=None)
    if found is not None and found >= demand.least:
        return None
    return SassMismatch(demand.quantity, demand.kernel, arch, f"{demand.opcode} >= {demand.least}", found)
