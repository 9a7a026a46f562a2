"""The fixes of a nest as JSON values."""

from __future__ import annotations

from typing import Any

from warplens.analysis.models.sizes.break_even import BreakEven
from warplens.analysis.ports.port_effect import PortEffect
from warplens.server.json.loop import place_as_json
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import node_span
from warplens.server.render.fix_menu import fix_menu
from warplens.server.worker.job import NestAnswer


def effect_as_json(effect: PortEffect) -> dict[str, Any]:
    """How many times faster a port makes the nest, with the data on the GPU and with copies; the size that decides."""
    return {"resident": effect.resident, "copied": effect.copied, "guess": effect.guess or None}


def fixes_as_json(lines: Lines, nest: NestAnswer, found: BreakEven | None) -> list[dict[str, Any]]:
    """Each fix of a nest, offered or refused, with the place of its loop, as a menu has them."""
    return [
        {
            **place_as_json(lines, node_span(nest.spans, offer.loop)),
            "code": offer.code,
            "variant": offer.variant,
            "title": entry.title,
            "refusal": offer.refusal or None,
            "is_suggestion": offer.is_suggestion,
            "findings": list(offer.findings),
            "gain": offer.gain,
            "effect": None if offer.effect is None else effect_as_json(offer.effect),
            "is_slower": entry.is_slower,
            "launch": offer.launch or None,
        }
        for entry in fix_menu(nest.fixes, found)
        for offer in (entry.offer,)
    ]
