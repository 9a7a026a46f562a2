"""The data-flow graph of a basic block, for reports and for those who look further than its longest chain.

A file of its own: networkx takes longer to import than a small file to analyse, and no prediction needs the graph.
"""

from __future__ import annotations

import networkx as nx
from warplens.analysis.facts.program import BasicBlock


def data_flow_graph(block: BasicBlock) -> nx.DiGraph[int]:
    """Graph with the block's instruction indices as nodes (attribute `op`) and an edge from operand to user."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    for index, instruction in enumerate(block.instructions):
        graph.add_node(index, op=instruction.op, statement=instruction.statement, access=instruction.access)
        graph.add_edges_from((operand, index) for operand in instruction.operands)
    return graph
