"""What removing each bottleneck would gain, as bars: GPUPerf's potential benefits at a glance."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.models.results.benefit import Benefit
from warplens.analysis.text.quantities import percent_text, time_text
from warplens.server.render.card import Picture
from warplens.server.render.launch_sentences import LEAST_BENEFIT
from warplens.server.render.pictures.theme import WIDTH, Theme, svg_uri
from warplens.server.render.visible_text import visible_html

_ROW, _TOP = 18, 26
_LABEL, _VALUE = 138, 48
_LEAST_BAR = 2


def benefit_bars(benefits: Sequence[Benefit], theme: Theme) -> Picture | None:
    """Bars of the shares of the kernel's time, the largest first; None where nothing is worth a bar.

    The full width is the whole time of the kernel.
    """
    shown = sorted((b for b in benefits if b.share >= LEAST_BENEFIT), key=lambda b: -b.share)
    if not shown:
        return None
    full = WIDTH - _LABEL - _VALUE
    rows = ['<text x="8" y="16" class="faint">What would help, of the kernel&#8217;s time</text>']
    for at, benefit in enumerate(shown):
        y = _TOP + at * _ROW
        length = max(_LEAST_BAR, round(full * min(benefit.share, 1.0)))
        rows.append(
            f'<text x="8" y="{y + 11}">{visible_html(benefit.kind.capitalize())}</text>'
            f'<rect x="{_LABEL}" y="{y + 2}" width="{full}" height="11" fill="{theme.grid}"/>'
            f'<rect x="{_LABEL}" y="{y + 2}" width="{length}" height="11" fill="{theme.gain}"/>'
            f'<text x="{WIDTH - 8}" y="{y + 11}" class="end">{percent_text(benefit.share)}</text>'
        )
    text = "What would help: " + ", ".join(f"{b.kind} {time_text(b.time_s)} ({percent_text(b.share)})" for b in shown)
    return Picture(svg_uri(theme, "".join(rows), text), text)
