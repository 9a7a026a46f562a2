"""Code actions that pin a mapping of a nest by a comment: `// warplens: mapping = warp:j`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from warplens.analysis.engine.pinned_mappings import pin_at
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.mapping_time import SOURCE_ORDER, MappingTime
from warplens.analysis.ports.fix import FixEdits, TextEdit
from warplens.analysis.ports.source_lines import lines_above
from warplens.analysis.text.quantities import time_text
from warplens.server.features.fix_reference import nest_reference
from warplens.server.lsp.client_support import PIN_COMMAND
from warplens.server.lsp.places import header_span
from warplens.server.render.mapping_words import listed_mappings
from warplens.server.session.documents import Document
from warplens.server.worker.job import NestAnswer
from warplens.server.worker.packing import unpack

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

PIN = "pin"

KIND = "refactor.rewrite.mapping"
"""Who asks for this kind alone wants all of them."""

_MOST = 4
"""Of the actions among all others: who wants more has `warplens search`."""


def mapping_actions(
    ls: WarplensServer, document: Document, nest: NestAnswer, context: types.CodeActionContext
) -> list[types.CodeAction]:
    """One for each mapping that was tried, of many those that matter; a client with a list of its own has one in all.

    The mapping that the nest is in already is left out.
    """
    wants_all = KIND in (context.only or ())
    evaluation = unpack(nest.packed)
    others = _others(evaluation)
    span = header_span(nest.spans, NodeId(0))
    if not others or span is None:
        return []
    if PIN_COMMAND in ls.client_commands and not wants_all:
        start = document.positions.position(span.start)
        title = "Pin another mapping of this nest ..."
        command = types.Command(title, PIN_COMMAND, arguments=[document.uri, start.line, start.character])
        return [types.CodeAction(title, KIND, command=command)]
    reference = nest_reference(document, nest)
    shown = others if wants_all else _most_useful(others)
    return [types.CodeAction(_title(one), KIND, data={**reference, "action": PIN, "name": one.name}) for one in shown]


def mapping_edits(document: Document, nest: NestAnswer, data: dict[str, Any]) -> FixEdits:
    """The comment above the nest, or another name in the one that is there; empty for a name that is not known."""
    name = next((one.name for one in _others(unpack(nest.packed)) if one.name == data.get("name")), None)
    span = header_span(nest.spans, NodeId(0))
    if name is None or span is None:
        return FixEdits()
    said = f"mapping = {name}"
    before = pin_at(document.text, nest.spans)
    if before is not None:
        return FixEdits((TextEdit(before.span, said),))
    return FixEdits((lines_above(document.text, span.start, (f"// warplens: {said}",)),))


def _others(evaluation: NestEvaluation) -> list[MappingTime]:
    """Mappings that the nest is not in, the fastest first; none where there is only one."""
    listed, pinned = listed_mappings(evaluation), evaluation.pinned
    return [one for one in listed if (not one.is_recommended if pinned is None else one.name != pinned.name)]


def _most_useful(others: Sequence[MappingTime]) -> list[MappingTime]:
    """The recommended one, the source's own order, and the fastest of the rest, in the order of their times."""
    first = [one for one in others if one.is_recommended or one.name == SOURCE_ORDER][:_MOST]
    rest = [one for one in others if one not in first][: _MOST - len(first)]
    return [one for one in others if one in first or one in rest]


def _title(one: MappingTime) -> str:
    what = "the source's own order" if one.name == SOURCE_ORDER else f"mapping `{one.name}`"
    return f"Pin {what} ({time_text(one.time_s)}{', recommended' if one.is_recommended else ''})"
