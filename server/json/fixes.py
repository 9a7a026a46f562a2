"""The fixes of a nest as JSON values."""

from __future__ import annotations

from typing import Any

from warplens.server.json.loop import place_as_json
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import node_span
from warplens.server.worker.job import NestAnswer


def fixes_as_json(lines: Lines, nest: NestAnswer) -> list[dict[str, Any]]:
    """Each fix of a nest, offered or refused, with the place of its loop."""
    return [
        {
            **place_as_json(lines, node_span(nest.spans, offer.loop)),
            "code": offer.code,
            "variant": offer.variant,
            "title": offer.title,
            "refusal": offer.refusal or None,
            "is_suggestion": offer.is_suggestion,
            "findings": list(offer.findings),
            "gain": offer.gain,
        }
        for offer in nest.fixes
    ]
