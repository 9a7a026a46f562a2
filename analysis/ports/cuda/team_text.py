"""What a team's threads do together, in the text: values put together behind a loop, waits, what one does for all.

A warp's lanes hand their values round by `__shfl_xor_sync`: after five steps each has the whole, with the same bits.
Over a block the warps' values go through shared memory. Kernels have a team in each row of a block's threads: lanes
along x, rows of warps along y.

Source: CUDA C++ Programming Guide, warp shuffle functions and `__syncwarp`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from warplens.analysis.facts.mapping import Team
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Statement
from warplens.analysis.ports.cuda.reduction_text import ScalarReduction
from warplens.analysis.ports.cuda.symbols import Symbols


@dataclass(slots=True)
class TeamText:
    """Prints it. `sums` are the reductions behind each loop, `lane` is the iterator over the team.

    `functions` are the device functions that were needed.
    """

    team: Team
    sums: dict[NodeId, tuple[ScalarReduction, ...]]
    symbols: Symbols
    lane: str
    functions: dict[str, str] = field(default_factory=dict)

    def around(self, statement: Statement, lines: list[str]) -> list[str]:
        """The lines of a statement with what stands before and behind it."""
        if statement.id in self.team.once:
            lines = [
                f"if ({self.symbols.plain(self.lane)} == 0) {{",
                *(f"    {line}" if line else line for line in lines),
                "}",
            ]
        if statement.id in self.team.barriers:
            lines = ["__syncwarp();" if self.team.is_warp else "__syncthreads();", *lines]
        for reduction in self.sums.get(statement.id, ()):
            name = self.symbols.plain(reduction.variable)
            function, text = team_function(reduction, self.team)
            self.functions[function] = text
            lines = [*lines, f"{name} = {function}({name});"]
        return lines


def team_function(reduction: ScalarReduction, team: Team) -> tuple[str, str]:
    """Name and definition of the device function that gives every thread of a team what all of them have together."""
    word = f"f{reduction.word}" if reduction.by_call else reduction.word
    return _of_warp(reduction, word) if team.is_warp else _of_block(reduction, word, team.threads)


def _of_warp(reduction: ScalarReduction, word: str) -> tuple[str, str]:
    kind, name = reduction.type_text, f"{word}_of_warp"
    return name, "\n".join([
        f"static __device__ {kind} {name}({kind} value)",
        "{",
        *_butterfly(reduction),
        "    return value;",
        "}",
    ])  # fmt: skip


def _of_block(reduction: ScalarReduction, word: str, threads: int) -> tuple[str, str]:
    kind, name, warps = reduction.type_text, f"{word}_of_block", threads // 32
    return f"{name}_{warps}", "\n".join([
        f"static __device__ {kind} {name}_{warps}({kind} value)",
        "{",
        f"    __shared__ {kind} of_warp[{warps}];",
        "    const int lane = threadIdx.x % 32;",
        *_butterfly(reduction),
        "    if (lane == 0) {",
        "        of_warp[threadIdx.x / 32] = value;",
        "    }",
        "    __syncthreads();",
        "    value = of_warp[0];",
        f"    for (int warp = 1; warp < {warps}; warp++) {{",
        f"        {reduction.folded('value', 'of_warp[warp]')}",
        "    }",
        "    __syncthreads();",
        "    return value;",
        "}",
    ])  # fmt: skip


def _butterfly(reduction: ScalarReduction) -> list[str]:
    other = "__shfl_xor_sync(0xffffffff, value, offset)"
    return [
        "    for (int offset = 16; offset > 0; offset /= 2) {",
        f"        const {reduction.type_text} other = {other};",
        f"        {reduction.folded('value', 'other')}",
        "    }",
    ]
