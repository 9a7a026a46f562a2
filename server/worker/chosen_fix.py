"""The edits of one of a nest's fixes: what an editor and the command line apply."""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePath

from warplens.analysis.ports.catalogue import edits_of
from warplens.analysis.ports.fix import AS_PREDICTED, FixContext, FixEdits, LaunchWish, OfferedFix


def chosen_edits(context: FixContext, offer: OfferedFix, wish: LaunchWish = AS_PREDICTED) -> FixEdits:
    """Edits of an offered fix, or why there are none; a defect becomes a refusal, never a damaged file."""
    if offer.refusal:
        return FixEdits(refusal=offer.refusal)
    try:
        edits = edits_of(context, offer, wish)
    except Exception as defect:  # noqa: BLE001 - the border where any defect becomes a shown refusal of one fix
        return FixEdits(refusal=f"internal error ({type(defect).__name__}: {defect}); please report it")
    if not edits.refusal and not _can_be_applied(context, edits):
        return FixEdits(refusal="internal error (edits that overlap or leave the file); please report it")
    return edits


def _can_be_applied(context: FixContext, edits: FixEdits) -> bool:
    spans = [edit.span for edit in edits.edits]
    in_order = all(left.end <= right.start for left, right in pairwise(spans))
    names = [file.name for file in edits.new_files]
    are_names = all(name and PurePath(name).name == name for name in names) and context.file_name not in names
    return in_order and are_names and all(span.end <= len(context.source) for span in spans)
