"""Every fix, by code."""

from __future__ import annotations

from warplens.analysis.ports.cuda import cuda_fix
from warplens.analysis.ports.directives import clause_fix, section_fix
from warplens.analysis.ports.fix import AS_PREDICTED, FixContext, FixEdits, FixRule, LaunchWish, OfferedFix
from warplens.analysis.ports.openacc import openacc_fix
from warplens.analysis.ports.openmp import openmp_fix
from warplens.analysis.ports.restructure import (
    copy_suggestion,
    interchange_fix,
    local_sum_fix,
    privatise_fix,
    restrict_fix,
    split_fix,
    transpose_suggestion,
)

FIXES: tuple[FixRule, ...] = (
    openmp_fix.FIX.of_source_order,
    openacc_fix.FIX.of_source_order,
    cuda_fix.FIX,
    clause_fix.FIX.of_source_order,
    section_fix.FIX.of_source_order,
    restrict_fix.FIX.of_source_order,
    interchange_fix.FIX.of_source_order,
    split_fix.FIX.of_source_order,
    local_sum_fix.FIX.of_source_order,
    privatise_fix.FIX.of_source_order,
    copy_suggestion.FIX.of_source_order,
    transpose_suggestion.FIX.of_source_order,
)


def offers(context: FixContext) -> tuple[OfferedFix, ...]:
    """What can be done for a nest, refused fixes too, in the order of the catalogue."""
    return tuple(offer for fix in FIXES for offer in fix.offer(context))


def edits_of(context: FixContext, offer: OfferedFix, wish: LaunchWish = AS_PREDICTED) -> FixEdits:
    """The edits of an offered fix; raises KeyError for a code that is not in the catalogue."""
    return {fix.code: fix for fix in FIXES}[offer.code].edit(context, offer, wish)
