"""The C that hands random data to a function and to ports of it: tables for harness.c, and what calls the function.

The user's file is compiled as it is for the reference, and with a call of the port in the nest's place for each port;
static functions, types and variables of the file are within reach in both. A `main` of that file gets another name.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.ports.cuda.port import CudaFile
from warplens.analysis.ports.fix import FixContext
from warplens.server.measure.kernel_times.memory_plan import Leaf, NoMemoryPlanError, PlannedArray
from warplens.server.measure.kernel_times.signature import Parameter, Signature

OTHER_ARGUMENT = "1.25"
"""Value of parameters that are no size: real numbers take it as it is, others the whole number below."""

_ROLES = {
    "values": "WARPLENS_VALUES",
    "subscripts": "WARPLENS_SUBSCRIPTS",
    "permutation": "WARPLENS_PERMUTATION",
    "rows": "WARPLENS_ROWS",
}
_HEADERS = ("dlfcn.h", "fcntl.h", "fenv.h", "math.h", "stdio.h", "stdlib.h", "string.h", "sys/file.h", "time.h")
_RESULT_BYTES = {"float": 4, "double": 8, "int": 4, "long": 8, "unsigned": 4, "short": 2, "char": 1}


@dataclass(frozen=True, slots=True)
class Tolerance:
    """By how much a real number may differ from that of the C (comparison.c has the reasons).

    `relative` to the larger of both, by the bytes of a real number; `roundings` is how often what moves it where every
    operation of the C is rounded in one direction.
    """

    relative: Mapping[int, float]
    roundings: float


def tables_text(
    arrays: Sequence[PlannedArray], signature: Signature, sizes: Mapping[str, int], tolerance: Tolerance
) -> str:
    """The program around harness.c at these sizes.

    Raises NoMemoryPlanError: a result that can't be compared.
    """
    result = _result(signature)
    values = [sizes[name] for name in _size_names(arrays, signature, sizes)]
    leaves = [_leaf(at, leaf, tolerance) for at, array in enumerate(arrays) for leaf in array.leaves]
    rows = [f'    {{"{array.name}", {array.bytes}u, {int(array.is_written)}}},' for array in arrays]
    if result is not None:
        kind, size = result
        name = f"result of {signature.name}"
        allowed = _allowed(tolerance, kind, size)
        leaves.append(f'    {{{len(rows)}, "{name}", 0, {size}, 1, WARPLENS_{kind}, {size}, 0, 100, {allowed}}},')
        rows.append(f'    {{"{name}", {size}u, 1}},')
    return "\n".join(
        (
            "#define _GNU_SOURCE",
            *(f"#include <{header}>" for header in _HEADERS),
            f"enum {{ WARPLENS_ARRAYS = {len(rows)}, WARPLENS_LEAVES = {len(leaves)} }};",
            '#include "harness.h"',
            "static const struct warplens_array warplens_arrays[] = {",
            *rows,
            "};",
            "static const struct warplens_leaf warplens_leaves[] = {",
            *leaves,
            "};",
            f"static const long warplens_values[] = {{{', '.join(map(str, [*values, 0]))}}};",
            '#include "harness.c"',
            "",
        )
    )


def reference_text(context: FixContext, call: str) -> str:
    """The user's file with what calls its function."""
    return _unit(context.file_name, context.source, call)


def ported_text(context: FixContext, port: CudaFile, call: str) -> str:
    """The user's file with the port's call in the nest's place."""
    nest = dict(context.spans.whole)[context.evaluation.facts.nest.root.id].shifted(context.spans.base)
    source, start = context.source, context.function_span.start
    prototype = f"{port.prototype}\n"
    replaced = f"{source[:start]}{prototype}{source[start : nest.start]}{{ {port.call} }}{source[nest.end :]}"
    return _unit(context.file_name, replaced, call)


def call_text(arrays: Sequence[PlannedArray], signature: Signature, sizes: Collection[str]) -> str:
    """`warplens_call`, which calls the function with memory and values for the names in `sizes`, whatever those are.

    Raises NoMemoryPlanError: nothing is known to fit a parameter, or the function is the whole program.
    """
    if signature.name == "main":
        raise NoMemoryPlanError("it stands in `main`, which is the whole program: move it into a function of its own")
    at = {array.name: number for number, array in enumerate(arrays)}
    names = {parameter.name for parameter in signature.parameters}
    lost = sorted(array.name for array in arrays if not array.is_global and array.name not in names)
    if lost:
        raise NoMemoryPlanError(f"`{lost[0]}` is no parameter of `{signature.name}`")
    at_values = {name: number for number, name in enumerate(_size_names(arrays, signature, sizes))}
    arguments = ", ".join(_argument(parameter, at, at_values) for parameter in signature.parameters)
    called = f"{signature.name}({arguments});"
    result = [f"    {called}"]
    if _result(signature) is not None:
        result = [
            f"    {signature.returns} warplens_result = {called}",
            f"    __builtin_memcpy(memory[{len(arrays)}], &warplens_result, sizeof warplens_result);",
        ]
    lines = (
        '__attribute__((visibility("default"))) void warplens_call(char **memory, const long *values)',
        "{",
        *_globals(arrays, at, is_before=True),
        *result,
        *_globals(arrays, at, is_before=False),
        "}",
        "",
    )
    return "\n".join(lines)


def _unit(name: str, source: str, call: str) -> str:
    return (
        f"#define main warplens_main_of_the_file\n#line 1 {json.dumps(name, ensure_ascii=False)}\n{source}\n"
        f'#undef main\n#line 1 "call.c"\n{call}'
    )


def _result(signature: Signature) -> tuple[str, int] | None:
    """Kind and size of what the function returns, None for nothing."""
    words = [word for word in signature.returns.split() if word not in {"const", "signed"}]
    if words == ["void"]:
        return None
    size = 8 if "long" in words else next((_RESULT_BYTES[word] for word in words if word in _RESULT_BYTES), 0)
    if not size or not set(words) <= {*_RESULT_BYTES} or words == ["long", "double"]:
        raise NoMemoryPlanError(f"`{signature.name}` returns `{signature.returns}`, which is not compared")
    if words in (["float"], ["double"]):
        return "FLOAT", size
    return ("UNSIGNED" if "unsigned" in words else "SIGNED"), size


def _size_names(arrays: Sequence[PlannedArray], signature: Signature, sizes: Collection[str]) -> list[str]:
    """Parameters that get a size, in order."""
    own = {array.name for array in arrays}
    return [p.name for p in signature.parameters if not p.is_pointer and p.name in sizes and p.name not in own]


def _argument(parameter: Parameter, at: Mapping[str, int], at_values: Mapping[str, int]) -> str:
    if parameter.name in at:
        return f"(void *)memory[{at[parameter.name]}]"
    if parameter.is_pointer:
        raise NoMemoryPlanError(f"the nest does not use `{parameter.name}`, and what to hand over is not known")
    return f"values[{at_values[parameter.name]}]" if parameter.name in at_values else OTHER_ARGUMENT


def _globals(arrays: Iterable[PlannedArray], at: Mapping[str, int], *, is_before: bool) -> list[str]:
    """Variables of the file get their values before a call and give them back after it."""
    copies = []
    for array in arrays:
        if array.is_global:
            ends = (array.name, f"memory[{at[array.name]}]")
            to, source = ends if is_before else ends[::-1]
            copies.append(f"    __builtin_memcpy({to}, {source}, {array.bytes}u);")
    return copies


def _leaf(number: int, leaf: Leaf, tolerance: Tolerance) -> str:
    kind = "FLOAT" if leaf.type.kind == "float" else "SIGNED" if leaf.type.signed else "UNSIGNED"
    fields = (
        number, f'"{leaf.label}"', leaf.offset_bytes, leaf.stride_bytes, leaf.count, f"WARPLENS_{kind}",
        leaf.type.size_bytes, _ROLES[leaf.role], leaf.limit,
        _allowed(tolerance, kind, leaf.type.size_bytes),
    )  # fmt: skip
    return f"    {{{', '.join(map(str, fields))}}},"


def _allowed(tolerance: Tolerance, kind: str, size_bytes: int) -> str:
    """The last two fields of a leaf."""
    if kind != "FLOAT":
        return "0.0, 0.0"
    return f"{tolerance.relative.get(size_bytes, 0.0)}, {tolerance.roundings}"
