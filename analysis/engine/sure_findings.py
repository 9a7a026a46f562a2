"""Findings that the rest of the file may take the ground from."""

from __future__ import annotations

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.rules.mapping_mistake import CODE
from warplens.analysis.ports.directives.section_fix import is_kept_elsewhere
from warplens.analysis.ports.fix import FixContext


def without_unsure(found: tuple[Finding, ...], context: FixContext) -> tuple[Finding, ...]:
    """Those that hold whatever the file does elsewhere: data that it keeps on the device needs no clause."""
    if not any(finding.code == CODE for finding in found) or not is_kept_elsewhere(context):
        return found
    return tuple(finding for finding in found if finding.code != CODE)
