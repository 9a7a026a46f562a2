"""ILP of random data-flow graphs against the enumeration of their chains (Resios eq. 6.1)."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.facts.program import BasicBlock, Instruction
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.workload.instructions.data_flow_graph import data_flow_graph
from warplens.analysis.workload.instructions.ilp import instruction_level_parallelism


@st.composite
def instruction_lists(draw: st.DrawFn) -> tuple[Instruction, ...]:
    size = draw(st.integers(1, 9))
    return tuple(
        Instruction(
            "fp32_add",
            tuple(draw(st.lists(st.integers(0, at - 1), max_size=3, unique=True))) if at else (),
            NodeId(0),
        )
        for at in range(size)
    )


def chains_from(instructions: tuple[Instruction, ...], at: int) -> int:
    return 1 + max((chains_from(instructions, operand) for operand in instructions[at].operands), default=0)


@given(instruction_lists())
def test_ilp_is_instructions_over_the_longest_of_all_chains(instructions: tuple[Instruction, ...]) -> None:
    longest = max(chains_from(instructions, at) for at in range(len(instructions)))
    assert instruction_level_parallelism(instructions) == Fraction(len(instructions), longest)


@given(instruction_lists())
def test_the_graph_has_every_operand_as_an_edge(instructions: tuple[Instruction, ...]) -> None:
    graph = data_flow_graph(BasicBlock(instructions, instruction_level_parallelism(instructions)))
    assert set(graph.nodes) == set(range(len(instructions)))
    assert set(graph.edges) == {(o, at) for at, i in enumerate(instructions) for o in i.operands}
