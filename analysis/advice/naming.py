"""Nodes of a nest in the source's words, for messages."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.advice.worth import BestCpu
from warplens.analysis.ir.accesses import accesses_of as accesses_of_statement
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Access, Call, c_text, condition_text
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Evaluate, If, Loop, LoopNest, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import told


def node_text(nest: LoopNest, node: NodeId) -> str:
    """The loop, statement or access as short C text; "here" for a node that is not in the nest."""
    for statement in walk_statements((nest.root,)):
        if statement.id == node:
            match statement:
                case Loop(iterator=iterator):
                    return f"loop over `{c_name(iterator)}`"
                case Assign(target=target, operator=operator, value=value):
                    left = access_text(nest, target) if isinstance(target, Access) else c_name(target.name)
                    return f"`{left} {operator}= {c_text(value, 40)}`"
                case (
                    Evaluate(expression=Call(function=function)) | If(condition=Call(function=function, is_math=False))
                ):  # what a call may set is set under a condition that only the call knows
                    return f"the call of `{function}`"
                case If(condition=condition):
                    return f"`if ({condition_text(condition, 40)})`"
                case _:
                    return "this statement"
    access = accesses_of(nest).get(node)
    return f"`{access_text(nest, access)}`" if access else "here"


def access_text(nest: LoopNest, access: Access) -> str:
    """The access as the user wrote it; one from a macro as C that compiles: `a[i*n + k]`, not `a[i][k]`."""
    if access.text:
        return access.text
    array = next((array for array in nest.arrays if array.name == access.array), None)
    if array is None or len(access.indices) <= len(array.extents):
        return access.written
    if access.element_bytes != array.element_bytes:
        # The last subscripts are those of a member: `g[i].v[j]`.
        at = len(array.extents)
        own = replace(access, member="", subscripts=access.subscripts[:at], indices=access.indices[:at])
        inner = replace(access, array="", member="", subscripts=access.subscripts[at:], indices=access.indices[at:])
        return f"{own.written}.{access.member}{inner.written}"
    linear = access.linear_index
    if linear is None:
        return access.written
    return told(f"{access.array}[{linear}]") + (f".{access.member}" if access.member else "")


def accesses_of(nest: LoopNest) -> dict[NodeId, Access]:
    """All accesses of a nest by id, header and condition reads included."""
    return {
        access.id: access for statement in walk_statements((nest.root,)) for access in accesses_of_statement(statement)
    }


def loop_name(nest: LoopNest, loop: NodeId) -> str:
    """The loop by its iterator: "the `i` loop"."""
    for statement in walk_statements((nest.root,)):
        if isinstance(statement, Loop) and statement.id == loop:
            return f"the `{c_name(statement.iterator)}` loop"
    return "this loop"


def pair_text(assumption: Assumption) -> str:
    """Two pointers that are assumed not to overlap; an array of pointers to rows has one name."""
    first, *others = (f"`{name}`" for name in assumption.names)
    return f"{first} and {others[0]}" if others else f"the rows of {first}"


def best_cpu_text(against: BestCpu, core_count: int) -> str:
    """What of the CPU the GPU is held against.

    >>> best_cpu_text("all cores", 32), best_cpu_text("one core", 32)
    ('all 32 CPU cores', 'one CPU core')
    """
    return f"all {core_count} CPU cores" if against == "all cores" else "one CPU core"
