"""What answers, hovers and menus need is loaded while the first analysis runs: no start waits for it."""

from __future__ import annotations

import asyncio
import gc
from importlib import import_module

from cattrs import Converter
from lsprotocol import types
from warplens.server.render.glossary import glossary_links

MODULES = (
    "warplens.analysis.ir.nest",
    "warplens.analysis.frontend.comments.translation_unit",
    "warplens.analysis.facts.nest_facts",
    "warplens.analysis.models.results.evaluation",
    "numpy",
    "warplens.analysis.engine.report",
    "warplens.server.settings.folder_config",
    "warplens.server.measure.kernel_times.measured_nest",
    "warplens.server.render.loop_hints",  # the last of what is in an answer
    "warplens.hwprofiles.loader",
    "warplens.server.worker.packing",
    "warplens.server.features.inlay_hints",
    "warplens.analysis.models.choice.cost_models",
    "warplens.analysis.models.sizes.times_at_size",
    "warplens.analysis.models.sizes.break_even",
    "warplens.server.features.code_lens",
    "warplens.server.render.loop_card",
    "warplens.server.features.hover",
    "warplens.server.features.code_actions",
    "warplens.server.features.preview",
    "warplens.server.features.what_if",
    "warplens.server.features.report_page",
)
"""In the order in which they are needed, in steps of at most 30 ms (numpy takes 60): messages are taken in between."""


async def load_ahead(converter: Converter) -> None:
    """Load them; the garbage collector looks neither meanwhile nor, ever, at what was loaded."""
    gc.disable()
    try:
        for module in MODULES:
            import_module(module)
            await asyncio.sleep(0)
        _warm_up(converter)
    finally:
        gc.freeze()
        gc.enable()


def _warm_up(converter: Converter) -> None:
    """Read the glossary; take one hover through the converter, which builds its code for a type when it meets it."""
    at = types.Position(0, 0)
    request = types.HoverRequest(0, types.HoverParams(types.TextDocumentIdentifier(""), at))
    converter.structure(converter.unstructure(request), types.HoverRequest)
    hover = types.Hover(types.MarkupContent(types.MarkupKind.Markdown, ""), types.Range(at, at))
    converter.unstructure(types.HoverResponse(0, hover))
    glossary_links("warp")
