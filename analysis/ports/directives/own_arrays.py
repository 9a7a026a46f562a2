"""Arrays of the function that nothing but one nest uses: what is in them before and after it matters to nobody."""

from __future__ import annotations

from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.source_names import c_name


def own_arrays(nest: LoopNest) -> frozenset[str]:
    """Names of those that the function declares without a value, or allocates, each time before the nest runs.

    Nothing but the nest uses them, in the text that the compiler sees: macros are their replacements there.
    """
    return frozenset(
        array.name
        for array in nest.arrays
        if array.name in nest.work
        and array.scope == "local"
        and (not array.is_pointer or array.is_allocated)
        and not array.may_point_into
        and c_name(array.name).isidentifier()
    )
