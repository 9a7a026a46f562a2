"""Objects of a nest that are parts of one work array, wherever in it their pointers lead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from pycparser import c_ast
from warplens.analysis.frontend.effects.writes import contains
from warplens.analysis.frontend.forms.loop_form import LOOPS
from warplens.analysis.frontend.forms.movements import write_counts
from warplens.analysis.frontend.functions.shared_memory import roots_by_name
from warplens.analysis.frontend.pointers.pointer_exchanges import exchanges
from warplens.analysis.frontend.pointers.pointer_path import PointerPath
from warplens.analysis.frontend.pointers.pointer_sources import PointerSources
from warplens.analysis.frontend.syntax.syntax_index import nodes_of_kinds
from warplens.analysis.frontend.values.context import Origin
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject


def with_scratch_parts(
    arrays: Iterable[ArrayObject], origins: Mapping[str, Origin], sources: PointerSources, parts: Mapping[str, str]
) -> tuple[ArrayObject, ...]:
    """The objects, each with the work array that every pointer to it leads into.

    `parts` has the work arrays' own names and those of the pointers that are cut from them, with the array.
    """
    objects = tuple(arrays)
    led = [a.name for a in objects if a.is_pointer and (a.name in origins or parts.get(a.name, a.name) != a.name)]
    if not parts or not led:
        return objects
    roots = roots_by_name(led, origins, sources)
    arrays_of = {base: sources.roots(PointerPath(base)) for base in {*parts.values()}}
    found = {name: base for name in led if (base := _only_array(roots[name], parts, arrays_of))}
    return tuple(replace(a, lies_in=found[a.name]) if a.name in found else a for a in objects)


def _only_array(
    roots: AbstractSet[PointerPath], parts: Mapping[str, str], arrays_of: Mapping[str, AbstractSet[PointerPath]]
) -> str:
    """The array that all of these paths are in, empty if there is none; variables of called functions hold no other."""
    plain = {replace(root, function="") for root in roots if not root.function or not root.is_variable}
    array_of = {path: parts.get(path.base, "") if path.is_variable else "" for path in plain}
    bases = {array for path, array in array_of.items() if path.kind != "call"}
    if len(bases) != 1:
        return ""
    base = bases.pop()
    is_inside = base and all(array == base or path in arrays_of[base] for path, array in array_of.items())
    return base if is_inside else ""


def exchanges_in(
    function: c_ast.FuncDef, loops: Mapping[NodeId, c_ast.Node], pointers: Collection[str]
) -> tuple[tuple[NodeId, frozenset[str]], ...]:
    """Those of some pointers of a function that loops of its own body exchange, by loop."""
    own = set(map(id, nodes_of_kinds(function.body, LOOPS)))
    found = ((i, exchanged_pointers(n) & frozenset(pointers)) for i, n in loops.items() if pointers and id(n) in own)
    return tuple((identity, names) for identity, names in found if names)


def exchanged_pointers(loop: c_ast.Node) -> frozenset[str]:
    """Variables that each iteration of a loop exchanges once with others, `t = p; p = q; q = t;`, and sets only there.

    What they hold in an iteration follows from its number and what they held before the loop.
    """
    body = getattr(loop, "stmt", None)
    if not isinstance(body, c_ast.Compound) or contains(body, (c_ast.Continue, c_ast.Label, c_ast.Goto)):
        return frozenset()
    every = write_counts((body,))
    exchanged = (path for _, pairs in exchanges(body.block_items or []) for path, _ in pairs)
    settings = Counter(path.base for path in exchanged if path.is_variable)
    return frozenset(name for name, times in settings.items() if times == 1 == every[name])
