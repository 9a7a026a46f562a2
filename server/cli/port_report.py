"""The fixes of a loop's nest, offered and refused, as text and as JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text
from warplens.analysis.models.sizes.break_even import BreakEven
from warplens.analysis.ports.fix import OfferedFix
from warplens.server.cli.find_loop import FoundLoop
from warplens.server.cli.layout import print_indented
from warplens.server.json.fixes import fixes_as_json
from warplens.server.json.version import JSON_VERSION
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import line_in
from warplens.server.render.fix_menu import fix_menu
from warplens.server.render.fix_title import reason_text
from warplens.server.render.headline import lens_end, sizes_text
from warplens.server.worker.packing import unpack


def line_of_fix(lines: Lines, found: FoundLoop, offer: OfferedFix) -> int:
    """1-based line of the loop that a fix is about."""
    return line_in(lines, found.nest.spans, offer.loop)


def print_fixes(
    console: Console, path: str, lines: Lines, found: FoundLoop, break_even: BreakEven | None, why_none: str
) -> None:
    """The nest in a line, then each fix: its code for `--to`, its line, what it does or why it can't be written.

    `why_none` is said where there is no fix at all.
    """
    nest = found.nest
    evaluation = unpack(nest.packed)
    root = line_in(lines, nest.spans, evaluation.facts.nest.root.id)
    head = Text.assemble((f"{path}:{root}:", "cyan"), (f" {nest.id.function}()", "bold"))
    print_indented(console, head, Text(f" on {evaluation.gpu.name}{sizes_text(evaluation)}"), 2)
    print_indented(console, Text("  "), Text(f"{nest.lens}{lens_end(break_even)}"), 4)
    menu = fix_menu(nest.fixes, break_even)
    names = [f"{each.offer.code}{f':{each.offer.variant}' if each.offer.variant else ''}" for each in menu]
    width = max(map(len, names), default=0)
    for name, entry in zip(names, menu, strict=True):
        offer = entry.offer
        line = line_of_fix(lines, found, offer)
        start = Text.assemble("  ", (f"{name:<{width}}", "dim" if offer.refusal else "bold"), f"  line {line}  ")
        refused = "" if offer.is_suggestion else "refused: "
        said = Text(f"{refused}{reason_text(offer)}", "dim") if offer.refusal else Text(entry.title)
        print_indented(console, start, said, len(start))
    if not names:
        print_indented(console, Text("  "), Text(why_none), 4)
    elif not all(offer.refusal for offer in nest.fixes):
        print_indented(console, Text("  "), Text("--to NAME shows a fix, --to NAME --write applies it", "dim"), 4)


def offered_as_json(path: str, lines: Lines, found: FoundLoop, break_even: BreakEven | None) -> dict[str, Any]:
    """The same for programs."""
    evaluation = unpack(found.nest.packed)
    root = evaluation.facts.nest.root.id
    return {
        "version": JSON_VERSION,
        "path": path,
        "line": line_in(lines, found.nest.spans, root),
        "function": found.nest.id.function,
        "gpu": evaluation.gpu.id,
        "headline": found.nest.lens,
        "sizes": dict(evaluation.sizes),
        "fixes": fixes_as_json(lines, found.nest, break_even),
    }
