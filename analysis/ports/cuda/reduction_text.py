"""Scalars that all threads add to: a part per thread, warp shuffles, shared memory across warps, one part per block.

A second kernel of one block combines the parts of the blocks, each thread those a block apart, with the value that the
variable had before. The order is the same in every run, but it is not the loop's: sums and products of floating-point
numbers differ by rounding, integers and extremes do not.

Source: Harris, Optimizing Parallel Reduction in CUDA, 2007; CUDA C++ Programming Guide, warp shuffle functions (lanes
that a block does not have must not be in the mask).
"""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.facts.verdict import Reduction, ReductionOperator
from warplens.analysis.ir.expression import Call, Cast
from warplens.analysis.ir.nest import Assign, Statement
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import CType, Scalar
from warplens.analysis.models.launch_work.second_pass import SECOND_PASS_THREADS
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.types_text import is_boolean, is_floating, scalar_text

_WORDS = {
    "+": "sum",
    "*": "product",
    "min": "min",
    "max": "max",
    "&": "and",
    "|": "or",
    "^": "xor",
    "&&": "all",
    "||": "any",
}
_LIMITS = {
    ("int", 1): ("INT_MIN", "INT_MAX"),
    ("unsigned int", 1): ("0u", "UINT_MAX"),
    ("long", 1): ("LONG_MIN", "LONG_MAX"),
    ("unsigned long", 1): ("0UL", "ULONG_MAX"),
    ("float", 1): ("-INFINITY", "INFINITY"),
    ("double", 1): ("-INFINITY", "INFINITY"),
}


@dataclass(frozen=True, slots=True)
class ScalarReduction:
    """How one scalar is combined. `type_text` is its type, `neutral` what changes nothing.

    `by_call` marks an extreme that only `fmin` or `fmax` find, which leave NaNs out.
    """

    variable: str
    operator: ReductionOperator
    type_text: str
    neutral: str
    by_call: bool = False

    @property
    def word(self) -> str:
        """What the combination is called in names."""
        return _WORDS[self.operator]

    def combined(self, one: str, other: str) -> str:
        """Expression of both."""
        if self.by_call:
            return f"f{self.operator}{'f' if self.type_text == 'float' else ''}({one}, {other})"
        match self.operator:
            case "min":
                return f"{other} < {one} ? {other} : {one}"
            case "max":
                return f"{other} > {one} ? {other} : {one}"
            case _:
                return f"{one} {self.operator} {other}"

    def folded(self, target: str, value: str) -> str:
        """Statement that folds a value into a variable."""
        if self.operator in {"min", "max", "&&", "||"}:
            return f"{target} = {self.combined(target, value)};"
        return f"{target} {self.operator}= {value};"


def is_extreme_call(statement: Statement) -> bool:
    """Whether a statement folds by `fmin` or `fmax`."""
    value = statement.value if isinstance(statement, Assign) else None
    while isinstance(value, Cast):
        value = value.operand
    return isinstance(value, Call)


def scalar_reduction(reduction: Reduction, ctype: CType, *, by_call: bool = False) -> ScalarReduction:
    """How a reduction of the analysis is done; raises PortRefusedError for what has no such form."""
    name = c_name(reduction.variable)
    if reduction.operator in {"argmin", "argmax"}:
        raise PortRefusedError(f"`{name}` goes with the {reduction.operator[3:]}imum of a loop: that is not ported")
    if reduction.operator == "store":
        raise PortRefusedError(f"several iterations may set `{name}`, all to one value: that is not ported")
    if not isinstance(ctype, Scalar):
        raise PortRefusedError(f"`{name}`, which all iterations add to, is no number")
    text = scalar_text(ctype)
    if by_call and reduction.operator in {"min", "max"} and is_floating(ctype):
        return ScalarReduction(reduction.variable, reduction.operator, text, "NAN", by_call=True)
    return ScalarReduction(reduction.variable, reduction.operator, text, _neutral(reduction.operator, ctype, name))


def _neutral(operator: ReductionOperator, ctype: Scalar, name: str) -> str:
    text = scalar_text(ctype)
    suffix = {"float": ".0f", "double": ".0", "unsigned int": "u", "long": "L", "unsigned long": "UL"}.get(text, "")
    if operator in {"min", "max"}:
        if (text, 1) not in _LIMITS:
            raise PortRefusedError(f"the {operator}imum `{name}` has the type `{ctype.name}`: that is not ported")
        return _LIMITS[text, 1][0 if operator == "max" else 1]
    if is_boolean(ctype):
        return "true" if operator in {"*", "&", "&&"} else "false"
    if operator == "&":
        return f"~0{suffix}"
    return f"{1 if operator in {'*', '&&'} else 0}{suffix}"


def block_function(reduction: ScalarReduction, threads: int) -> tuple[str, str]:
    """Name and definition of the device function that combines the parts of a block; its thread 0 gets the result."""
    is_even = threads % 32 == 0
    word = f"f{reduction.word}" if reduction.by_call else reduction.word
    name = f"block_{word}" if is_even else f"block_{word}_of_any_size"
    kind, warps = reduction.type_text, "threads / 32" if is_even else "(threads + 31) / 32"
    lines = [
        f"static __device__ {kind} {name}({kind} value)",
        "{",
        f"    __shared__ {kind} of_warp[32];",
        "    const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);",
        "    const int threads = blockDim.x * blockDim.y * blockDim.z;",
    ]
    if is_even:
        lines += [
            "    for (int offset = 16; offset > 0; offset /= 2) {",
            *(f"        {line}" for line in _folded_from_lane(reduction)),
            "    }",
        ]
    else:
        lines += [
            "    const int lane = thread % 32;",
            "    const int lanes = min(32, threads - (thread - lane));  // the last warp may be shorter",
            "    const unsigned int mask = 0xffffffff >> (32 - lanes);",
            "    for (int offset = 16; offset > 0; offset /= 2) {",
            f"        const {kind} other = __shfl_down_sync(mask, value, offset);",
            "        if (lane + offset < lanes) {",
            f"            {reduction.folded('value', 'other')}",
            "        }",
            "    }",
        ]
    lines += [
        "    if (thread % 32 == 0) {",
        "        of_warp[thread / 32] = value;",
        "    }",
        "    __syncthreads();",
        "    if (thread == 0) {",
        f"        for (int warp = 1; warp < {warps}; warp++) {{",
        f"            {reduction.folded('value', 'of_warp[warp]')}",
        "        }",
        "    }",
        "    __syncthreads();",
        "    return value;",
        "}",
    ]
    return name, "\n".join(lines)


def _folded_from_lane(reduction: ScalarReduction) -> tuple[str, ...]:
    """Folds in another lane's value, which every lane has to ask for: `&&` might not, an extreme names it twice."""
    other = "__shfl_down_sync(0xffffffff, value, offset)"
    if reduction.operator in {"min", "max", "&&", "||"}:
        return f"const {reduction.type_text} other = {other};", reduction.folded("value", "other")
    return (reduction.folded("value", other),)


def second_pass(reduction: ScalarReduction, kernel: str, variable: str) -> tuple[str, tuple[str, ...], tuple[str, str]]:
    """Name and lines of the kernel that combines the blocks' parts, and the device function it needs.

    `kernel` is the one before, `variable` what its blocks' parts are of: `dot_finish_sum` of `dot_kernel` and `sum`.
    """
    before, _, after = kernel.rpartition("kernel")
    name, kind = f"{before}finish{after}_{variable}", reduction.type_text
    function = block_function(reduction, SECOND_PASS_THREADS)
    lines = (
        f"static __global__ void __launch_bounds__({SECOND_PASS_THREADS})",
        f"{name}(const {kind} *__restrict__ parts, long count, {kind} *result)",
        "{",
        f"    {kind} value = {reduction.neutral};",
        "    for (long part = threadIdx.x; part < count; part += blockDim.x) {",
        f"        {reduction.folded('value', 'parts[part]')}",
        "    }",
        f"    value = {function[0]}(value);",
        "    if (threadIdx.x == 0) {",
        f"        {reduction.folded('*result', 'value')}",
        "    }",
        "}",
    )
    return name, lines, function
