"""The colours of pictures that stand inside an editor's text.

An image in a hover sees neither the editor's variables nor, reliably, its theme: the client says which one it has, and
every picture draws its own background.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass

from warplens.server.render.visible_text import visible_html

WIDTH, HEIGHT = 290, 104
"""Of every picture, in pixels: two stand beside each other in the width of a hover."""

FONT = "11px system-ui, -apple-system, 'Segoe UI', sans-serif"


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours as `#rrggbb`. `gain` and `second` are told apart by every kind of colour vision, and read as text too."""

    background: str
    text: str
    faint: str
    grid: str
    gain: str
    second: str


THEMES = {
    "dark": Theme("#1f1f1f", "#e4e4e4", "#a8a8a8", "#4a4a4a", "#56b4e9", "#e69f00"),
    "light": Theme("#ffffff", "#1f1f1f", "#595959", "#d0d0d0", "#0072b2", "#a85500"),
}


def svg_uri(theme: Theme, body: str, text: str) -> str:
    """A `data:` URI of a picture with these elements; `text` is its title."""
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{visible_html(text)}</title>'
        f"<style>text{{font:{FONT};fill:{theme.text}}}.faint{{fill:{theme.faint}}}.end{{text-anchor:end}}"
        f".middle{{text-anchor:middle}}</style>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="4" fill="{theme.background}"/>{body}</svg>'
    )
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode('ascii')}"
