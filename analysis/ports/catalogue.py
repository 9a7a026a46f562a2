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
    openmp_fix.FIX,
    openacc_fix.FIX,
    cuda_fix.FIX,
    clause_fix.FIX,
    section_fix.FIX,
    restrict_fix.FIX,
    interchange_fix.FIX,
    split_fix.FIX,
    local_sum_fix.FIX,
    privatise_fix.FIX,
    copy_suggestion.FIX,
    transpose_suggestion.FIX,
)


def offers(context: FixContext) -> tuple[OfferedFix, ...]:
    """What can be done for a nest, refused fixes too, in the order of the catalogue."""
    return tuple(offer for fix in FIXES for offer in fix.offer(context))


def edits_of(context: FixContext, offer: OfferedFix, wish: LaunchWish = AS_PREDICTED) -> FixEdits:
    """The edits of an offered fix; raises KeyError for a code that is not in the catalogue."""
    return {fix.code: fix for fix in FIXES}[offer.code].edit(context, offer, wish)
