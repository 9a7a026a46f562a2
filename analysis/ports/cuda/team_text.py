"""What a team's threads do together, in the text: values put together behind a loop, waits, what one does for all.

A warp's lanes hand their values round by `__shfl_xor_sync`: after five steps each has the whole, with the same bits.
Over a block the warps' values go through shared memory. Kernels have a team in each row of a block's threads: lanes
along x, rows of warps along y.

Source: CUDA C++ Programming Guide, warp shuffle functions and `__syncwarp`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from warplens.analysis.facts.mapping import Team
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, Statement, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.cuda.plan import KernelPlan, PortRefusedError
from warplens.analysis.ports.cuda.reduction_text import ScalarReduction, is_extreme_call, scalar_reduction
from warplens.analysis.ports.cuda.symbols import Symbols
from warplens.analysis.ports.cuda.thread_body import sets
from warplens.analysis.ports.cuda.types_text import is_boolean


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


def suits(plan: KernelPlan, team: Team) -> bool:
    """Whether a block has whole teams along x, of which only warps may stand side by side, with one output each."""
    x, y, z = plan.block
    return x == team.threads and (team.is_warp or y * z == 1) and plan.outputs == (1, 1, 1) and not plan.tiles


def team_text(
    facts: NestFacts, team: Team, statements: tuple[Statement, ...], symbols: Symbols, grid: Sequence[Loop]
) -> TeamText:
    """How the team's values are put together; raises PortRefusedError for one that has no such form."""
    types = {scalar.name: scalar.type for scalar in facts.nest.scalars}
    sums: dict[NodeId, tuple[ScalarReduction, ...]] = {}
    for one in team.sums:
        found: list[ScalarReduction] = []
        for reduction in one.reductions:
            ctype, name = types[reduction.variable], reduction.variable
            folds = [each for each in walk_statements(statements) if sets(each, name)]
            if reduction.operator in {"&&", "||"} and not is_boolean(ctype):
                raise PortRefusedError(
                    f"`{c_name(name)}` becomes 0 or 1 only where a condition or a loop lets it be set"
                )
            within = [each for each in folds if is_extreme_call(each)]
            found.append(scalar_reduction(reduction, ctype, by_call=bool(within)))
        sums[one.after] = tuple(found)
    lane = next(loop.iterator for loop in grid if loop.id == team.lanes)
    return TeamText(team, sums, symbols, lane)


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
