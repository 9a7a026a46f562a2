"""The text of a `.cu` file around its kernels: includes, checks of errors, shared definitions, the host function."""

from __future__ import annotations

import re
from collections.abc import Sequence

from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.types import StructOf
from warplens.analysis.ports.cuda.host_text import INDENT
from warplens.analysis.ports.cuda.kernel_text import KernelText
from warplens.analysis.ports.cuda.types_text import structure_tag
from warplens.analysis.ports.cuda.wrapper import Wrapper

_LONGEST_LINE = 110

_CHECK = """\
/* Ends the program where CUDA says that something went wrong. */
static void check(cudaError_t error, const char *what, int line)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s:%d: %s: %s\\n", __FILE__, line, what, cudaGetErrorString(error));
    std::exit(EXIT_FAILURE);
}
#define CHECK(call) check(call, #call, __LINE__)

/* Blocks along an axis of the grid, each for so many iterations. */
static unsigned blocks_along(long iterations, long per_block, long most)
{
    const long blocks = iterations > 0 ? (iterations + per_block - 1) / per_block : 0;
    return (unsigned)(blocks < most ? blocks : most);
}
"""

_REQUIRE = """
/* Ends the program where sizes do not hold to what the kernels rest on. */
static void require(bool holds, const char *what)
{
    if (holds)
        return;
    std::fprintf(stderr, "%s: %s does not hold\\n", __FILE__, what);
    std::exit(EXIT_FAILURE);
}
"""


def file_text(
    nest: LoopNest,
    comment: Sequence[str],
    kernels: Sequence[KernelText],
    header: tuple[str, Sequence[str]],
    host: Wrapper,
) -> str:
    """All of the file; `header` is the host function's name with its parameters as C++ declares them."""
    body = (*host.start, *host.body)
    requires = any(line.lstrip().startswith("require(") for line in body)
    lines = [*comment, *_includes(host, kernels), *_definitions(nest, host, kernels), ""]
    lines += (_CHECK + (_REQUIRE if requires else "")).rstrip("\n").split("\n")
    lines += ["", *_header(*header), "{"]
    return "\n".join([*lines, *(INDENT + line if line else "" for line in body), "}", ""])


def _includes(host: Wrapper, kernels: Sequence[KernelText]) -> list[str]:
    text = "\n".join([*host.start, *host.body, *(line for kernel in kernels for line in kernel.definition)])
    lines = ["#include <algorithm>"] if "std::m" in text else []
    lines += ["#include <climits>"] if re.search(r"\b(INT|UINT|LONG|ULONG)_M(IN|AX)\b", text) else []
    lines += ["#include <cmath>"] if re.search(r"\b(INFINITY|NAN|HUGE_VAL)\b", text) else []
    return [*lines, "#include <cstdio>", "#include <cstdlib>", "", "#include <cuda_runtime.h>"]


def _definitions(nest: LoopNest, host: Wrapper, kernels: Sequence[KernelText]) -> list[str]:
    """Types and device functions that the kernels share, then the kernels."""
    shared = dict.fromkeys((*host.definitions, *(text for kernel in kernels for text in kernel.definitions)))
    lines: list[str] = []
    for text in shared:
        lines += ["", *text.split("\n")]
    for ctype in dict.fromkeys(array.element for array in nest.arrays if isinstance(array.element, StructOf)):
        name = structure_tag(ctype)
        if any(text.startswith(f"struct {name} {{") for text in shared):
            lines.append(f'static_assert(sizeof(struct {name}) == {ctype.size_bytes}, "laid out as in C");')
    for kernel in kernels:
        lines += ["", *kernel.definition]
        for second in kernel.second_passes:
            lines += ["", *second.definition]
    return lines


def _header(symbol: str, parameters: Sequence[str]) -> list[str]:
    start = f'extern "C" void {symbol}('
    line = f"{start}{', '.join(parameters)})"
    if len(line) <= _LONGEST_LINE:
        return [line]
    rows = [""]
    for at, parameter in enumerate(parameters):
        text = f"{parameter}{')' if at == len(parameters) - 1 else ','}"
        if rows[-1] and len(start) + len(rows[-1]) + 1 + len(text) > _LONGEST_LINE:
            rows.append("")
        rows[-1] += f" {text}" if rows[-1] else text
    return [f"{start if not at else ' ' * len(start)}{row}" for at, row in enumerate(rows)]
